// Tests attacks on the log's history by someone who has the database, without and with its keys.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { signTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { blindingKeyOf } from '../../src/features/transparency/domain/log/log-keys.ts'
import { leafHash } from '../../src/features/transparency/domain/log/merkle.ts'
import { growTiles, hashOfLeaves, keyOfTile, packEntries } from '../../src/features/transparency/domain/log/tiles.ts'
import { saveTiles } from '../../src/features/transparency/store/log.ts'
import { diagnoseLog } from '../../src/features/transparency/usecases/diagnose-log.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { type Mirror, type TenantChain, verifyMirror } from '../../src/features/transparency/usecases/verify-log.ts'
import { runJob } from '../harness/jobs.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { startWitness, TEST_LOG } from '../harness/servers/witness.ts'
import { type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const folder = await mkdtemp(join(tmpdir(), 'vidimus-holders-'))
after(() => rm(folder, { recursive: true }))
const FORGED = Buffer.from('a leaf of the attacker')

/** The leaves of a log that is expected to have these. */
const CHANGES: Readonly<Record<string, (leaves: readonly Buffer[]) => Buffer[]>> = {
  edit: (leaves) => leaves.with(0, FORGED),
  remove: (leaves) => leaves.toSpliced(1, 1),
  reorder: ([first, second, ...rest]) => [second ?? FORGED, first ?? FORGED, ...rest],
  truncate: (leaves) => leaves.slice(0, -1),
  fork: (leaves) => [...leaves.slice(0, -1), FORGED],
}

async function prepared(name: string) {
  const witness = await startWitness(join(folder, name))
  const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8', VIDIMUS_WITNESSES: witness.setting })
  const wallet = await testWallet(service)
  const key = await service.key(await service.tenant())
  const end = async () => wallet.present((await create(service, key)).wallet_uri, 'declined')
  await end()
  await runJob(service.deps, 'keep-log')
  const older = await mirrorLog(service)
  await end()
  await end()
  await runJob(service.deps, 'keep-log')
  return { witness, service, end, older, newest: await mirrorLog(service) }
}

/** Writes every table of the log as it would be over these leaves, with `note` as its checkpoint. */
async function write(service: TestService, leaves: readonly Buffer[], note: string): Promise<void> {
  const { db } = service.deps
  await db.query({ name: 'test_empty_tiles', text: 'delete from log_tiles' })
  const tiles = growTiles(0, leaves.map(leafHash), () => new Uint8Array(0))
  await saveTiles(db, [
    ...tiles.map(({ level, index, hashes }) => ({ level, index, bytes: hashes })),
    { level: -1, index: 0, bytes: packEntries(leaves) },
  ])
  await db.query({ name: 'test_write_head', text: `update log_heads set size = $1, note = $2, cosignatures = ''` }, [
    leaves.length,
    note,
  ])
}

function signed(leaves: readonly Buffer[]): string {
  const tiles = growTiles(0, leaves.map(leafHash), () => new Uint8Array(0))
  const byKey = new Map(tiles.map((tile) => [keyOfTile(tile), tile.hashes]))
  const root = hashOfLeaves({ from: 0, to: leaves.length }, (tile) => byKey.get(keyOfTile(tile)) ?? new Uint8Array(0))
  return signTreeHead({ size: leaves.length, root }, TEST_LOG)
}

const noteOf = (checkpoint: string) => `${checkpoint.split('\n').slice(0, 5).join('\n')}\n`

async function audited(service: TestService, older: readonly string[], chain: TenantChain | null = null) {
  const read: Mirror['read'] = async (path) => {
    const answer = await service.app.inject({ method: 'GET', url: `/log/${path}` })
    return answer.statusCode === 200 ? answer.rawPayload : null
  }
  return verifyMirror({ read, keys: { log: await logKey(service), witnesses: [] }, older, epochs: [], chain })
}

for (const [change, apply] of Object.entries(CHANGES)) {
  test(`${change}, with the database alone: the service itself notices, and signs nothing more`, async () => {
    const { witness, service, end, newest } = await prepared(`database-${change}`)
    try {
      await write(service, apply(newest.leaves), noteOf(newest.checkpoint))
      await end()
      assert.equal((await growLog(service.deps)).outcome, 'halted')
      assert.equal((await audited(service, [])).outcome, 'broken', 'and so does every mirror')
    } finally {
      await witness.kill('SIGTERM')
    }
  })

  test(`${change}, with the keys, too: a witness halts it, and the owner of a stored checkpoint can prove it`, async () => {
    const { witness, service, end, newest } = await prepared(`keys-${change}`)
    try {
      const leaves = apply(newest.leaves)
      await write(service, leaves, signed(leaves))
      assert.equal(
        (await audited(service, [])).outcome,
        'proven',
        'the log alone looks consistent, which is why there are witnesses',
      )
      const found = await audited(service, [noteOf(newest.checkpoint)])
      assert.equal(found.outcome, 'broken')
      assert.match(found.notProven.join(' '), /forked|rolled back/)
      await end()
      await runJob(service.deps, 'keep-log')
      const [finding] = await diagnoseLog(service.deps)
      assert.match(finding?.finding ?? '', /does not serve: the witness witness\.example\/w/)
    } finally {
      await witness.kill('SIGTERM')
    }
  })
}

test('after a rollback, with or without the keys, the store looks consistent; a witness halts the log, a stored checkpoint proves it', async () => {
  const { witness, service, end, older, newest } = await prepared('rollback')
  try {
    await write(service, older.leaves, noteOf(older.checkpoint))
    const alone = await audited(service, [noteOf(older.checkpoint)])
    assert.equal(alone.outcome, 'proven', 'an older state of the store is consistent')
    const found = await audited(service, [noteOf(newest.checkpoint)])
    assert.match(found.notProven.join(' '), /rolled back/)
    await end()
    await runJob(service.deps, 'keep-log')
    const [finding] = await diagnoseLog(service.deps)
    assert.match(finding?.finding ?? '', /rolled back/)
  } finally {
    await witness.kill('SIGTERM')
  }
})

test('a chain rewritten with all keys differs from the one whose heads are in the log', async () => {
  const { witness, service } = await prepared('chain')
  try {
    const [head] = await service.deps.db.query<{ tenantId: string; seq: number; hash: Buffer }>({
      name: 'test_logged_head',
      text: `select l.tenant_id as "tenantId", l.seq, e.hash from log_blinded_heads l
             join audit_entries e using (tenant_id, environment, seq) where environment = 'test' order by l.seq desc limit 1`,
    })
    assert.ok(head !== undefined)
    const realm = { tenantId: head.tenantId, environment: 'test' } as const
    const blindingKey = blindingKeyOf(service.deps.derivedKeys, head.tenantId)
    const entries = await service.deps.db.query<{ seq: number; hash: Buffer }>(
      { name: 'test_chain', text: `select seq, hash from audit_entries where tenant_id = $1 and environment = 'test'` },
      [head.tenantId],
    )
    const hashes = new Map(entries.map(({ seq, hash }) => [seq, hash.toString('hex')]))
    const against = (exported: ReadonlyMap<number, string>) =>
      audited(service, [], { realm, blindingKey, hashes: exported })
    assert.equal((await against(hashes)).outcome, 'proven')
    const rewritten = await against(new Map(hashes).set(head.seq, '00'.repeat(32)))
    assert.match(rewritten.notProven.join(' '), new RegExp(`another entry ${head.seq} of this chain`))
    const cut = new Map(hashes)
    cut.delete(head.seq)
    assert.equal((await against(cut)).outcome, 'broken')
  } finally {
    await witness.kill('SIGTERM')
  }
})
