// Tests transaction data: its hash, which transaction data may be sent, and that a response must confirm it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sdJwtTrial } from '../../../wallet/mutations/sd-jwt/sd-jwt-trial.ts'
import {
  CONSENT_ITEM,
  confirmedTrial,
  confirming,
  itemOf,
  PAYMENT_ITEM,
  pairTrial,
  SECOND_ITEM,
} from '../../../wallet/mutations/transaction-trial.ts'
import { createWorld } from '../../../wallet/mutations/world.ts'
import { TRANSACTION_MISBEHAVIOURS } from '../../../wallet/src/transaction-misbehaviours.ts'
import { accept } from '../../src/conclude.ts'
import { judgeAnswer } from '../../src/finding.ts'
import {
  encodeTransaction,
  type Json,
  parseQuery,
  readTransaction,
  requestClaims,
  transactionHash,
  unsignedDcApiRequest,
  verifyPresentation,
} from '../../src/index.ts'
import { newBudget } from '../../src/limits.ts'
import { readDeviceConfirmations } from '../../src/transaction/device-signed.ts'
import { readKeyBindingConfirmations } from '../../src/transaction/key-binding.ts'
import { examine, mintPresentation, query, expected as sdJwtExpected } from '../sdjwt/mint-presentation.ts'
import { expectedOf, trustOf } from '../trial.ts'

test('hashes transaction data in its base64url form', () => {
  const text = encodeTransaction({ type: 'example' })
  assert.equal(text, 'eyJ0eXBlIjoiZXhhbXBsZSJ9')
  assert.equal(transactionHash(text), 'H6CapFYn0Jjfgsvp9F0bAds-YGTNBdzlDKvR5zsfuT0')
})

test('hashes each transaction data once, however many presentations confirm it', () => {
  const [item] = readTransaction([CONSENT_ITEM.text])
  assert.ok(item)
  assert.equal(item.hash, transactionHash(item.text))
  const [queryId = ''] = item.credentialIds
  const outcomeFor = (text: string) => {
    const binding = { transaction_data_hashes: [item.hash], transaction_data_hashes_alg: 'sha-256' }
    const transaction = [{ ...item, text }]
    return readKeyBindingConfirmations(binding, { ...sdJwtExpected, transaction }, queryId).outcome
  }
  assert.equal(outcomeFor(item.text), 'read')
  // A text that is hashed again would not have this hash.
  assert.equal(outcomeFor('another text'), 'read')
})

test('encodes what a device signs as a hash only if it is as long as a hash', (t) => {
  const type = 'https://shop.example/terms'
  const items = Array.from({ length: 10 }, (_, n) => encodeTransaction({ type, credential_ids: ['licence'], n }))
  const transaction = readTransaction(items)
  const encode = t.mock.method(Buffer, 'from')
  const outcomeFor = (value: Buffer) => {
    const elements = [{ nameSpace: type, element: 'transaction_data_hash', value }]
    const signed = { deviceNameSpaces: { elements }, deviceAuth: { kind: 'signature' } } as const
    encode.mock.resetCalls()
    const { outcome } = readDeviceConfirmations(signed, { ...sdJwtExpected, transaction }, 'licence')
    return { outcome, encoded: encode.mock.callCount() }
  }
  const last = Buffer.from(transaction[9]?.hash ?? '', 'base64url')
  assert.deepEqual(outcomeFor(last), { outcome: 'read', encoded: 10 })
  for (const length of [31, 33, 1_200_000])
    assert.deepEqual(outcomeFor(Buffer.alloc(length)), { outcome: 'fault', encoded: 0 })
})

const encoded = (object: object) => Buffer.from(JSON.stringify(object)).toString('base64url')

for (const [title, texts] of Object.entries({
  'is not base64url': ['e30='],
  'is not an object of a type': [encoded({ credential_ids: ['a'] })],
  'names no credential that may confirm it': [encoded({ type: 'urn:x:y', credential_ids: [] })],
  'names another hash algorithm than SHA-256': [
    encoded({ type: 'urn:x:y', credential_ids: ['a'], transaction_data_hashes_alg: ['sha-512'] }),
  ],
  'names the hash algorithm in only one of two objects': [CONSENT_ITEM.text, itemOf({ named: false }).text],
  'appears twice': [CONSENT_ITEM.text, CONSENT_ITEM.text],
}))
  test(`refuses to send transaction data that ${title}`, () =>
    assert.throws(() => readTransaction(texts), /^Error: bug: /))

const PARAMETERS = {
  nonce: 'n0S6_WzA2Mj1LmVbGz8C7A4hYkQxR9tUuEiOoPpAaSs',
  query: parseQuery({ credentials: [query] }),
  encryptionJwk: null,
}

test('T20 a request carries the transaction data unchanged, on both channels, and never an empty list', () => {
  const redirect = {
    ...PARAMETERS,
    clientId: 'x509_hash:abc',
    responseUri: 'https://verifier.example/response',
    state: null,
    issuedAt: 1,
    expiresAt: 2,
    walletNonce: null,
  }
  const transaction = [CONSENT_ITEM.text, SECOND_ITEM.text]
  assert.deepEqual(requestClaims({ ...redirect, transaction }).transaction_data, transaction)
  assert.deepEqual(unsignedDcApiRequest({ ...PARAMETERS, transaction }).transaction_data, transaction)
  assert.ok(!('transaction_data' in requestClaims({ ...redirect, transaction: [] })))
  assert.ok(!('transaction_data' in unsignedDcApiRequest(PARAMETERS)))
})

test('rejects a response without exactly one confirmation for each transaction, even if every other check passed', () => {
  const items = readTransaction([CONSENT_ITEM.text])
  const proven = judgeAnswer(examine(mintPresentation()), { query, format: query.format }, newBudget())
  for (const check of ['not_revoked', 'signer_not_revoked'] as const) proven.log.pass(check)
  const agreed = { text: CONSENT_ITEM.text, queryId: query.id, at: 1, authentication: null }
  const withConfirmed = (confirmed: (typeof agreed)[]) => ({
    ...proven,
    examination: { ...proven.examination, confirmed },
  })
  assert.equal(accept([withConfirmed([])], items).outcome, 'rejected')
  assert.equal(accept([withConfirmed([agreed, agreed])], items).outcome, 'rejected')
  assert.equal(accept([withConfirmed([{ ...agreed, text: SECOND_ITEM.text }])], items).outcome, 'rejected')
  const verdict = accept([withConfirmed([agreed])], items)
  assert.ok(verdict.outcome === 'accepted')
  assert.deepEqual(verdict.confirmations, [agreed])
})

test('refuses to verify transaction data over Annex C', async () => {
  const trial = sdJwtTrial(createWorld('annex_c'))
  const expected = { ...expectedOf(trial), transaction: readTransaction([CONSENT_ITEM.text]) }
  await assert.rejects(verifyPresentation(trial.vpToken as Json, expected, trustOf(trial)), /bug: .*cannot carry/)
})

/** Each message, with the code that a wallet developer sees. */
const WORDS = {
  decoded_hash: /of the decoded transaction data.*\(transaction_data_hash_mismatch\)/,
  other_hash: /\(transaction_data_hash_mismatch\)/,
  empty_hashes: /\(transaction_data_hash_mismatch\)/,
  algorithm_list: /\(transaction_data_alg_malformed\)/,
  no_algorithm: /\(transaction_data_alg_malformed\)/,
  no_hashes: /\(transaction_data_missing\)/,
  no_code: /\(sca_code_missing\)/,
  other_response_mode: /\(sca_response_mode\)/,
  one_factor: /two different factors/,
} as const

for (const [name, word] of Object.entries(WORDS))
  test(`${name}: the verdict says what was wrong`, async () => {
    const { change } = TRANSACTION_MISBEHAVIOURS[name as keyof typeof WORDS]
    const trial = confirmedTrial(createWorld(), [PAYMENT_ITEM], change)
    const verdict = await verifyPresentation(trial.vpToken as Json, expectedOf(trial), trustOf(trial))
    assert.ok(verdict.outcome === 'rejected')
    assert.match(verdict.message, word)
    assert.equal(verdict.code, TRANSACTION_MISBEHAVIOURS[name as keyof typeof WORDS].expected)
  })

test('reports unrequested hashes as unexpected, and duplicates as repeated', async () => {
  const world = createWorld()
  const unasked = sdJwtTrial(world, confirming(world, [CONSENT_ITEM]))
  const either = itemOf({ ids: ['pid', 'card'] })
  for (const [trial, word] of [
    [unasked, /\(transaction_data_unexpected\)/],
    [pairTrial(world, [either], { pid: [either], card: [either] }), /\(transaction_data_repeated\)/],
  ] as const) {
    const verdict = await verifyPresentation(trial.vpToken as Json, expectedOf(trial), trustOf(trial))
    assert.match(verdict.outcome === 'rejected' ? verdict.message : '', word)
  }
})
