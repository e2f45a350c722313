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

async function newAsked() {
  const { answer } = await createVerification(deps, {
    principal,
    request: { template: 'identity' },
    idempotencyKey: null,
  })
  return findOpen(deps, JSON.parse(answer).id)
}

/** Ends verifications of this query at once. Returns the turn of the event loop of each time that the query was written. */
async function turnsOfEndings(count: number, query: DcqlQuery, channelName: 'redirect' | 'dc_api') {
  const open = await Promise.all(Array.from({ length: count }, newAsked))
  const written: number[] = []
  let turn = 0
  let isDone = false
  const next = () => {
    turn += 1
    if (!isDone) setImmediate(next)
  }
  setImmediate(next)
  const ends = open.map((verification) => {
    // Only what writes the whole query reads the path of a claim.
    const claim = {
      get path() {
        written.push(turn)
        return ['watched', 'b'] as const
      },
    }
    const [first = assert.fail('no credential'), ...others] = query.credentials
    const watched = { credentials: [{ ...first, claims: [claim, ...(first.claims ?? [])] }, ...others] }
    return deps.endings.end({ verification: { ...verification, query: watched as DcqlQuery }, ...ENDING, channelName })
  })
  const ended = await Promise.all(ends).finally(() => {
    isDone = true
  })
  assert.deepEqual(new Set(ended), new Set([true]))
  return { written, ids: open.map(({ id }) => id) }
}

test('queries that end at once are written in one turn if they are short, and in many if they are long', async () => {
  const { written: short } = await turnsOfEndings(AT_ONCE, SHORT, 'redirect')
  assert.deepEqual([short.length, new Set(short).size], [AT_ONCE, 1])
  const { written: long } = await turnsOfEndings(AT_ONCE, LONG, 'redirect')
  const most = Math.max(...[...Map.groupBy(long, (turn) => turn).values()].map((one) => one.length))
  // The turns of this test begin somewhere within those of the bound, which fits two.
  assert.ok(most <= 4, `${most} long queries in one turn`)
  assert.equal(long.length, AT_ONCE)
})

test('a query that a browser answered is written once, for the offer and for the receipt', async () => {
  const { written, ids } = await turnsOfEndings(1, LONG, 'dc_api')
  assert.equal(written.length, 1)
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

test('creations at once share a batch if their queries are short, and at most a megabyte of long ones', async () => {
  assert.equal((await batchesOfCreations(SHORT)).length, 1)
  const long = await batchesOfCreations(LONG)
  assert.ok(Math.max(...long) <= 1_000_000, `${Math.max(...long)} in a batch`)
  assert.equal(
    long.reduce((sum, one) => sum + one, 0),
    AT_ONCE * JSON.stringify(LONG).length,
  )
})
