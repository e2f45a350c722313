// Tests audit chains and the log after one and two restores of the same backup, with a real witness.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test, { after } from 'node:test'
import { verifyAuditExport } from '@vidimus/sdk'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { judgeTrails } from '../../src/features/audit/usecases/judge-chains.ts'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyExport, verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { blindingKeyOf } from '../../src/features/transparency/domain/log/log-keys.ts'
import { createLogMemory } from '../../src/features/transparency/store/log-memory.ts'
import { diagnoseLog } from '../../src/features/transparency/usecases/diagnose-log.ts'
import { maintainLog } from '../../src/features/transparency/usecases/maintain-log.ts'
import { verifyMirror } from '../../src/features/transparency/usecases/verify-log.ts'
import { renderNoteKey } from '../../src/platform/signed-note.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { startWitness, TEST_LOG } from '../harness/servers/witness.ts'
import { type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-second-restore-'))
after(() => rm(folder, { recursive: true }))

const tablesOf = async ({ deps }: TestService) =>
  (
    await deps.db.query<{ table: string }>({
      name: 'test_list_tables',
      text: `select c.relname::text as table from pg_class c where c.relnamespace = current_schema()::regnamespace
             and c.relkind = 'r' and c.relname not like 'backup\\_%' order by 1`,
    })
  ).map(({ table }) => table)

async function backUp(service: TestService): Promise<void> {
  for (const table of await tablesOf(service))
    await service.deps.db.query({
      name: `test_backup_${table}`,
      text: `create table backup_${table} as table ${table}`,
    })
}

/** Restores every row of every table, without foreign keys, which would require an order, and triggers, which refuse deletions. */
async function restore(service: TestService): Promise<void> {
  const tables = await tablesOf(service)
  await service.deps.db.transaction(async (tx) => {
    const references = await tx.query<{ table: string; name: string }>({
      name: 'test_list_references',
      text: `select conrelid::regclass::text as table, conname::text as name from pg_constraint
             where contype = 'f' and connamespace = current_schema()::regnamespace`,
    })
    for (const [i, { table, name }] of references.entries())
      await tx.query({ name: `test_drop_reference_${i}`, text: `alter table ${table} drop constraint ${name}` })
    for (const table of tables) {
      await tx.query({ name: `test_off_${table}`, text: `alter table ${table} disable trigger user` })
      await tx.query({ name: `test_empty_${table}`, text: `delete from ${table}` })
      await tx.query({
        name: `test_restore_${table}`,
        text: `insert into ${table} overriding system value select * from backup_${table}`,
      })
      await tx.query({ name: `test_on_${table}`, text: `alter table ${table} enable trigger user` })
    }
  })
}

async function witnessed(name: string) {
  const place = join(folder, name)
  const witness = await startWitness(place)
  const setting = { VIDIMUS_WITNESSES: witness.setting, VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' }
  const service = await testService({ dataDir: join(folder, `${name}-data`) }, setting)
  const wallet = await testWallet(service)
  const cli = commandLine(service)
  const merchant = async () => {
    const tenantId = await service.tenant()
    const key = await service.key(tenantId)
    const end = async () => {
      const created = await create(service, key)
      await wallet.present(created.wallet_uri, 'declined')
      return created.id
    }
    return { realm: { tenantId, environment: 'test' } as const, end }
  }
  const minute = async () => {
    service.clock.advance(60_000)
    await maintainLog(service.deps)
  }
  /** Opens an epoch like the operators of the service and of its witness. */
  async function openEpoch(number: number, ...more: string[]): Promise<void> {
    await minute()
    assert.equal((await cli.run('restore', 'check', '--accept')).code, 0)
    const file = join(folder, `${name}-${number}.txt`)
    const waits = await cli.run('log', 'new-epoch', '--reason', `Restore ${number}`, '--out', file, ...more)
    assert.equal(waits.code, 2, waits.err)
    const log = ['--name', 'witness.example/w', '--folder', place, '--log', renderNoteKey(TEST_LOG)]
    const accepted = await cli.run('accept-epoch', file, ...log, '--accept')
    assert.equal(accepted.code, 0, accepted.err)
    const opened = await cli.run('log', 'new-epoch')
    assert.match(opened.out, new RegExp(`Epoch ${number} is open`), opened.err)
  }
  return { witness, service, cli, merchant, minute, openEpoch }
}

test('without a witness the log continues, although the process that saw the lost leaves is gone', async () => {
  const place = join(folder, 'alone')
  const service = await testService({ dataDir: place })
  const { deps } = service
  const cli = commandLine(service)
  const memory = createLogMemory(null)
  const grow = async () => {
    await service.tenant()
    service.clock.advance(60_000)
    await maintainLog(deps)
    await memory.check(deps.db)
  }
  await grow()
  await backUp(service)
  await grow()
  const { size } = await mirrorLog(service)
  await restore(service)
  // The process notices the restore, but its disk is lost.
  await assert.rejects(memory.check(deps.db), /was rolled back/)
  await rm(place, { recursive: true, force: true })
  assert.equal((await cli.run('restore', 'check', '--accept')).code, 0)
  const opened = await cli.run('log', 'new-epoch', '--reason', 'Restored')
  assert.match(opened.out, /Epoch 2 is open/, opened.err)
  assert.match(opened.out, new RegExp(`of ${size} leaves the log continued`))
  await service.tenant()
  service.clock.advance(60_000)
  await maintainLog(deps)
  assert.equal((await judgeTrails(deps)).changed, 0)
})

async function assertWhole(service: TestService, realms: readonly Realm[]): Promise<void> {
  const { deps } = service
  const log = await logKey(service)
  for (const realm of realms) {
    for (const how of ['whole', 'newest'] as const) {
      const found = await verifyStored(deps, { realm, log: how })
      assert.equal(found.outcome, 'whole', JSON.stringify(found))
    }
    const lines = await Array.fromAsync(exportAudit(deps, realm))
    assert.ok((await verifyAuditExport(lines.join('\n'), { log: renderNoteKey(log) })).entries > 0)
    const logKeys = { log, witnesses: deps.config.witnesses.map(({ key }) => key) }
    const read = await verifyExport({ lines: () => Readable.from(lines), publicKey: null, notes: [], logKeys })
    assert.equal(read.outcome, 'whole', JSON.stringify(read))
  }
  for (let run = 0; run < 2; run += 1) {
    const judged = await judgeTrails(deps)
    assert.deepEqual([judged.changed, judged.missing], [0, 0], service.logged.slice(-4).join('\n'))
  }
}

test('after a restore, chains that were in the log before, and newer ones, are complete for every reader', async () => {
  const { witness, service, merchant, minute, openEpoch } = await witnessed('once')
  try {
    const early = await merchant()
    await early.end()
    await minute()
    assert.equal((await judgeTrails(service.deps)).changed, 0)
    await backUp(service)
    for (let at = 0; at < 2; at += 1) {
      await early.end()
      await minute()
    }
    const lost = await merchant()
    await lost.end()
    await minute()
    await assertWhole(service, [early.realm, lost.realm])
    await restore(service)
    await openEpoch(2)
    await assertWhole(service, [early.realm])
    const later = await merchant()
    for (let at = 0; at < 2; at += 1) {
      await early.end()
      await later.end()
      await minute()
      await assertWhole(service, [early.realm, later.realm])
    }
    const findings = await diagnoseLog(service.deps)
    assert.ok(
      findings.every(({ status }) => status === 'ok'),
      JSON.stringify(findings),
    )
  } finally {
    await witness.kill('SIGKILL')
  }
})

test('L23 a backup from before the last epoch can be restored, too: the log continues in the next one', async () => {
  const { witness, service, cli, merchant, minute, openEpoch } = await witnessed('twice')
  try {
    const early = await merchant()
    await early.end()
    await minute()
    await backUp(service)
    await early.end()
    await minute()
    const first = await mirrorLog(service)
    await restore(service)
    await openEpoch(2)
    await early.end()
    await minute()
    const second = await mirrorLog(service)
    // Paths of tiles lead to other leaves than before: a cache that kept them for ever would show a forked log.
    assert.notDeepEqual(second.leaves.slice(0, first.size), first.leaves.slice(0, second.size))
    const two = await statementOf(service, 2)
    await restore(service)
    await minute()
    // Without the statement of the epoch that the store does not know, no checkpoint extends it.
    assert.equal((await cli.run('restore', 'check', '--accept')).code, 0)
    const refused = await cli.run('log', 'new-epoch', '--reason', 'Again')
    assert.match(refused.err, /in epoch 2 already, .* give the statement of each epoch since \(--epoch\)/)
    const file = join(folder, 'two.txt')
    await writeFile(file, two.replace('Restore 2', 'Restore 9'))
    assert.match(
      (await cli.run('log', 'new-epoch', '--reason', 'Again', '--epoch', file)).err,
      /not signed by this log/,
    )
    await writeFile(file, two)
    await openEpoch(3, '--epoch', file)
    const later = await merchant()
    for (let at = 0; at < 2; at += 1) {
      await early.end()
      await later.end()
      await minute()
      await assertWhole(service, [early.realm, later.realm])
    }
    // For an auditor, who has checkpoints of the first two epochs.
    const three = await statementOf(service, 3)
    assert.equal(await statementOf(service, 2), two)
    const keys = { log: await logKey(service), witnesses: [witness.key] }
    const entries = await service.deps.db.query<{ seq: number; hash: Buffer }>(
      { name: 'test_chain', text: `select seq, hash from audit_entries where tenant_id = $1 and environment = 'test'` },
      [early.realm.tenantId],
    )
    const hashes = new Map(entries.map(({ seq, hash }) => [seq, hash.toString('hex')]))
    const chain = {
      realm: early.realm,
      blindingKey: blindingKeyOf(service.deps.derivedKeys, early.realm.tenantId),
      hashes,
    }
    const read = async (path: string) => {
      const answer = await service.app.inject({ method: 'GET', url: `/log/${path}` })
      return answer.statusCode === 200 ? answer.rawPayload : null
    }
    const older = [first.checkpoint, second.checkpoint]
    const found = await verifyMirror({ read, keys, older, epochs: [two, three], chain })
    assert.equal(found.outcome, 'proven', JSON.stringify(found))
    assert.match(found.notProven.join('\n'), /lost in a restore, epoch 2.*\n.*lost in a restore, epoch 3/)
    assert.match(found.proven.join('\n'), /match its 3 heads in the log/)
    const unstated = await verifyMirror({ read, keys, older: [], epochs: [], chain })
    assert.equal(unstated.outcome, 'broken', 'a missed head does not count as absent')
    assert.equal((await verifyMirror({ read, keys, older: [], epochs: [three], chain })).outcome, 'broken')
    // The owner of the database deletes a statement: a missing part of the chain is still reported.
    await service.deps.db.query({ name: 'test_lose_statement', text: 'delete from log_epochs where number = 3' })
    assert.equal((await verifyStored(service.deps, { realm: early.realm, log: 'whole' })).outcome, 'untrusted')
    await judgeTrails(service.deps)
    assert.match((await diagnoseLog(service.deps))[0]?.finding ?? '', /the public log is halted/)
  } finally {
    await witness.kill('SIGKILL')
  }
})

const statementOf = async (service: TestService, number: number) =>
  (await service.call('GET', `/log/epoch/${number}`)).text
