// Tests the audit trail under attack: every change, removal, reordering or truncation is found and named.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { entryHash } from '../../src/features/audit/domain/entry.ts'
import type { AuditVerdict } from '../../src/features/audit/domain/verdict.ts'
import {
  auditPublicKey,
  checkpointAudit,
  exportAudit,
  readTrail,
} from '../../src/features/audit/usecases/read-audit.ts'
import { verifyExport, verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import { linesOf } from '../../src/platform/cli/files.ts'
import { testService } from '../harness/service.ts'
import { appendEntries } from '../log/appended-entries.ts'

const service = await testService()
const tenantId = await service.tenant({ name: 'Audited' })
const key = await service.key(tenantId)
const realm = { tenantId, environment: 'test' } as const
const publicKey = auditPublicKey(service.deps)
const ids = await createAndErase()
const lines = await exported()

/** Twelve verifications, every third of them erased. */
async function createAndErase(): Promise<string[]> {
  const created: string[] = []
  for (let i = 0; i < 12; i += 1) {
    const body = { template: 'age_over_18', purpose: `Purpose ${i}` }
    created.push((await service.call('POST', '/v1/verifications', { key, body })).json.id)
  }
  for (const id of created.filter((_, i) => i % 3 === 0)) {
    assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
  }
  return created
}

async function exported(): Promise<string[]> {
  const all: string[] = []
  for await (const line of exportAudit(service.deps, realm)) all.push(line)
  return all
}

async function* fromArray(array: readonly string[]) {
  yield* array
}

const verify = (ids: readonly string[], notes: readonly string[] = [], pem = publicKey): Promise<AuditVerdict> =>
  verifyExport({ lines: () => fromArray(ids), publicKey: pem, notes, logKeys: null })

/** Entries start at index 1, after the header. */
const entryAt = (seq: number) => JSON.parse(lines[seq] ?? '')

function withEntry(seq: number, change: (line: Record<string, unknown>) => unknown): string[] {
  return lines.map((line, i) => (i === seq ? JSON.stringify(change(JSON.parse(line))) : line))
}

/** Changes an entry and adapts its hash. */
function rewritten(seq: number, change: (entry: Record<string, unknown>) => unknown): string[] {
  return withEntry(seq, (line) => {
    const entry = JSON.parse(String(line.entry))
    change(entry)
    const text = canonicalJson(entry)
    return { ...line, entry: text, hash: entryHash(Buffer.from(text)).toString('hex') }
  })
}

test('an export is complete; erased details are counted, and their erasure is in the chain', async () => {
  const verdict = await verify(lines)
  assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
  assert.ok(verdict.outcome === 'whole')
  assert.equal(verdict.detailsErased, 4)
  assert.equal(verdict.checkpoints, 1)
  assert.equal(verdict.entries, lines.length - 2)
})

test('the store itself verifies, with and without stored checkpoints', async () => {
  const note = await checkpointAudit(service.deps, realm)
  assert.ok(note !== null)
  assert.equal((await verifyStored(service.deps, { realm, log: 'whole' })).outcome, 'whole')
  assert.equal((await verifyStored(service.deps, { realm, notes: [note], log: 'whole' })).outcome, 'whole')
})

test('a page of the trail shows actor, action, object and details, newest first', async () => {
  const [newest, next] = (await readTrail(service.deps, realm, { before: null, limit: 2 })).entries
  assert.equal(newest?.action, 'verification.erased')
  assert.equal(newest?.object.id, ids[9])
  assert.equal(newest?.details, null)
  assert.equal(next?.seq, (newest?.seq ?? 0) - 1)
  const all = (await readTrail(service.deps, realm, { before: null, limit: 100 })).entries
  const created = all.find((entry) => entry.object.id === ids[1])
  assert.equal(created?.action, 'verification.created')
  assert.equal(created?.actor.type, 'api_key')
  assert.deepEqual(created?.details, { template: 'age_over_18', purpose: 'Purpose 1' })
})

test('the chain itself contains nothing that a merchant wrote', () => {
  const chain = lines.slice(1, -1).map((line) => JSON.parse(line).entry)
  assert.ok(!chain.join().includes('Purpose'))
  assert.ok(!chain.join().includes('Audited'))
})

const tamperings: [string, () => string[], number][] = [
  [
    'a byte of an entry',
    () => withEntry(4, (line) => ({ ...line, entry: `${line.entry}`.replace('api_key', 'api_kez') })),
    4,
  ],
  [
    'the actor, with an adapted hash',
    () =>
      rewritten(5, (entry) => {
        entry.actor = { type: 'system', id: 'x' }
      }),
    6,
  ],
  [
    'the time, with an adapted hash',
    () =>
      rewritten(5, (entry) => {
        entry.at = '2020-01-01T00:00:00.000000Z'
      }),
    5,
  ],
  ['the recorded hash', () => withEntry(3, (line) => ({ ...line, hash: '00'.repeat(32) })), 3],
  ['an entry that was removed', () => lines.filter((_, i) => i !== 6), 6],
  ['the first entry that was removed', () => lines.filter((_, i) => i !== 1), 1],
  ['two entries that changed places', () => swapped(5, 6), 5],
  ['an entry that occurs twice', () => lines.toSpliced(5, 0, lines[5] ?? ''), 6],
  ['an entry in another JSON form', () => withEntry(4, (line) => ({ ...line, entry: ` ${line.entry}` })), 4],
  ['an entry in another JSON form, with an adapted hash', () => respelled(4), 4],
  [
    'an entry of another chain, with an adapted hash',
    () => rewritten(5, (entry) => Object.assign(entry, { tenant: 'ten_x' })),
    5,
  ],
  ['the number of a line', () => withEntry(4, (line) => ({ ...line, seq: 99 })), 4],
  [
    'details of an entry that has none',
    () => withEntry(lines.length - 2, (line) => ({ ...line, salt: '00', details: {} })),
    -2,
  ],
  ['a line that is not JSON', () => lines.with(4, '{'), 4],
  [
    'details that were changed',
    () => withDetails((line) => ({ ...line, details: { template: null, purpose: 'Other' } })),
    -1,
  ],
  ['details without an erasure that accounts for it', () => withDetails(({ salt, details, ...line }) => line), -1],
]

/** Returns the same JSON in another order of members. */
function respelled(seq: number): string[] {
  return withEntry(seq, (line) => {
    const text = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(String(line.entry))).reverse()))
    return { ...line, entry: text, hash: entryHash(Buffer.from(text)).toString('hex') }
  })
}

function swapped(a: number, b: number): string[] {
  return lines.with(a, lines[b] ?? '').with(b, lines[a] ?? '')
}

/** Returns an entry of a creation that was not erased. */
function withDetails(change: (line: Record<string, unknown>) => unknown): string[] {
  return withEntry(seqOf(ids[1] ?? ''), change)
}

function seqOf(id: string): number {
  return lines.findIndex((line) => line.includes(id))
}

for (const [what, tamper, expectedSeq] of tamperings) {
  test(`a change is found and named: ${what}`, async () => {
    const verdict = await verify(tamper())
    assert.equal(verdict.outcome, 'tampered', JSON.stringify(verdict))
    assert.ok(verdict.outcome === 'tampered')
    const named = expectedSeq === -1 ? seqOf(ids[1] ?? '') : expectedSeq === -2 ? lines.length - 2 : expectedSeq
    assert.equal(verdict.seq, named, verdict.problem)
  })
}

test('an export with Unicode line separators in its text is complete when read from its file', async () => {
  const other = { tenantId: await service.tenant(), environment: 'test' } as const
  const body = { template: 'age_over_18', purpose: 'First\u2028second\u2029third' }
  const created = await service.call('POST', '/v1/verifications', { key: await service.key(other.tenantId), body })
  assert.equal(created.status, 201, created.text)
  const written: string[] = []
  for await (const line of exportAudit(service.deps, other)) written.push(line)
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-export-'))
  try {
    for (const end of ['\n', '\r\n']) {
      const file = join(folder, 'export.jsonl')
      await writeFile(file, written.map((line) => `${line}${end}`).join(''))
      const verdict = await verifyExport({ lines: () => linesOf(file), publicKey, notes: [], logKeys: null })
      assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a stored checkpoint reveals a truncated end', async () => {
  const note = JSON.parse(lines.at(-1) ?? '').checkpoint
  const cut = lines.slice(0, -6)
  const verdict = await verify(cut, [note])
  assert.equal(verdict.outcome, 'incomplete')
  assert.equal(verdict.outcome === 'incomplete' && verdict.seq, lines.length - 2 - 5)
})

test('an export without any checkpoint does not count as complete', async () => {
  assert.equal((await verify(lines.slice(0, -1))).outcome, 'incomplete')
})

test('entries after the last checkpoint do not count as complete, because the chain has no secret', async () => {
  const verdict = await verify(appendEntries(lines, [{ action: 'verification.erased' }]))
  assert.equal(verdict.outcome, 'incomplete')
  assert.equal(verdict.outcome === 'incomplete' && verdict.seq, lines.length - 1)
})

test('a chain that was rewritten from some entry on contradicts a stored checkpoint', async () => {
  const note = JSON.parse(lines.at(-1) ?? '').checkpoint
  const forged: string[] = [lines[0] ?? '']
  let prev: string | null = null
  for (const line of lines.slice(1, -1).map((text) => JSON.parse(text))) {
    const entry = JSON.parse(line.entry)
    if (entry.seq === 5) entry.actor = { type: 'operator', id: 'nobody' }
    if (prev !== null) entry.prev = prev
    const text = canonicalJson(entry)
    prev = entryHash(Buffer.from(text)).toString('hex')
    forged.push(JSON.stringify({ ...line, entry: text, hash: prev }))
  }
  assert.equal((await verify(forged)).outcome, 'incomplete')
  const verdict = await verify(forged, [note])
  assert.equal(verdict.outcome, 'tampered')
  assert.equal(verdict.outcome === 'tampered' && verdict.seq, entryAt(lines.length - 2).seq)
})

test('a checkpoint that another key signed, or that was changed, is refused', async () => {
  const { publicKey: foreign } = (await import('node:crypto')).generateKeyPairSync('ed25519')
  const other = foreign.export({ format: 'pem', type: 'spki' }).toString()
  assert.equal((await verify(lines, [], other)).outcome, 'untrusted')
  const note = String(JSON.parse(lines.at(-1) ?? '').checkpoint)
  const inflated = note.replace(/\n\d+\n/, '\n1\n')
  assert.equal((await verify(lines.slice(0, -1), [inflated])).outcome, 'untrusted')
  assert.equal((await verify(lines, [], 'not a key')).outcome, 'untrusted')
  const otherName = note.replace(/(?<=vidimus-audit )..../, 'AAAA')
  assert.equal((await verify(lines.slice(0, -1), [otherName])).outcome, 'untrusted')
  assert.equal((await verify(['{"format":"other"}'])).outcome, 'untrusted')
})

test('the checkpoint of another chain does not vouch for this one', async () => {
  const foreignTenant = await service.tenant()
  await service.key(foreignTenant)
  const note = await checkpointAudit(service.deps, { tenantId: foreignTenant, environment: 'test' })
  assert.equal((await verify(lines, [note ?? ''])).outcome, 'untrusted')
})

test('an export contains nothing of another tenant, or of the other environment', async () => {
  for (const line of lines.slice(1, -1)) {
    const entry = JSON.parse(JSON.parse(line).entry)
    assert.equal(entry.tenant, tenantId)
    assert.equal(entry.environment, 'test')
  }
})

test('the database refuses to change, delete or truncate rows of the chain', async () => {
  for (const text of [
    `update audit_entries set object_id = 'x'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ]) {
    await assert.rejects(service.deps.db.query({ name: `test_${text.slice(0, 6)}`, text }), /append-only/)
  }
})

test('a store without its last entries, whatever its triggers, is incomplete; a store with changed entries is tampered', async () => {
  const { db } = service.deps
  const attack = (name: string, text: string) => db.query({ name, text })
  await attack('test_off', 'alter table audit_entries disable trigger user')
  const [head] = await db.query<{ seq: number }>(
    { name: 'test_head', text: 'select seq from audit_heads where tenant_id = $1 and environment = $2' },
    [tenantId, 'test'],
  )
  await attack(
    'test_cut',
    `delete from audit_entries where tenant_id = '${tenantId}' and seq > ${(head?.seq ?? 0) - 5}`,
  )
  const cut = await verifyStored(service.deps, { realm, log: 'whole' })
  assert.equal(cut.outcome, 'incomplete')
  await attack(
    'test_change',
    `update audit_entries set bytes = bytes || ' ' where tenant_id = '${tenantId}' and seq = 7`,
  )
  const changed = await verifyStored(service.deps, { realm, log: 'whole' })
  assert.equal(changed.outcome === 'tampered' && changed.seq, 7)
})
