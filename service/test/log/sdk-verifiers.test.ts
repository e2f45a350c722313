// Tests proofs and exports with one fault each, signed with the log's key: one check of each verifier refuses each.

import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyAuditExport, verifyReceiptProof } from '@vidimus/sdk'
import { commitmentLeaf } from '../../src/features/audit/domain/blinded-heads.ts'
import { commitmentTo, entryHash, genesisHash } from '../../src/features/audit/domain/entry.ts'
import { headerLine } from '../../src/features/audit/domain/export.ts'
import { taggedLeaf } from '../../src/features/audit/domain/head-leaves.ts'
import { verifyExport } from '../../src/features/audit/usecases/verify-audit.ts'
import { signTreeHead, treeHeadText } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { receiptLeaf } from '../../src/features/transparency/domain/log/leaves.ts'
import { leafHash, nodeHash } from '../../src/features/transparency/domain/log/merkle.ts'
import { renderProof } from '../../src/features/transparency/domain/log/proof-file.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import { noteSigner, readNoteKey, renderNoteKey, signNote } from '../../src/platform/signed-note.ts'

const log = noteSigner('verify.example/log', 0x01, Buffer.alloc(32, 7))
const keys = { log: renderNoteKey(log) }
const nodeKeys = { log: readNoteKey(keys.log) ?? assert.fail(), witnesses: [] }
const JWS = 'a.b.c'
const sibling = Buffer.alloc(32, 3)
const LEAF_SALT = Buffer.alloc(32, 7)

/** The receipt is leaf 0 of a tree of two. */
const root = nodeHash(leafHash(receiptLeaf(JWS)), sibling)
const proofOf = (checkpoint: string, index = 0, hashes = [sibling]) =>
  renderProof({ index, hashes, checkpoint, extra: null })

test('L09 a proof is refused for each single fault', async () => {
  assert.equal((await verifyReceiptProof(proofOf(signTreeHead({ size: 2, root }, log)), JWS, keys)).size, 2)
  const stranger = noteSigner('stranger.example/log', 0x01, Buffer.alloc(32, 8))
  const text = treeHeadText({ origin: log.name, size: 2, root })
  const alone = leafHash(receiptLeaf(JWS))
  const cases: Readonly<Record<string, [file: string, code: string]>> = {
    'signed by an unknown key': [proofOf(signNote(text, stranger)), 'not_signed'],
    'another log, signed with this key': [
      proofOf(signNote(treeHeadText({ origin: 'other.example/log', size: 2, root }), log)),
      'not_signed',
    ],
    'fewer hashes than the tree is high': [proofOf(signTreeHead({ size: 2, root: alone }, log), 0, []), 'not_included'],
    'more hashes than the tree is high': [
      proofOf(signTreeHead({ size: 1, root: nodeHash(sibling, alone) }, log), 0, [sibling]),
      'not_included',
    ],
    'a leaf behind the end': [proofOf(signTreeHead({ size: 1, root: alone }, log), 5, []), 'not_included'],
  }
  for (const [what, [file, code]] of Object.entries(cases)) {
    await assert.rejects(verifyReceiptProof(file, JWS, keys), { code }, what)
  }
})

const realm = { tenantId: 'ten_a', environment: 'test' } as const
const TAG = Buffer.alloc(32, 9)
const SALT = '01'.repeat(32)

interface Written {
  /** Computed over the members of the entry. */
  readonly content?: object
  readonly text?: (canonical: string) => string
  readonly hash?: string
  readonly seq?: number
  readonly salt?: string
  readonly details?: object
}

/** Three entries, chained and logged; `change` is applied to the second. */
const exported = (change: Written = {}, headSeq = 3, form: Form = 'blinded'): string[] =>
  chained([{}, change, {}], headSeq, form)

type Form = 'blinded' | 'tagged'

function chained(entries: readonly Written[], headSeq = entries.length, form: Form = 'blinded'): string[] {
  let prev = genesisHash(realm).toString('hex')
  const lines: string[] = []
  let last = { hash: '', at: '' }
  for (const [i, recorded] of entries.entries()) {
    const at = `2026-01-01T00:00:0${i}.000000Z`
    const content = {
      ...{ v: 1, tenant: realm.tenantId, environment: realm.environment, seq: i + 1, at },
      ...{ action: 'key.created', actor: { type: 'operator', id: 'cli' }, object: { type: 'key', id: 'key_a' } },
      ...{ details: null, prev },
      ...recorded.content,
    }
    const canonical = canonicalJson(content)
    const entry = recorded.text?.(canonical) ?? canonical
    const hash = recorded.hash ?? entryHash(Buffer.from(entry)).toString('hex')
    const { salt, details } = recorded
    lines.push(
      JSON.stringify({
        seq: recorded.seq ?? content.seq,
        entry,
        hash,
        ...(salt === undefined ? {} : { salt, details }),
      }),
    )
    if (i < headSeq) last = { hash, at: content.at }
    prev = hash
  }
  const head = { seq: headSeq, hash: Buffer.from(last.hash, 'hex'), at: last.at }
  const opening = form === 'blinded' ? { salt: LEAF_SALT.toString('hex') } : { tag: TAG.toString('hex') }
  const leaf = leafHash(form === 'blinded' ? commitmentLeaf(LEAF_SALT, head) : taggedLeaf(TAG, realm.environment, head))
  const proof = proofOf(signTreeHead({ size: 2, root: nodeHash(leaf, sibling) }, log))
  return [headerLine(realm, { seq: headSeq, opening, proof }), ...lines]
}

const stored = (lines: readonly string[]) =>
  verifyExport({
    lines: async function* () {
      yield* lines
    },
    publicKey: null,
    notes: [],
    logKeys: nodeKeys,
  })

const DETAILS = { name: 'Shop' }
const committedTo = (details: Parameters<typeof commitmentTo>[0]) => commitmentTo(details, Buffer.from(SALT, 'hex'))
const commitment = committedTo(DETAILS)
const withDetails = (change: (line: string) => string) =>
  exported({ content: { details: commitment }, salt: SALT, details: DETAILS }).map((line, i) =>
    i === 2 ? change(line) : line,
  )

/** Returns a verification whose details are gone. */
const lost = (id: string, type = 'verification'): Written => ({
  content: { action: 'verification.created', object: { type, id }, details: commitment },
})

const erased = (id: string) => ({ action: 'verification.erased', object: { type: 'verification', id } })

/** The day after the last entry, when the details of 2026-01-01 lapsed. */
const LATER = '2026-01-03T00:10:00.000000Z'

/** The details of these entries were deleted with their day. */
function lapse(details: object, content: object = {}): Written {
  const lapsed = details as { entries: string }
  const object = { type: 'day', id: '2026-01-01' }
  const commitment = commitmentTo(lapsed, Buffer.from(SALT, 'hex'))
  return {
    content: { action: 'verifications.lapsed', object, details: commitment, at: LATER, ...content },
    salt: SALT,
    details: lapsed,
  }
}

const naming = (entries: string, content: object = {}): Written => lapse({ count: 1, entries }, content)

const withoutSalt = (lines: readonly string[]) => lines.map((line) => line.replace(`"salt":"${SALT}",`, ''))

const HOSTS = { type: 'webhook_destination', id: 'test' }

/** The details of these entries were deleted with a webhook's host. */
function forgotten(details: { readonly entries?: string } | null): Written {
  const content = { action: 'destination.forgotten', object: HOSTS }
  if (details === null) return { content }
  const lapsed = details as { entries: string }
  return { content: { ...content, details: commitmentTo(lapsed, Buffer.from(SALT, 'hex')) }, salt: SALT, details }
}

const lostHost = lost(HOSTS.id, HOSTS.type)

/** The details of these entries were deleted with the address of a team member. */
const withoutAddresses = (details: { readonly entries?: string }): Written => {
  const { content, ...rest } = forgotten(details)
  return { content: { ...content, action: 'user.forgotten', object: { type: 'tenant', id: 'ten_a' } }, ...rest }
}
const lostAddress = (action: string): Written => ({ content: { ...lost('ten_a', 'tenant').content, action } })
const lostBrand = lost('test', 'branding')

test('lost details that only entries outside of the log account for are counted separately: anyone can append such entries', async () => {
  const entries = [lost('ver_a'), lost('ver_b'), { content: erased('ver_a') }, lost('ver_c'), naming('1,1,1,1')]
  for (const [headSeq, count] of [
    [2, 3],
    [3, 2],
    [5, 0],
  ] as const) {
    const whole = await verifyAuditExport(chained(entries, headSeq).join('\n'), keys)
    assert.deepEqual([whole.detailsErased, whole.erasuresNotLogged], [3, count])
  }
})

test('an export is refused for each single fault, by both verifiers', async () => {
  for (const good of [
    exported(),
    exported({}, 3, 'tagged'),
    exported({ content: { details: commitment }, salt: SALT, details: DETAILS }),
    chained([lost('ver_a'), lost('ver_b'), naming('0,2')]),
    chained([lost('ver_a'), lost('ver_a'), naming('0,2')]),
    chained([lost('ver_a'), {}, lost('ver_b'), naming('0,1,1,1')]),
    chained([{}, naming('')]),
    // Days lapse in any order, and single verifications are erased before and after.
    chained([lost('ver_a'), lost('ver_b'), naming('1,1'), naming('0,1', { at: '2026-01-03T00:11:00.000000Z' })]),
    chained([
      lost('ver_a'),
      lost('ver_b'),
      naming('0,1'),
      { content: { ...erased('ver_b'), at: '2026-01-04T00:00:00.000000Z' } },
    ]),
    chained([lost('ver_a'), lost('ver_b'), { content: erased('ver_b') }, naming('0,2')]),
    chained([lostHost, {}, lostHost, forgotten({ entries: '0,1,1,1' })]),
    chained([lostHost, lostHost, forgotten({ entries: '1,1' }), forgotten({ entries: '0,1' })]),
    ...['user.invited', 'user.invitation_withdrawn', 'user.joined', 'user.removed'].map((action) =>
      chained([lostAddress(action), {}, lostAddress(action), withoutAddresses({ entries: '0,1,1,1' })]),
    ),
    // Earlier releases named no entries.
    chained([lostHost, lostHost, forgotten(null)]),
  ]) {
    assert.equal((await verifyAuditExport(good.join('\n'), keys)).entries, good.length - 1)
    const verdict = await stored(good)
    assert.equal(verdict.outcome, 'whole', JSON.stringify(verdict))
  }
  const cases: Readonly<Record<string, readonly string[]>> = {
    'another spelling': exported({ text: (canonical) => canonical.replace('{', '{ ') }),
    'another version': exported({ content: { v: 2 } }),
    'another tenant': exported({ content: { tenant: 'ten_b' } }),
    'another environment': exported({ content: { environment: 'live' } }),
    'a number left out': exported({ content: { seq: 4 } }),
    'two numbers': exported({ seq: 4 }),
    'another entry before': exported({ content: { prev: '00'.repeat(32) } }),
    'no later than the one before': exported({ content: { at: '2026-01-01T00:00:00.000000Z' } }),
    'another hash': exported({ hash: '11'.repeat(32) }),
    'other details': exported({ content: { details: commitment }, salt: SALT, details: { name: 'Shop 2' } }),
    'details that it does not commit to': exported({ salt: SALT, details: DETAILS }),
    'details under a salt that is not one': exported({ salt: 'zz', details: DETAILS }),
    'details without a salt': withoutSalt(exported({ salt: SALT, details: DETAILS })),
    'details in the place of erased ones': withoutSalt(
      chained([{ ...lost('ver_a'), salt: SALT, details: { purpose: 'another' } }, { content: erased('ver_a') }]),
    ),
    'details that were not erased': exported({ content: { details: commitment } }),
    'details that the lapse does not name': chained([lost('ver_a'), lost('ver_b'), naming('0,1')]),
    'details of a key that the lapse names': chained([lost('key_a', 'key'), naming('0,1')]),
    'details of a later day than the one that lapsed': chained([
      { content: { ...lost('ver_a').content, at: '2026-01-02T01:10:00.000001Z' } },
      naming('0,1', { at: '2026-01-09T00:10:00.000000Z' }),
    ]),
    'details of a day before the lapse': chained([lost('ver_a'), naming('0,1', { at: '2026-01-01T22:59:59.999999Z' })]),
    'details that were there when it lapsed': chained([
      lost('ver_a'),
      naming('0,1'),
      { content: { ...lost('ver_a').content, at: '2026-01-04T00:00:00.000000Z' } },
    ]),
    'a lapse without its numbers': chained([lost('ver_a'), lapse({ count: 1 })]),
    'a lapse whose details are gone': chained([lost('ver_a'), { content: naming('0,1').content ?? {} }]),
    'a lapse with numbers that nothing commits to': withoutSalt(chained([lost('ver_a'), naming('0,1')])),
    'a lapse that commits to no details': chained([{ content: { ...naming('').content, details: null } }]),
    'a lapse of no day': chained([lost('ver_a'), naming('0,1', { object: { type: 'day', id: 'all' } })]),
    'numbers up to the lapse itself': chained([lost('ver_a'), naming('0,2')]),
    'a count alone': chained([lost('ver_a'), naming('0')]),
    'a run of none': chained([lost('ver_a'), naming('0,0,0,1')]),
    'a malformed number': chained([lost('ver_a'), naming('-1,2')]),
    'a list for a text': chained([lost('ver_a'), lapse({ count: 1, entries: [[1, 1]] })]),
    'the same entries for two days': chained([
      lost('ver_a'),
      naming('0,1'),
      naming('0,2', { at: '2026-01-03T00:11:00.000000Z' }),
      naming('0,2', { at: '2026-01-03T00:12:00.000000Z' }),
    ]),
    'details of a host that is not named': chained([lostHost, lostHost, forgotten({ entries: '0,1' })]),
    'details of another setting of the same environment': chained([lostBrand, forgotten({ entries: '0,1' })]),
    'details of another setting, and no entry is named': chained([lostBrand, forgotten(null)]),
    'details of a verification, named with a host': chained([lost('ver_a'), forgotten({ entries: '0,1' })]),
    'a deleted host without numbers': chained([lostHost, forgotten({})]),
    'a deleted host whose numbers are gone': chained([
      lostHost,
      { content: forgotten({ entries: '0,1' }).content ?? {} },
    ]),
    'details of an address that is not named': chained([
      lostAddress('user.joined'),
      lostAddress('user.joined'),
      withoutAddresses({ entries: '0,1' }),
    ]),
    'details of the tenant, named with addresses': chained([
      lostAddress('settings.changed'),
      withoutAddresses({ entries: '0,1' }),
    ]),
    'details of a role, named with addresses': chained([
      lostAddress('user.role_changed'),
      withoutAddresses({ entries: '0,1' }),
    ]),
    'details of a verification, named with addresses': chained([lost('ver_a'), withoutAddresses({ entries: '0,1' })]),
    'details of an address, named with a host': chained([lostAddress('user.invited'), forgotten({ entries: '0,1' })]),
    'deleted addresses without numbers': chained([lostAddress('user.invited'), withoutAddresses({})]),
    'deleted addresses that commit to no details': chained([
      lostAddress('user.invited'),
      { content: { action: 'user.forgotten', object: { type: 'tenant', id: 'ten_a' } } },
    ]),
    'details of a host, after an erasure of its id': chained([lostHost, { content: erased('test') }]),
    'less than the log has': exported({}, 4),
    'details twice, of which programs read the last': withDetails((line) =>
      line.replace('"details":', '"details":{"name":"Other"},"details":'),
    ),
    'an entry twice, of which programs read the last': withDetails((line) =>
      line.replace('{"seq":2,', '{"seq":2,"entry":"{}",'),
    ),
    'a number that programs read as null': exported({
      content: { details: committedTo({ daily_quota: null }) },
      salt: SALT,
      details: { daily_quota: null },
    }).map((line) => line.replace('"daily_quota":null', '"daily_quota":1e400')),
    'a member that nothing commits to': withDetails((line) =>
      line.replace('"details":', '"purpose":"Other","details":'),
    ),
    'a checkpoint with an entry beside it': [...exported(), JSON.stringify({ checkpoint: '', seq: 4, entry: '{}' })],
    'a salt with other text after it': withDetails((line) => line.replace(SALT, `${SALT}zz`)),
    'a salt with zeros after it, which is the same key': withDetails((line) => line.replace(SALT, `${SALT}00`)),
    'a salt that is a list': withDetails((line) => line.replace(`"salt":"${SALT}"`, '"salt":["01"]')),
    'a second header': [...exported(), headerLine({ tenantId: 'ten_b', environment: 'live' }, null)],
  }
  const openings = [
    { form: 'tagged', from: '"tag":"09', to: '"tag":"08', code: 'not_included' },
    { form: 'blinded', from: '"salt":"07', to: '"salt":"06', code: 'not_included' },
    { form: 'blinded', from: '"salt":"07', to: '"salt":"', code: 'malformed' },
    { form: 'blinded', from: '"salt":"07', to: '"salt":"0007', code: 'malformed' },
    { form: 'blinded', from: '"salt"', to: '"tag"', code: 'not_included' },
    { form: 'blinded', from: '"salt"', to: '"other"', code: 'malformed' },
    { form: 'blinded', from: '"salt"', to: '"erased":"all","salt"', code: 'malformed' },
    { form: 'blinded', from: '"salt"', to: `"tag":"${TAG.toString('hex')}","salt"`, code: 'malformed' },
    { form: 'tagged', from: '"tenant"', to: '"erased":"all","tenant"', code: 'malformed' },
  ] as const
  for (const { form, from, to, code } of openings) {
    const [header = '', ...entries] = exported({}, 3, form)
    const elsewhere = [header.replace(from, to), ...entries]
    await assert.rejects(verifyAuditExport(elsewhere.join('\n'), keys), { code }, to)
    assert.equal((await stored(elsewhere)).outcome, 'untrusted', to)
  }
  const [ownHeader = '', ...ownEntries] = exported()
  const twice = ownHeader.replace('"tenant":', '"tenant":"ten_b","tenant":')
  for (const lines of [
    [...ownEntries, ownHeader],
    [twice, ...ownEntries],
  ]) {
    await assert.rejects(verifyAuditExport(lines.join('\n'), keys), { code: 'malformed' })
    assert.equal((await stored(lines)).outcome, 'untrusted')
  }
  for (const [what, lines] of Object.entries(cases)) {
    await assert.rejects(verifyAuditExport(lines.join('\n'), keys), { code: 'broken' }, what)
    assert.notEqual((await stored(lines)).outcome, 'whole', what)
  }
})
