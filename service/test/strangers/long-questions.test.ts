// Tests that visitors pay for the words of a long question, and that a page puts it into words once.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { DescribedQuery } from '../../src/core/templates/domain/describe-query.ts'
import { acceptedDocuments, receivedItems, receivedList } from '../../src/features/pages/http/question-part.ts'
import { GENEROUS, testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const SLOW = { perSecond: 1e-6, burst: 60 }
const service = await testService({ rates: { ...GENEROUS.rates, ip: SLOW } })
const key = await service.key(await service.tenant())

const queryOf = (credentials: number) => ({
  credentials: Array.from({ length: credentials }, (_, i) => ({
    id: `q${i}`,
    format: 'dc+sd-jwt',
    meta: { vct_values: [`urn:x${i}`] },
    claims: Array.from({ length: 100 }, (_, c) => ({ path: [`a${i}_${c}${'x'.repeat(240)}`] })),
  })),
})

test('a visitor pays for a long question on the page and the card; for others a page costs one request', async () => {
  const [short, long] = [await create(service, key), await create(service, key, { query: queryOf(9) })]
  const countOf = async (path: string, from: string) => {
    const statuses: number[] = []
    for (let count = 0; count < SLOW.burst + 1; count += 1)
      statuses.push((await service.call('GET', path, { from })).status)
    assert.ok(statuses.every((status) => status === 200 || status === 429))
    return statuses.filter((status) => status === 200).length
  }
  assert.equal(await countOf(`/verify/${short.id}`, '198.51.100.1'), SLOW.burst)
  // 250 kB of claims are 15 times 16 KiB; the page itself is one request.
  assert.equal(await countOf(`/verify/${long.id}`, '198.51.100.2'), 3)
  assert.equal(await countOf(`/verify/${long.id}/card`, '198.51.100.3'), 3)
})

test('a question is put into words once for a page', () => {
  let reads = 0
  const claim = {
    get names() {
      reads += 1
      return ['family_name']
    },
    entry: null,
    values: null,
  }
  const pid = { id: 'pid', format: 'dc+sd-jwt', types: ['urn:eudi:pid:1'], multiple: false, some_issuers: false }
  const question: DescribedQuery = {
    credentials: [{ ...pid, claims: [claim], always: [0], choices: [] }],
    sets: [{ required: true, options: [['pid']] }],
  }
  const list = receivedList({ outputs: null, question }, 'en')
  const first = reads
  assert.equal(receivedList({ outputs: null, question }, 'en'), list)
  assert.deepEqual(receivedItems({ outputs: null, question }, 'en'), ['Family name'])
  acceptedDocuments({ outputs: null, question }, 'en')
  assert.equal(reads, first)
  assert.deepEqual(receivedItems({ outputs: null, question }, 'de'), ['Nachname'])
})
