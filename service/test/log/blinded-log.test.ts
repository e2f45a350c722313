// Tests that the public log reveals no volume, times, environments or owners, and its proofs work.

import assert from 'node:assert/strict'
import { createCipheriv, hash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import test from 'node:test'
import { verifyAuditExport, verifyReceiptProof } from '@vidimus/sdk'
import {
  blindedHead,
  createMarkerFinder,
  firstOrdinalOf,
  headKeyOf,
  headRow,
} from '../../src/features/audit/domain/blinded-heads.ts'
import { tagOf } from '../../src/features/audit/domain/head-leaves.ts'
import { judgeTrails } from '../../src/features/audit/usecases/judge-chains.ts'
import { exportAudit } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyExport, verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { arrangeLeaves, type BatchState, planBatch, shuffle } from '../../src/features/transparency/domain/log/batch.ts'
import { signTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { contentOf, epochLeafOf, opaqueLeaf } from '../../src/features/transparency/domain/log/leaves.ts'
import { blindingKeyOf, logSigner } from '../../src/features/transparency/domain/log/log-keys.ts'
import { loadLog } from '../../src/features/transparency/store/log.ts'
import { leafOf } from '../../src/features/transparency/store/receipt-places.ts'
import { waitingTrail } from '../../src/features/transparency/usecases/gather-leaves.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { verifyMirror } from '../../src/features/transparency/usecases/verify-log.ts'
import { renderNoteKey } from '../../src/platform/signed-note.ts'
import { ENVIRONMENTS, millisecondsOf } from '../../src/platform/world.ts'
import { chainOwner } from '../harness/chain-owner.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { logOldHead } from '../harness/log/old-heads.ts'
import { type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const MINUTE = 60_000
const SIZES = [16, 64, 256, 1024]

async function merchant(service: TestService, wallet: Awaited<ReturnType<typeof testWallet>>) {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const end = async () => {
    const created = await create(service, key)
    await wallet.present(created.wallet_uri, 'declined')
    return created.id
  }
  const read = async (id: string, what: string) =>
    (await service.call('GET', `/v1/verifications/${id}/${what}`, { key })).text
  return { realm: { tenantId, environment: 'test' } as const, tenantId, key, end, read }
}

/** Lets one minute pass with some events, and then lets the log grow. */
async function minute(service: TestService, work: readonly (() => Promise<unknown>)[] = []): Promise<number> {
  for (const one of work) await one()
  service.clock.advance(MINUTE)
  const growth = await growLog(service.deps)
  assert.ok(growth.outcome === 'grown')
  return growth.leaves
}

test('L15 a reader of the log cannot distinguish a busy merchant from a quiet one, or see when anything happened', async () => {
  const service = await testService()
  const wallet = await testWallet(service)
  const [busy, quiet] = [await merchant(service, wallet), await merchant(service, wallet)]
  const grown: number[] = [await minute(service)]
  // Half an hour: one merchant has up to two flows a minute, another has one flow in total, and some minutes have none.
  for (let at = 0; at < 30; at += 1) {
    const flows = at % 3 === 0 ? [busy.end, busy.end] : []
    grown.push(await minute(service, at === 17 ? [...flows, quiet.end] : flows))
  }
  // A minute without flows adds as many leaves as one with them. A larger size is chosen at random, and then kept for the hour.
  assert.deepEqual(
    grown,
    grown.toSorted((a, b) => a - b),
  )
  assert.ok(
    grown.every((one) => SIZES.includes(one)),
    grown.join(),
  )
  const { leaves, size, checkpoint } = await mirrorLog(service)
  assert.equal(
    size,
    grown.reduce((sum, one) => sum + one, 0),
  )
  // Every leaf has one form and length, and shares no bytes with another, at any offset.
  const contents = leaves.map((leaf) => contentOf(leaf) ?? assert.fail('a leaf of another form'))
  const seen = new Set<string>()
  for (const content of contents) {
    for (let from = 0; from + 8 <= content.length; from += 1) {
      const piece = content.toString('hex', from, from + 8)
      assert.ok(!seen.has(piece), 'two leaves share bytes')
      seen.add(piece)
    }
  }
  // No unencrypted tag, entry number or time.
  const published = Buffer.concat([...contents, Buffer.from(checkpoint)])
  const entries = await service.deps.db.query<{ tenantId: string; seq: number; hash: Buffer; bytes: Buffer }>({
    name: 'test_entries',
    text: 'select tenant_id as "tenantId", seq, hash, bytes from audit_entries',
  })
  for (const { tenantId, seq, hash: entryHash, bytes } of entries) {
    const numbered = Buffer.alloc(8)
    numbered.writeBigUInt64BE(BigInt(seq))
    const timed = Buffer.alloc(8)
    timed.writeBigUInt64BE(BigInt(Math.round(millisecondsOf(JSON.parse(bytes.toString()).at) * 1000)))
    for (const part of [numbered, timed, timed.subarray(0, 6), entryHash.subarray(0, 8)])
      assert.ok(!published.includes(part))
    const tag = tagOf(blindingKeyOf(service.deps.derivedKeys, tenantId), { tenantId, environment: 'test' })
    assert.ok(!published.includes(tag.subarray(0, 8)))
  }
  // Each bit is set as often as not, in each part: heads, receipts and padding look the same.
  const places = await service.deps.db.query<{ index: number }>({
    name: 'test_real_places',
    text: `select ${leafOf('r')} as index from receipts r
           union all select leaf_index from log_blinded_heads`,
  })
  const real = new Set(places.map(({ index }) => index))
  const rows = [busy, quiet].flatMap(({ tenantId }) =>
    ENVIRONMENTS.map((environment) => ({
      key: headKeyOf(blindingKeyOf(service.deps.derivedKeys, tenantId), environment).markers,
      found({ index }: { index: number }) {
        real.add(index)
        return null
      },
    })),
  )
  const markers = createMarkerFinder(rows)
  for (const [index, leaf] of leaves.entries()) markers.see(leaf, index)
  // Real leaves have random positions in their batch: of some forty, each half has some.
  const [width = 0] = grown
  const halves = Map.groupBy(real, (index) => Math.floor((2 * (index % width)) / width))
  assert.equal(halves.size, 2)
  for (const part of [contents.filter((_, i) => real.has(i)), contents.filter((_, i) => !real.has(i))]) {
    assert.ok(part.length > 50)
    const ones = part.reduce((sum, content) => sum + content.reduce((bits, byte) => bits + bitsIn(byte), 0), 0)
    const bits = part.length * 256
    // Six standard deviations: once in five hundred million runs.
    assert.ok(Math.abs(ones - bits / 2) < 6 * Math.sqrt(bits / 4), `${ones} of ${bits}`)
  }
})

const bitsIn = (byte: number) => byte.toString(2).replaceAll('0', '').length

test('L16 the position of a leaf in its batch reveals neither its kind nor the number of leaves', async () => {
  const random = (size: number) => randomBytes(size)
  const rounds = 4_000
  const first = { real: 0, last: 0 }
  for (let i = 0; i < rounds; i += 1) {
    const batch = shuffle(['real', ...Array.from({ length: 15 }, () => 'padding')], random)
    if (batch[0] === 'real') first.real += 1
    if (batch.at(-1) === 'real') first.last += 1
  }
  const expected = rounds / 16
  for (const count of Object.values(first)) assert.ok(Math.abs(count - expected) < 6 * Math.sqrt(expected), `${count}`)
  assert.deepEqual(shuffle([1, 2, 3], random).toSorted(), [1, 2, 3])
})

test('L27 the positions of some leaves say nothing about how many of the others belong together', () => {
  const random = seeded('arrangements')
  const item = (name: string, count: number) => ({
    count,
    leavesAt: (indexes: readonly number[]) => indexes.map((index, i) => Buffer.from(`${name}${i}@${index}`)),
  })
  const items = [item('head', 2), item('marks', 3), item('own', 1), item('other', 1)]
  const ROUNDS = 84_000
  const counts = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const { leaves, places } = arrangeLeaves(items, { first: 100, random })
    const names = leaves.map((leaf, i) => {
      const [name = '', index] = leaf.toString().split('@')
      assert.equal(Number(index), 100 + i, 'each leaf is made for its own position')
      return name
    })
    // Only the leaves of one item keep their order, and its place is that of the last.
    for (const name of ['head', 'marks']) assert.ok(names.indexOf(`${name}0`) < names.indexOf(`${name}1`))
    const lastOf = ['head1', 'marks2', 'own0', 'other0'].map((name) => 100 + names.indexOf(name))
    assert.deepEqual(
      places.map(({ index }) => index),
      lastOf,
    )
    const order = names.map((name) => name.slice(0, 2)).join('')
    counts.set(order, (counts.get(order) ?? 0) + 1)
  }
  // Every one of the 7! / (2! 3!) orders is as likely as any other.
  assert.equal(counts.size, 420)
  for (const [order, count] of counts) assert.ok(Math.abs(count - 200) < 6 * Math.sqrt(200), `${order}: ${count}`)
})

test('L27 a reader finds heads whose leaves are apart and between those of others', () => {
  const [key, other] = ['a', 'b'].map((name) => headKeyOf(hash('sha256', name, 'buffer'), 'live'))
  assert.ok(key !== undefined && other !== undefined)
  const ends = [3, 2 ** 40].map((seq) => ({ seq, hash: randomBytes(32) }))
  const [first, second] = ends
  assert.ok(first !== undefined && second !== undefined)
  const leaves = Array.from({ length: 1_024 + 6 }, () => opaqueLeaf(randomBytes(32)))
  const put = (index: number, [marker, commitment]: [Buffer, Buffer], apart: number) => {
    leaves[index] = marker
    leaves[index + apart] = commitment
  }
  put(0, blindedHead(key, 0, first, 1_023), 1_023)
  put(1, blindedHead(other, 0, second, 3), 3)
  put(2, blindedHead(other, 1, second, 1), 1)
  put(1_024, blindedHead(key, 1, second, 4), 4)
  const found: { name: string; seq: number; index: number; covers: (hash: Uint8Array) => boolean }[] = []
  const rows = Object.entries({ key, other }).map(([name, row]) =>
    headRow(row, (head) => void found.push({ name, ...head })),
  )
  const finder = createMarkerFinder(rows)
  for (const [index, leaf] of leaves.entries()) finder.see(leaf, index)
  assert.deepEqual(
    found.map(({ name, seq, index }) => [name, seq, index]),
    [
      ['other', 2 ** 40, 3],
      ['other', 2 ** 40, 4],
      ['key', 3, 1_023],
      ['key', 2 ** 40, 1_028],
    ],
  )
  for (const { seq, covers } of found)
    assert.deepEqual(
      ends.map(({ hash }) => covers(hash)),
      ends.map((end) => end.seq === seq),
    )
})

test('L27 a reader notices a head whose commitment is missing, or is that of another', () => {
  const key = headKeyOf(hash('sha256', 'a', 'buffer'), 'live')
  const end = { seq: 7, hash: randomBytes(32) }
  const [first, commitment] = blindedHead(key, 0, end, 2)
  const [second] = blindedHead(key, 1, end, 1)
  const padding = opaqueLeaf(randomBytes(32))
  const epochOf = (leaves: readonly Buffer[]) => {
    const finder = createMarkerFinder([headRow(key, () => undefined)])
    for (const [index, leaf] of leaves.entries()) finder.see(leaf, index)
    return finder.epoch()
  }
  assert.equal(epochOf([first, padding, commitment]), 1)
  assert.equal(epochOf([first, padding]), null, 'it would be behind the end')
  assert.equal(epochOf([first, second, commitment]), null, 'both markers name it')
})

/** Plans a batch of `real` leaves, as if nothing else waited. */
const plan = (real: number, nowMs: number, random: (size: number) => Uint8Array, before: BatchState) =>
  planBatch({ real, hasMore: false, canFill: false, nowMs, random }, before)

test('L17 a batch has one of four sizes, does not follow each minute, and its padding has bounded costs', () => {
  const never: BatchState = { keptSize: 0, keptUntil: 0, paddedUntil: 0 }
  const random = (size: number) => randomBytes(size)
  assert.equal(plan(0, 1, random, never).size, 0, 'a log without real leaves does not grow')
  for (let real = 1; real <= 768; real += 1) {
    const { size, realMax, hasNext } = plan(real, 1, random, never)
    // A quarter is for arrived receipts and padding.
    assert.ok(SIZES.includes(size) && realMax <= (3 / 4) * size, `${real}: ${realMax} in ${size}`)
    assert.ok(hasNext ? size === 1024 : realMax === real, `${real}: ${realMax} in ${size}`)
  }
  // A size is kept for an hour after it was needed, even if a smaller one is enough.
  const busy = plan(190, 0, calm, never)
  assert.equal(busy.size, 256)
  const later = plan(1, 59 * MINUTE, calm, busy.state)
  assert.equal(later.size, 256)
  assert.equal(plan(1, 61 * MINUTE, calm, later.state).size, 16)
  // The largest size is not kept: one burst an hour would cost a hundred megabytes a day.
  const burst = plan(768, 0, calm, never)
  assert.equal(burst.size, 1024)
  assert.equal(plan(0, MINUTE, calm, burst.state).size, 16)
  // Only padding continues for one to two days after the last real leaf, so that the end does not show its minute.
  const lengths = Array.from({ length: 12 }, () => {
    let { state } = plan(1, 0, random, never)
    let batches = 0
    for (let now = MINUTE; now < 3 * 1_440 * MINUTE; now += MINUTE) {
      const { size, state: next } = plan(0, now, random, state)
      if (size > 0) batches += 1
      state = next
    }
    return batches
  })
  assert.ok(
    lengths.every((batches) => batches >= 1_439 && batches <= 2_880),
    `${lengths}`,
  )
  assert.ok(new Set(lengths).size > 3, `${lengths}`)
})

test('L17 a larger size happens at any number of leaves, and two more leaves at most double its chance', () => {
  const random = seeded('sizes')
  const ROUNDS = 20_000
  for (const size of SIZES) {
    const state: BatchState = { keptSize: size, keptUntil: 10, paddedUntil: 10 }
    const isLarger = (real: number) => {
      const planned = plan(real, 1, random, state)
      return planned.size > size || planned.hasNext
    }
    // The numbers of leaves that need this size. After the largest, a further batch follows, which is hardly ever seen for few.
    const from = { 16: 0, 64: 13, 256: 49, 1024: 400 }[size] ?? 0
    for (let real = from; real <= (3 / 4) * size; real += size < 256 ? 1 : size / 32) {
      const [share = 0, more = 0] = [real, real + 2].map((one) => {
        let larger = 0
        for (let i = 0; i < ROUNDS; i += 1) if (isLarger(one)) larger += 1
        return larger / ROUNDS
      })
      assert.ok(share > 0, `${real} of ${size}: never larger`)
      // The random results may differ by six standard deviations.
      const tolerance = 6 * Math.sqrt(Math.max(more, 1 / ROUNDS) / ROUNDS)
      assert.ok(more <= 2 * share + tolerance, `${real} of ${size}: ${share}, with two more ${more}`)
    }
  }
})

test('L17 a further batch takes a random number of leaves, so a sender who fills a batch cannot count the others in it', () => {
  const random = seeded('further')
  const state: BatchState = { keptSize: 0, keptUntil: 0, paddedUntil: 0 }
  const ROUNDS = 200_000
  const counts = new Map<number, number>()
  for (let i = 0; i < ROUNDS; i += 1) {
    const { size, realMax, hasNext } = planBatch({ real: 768, hasMore: true, canFill: true, nowMs: 1, random }, state)
    assert.ok(size === 1024 && hasNext)
    counts.set(realMax, (counts.get(realMax) ?? 0) + 1)
  }
  const average = [...counts].reduce((sum, [realMax, count]) => sum + realMax * count, 0) / ROUNDS
  assert.ok(average > 630 && average < 650, `${average}`)
  // What the sender counts is this number without the leaves of others. Two of those make each count hardly more likely.
  for (let realMax = 600; realMax <= 766; realMax += 1) {
    const [without = 0, withTwo = 0] = [counts.get(realMax), counts.get(realMax + 2)]
    assert.ok(
      withTwo <= 1.02 * without + 6 * Math.sqrt(2 * withTwo),
      `${realMax}: ${without}, with two others ${withTwo}`,
    )
  }
})

test('L17 in a quiet installation batches are on average little more than twice the smallest size', () => {
  const random = seeded('cost')
  for (const [real, limit] of [
    [0, 40],
    [4, 80],
    [12, 110],
  ] as const) {
    let state: BatchState = { keptSize: 0, keptUntil: 0, paddedUntil: Number.POSITIVE_INFINITY }
    let leaves = 0
    const minutes = 200 * 1_440
    for (let at = 0; at < minutes; at += 1) {
      const planned = plan(real, at * MINUTE, random, state)
      state = { ...planned.state, paddedUntil: Number.POSITIVE_INFINITY }
      leaves += planned.size
    }
    assert.ok(leaves / minutes <= limit, `${real} leaves a minute: batches of ${leaves / minutes}`)
  }
})

/** Never chooses a larger size. */
const calm = (size: number) => new Uint8Array(size).fill(255)

/** The same bytes in every run. */
function seeded(name: string) {
  const stream = createCipheriv('aes-128-ctr', hash('sha256', name, 'buffer').subarray(0, 16), Buffer.alloc(16))
  let block = Buffer.alloc(0)
  let at = 0
  return (size: number): Uint8Array => {
    if (at + size > block.length) {
      block = stream.update(Buffer.alloc(2 ** 16))
      at = 0
    }
    at += size
    return block.subarray(at - size, at)
  }
}

/** Copies of a merchant's receipt, as if so many verifications had ended. */
async function addReceipts(
  service: TestService,
  { realm }: { realm: { tenantId: string } },
  name: string,
  count: number,
) {
  await service.deps.db.query(
    {
      name: 'test_copy_receipts',
      text: `insert into receipts (tenant_id, environment, verification_id, jws, arrived)
             select tenant_id, environment, 'ver_' || $2 || n, jws, $4 from generate_series(1, $3) n,
               (select * from receipts where tenant_id = $1 limit 1) r`,
    },
    [realm.tenantId, name, count, name === 'arrived' ? true : null],
  )
}

/** Counts the leaves of receipts so named in each batch of a minute, as their owner can by their proofs. */
async function ownLeaves(service: TestService, name: string) {
  const { size: before } = await loadLog(service.deps.db)
  await minute(service)
  const { size: after } = await loadLog(service.deps.db)
  const rows = await service.deps.db.query<{ index: number }>(
    {
      name: 'test_own_leaves',
      text: `select r.leaf_index as index from receipts r where verification_id like 'ver_' || $1 || '%' and leaf_index >= $2`,
    },
    [name, before],
  )
  return { grown: after - before, first: rows.filter(({ index }) => index < before + 1024).length, all: rows.length }
}

test('L25 the owner of arrived receipts cannot compute how many leaves of others a batch has', async () => {
  const service = await testService()
  const wallet = await testWallet(service)
  const [moved, other] = [await merchant(service, wallet), await merchant(service, wallet)]
  await moved.end()
  await minute(service)
  await addReceipts(service, moved, 'arrived', 400)
  for (const ended of [0, 1, 0, 4, 8]) {
    for (let i = 0; i < ended; i += 1) await other.end()
    const { grown, all } = await ownLeaves(service, 'arrived')
    // Its own leaves are the same part of every batch, with whatever number of others.
    assert.equal(all, grown / 4, `${ended} verifications of others`)
  }
  let last = await ownLeaves(service, 'arrived')
  for (let at = 0; at < 100 && last.all > 0; at += 1) last = await ownLeaves(service, 'arrived')
  const [left] = await service.deps.db.query<{ count: number }>({
    name: 'test_left',
    text: 'select count(*)::integer as count from receipts where leaf_index is null and arrived',
  })
  assert.equal(left?.count, 0, 'all have entered')
})

test('L26 who fills a batch with own leaves cannot compute how many leaves of others are in it', async () => {
  const service = await testService()
  const wallet = await testWallet(service)
  const [own, other] = [await merchant(service, wallet), await merchant(service, wallet)]
  for (const one of [own, other]) await one.end()
  await minute(service)
  const firsts: number[] = []
  for (let round = 0; round < 4; round += 1) {
    await addReceipts(service, own, `own${round}_`, 1_100)
    await addReceipts(service, other, `other${round}_`, 7)
    const { first, all } = await ownLeaves(service, `own${round}_`)
    assert.equal(all, 1_100, 'all enter in the same minute')
    assert.ok(first <= 768)
    firsts.push(first)
  }
  assert.ok(new Set(firsts).size > 1, firsts.join())
})

test('L18 test and live share no key, nor do two tenants: neither finds leaves of the other', () => {
  const keys = ['a', 'b'].flatMap((name) =>
    ENVIRONMENTS.map((environment) => headKeyOf(hash('sha256', name, 'buffer'), environment)),
  )
  const end = { seq: 7, hash: Buffer.alloc(32, 1) }
  const leaves = keys.flatMap((key) => blindedHead(key, 0, end, 1))
  assert.equal(new Set(leaves.map((leaf) => leaf.toString('hex'))).size, 8, 'the same head looks different in each')
  for (const [i, key] of keys.entries()) {
    const found: number[] = []
    const finder = createMarkerFinder([headRow(key, ({ index }) => void found.push(index))])
    for (const [index, leaf] of leaves.entries()) finder.see(leaf, index)
    assert.deepEqual(found, [2 * i + 1])
  }
})

test('L19 leaves of older releases still prove the same, also while both releases write', async () => {
  const service = await testService()
  const wallet = await testWallet(service)
  const { realm, tenantId, end, read } = await merchant(service, wallet)
  const { deps } = service
  const oldReceipt = await end()
  await logOldHead(deps, realm)
  const oldExport = await Array.fromAsync(exportAudit(deps, realm))
  assert.match(oldExport[0] ?? '', /"tag":"[0-9a-f]{64}"/)
  await minute(service)
  await end()
  await minute(service)
  await end()
  await logOldHead(deps, realm)
  // A chain that an old process logged first, and one that has only blinded heads.
  const [other, fresh] = [await merchant(service, wallet), await merchant(service, wallet)]
  await logOldHead(deps, other.realm)
  await end()
  await minute(service)
  const newest = await end()
  await minute(service)
  const keys = { log: renderNoteKey(await logKey(service)) }
  const logKeys = { log: await logKey(service), witnesses: [] }
  for (const id of [oldReceipt, newest]) {
    const proof = await read(id, 'receipt.tlog-proof')
    assert.ok((await verifyReceiptProof(proof, await read(id, 'receipt'), keys)).size > 16)
  }
  const newExport = await Array.fromAsync(exportAudit(deps, realm))
  assert.match(newExport[0] ?? '', /"salt":"[0-9a-f]{64}"/)
  for (const lines of [oldExport, newExport]) {
    assert.ok((await verifyAuditExport(lines.join('\n'), keys)).entries > 0)
    const found = await verifyExport({ lines: () => Readable.from(lines), publicKey: null, notes: [], logKeys })
    assert.equal(found.outcome, 'whole', JSON.stringify(found))
  }
  for (const one of [realm, other.realm, fresh.realm]) {
    const whole = await verifyStored(deps, { realm: one, log: 'whole' })
    assert.equal(whole.outcome, 'whole', JSON.stringify(whole))
    assert.equal((await verifyStored(deps, { realm: one, log: 'newest' })).outcome, 'whole')
  }
  assert.equal((await judgeTrails(deps)).changed, 0)
  await end()
  await minute(service)
  assert.equal((await judgeTrails(deps)).changed, 0, 'and from what the run before has judged')
  // A mirror with the tenant's key has every head, in both forms.
  const readFile = async (path: string) => {
    const answer = await service.app.inject({ method: 'GET', url: `/log/${path}` })
    return answer.statusCode === 200 ? answer.rawPayload : null
  }
  const entries = await deps.db.query<{ seq: number; hash: Buffer }>(
    { name: 'test_chain', text: `select seq, hash from audit_entries where tenant_id = $1 and environment = 'test'` },
    [tenantId],
  )
  const hashes = new Map(entries.map(({ seq, hash: one }) => [seq, one.toString('hex')]))
  const blindingKey = blindingKeyOf(deps.derivedKeys, tenantId)
  const against = (exported: ReadonlyMap<number, string>) =>
    verifyMirror({
      read: readFile,
      keys: logKeys,
      older: [],
      epochs: [],
      chain: { realm, blindingKey, hashes: exported },
    })
  const found = await against(hashes)
  assert.match(found.proven.join('\n'), /match its 6 heads in the log/)
  // An export that ends before the log does, and one with another end.
  const last = Math.max(...hashes.keys())
  assert.equal((await against(new Map([...hashes].filter(([seq]) => seq < last)))).outcome, 'broken')
  assert.equal((await against(new Map(hashes).set(last, '00'.repeat(32)))).outcome, 'broken')
})

test('L20 deleting a tenant from the store with all its data raises an alarm: the log shows that its chains entered', async () => {
  const service = await testService()
  const wallet = await testWallet(service)
  const { deps } = service
  const [kept, gone] = [await merchant(service, wallet), await merchant(service, wallet)]
  await kept.end()
  await minute(service)
  assert.equal((await judgeTrails(deps)).changed, 0)
  await chainOwner(deps.db).asOwner(async (tx) => {
    const tables = await tx.query<{ table: string }>({
      name: 'test_tables_of_tenants',
      text: `select table_name::text as table from information_schema.columns c join pg_class k on k.relname = c.table_name
             where table_schema = current_schema() and column_name = 'tenant_id' and k.relkind = 'r'`,
    })
    await tx.query({ name: 'test_no_references', text: 'set constraints all deferred' })
    let left = tables.map(({ table }) => table)
    // Deletes in an order that the references allow.
    for (let round = 0; left.length > 0 && round < 10; round += 1) {
      const failed: string[] = []
      for (const table of left) {
        await tx.query({ name: `test_save_${table}_${round}`, text: 'savepoint tried' })
        try {
          await tx.query({ name: `test_delete_${table}_${round}`, text: `delete from ${table} where tenant_id = $1` }, [
            gone.tenantId,
          ])
        } catch {
          await tx.query({ name: `test_back_${table}_${round}`, text: 'rollback to savepoint tried' })
          failed.push(table)
        }
      }
      left = failed
    }
    assert.deepEqual(left, [])
    await tx.query({ name: 'test_delete_tenant', text: 'delete from tenants where id = $1' }, [gone.tenantId])
  })
  const before = service.logged.length
  assert.equal((await judgeTrails(deps)).changed, 2, 'the test chain and the live chain of the tenant')
  assert.ok(service.logged.slice(before).some((line) => line.includes('a tenant that is not in the store')))
  // The alarm is also raised if another tenant was created since.
  await merchant(service, wallet)
  await minute(service)
  assert.equal((await judgeTrails(deps)).changed, 2)
})

test('L22 a new epoch repeats no marker of leaves that a restore lost, and a reader finds the heads of both', async () => {
  const { deps, ...service } = await testService()
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  const tree = { size: 100, root: randomBytes(32) }
  const signer = logSigner(deps.derivedKeys, 'log.example.com/log')
  const second = { number: 2, digest: randomBytes(32) }
  const end = { seq: 7, hash: randomBytes(32) }
  const other = { tenantId: await service.tenant(), environment: 'test' } as const
  const numbered = [
    { realm, ordinal: 0, end },
    { realm: other, ordinal: 3, end },
  ]
  // The lost leaves, and those that the restored store writes with the same next numbers.
  const old = { note: await signTreeHead(tree, signer), entrances: 5 }
  const lost = numbered.map((trail) => waitingTrail(deps, trail, old))
  const restored = { note: await signTreeHead(tree, signer, second), entrances: firstOrdinalOf(2) }
  const again = numbered.map((trail) => waitingTrail(deps, trail, restored))
  const tagsOf = (waits: typeof lost) =>
    waits
      .flatMap(({ waiting }) => waiting)
      .flatMap(({ leavesAt }) => leavesAt([100, 101]).map((leaf) => contentOf(leaf)?.toString('hex', 0, 24)))
  const both = [...tagsOf(lost), ...tagsOf(again)]
  assert.equal(new Set(both).size, both.length)
  const key = headKeyOf(blindingKeyOf(deps.derivedKeys, realm.tenantId), realm.environment)
  const found: number[] = []
  const finder = createMarkerFinder([headRow(key, ({ ordinal }) => void found.push(ordinal))])
  const before = [0, 1].flatMap((ordinal) => blindedHead(key, ordinal, end, 1))
  const after = [0, 1].flatMap((ordinal) => blindedHead(key, firstOrdinalOf(2) + ordinal, end, 1))
  for (const [index, leaf] of [...before, epochLeafOf(second.digest), ...after].entries()) finder.see(leaf, index)
  assert.deepEqual(found, [0, 1, firstOrdinalOf(2), firstOrdinalOf(2) + 1])
})
