// Tests that long queries do not stop the event loop when many verifications are created or ended at once.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import type { DcqlQuery } from '@vidimus/engine'
import { createCreations } from '../../../src/core/verifications/usecases/asking/commit-creations.ts'
import { createVerification } from '../../../src/core/verifications/usecases/asking/create-verification.ts'
import { findOpen } from '../../../src/core/verifications/usecases/asking/wallet-verification.ts'
import { creationContributions } from '../../../src/features.ts'
import { canonicalJson } from '../../../src/platform/canonical-json.ts'
import { withTurns } from '../../harness/event-loop.ts'
import { testService } from '../../harness/service.ts'

const service = await testService()
const { deps } = service
const tenantId = await service.tenant()
const AT_ONCE = 64

/** A query of about 4,500 bytes per credential. */
const queryOf = (credentials: number): DcqlQuery => ({
  credentials: Array.from({ length: credentials }, (_, c) => ({
    id: `c${c}`,
    format: 'mso_mdoc',
    meta: { doctype_value: `urn:x${c}` },
    claims: Array.from({ length: 100 }, (_, i) => ({ path: [`a${i}`, 'b'], intent_to_retain: true })),
  })),
})
const SHORT: DcqlQuery = {
  credentials: [{ id: 'c', format: 'mso_mdoc', meta: { doctype_value: 'urn:x' }, claims: [{ path: ['a', 'b'] }] }],
}
const LONG = queryOf(13)
const principal = { kind: 'api_key', keyId: 'key', tenantId, environment: 'test', scopes: [] } as const

const ENDING = {
  result: { outcome: 'failed', error: { code: 'wallet_declined', message: 'The holder declined.' }, credentials: [] },
  judgement: null,
  checks: [],
  responseCodeHash: null,
} as const

async function newAsked(by = tenantId) {
  const { answer } = await createVerification(deps, {
    principal: { ...principal, tenantId: by },
    request: { template: 'identity' },
    idempotencyKey: null,
  })
  return findOpen(deps, JSON.parse(answer).id)
}

interface Asked {
  readonly by: string
  readonly query: DcqlQuery
}

const several = (count: number, query: DcqlQuery, by = tenantId): Asked[] =>
  Array.from({ length: count }, () => ({ by, query }))

/**
 * Ends verifications at once. Returns who asked, in which order and turn of the event loop the claims of a query were
 * read: of a long one only to write it, of a short one also before, to see that it is short.
 */
async function readingsOfEndings(questions: readonly Asked[], channelName: 'redirect' | 'dc_api' = 'redirect') {
  const open = await Promise.all(questions.map(({ by }) => newAsked(by)))
  const read: (Asked & { readonly turn: number })[] = []
  let turn = 0
  let isDone = false
  const next = () => {
    turn += 1
    if (!isDone) setImmediate(next)
  }
  setImmediate(next)
  const ends = open.map((verification, at) => {
    const one = questions[at] ?? assert.fail('nothing asked')
    const claim = {
      get path() {
        read.push({ ...one, turn })
        return ['watched', 'b'] as const
      },
    }
    const [first = assert.fail('no credential'), ...others] = one.query.credentials
    const watched = { credentials: [{ ...first, claims: [claim, ...(first.claims ?? [])] }, ...others] }
    return deps.endings.end({ verification: { ...verification, query: watched as DcqlQuery }, ...ENDING, channelName })
  })
  const ended = await Promise.all(ends).finally(() => {
    isDone = true
  })
  assert.deepEqual(new Set(ended), new Set([true]))
  return { read, ids: open.map(({ id }) => id) }
}

test('queries that end at once are written in one turn if they are short, and in many if they are long', async () => {
  const { read: short } = await readingsOfEndings(several(AT_ONCE, SHORT))
  assert.deepEqual([short.length, new Set(short.map(({ turn }) => turn)).size], [2 * AT_ONCE, 1])
  const { read: long } = await readingsOfEndings(several(AT_ONCE, LONG))
  const most = Math.max(...[...Map.groupBy(long, ({ turn }) => turn).values()].map((one) => one.length))
  // The turns of this test begin somewhere within those of the bound, which fits two.
  assert.ok(most <= 4, `${most} long queries in one turn`)
  assert.equal(long.length, AT_ONCE)
})

test("a tenant's long queries delay no short ones, and take turns with the long ones of another tenant", async () => {
  const other = await service.tenant()
  // From now on both tenants are known to this process, and neither waits for the store.
  await readingsOfEndings([...several(1, SHORT), ...several(1, SHORT, other)])
  const questions = [
    ...several(AT_ONCE, LONG),
    ...several(4, LONG, other),
    ...several(1, SHORT),
    ...several(1, SHORT, other),
  ]
  const { read } = await readingsOfEndings(questions)
  const orderOf = (wanted: (one: Asked) => boolean) =>
    [...read.entries()].flatMap(([at, one]) => (wanted(one) ? [at] : []))
  const short = orderOf(({ query }) => query === SHORT)
  assert.equal(short.length, 4)
  // Two long ones fit into the turn that is under way.
  assert.ok(Math.max(...short) < 4 + 2, `a short one came as number ${Math.max(...short)}`)
  const long = orderOf(({ query, by }) => query === LONG && by === other)
  const gaps = long.slice(1).map((at, i) => at - (long[i] ?? 0))
  assert.deepEqual(gaps, [2, 2, 2])
})

test('a query that a browser answered is written once, for the offer and for the receipt', async () => {
  const { read: readings, ids } = await readingsOfEndings(several(1, LONG), 'dc_api')
  assert.equal(readings.length, 1)
  const [id = ''] = ids
  const [receipt] = await deps.db.query<{ jws: string }>(
    { name: 'test_receipt', text: 'select jws from receipts where tenant_id = $1 and verification_id = $2' },
    [tenantId, id],
  )
  const read = await service.call('GET', `/v1/verifications/${id}`, { key: await service.key(tenantId) })
  const salt = Buffer.from(String(read.headers['x-vidimus-receipt-salt']), 'base64url')
  const { asked } = JSON.parse(Buffer.from(receipt?.jws.split('.')[1] ?? '', 'base64url').toString())
  const [first, ...others] = LONG.credentials
  const claims = [{ path: ['watched', 'b'] }, ...(first?.claims ?? [])]
  const text = canonicalJson(JSON.parse(JSON.stringify({ credentials: [{ ...first, claims }, ...others] })))
  assert.equal(asked.dcql_sha256, createHmac('sha256', salt).update(`dcql\0${text}`).digest('base64url'))
})

/** Creates verifications at once. Returns how many characters of queries each batch had. */
async function batchesOfCreations(query: DcqlQuery): Promise<number[]> {
  const batches: number[] = []
  const composed = creationContributions(deps)
  const all = composed.all.map((one): typeof one => ({
    ...one,
    collect(admitted, batch) {
      const drafts = admitted.flatMap((of) => of.drafts)
      batches.push(drafts.reduce((sum, draft) => sum + (draft.query?.length ?? 0), 0))
      one.collect(admitted, batch)
    },
  }))
  const world = { ...deps, creations: createCreations({ ...deps, composed: { ...composed, all } }) }
  const create = () => createVerification(world, { principal, request: { query }, idempotencyKey: null })
  await create()
  batches.splice(0)
  await Promise.all(Array.from({ length: AT_ONCE }, create))
  return batches
}

test('creations at once share a batch if their queries are short, and at most a megabyte of long ones', async (t) => {
  const inOneTurn = async (query: DcqlQuery) => {
    const batches: number[] = []
    await withTurns(t, 0, async () => batches.push(...(await batchesOfCreations(query))))
    return batches
  }
  assert.equal((await inOneTurn(SHORT)).length, 1)
  const long = await inOneTurn(LONG)
  assert.ok(Math.max(...long) <= 1_000_000, `${Math.max(...long)} in a batch`)
  assert.equal(
    long.reduce((sum, one) => sum + one, 0),
    AT_ONCE * JSON.stringify(LONG).length,
  )
})
