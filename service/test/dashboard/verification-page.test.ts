// Tests what the page of a verification shows: checks, steps, claims and portraits.

import assert from 'node:assert/strict'
import test from 'node:test'
import { answerOf } from '../../../dashboard/src/pages/verifications/detail/answer.ts'
import { portraitOf } from '../../../dashboard/src/pages/verifications/detail/portrait.ts'
import {
  otherFindings,
  type ProofState,
  proofsOf,
  unprovenOf,
} from '../../../dashboard/src/pages/verifications/detail/proofs.ts'
import { stepsOf } from '../../../dashboard/src/pages/verifications/detail/steps.ts'
import { shownValue } from '../../../dashboard/src/pages/verifications/detail/values.ts'
import { CHECKS } from '../../../engine/src/verdict.ts'
import { TERMS } from '../../src/features/dashboard/http/terms.ts'

const GOOD = {
  format: 'mso_mdoc',
  trusted: true,
  signature_valid: true,
  holder_binding_valid: true,
  status_checked: true,
  findings: [],
}
const STATUS_NOT_REACHED = { ...GOOD, status_checked: false }
const { formats } = TERMS
type Given = Parameters<typeof proofsOf>
const statesOf = (credential: Given[0]): ProofState[] => proofsOf(credential, formats).map(({ state }) => state)

test('a completed verification proves all six points; uncertain or failed lookups say so', () => {
  assert.deepEqual(statesOf(GOOD), ['proven', 'proven', 'proven', 'proven', 'proven', 'proven'])
  const noList = { check: 'not_revoked', status: 'skipped', detail: 'The credential names no status list.' }
  const noCrl = { check: 'signer_not_revoked', status: 'skipped' }
  const proofs = proofsOf({ ...GOOD, findings: [noList, noCrl] }, formats)
  assert.deepEqual(
    proofs.map(({ state }) => state),
    ['proven', 'proven', 'proven', 'proven', 'skipped', 'proven'],
  )
  assert.deepEqual(proofs[4]?.details, ['The credential names no status list.'])
  const unknown = { check: 'not_revoked', status: 'warning' }
  assert.equal(statesOf({ ...GOOD, findings: [unknown] })[4], 'warning')
})

test('a failed verification says which check failed, and which checks were not reached', () => {
  const failing = (check: string) => [{ check, status: 'fail' }]
  const forged = { ...STATUS_NOT_REACHED, trusted: false, signature_valid: false, holder_binding_valid: false }
  assert.deepEqual(statesOf({ ...forged, findings: failing('issuer_signature_valid') }), [
    'failed',
    'unchecked',
    'unchecked',
    'unchecked',
    'unchecked',
    'unchecked',
  ])
  assert.deepEqual(statesOf({ ...STATUS_NOT_REACHED, trusted: false, findings: failing('issuer_trusted') }), [
    'proven',
    'failed',
    'proven',
    'proven',
    'unchecked',
    'unchecked',
  ])
  assert.deepEqual(statesOf({ ...STATUS_NOT_REACHED, findings: failing('within_validity') }), [
    'proven',
    'proven',
    'failed',
    'proven',
    'unchecked',
    'unchecked',
  ])
  assert.deepEqual(
    statesOf({ ...STATUS_NOT_REACHED, holder_binding_valid: false, findings: failing('bound_to_request') }),
    ['proven', 'proven', 'proven', 'failed', 'unchecked', 'unchecked'],
  )
  assert.deepEqual(statesOf({ ...STATUS_NOT_REACHED, findings: failing('query_answered') }), [
    'proven',
    'proven',
    'proven',
    'proven',
    'unchecked',
    'failed',
  ])
  // Two credentials: the other one failed, before or after the status of this one was asked for.
  assert.deepEqual(statesOf(GOOD), Array(6).fill('proven'))
  assert.equal(statesOf(STATUS_NOT_REACHED)[4], 'unchecked')
  const unexamined = { ...forged, findings: [{ check: 'issuer_trusted', status: 'skipped', detail: 'not examined' }] }
  assert.deepEqual(statesOf(unexamined), Array(6).fill('unchecked'))
})

test('the status of a ZkDocument is shown as not provable, never as "names no list"', () => {
  const findings = [{ check: 'not_revoked', status: 'skipped', detail: 'a proof cannot show it' }]
  assert.equal(statesOf({ ...GOOD, format: 'mso_mdoc_zk', findings })[4], 'not_provable')
  assert.equal(statesOf({ ...GOOD, findings })[4], 'skipped')
})

test('the outcome names what was not proven, each once', () => {
  const skipped = { check: 'not_revoked', status: 'skipped' }
  const proof = { ...GOOD, format: 'mso_mdoc_zk', findings: [skipped] }
  const unknown = { ...GOOD, findings: [{ check: 'not_revoked', status: 'warning' }] }
  assert.deepEqual(unprovenOf([GOOD], formats), [])
  assert.deepEqual(unprovenOf([GOOD, proof, proof, unknown], formats), [
    { name: 'status', state: 'not_provable' },
    { name: 'status', state: 'warning' },
  ])
})

test('every check of the engine belongs to a proof, or is listed separately', () => {
  const findings = CHECKS.map((check) => ({ check, status: 'fail' }))
  assert.deepEqual(
    otherFindings({ findings }).map(({ check }) => check),
    ['claim_conflict'],
  )
  for (const check of CHECKS) {
    if (check === 'claim_conflict') continue
    const states = statesOf({ ...GOOD, findings: [{ check, status: 'fail' }] })
    assert.equal(states.filter((state) => state === 'failed').length, 1, check)
  }
})

const at = (second: number) => `2026-05-01T10:00:${String(second).padStart(2, '0')}.000000Z`
const PENDING = {
  id: 'ver_1',
  status: 'pending',
  template: null,
  created_at: at(0),
  responded_at: null,
  reference: null,
  actor: { type: 'user', id: 'u', name: null },
  purpose: null,
  redirect_url: null,
  webhook_url: null,
  metadata: null,
  expires_at: at(59),
  cancelled: false,
  open: null,
  channel: null,
  request_fetched_at: null,
  requests: [],
  redeemed_at: null,
  first_read_at: null,
  forget_at: null,
  forgotten_at: null,
  error: null,
  claim_names: null,
  claims: null,
  credentials: [],
  deliveries: [],
} as const satisfies Parameters<typeof stepsOf>[0]

test('steps are ordered by time; future steps come last', () => {
  const kinds = (change: Partial<Parameters<typeof stepsOf>[0]>) =>
    stepsOf({ ...PENDING, ...change }).map((step) => `${step.isAhead === true ? '+' : ''}${step.kind}`)
  assert.deepEqual(kinds({}), ['created', '+expires'])
  assert.deepEqual(kinds({ status: 'expired' }), ['created', 'expired'])
  assert.deepEqual(kinds({ status: 'expired', cancelled: true }), ['created', 'cancelled'])
  const attempt = (second: number, outcome: string) => ({
    trigger: 'schedule' as const,
    url: null,
    started_at: at(second),
    finished_at: at(second),
    outcome,
    http_status: null,
    took_ms: 120,
  })
  const delivery = {
    id: 'd',
    verification_id: 'ver_1',
    type: 'verification.completed',
    state: 'pending' as const,
    created_at: at(5),
    next_at: at(40),
    attempts: [attempt(6, 'timeout'), attempt(20, 'timeout')],
  }
  const ended = {
    status: 'completed' as const,
    request_fetched_at: at(3),
    responded_at: at(5),
    redeemed_at: at(10),
    first_read_at: at(8),
    forget_at: at(50),
    deliveries: [delivery],
  }
  assert.deepEqual(kinds(ended), [
    'created',
    'fetched',
    'answered',
    'attempt',
    'read',
    'redeemed',
    'attempt',
    '+next_attempt',
    '+forgets',
  ])
  const done = { ...delivery, state: 'delivered' as const, next_at: null, attempts: [attempt(6, 'delivered')] }
  assert.deepEqual(kinds({ ...ended, forget_at: null, forgotten_at: at(7), deliveries: [done] }), [
    'created',
    'fetched',
    'answered',
    'attempt',
    'forgotten',
    'read',
    'redeemed',
  ])
})

test('each claim is shown in the form of its type', () => {
  assert.deepEqual(shownValue('age_over_18', true), { kind: 'answer', yes: true })
  assert.deepEqual(shownValue('birth_date', '1990-07-14'), { kind: 'date', day: '1990-07-14' })
  assert.equal(shownValue('birth_date', '1990-02-31').kind, 'text')
  assert.equal(shownValue('birth_date', '1990').kind, 'text')
  assert.deepEqual(shownValue('nationalities', ['AT', 'DE']), {
    kind: 'list',
    items: [
      { kind: 'country', code: 'AT' },
      { kind: 'country', code: 'DE' },
    ],
  })
  assert.equal(shownValue('given_name', 'AT').kind, 'text')
  assert.deepEqual(shownValue('sex', 2), { kind: 'sex', code: 2 })
  assert.deepEqual(shownValue('email', ''), { kind: 'nothing' })
  assert.equal(shownValue('address', { locality: 'Wien', country: 'AT' }).kind, 'parts')
  const long = shownValue('document_number', 'x'.repeat(1000))
  assert.ok(long.kind === 'text' && long.text.length < 100 && long.length === 1000)
  assert.equal(shownValue('deep', { a: { b: { c: { d: { e: 1 } } } } }).kind, 'parts')
  assert.deepEqual(
    shownValue('driving_privileges', [
      {
        vehicle_category_code: 'B',
        issue_date: '2010-01-01',
        expiry_date: '2030-01-01T00:00:00Z',
        codes: [{ code: '70' }],
      },
      { vehicle_category_code: 'A', codes: [{ code: 'S01', sign: '<=', value: '2500' }] },
    ]),
    {
      kind: 'privileges',
      rows: [
        { category: 'B', issued: '2010-01-01', expires: '2030-01-01', codes: ['70'] },
        { category: 'A', issued: null, expires: null, codes: ['S01 <= 2500'] },
      ],
    },
  )
  assert.equal(shownValue('driving_privileges', ['B']).kind, 'list')
})

const bytes = (...values: number[]) => Buffer.from(values)
const png = (width: number, height: number) => {
  const header = Buffer.alloc(25)
  header.writeUInt32BE(13, 0)
  header.write('IHDR', 4)
  header.writeUInt32BE(width, 8)
  header.writeUInt32BE(height, 12)
  return Buffer.concat([bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), header])
}
const jpeg = (width: number, height: number) =>
  Buffer.concat([
    bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0),
    bytes(0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255),
    Buffer.alloc(20),
  ])

test('a portrait is drawn from its own bytes, only of two types and a suitable size', () => {
  for (const [picture, type] of [
    [png(300, 400), 'png'],
    [jpeg(300, 400), 'jpeg'],
  ] as const) {
    for (const text of [
      picture.toString('base64'),
      picture.toString('base64url'),
      `data:text/html;base64,${picture.toString('base64')}`,
    ]) {
      const shown = portraitOf(text)
      assert.ok(shown.kind === 'picture', text)
      assert.deepEqual([shown.width, shown.height], [300, 400])
      assert.match(shown.address, new RegExp(`^data:image/${type};base64,[A-Za-z0-9+/]+$`))
    }
  }
  const why = (text: string) => {
    const shown = portraitOf(text)
    return shown.kind === 'hidden' ? shown.why : shown.address
  }
  assert.equal(why(png(5000, 10).toString('base64')), 'too_large')
  assert.equal(why(jpeg(10, 60_000).toString('base64')), 'too_large')
  assert.equal(why(png(0, 10).toString('base64')), 'unknown')
  assert.equal(why(Buffer.concat([png(9, 9), Buffer.alloc(1_100_000)]).toString('base64')), 'too_large')
  assert.equal(why(bytes(0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20, 0x0d).toString('base64')), 'jpeg_2000')
  assert.equal(why(bytes(0xff, 0x4f, 0xff, 0x51).toString('base64')), 'jpeg_2000')
  for (const text of [
    'https://tracker.example/pixel.png',
    'data:image/svg+xml,<svg onload=alert(1)>',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'),
    'GIF89a',
    '!!!',
    '',
  ])
    assert.equal(why(text), 'unknown', text)
  assert.equal(why(bytes(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0).toString('base64')), 'unknown')
})

test('the answer is one line: yes and no by name, or the person; unreadable values are left out', () => {
  assert.equal(answerOf(null), null)
  assert.deepEqual(answerOf({ age_over_18: true }), { kind: 'answers', yes: ['age_over_18'], no: [] })
  assert.deepEqual(answerOf({ age_over_18: true, age_over_21: false }), {
    kind: 'answers',
    yes: ['age_over_18'],
    no: ['age_over_21'],
  })
  const person = { given_name: 'Vida', family_name: 'Specimen' }
  assert.deepEqual(answerOf({ ...person, birth_date: '1990-07-14' }), {
    kind: 'person',
    name: 'Vida Specimen',
    born: '1990-07-14',
  })
  assert.deepEqual(answerOf({ ...person, birth_date: 'in 1990' }), {
    kind: 'person',
    name: 'Vida Specimen',
    born: null,
  })
  // Another credential may deny it.
  assert.deepEqual(answerOf({ age_over_18: true }, true), { kind: 'other' })
  // A yes among other claims is not the answer.
  assert.deepEqual(answerOf({ age_over_18: true, nationality: 'DE' }), { kind: 'other' })
  assert.deepEqual(answerOf({}), { kind: 'other' })
})
