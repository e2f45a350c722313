// Tests receipts with a valid signature and one fault each, and what a receipt never reveals.

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import test from 'node:test'
import type { Check } from '@vidimus/engine'
import type { CredentialResult, VerificationResult } from '../../src/core/verifications/domain/verification.ts'
import { credentialFacts } from '../../src/features/transparency/domain/receipt/credential-facts.ts'
import { RECEIPT_TYPE, receiptSigner, signReceipt } from '../../src/features/transparency/domain/receipt/receipt.ts'
import {
  newReceiptKey,
  receiptSignerOf,
  signingKeyAt,
} from '../../src/features/transparency/domain/receipt/receipt-key.ts'
import { type ReceiptContent, verifyReceipt } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { localKey } from '../../src/platform/keys/signing-key.ts'
import { openStoredKey } from '../../src/platform/keys/stored-key.ts'
import { NO_REMOTE_KEYS } from '../harness/keys/no-remote-keys.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
const jwk = { kty: 'EC', crv: 'P-256', x, y, kid: 'k', use: 'sig', alg: 'ES256' }
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = { alg: 'ES256', typ: RECEIPT_TYPE, kid: 'k' }
const CONTENT: ReceiptContent = {
  ...{ iss: 'https://a.example', aud: 'ten_a', jti: 'ver_a', iat: 1, env: 'test', verdict: 'accepted' },
  ...{ result_sha256: 'r', chain: { seq: 1, hash: 'h' } },
}

function signed(headerText: string, payload: object): string {
  const input = `${headerText}.${encoded(payload)}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

test('L13 a signed text that is not a receipt is refused', () => {
  assert.equal(verifyReceipt(signed(encoded(HEADER), CONTENT), { keys: [jwk] }).outcome, 'genuine')
  const { chain: _, ...unchained } = CONTENT
  const payloads: readonly object[] = [
    unchained,
    { ...CONTENT, chain: { seq: 1.5, hash: 'h' } },
    { ...CONTENT, verdict: 'maybe' },
    { ...CONTENT, iat: 'now' },
    { ...CONTENT, jti: 5 },
    { ...CONTENT, code: 5 },
    [CONTENT],
    { ...CONTENT, padding: 'x'.repeat(40_000) },
  ]
  for (const payload of payloads) {
    assert.equal(verifyReceipt(signed(encoded(HEADER), payload), { keys: [jwk] }).outcome, 'malformed')
  }
  // Base64url has several encodings for some lengths: only one is accepted.
  const header = encoded({ ...HEADER, pad: 'xx' })
  const respelt = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((letter) => `${header.slice(0, -1)}${letter}`)
    .find((text) => text !== header && Buffer.from(text, 'base64url').equals(Buffer.from(header, 'base64url')))
  assert.ok(respelt !== undefined)
  assert.equal(verifyReceipt(signed(respelt, CONTENT), { keys: [jwk] }).outcome, 'malformed')
})

test('L13 a key without a name, or of another type, has signed nothing', () => {
  const { kid: _, ...nameless } = jwk
  const { kid: __, ...unnamed } = HEADER
  assert.equal(verifyReceipt(signed(encoded(unnamed), CONTENT), { keys: [nameless] }).outcome, 'unknown_key')
  for (const other of [{ crv: 'P-384' }, { kty: 'OKP' }]) {
    const verdict = verifyReceipt(signed(encoded(HEADER), CONTENT), { keys: [{ ...jwk, ...other }] })
    assert.equal(verdict.outcome, 'unknown_key')
  }
})

const credential: CredentialResult = {
  ...{ format: 'dc+sd-jwt', doctype_or_vct: 'urn:a', claims: {}, issuer: {}, findings: [] },
  ...{ trusted: true, signature_valid: true, holder_binding_valid: true },
}
const salt = random(32)

function receiptOf(
  change: Partial<CredentialResult>,
  checks: readonly Check[] = [],
): {
  credentials: { type?: string; checks: { check: string }[] }[]
} {
  const result: VerificationResult = { outcome: 'completed', claims: {}, credentials: [{ ...credential, ...change }] }
  const trustEvidence = { queryId: 'pid', checks: checks, signer: null, status: null, lists: [] }
  const jws = signReceipt(receiptSigner('k', localKey(privateKey)), {
    ...{
      issuer: 'https://a.example',
      request: { query: 'q', sha256: null, registration: null },
      result,
      bundleHash: null,
      salt,
    },
    verification: { id: 'ver_a', tenantId: 'ten_a', environment: 'test', template: 'identity', purpose: null },
    credentials: [
      credentialFacts(trustEvidence, { format: 'dc+sd-jwt', type: 'urn:a' }, { anchors: [], statusPolicy: 'prefer' }),
    ],
    binding: 'none',
    entry: { seq: 1, hash: random(32), at: '2026-01-01T00:00:00.000000Z' },
  })
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())
}

test('a receipt repeats no text of a stranger, and does not say that two credentials disagree', () => {
  assert.equal(receiptOf({}).credentials[0]?.type, 'urn:a')
  for (const untrusted of [{ trusted: false }, { signature_valid: false }]) {
    assert.equal('type' in (receiptOf(untrusted).credentials[0] ?? {}), false)
  }
  const engineChecks: readonly Check[] = [
    { check: 'issuer_trusted', status: 'pass' },
    { check: 'claim_conflict', status: 'warning' },
    { check: 'not_revoked', status: 'not_provable', detail: 'a proof cannot show it' },
  ]
  assert.deepEqual(receiptOf({}, engineChecks).credentials[0]?.checks, [
    { check: 'not_revoked', outcome: 'not_provable' },
  ])
})

test('L14 a key signs from its time on, the newest one; a key with mismatched halves signs nothing', () => {
  const old = newReceiptKey(1_000, 0)
  const next = newReceiptKey(2_000, 5_000)
  assert.equal(signingKeyAt([old, next], 6_999), old)
  assert.equal(signingKeyAt([old, next], 7_000), next)
  assert.equal(signingKeyAt([next], 6_999), null)
  const key = openStoredKey(old.privateKey, NO_REMOTE_KEYS.open)
  assert.equal(receiptSignerOf(old, key).kid, old.kid)
  assert.throws(() => receiptSignerOf({ ...old, publicJwk: next.publicJwk }, key), /not the one/)
  assert.throws(() => receiptSignerOf(next, key), /not the one/)
})
