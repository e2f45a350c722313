// Tests that conclude.ts, which alone decides acceptance, rejects if a required check is missing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accept, requiredChecks } from '../src/conclude.ts'
import { CheckLog, type Examination } from '../src/examination.ts'
import type { Finding } from '../src/finding.ts'
import { FORMAT_NAMES, type PresentedFormat } from '../src/formats.ts'
import { CHECKS, type Check, type CheckName } from '../src/verdict.ts'
import { NOTHING_WITHHELD } from '../src/withheld.ts'

function finding(format: PresentedFormat, change: (checks: Check[]) => Check[] = (same) => same): Finding {
  const names: readonly CheckName[] = [...requiredChecks(format), 'not_revoked', 'signer_not_revoked']
  const checks = change(names.map((check) => ({ check, status: 'pass' })))
  const examination: Examination = {
    queryId: 'q',
    type: 'type',
    issuer: {},
    checks,
    failure: null,
    claims: { a: 1 },
    withheld: NOTHING_WITHHELD,
    signedPart: null,
    expiresAt: null,
    confirmed: [],
    status: [],
    authorityKeyIds: [],
    signer: null,
    signerNamesList: false,
    proofs: [],
  }
  return {
    examination,
    format,
    log: CheckLog.continuing({ checks, failure: null }),
    answer: { claims: { a: 1 }, claimSet: null },
    statuses: [],
  }
}

for (const format of FORMAT_NAMES) {
  test(`${format}: accepts if every check was run and passed`, () => {
    assert.equal(accept([finding(format)]).outcome, 'accepted')
  })

  for (const name of requiredChecks(format)) {
    test(`${format}: rejects without ${name}, whatever else passed`, () => {
      assert.equal(
        accept([finding(format, (checks) => checks.filter(({ check }) => check !== name))]).outcome,
        'rejected',
      )
    })
    for (const status of ['fail', 'warning', 'skipped'] as const) {
      test(`${format}: rejects if the status of ${name} is ${status}`, () => {
        const changed = finding(format, (checks) =>
          checks.map((check) => (check.check === name ? { ...check, status } : check)),
        )
        assert.equal(accept([changed]).outcome, 'rejected')
      })
    }
    test(`${format}: rejects if ${name} was run twice, once without success`, () => {
      assert.equal(
        accept([finding(format, (checks) => [...checks, { check: name, status: 'skipped' }])]).outcome,
        'rejected',
      )
    })
  }

  for (const name of ['not_revoked', 'signer_not_revoked'] as const) {
    test(`${format}: rejects if ${name} was not checked`, () => {
      assert.equal(
        accept([finding(format, (checks) => checks.filter(({ check }) => check !== name))]).outcome,
        'rejected',
      )
    })
  }
}

test('a failed check rejects even where it is not required', () => {
  assert.equal(
    accept([finding('dc+sd-jwt', (checks) => [...checks, { check: 'digests_valid', status: 'fail' }])]).outcome,
    'rejected',
  )
})

test('a check that failed once rejects, even if it passes later', () => {
  const twice: Check[] = [
    { check: 'digests_valid', status: 'fail' },
    { check: 'digests_valid', status: 'pass' },
  ]
  assert.equal(accept([finding('dc+sd-jwt', (checks) => [...checks, ...twice])]).outcome, 'rejected')
})

test('a failure in the log rejects even if every check passed', () => {
  const good = finding('dc+sd-jwt')
  const log = CheckLog.continuing({ checks: good.log.checks, failure: { code: 'credential_invalid', message: 'x' } })
  const verdict = accept([{ ...good, log }])
  assert.equal(verdict.outcome, 'rejected')
  assert.equal(verdict.outcome === 'rejected' && verdict.message, 'x')
})

test('rejects a finding without claims', () => {
  assert.equal(accept([{ ...finding('dc+sd-jwt'), answer: null }]).outcome, 'rejected')
})

test('rejects if there are no findings', () => {
  assert.equal(accept([]).outcome, 'rejected')
})

test('every check except the warnings belongs to a format or to the status', () => {
  const used = new Set<string>([
    ...requiredChecks('dc+sd-jwt'),
    ...requiredChecks('mso_mdoc'),
    'not_revoked',
    'signer_not_revoked',
    'claim_conflict',
    'transaction_order',
  ])
  assert.deepEqual(
    CHECKS.filter((check) => !used.has(check)),
    [],
  )
})

test('names signer and lists only if a trusted party signed them', () => {
  const sdJwtFinding = finding('dc+sd-jwt')
  const signer = { certificate: Buffer.of(1), anchor: Buffer.of(2), fingerprint: 'c', anchorFingerprint: 'a' }
  const list = { uri: 'https://a.example/l', kind: 'status_list_jwt', bytes: Buffer.of(3), sha256: 'x' }
  const statuses = [{ check: 'not_revoked', outcome: 'valid', detail: '', list }] as const
  const examination = { ...sdJwtFinding.examination, signer }
  const trusted = accept([{ ...sdJwtFinding, examination, statuses }]).credentials[0]
  assert.deepEqual(trusted?.trustEvidence, { signer, status: { outcome: 'valid', list }, lists: [list] })
  const checks = sdJwtFinding.log.checks.filter(({ check }) => check !== 'issuer_trusted')
  const log = CheckLog.continuing({ checks, failure: null })
  const strange = accept([{ ...sdJwtFinding, examination, statuses, log }]).credentials[0]
  assert.deepEqual(strange?.trustEvidence, { signer: null, status: null, lists: [] })
})
