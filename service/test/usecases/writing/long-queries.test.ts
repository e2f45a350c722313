// Tests that long queries do not stop the event loop when many verifications are created at once.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { DcqlQuery } from '@vidimus/engine'
import { createCreations } from '../../../src/core/verifications/usecases/asking/commit-creations.ts'
import { createVerification } from '../../../src/core/verifications/usecases/asking/create-verification.ts'
import { creationContributions } from '../../../src/features.ts'
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
