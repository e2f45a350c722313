// Tests the reasons that the hosted page gives, which must not help a forger.

import assert from 'node:assert/strict'
import test from 'node:test'
import { endReasonOf } from '../../src/features/pages/domain/end-reason.ts'
import { LABELS } from '../../src/features/pages/http/words/languages.ts'

/** A forger would learn which part of a credential was detected. */
const SECRET = [
  'credential_invalid',
  'holder_binding_invalid',
  'claim_conflict',
  'sca_factors_missing',
  'authentication_code_reused',
]

test('the table says for every kind of failure whether the holder may know it', () => {
  for (const code of Object.keys(LABELS.en.reasons).filter((one) => one !== 'wallet_declined'))
    assert.equal(endReasonOf(code) === null, SECRET.includes(code), code)
  for (const code of ['', 'constructor', '__proto__', 'unknown', null]) assert.equal(endReasonOf(code), null)
})
