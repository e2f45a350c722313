// Tests how a till shows the result of a verification.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { RejectionCode } from '@vidimus/engine'
import { LANGUAGES } from '../../labels/catalogue.ts'
import type { Verification } from '../../sdk/typescript/src/verification.ts'
import { needsVerdict, outcomeOf } from '../src/outcome.ts'
import { titleOf, WORDS } from '../src/words/words.ts'

const { en } = WORDS
/** All error codes. A code that is added to the union but not here does not compile. */
const FAILURES: Record<
  | RejectionCode
  | 'wallet_declined'
  | 'wallet_error'
  | 'wallet_refused_transaction'
  | 'authentication_code_reused'
  | 'claim_conflict',
  true
> = {
  wallet_declined: true,
  wallet_error: true,
  query_not_satisfied: true,
  credential_invalid: true,
  issuer_untrusted: true,
  holder_binding_invalid: true,
  credential_expired: true,
  credential_revoked: true,
  credential_suspended: true,
  status_unavailable: true,
  transaction_not_confirmed: true,
  sca_factors_missing: true,
  wallet_refused_transaction: true,
  authentication_code_reused: true,
  proof_unavailable: true,
  claim_conflict: true,
}
const FAILURE_CODES = Object.keys(FAILURES)
const verificationWith = (part: Partial<Verification>): Verification => ({
  id: 'ver_1',
  status: 'completed',
  created_at: '2027-06-15T12:00:00.000000Z',
  expires_at: '2027-06-15T12:05:00.000000Z',
  ...part,
})
const kindOf = (template: string, part: Partial<Verification>) => outcomeOf(verificationWith(part), template, en).kind

test('an age check is yes for true, no for false, and otherwise proves nothing', () => {
  assert.equal(kindOf('age_over_18', { claims: { age_over_18: true } }), 'yes')
  assert.equal(kindOf('age_over_18', { claims: { age_over_18: false } }), 'no')
  assert.equal(kindOf('age_over_18', { claims: { age_over_18: true, has_ticket: false } }), 'no', 'of an own template')
  for (const claims of [
    {},
    { age_over_18: 'true' },
    { age_over_18: 1 },
    { age_over_21: true },
    { age_over_18: null },
  ]) {
    assert.equal(kindOf('age_over_18', { claims }), 'unproven', JSON.stringify(claims))
  }
  assert.equal(kindOf('age_over_18', {}), 'unproven')
})

test('only a completed verification can be yes, whatever else an answer has', () => {
  for (const status of ['failed', 'expired', 'pending'] as const) {
    const outcome = outcomeOf(verificationWith({ status, claims: { age_over_18: true } }), 'age_over_18', en)
    assert.equal(outcome.kind, 'unproven')
    assert.notEqual(outcome.reason ?? '', '')
    assert.deepEqual(outcome.facts, [])
  }
})

test("a merchant's template is no if any of its answers is false, and says which", () => {
  const claims = { member: true, over_limit: false, tier: 'gold' }
  const outcome = outcomeOf(verificationWith({ claims }), 'club', en)
  assert.equal(outcome.kind, 'no')
  assert.deepEqual(outcome.facts, [
    { label: 'Tier', value: 'gold' },
    { label: 'Over limit', value: 'No' },
  ])
})

test("what a later credential denies is no, by the service's verdict, which the till asks for after a conflict", () => {
  const claims = { age_over_18: true, member: true }
  const credential = (...checks: string[]) => ({ findings: checks.map((check) => ({ check, status: 'warning' })) })
  const verification = (...checks: string[]) =>
    verificationWith({ claims, credentials: [credential(), credential(...checks)] as never })
  assert.equal(needsVerdict(verification()), false)
  assert.equal(needsVerdict(verification('claim_conflict')), true)
  assert.equal(needsVerdict(verificationWith({ claims: { $jwe: 'a.b.c.d.e' } })), true)
  for (const template of ['age_over_18', 'club']) {
    const { kind, affirmed, facts } = outcomeOf(verification('claim_conflict'), template, en, 'no')
    assert.deepEqual({ kind, affirmed, facts }, { kind: 'no', affirmed: [], facts: [] })
    assert.equal(outcomeOf(verification('claim_conflict'), template, en, 'yes').kind, 'yes')
  }
})

test('shows facts only from the merged claims, in words for people', () => {
  const credential = { claims: { secret_member: 'hidden' } } as unknown as NonNullable<Verification['credentials']>[0]
  const claims = {
    given_name: 'Vida',
    birth_date: '1990-07-14',
    nationalities: ['DE', 'FR'],
    address: { formatted: 'Musterweg 1, Berlin', country: 'DE' },
    driving_privileges: [{ vehicle_category_code: 'B', issue_date: '2020-01-01' }],
    issuing_country: 'DE',
    portrait: 'aaaa',
  }
  const outcome = outcomeOf(verificationWith({ claims, credentials: [credential] }), 'identity', en)
  assert.equal(outcome.portrait, 'aaaa')
  assert.deepEqual(
    outcome.facts.map(({ label }) => label),
    ['Given name', 'Date of birth', 'Nationalities', 'Address', 'Driving licence categories', 'Issuing country'],
  )
  assert.deepEqual(
    outcome.facts.map(({ value }) => value),
    ['Vida', '14 July 1990', 'Germany, France', 'Musterweg 1, Berlin', 'B', 'Germany'],
  )
  assert.equal(outcomeOf(verificationWith({ claims }), 'identity', WORDS.de).facts[1]?.value, '14. Juli 1990')
  assert.equal(
    outcomeOf(verificationWith({ claims: { birth_date: '1990-19-39' } }), 'identity', en).facts[0]?.value,
    '1990-19-39',
  )
  assert.ok(!JSON.stringify(outcome).includes('hidden'))
})

test('every failure has a reason in words, in every language', () => {
  for (const language of LANGUAGES) {
    const words = WORDS[language]
    const reasons = FAILURE_CODES.map(
      (code) =>
        outcomeOf(verificationWith({ status: 'failed', error: { code, message: 'x' } }), 'identity', words).reason,
    )
    assert.equal(new Set(reasons).size, FAILURE_CODES.length)
    assert.ok(!reasons.includes(words.notGenuine))
    const other = outcomeOf(
      verificationWith({ status: 'failed', error: { code: 'toString', message: 'x' } }),
      'identity',
      words,
    )
    assert.equal(other.reason, words.notGenuine)
  }
})

test("built-in templates have the till's words, a merchant's own the merchant's, and a deleted one its key", () => {
  const titles = [
    { key: 'tasting_guest', title: 'Guest of the tasting' },
    { key: 'age_over_18', title: '18 or older' },
  ]
  assert.equal(titleOf(WORDS.de, titles, 'age_over_18'), 'Mindestens 18?')
  assert.equal(titleOf(WORDS.de, titles, 'tasting_guest'), 'Guest of the tasting')
  assert.equal(titleOf(en, titles, 'club_member'), 'Club member')
  assert.equal(titleOf(en, [], 'constructor'), 'Constructor')
})

test('every language has every text', () => {
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]))
      : typeof value
  for (const language of LANGUAGES) assert.deepEqual(shape(WORDS[language]), shape(en))
})

test('for claims that only the merchant can read, the verdict decides, and without a verdict nothing is proven', () => {
  const claims = { $jwe: 'eyJh..b.c.d' }
  for (const template of ['age_over_18', 'identity', 'club']) {
    for (const verdict of ['yes', 'no'] as const) {
      const outcome = outcomeOf(verificationWith({ claims }), template, en, verdict)
      assert.deepEqual(outcome, { kind: verdict, reason: null, facts: [], affirmed: [], portrait: null })
    }
    assert.equal(kindOf(template, { claims }), 'unproven')
  }
})

test('an answer that was forgotten before the till read it is not a yes', () => {
  for (const template of ['age_over_18', 'identity', 'club']) {
    const outcome = outcomeOf(verificationWith({}), template, en)
    assert.deepEqual([outcome.kind, outcome.reason], ['unproven', en.forgotten])
  }
})

test('false at any depth is no: the ages of a PID are members of one object', () => {
  assert.equal(kindOf('identity', { claims: { ages: { 16: true, 18: false } } }), 'no')
  assert.equal(kindOf('identity', { claims: { ages: { 16: true, 18: true }, nationalities: ['DE'] } }), 'yes')
})
