// Tests answers of registers. The sandbox registrar signs them with code of its own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateBytes } from '../../../wallet/src/pki.ts'
import { answerRegister, registerKeys } from '../../../wallet/src/registrar/register-answers.ts'
import { createRegistrar } from '../../../wallet/src/registrar/state.ts'
import { signJws } from '../../../wallet/src/sdjwt.ts'
import { INTERMEDIARY, MERCHANT, registrarWithMerchant } from '../../../wallet/test/merchant.ts'
import { now } from '../../../wallet/test/verifier.ts'
import {
  type Anchor,
  createChainCache,
  type JsonObject,
  type RegisterReading,
  readRegisterAnswer,
  readRegisterRecord,
  thumbprintsOf,
} from '../../src/index.ts'

const state = registrarWithMerchant()
const stranger = createRegistrar({ base: state.base, now })
const { body } = answerRegister(state, { path: `/wrp/${MERCHANT}`, query: new URLSearchParams() }, now)
const keys = registerKeys(state) as JsonObject
const pinned = new Set(thumbprintsOf(keys))
const listed: Anchor = {
  kind: 'ca',
  certificate: certificateBytes(state.register.authority),
  types: ['register+jwt:*'],
  profile: 'generic',
}

function read(text: string, change: object = {}): RegisterReading {
  const terms = { anchors: [listed], cache: createChainCache(10), now, pinned: new Set<string>(), keys: null }
  return readRegisterAnswer(text, { ...terms, ...change })
}

function refusal(text: string, change: object = {}): string {
  const reading = read(text, change)
  assert.ok(reading.outcome === 'refused')
  return reading.detail
}

const [head = '', payload = ''] = body.split('.')
const json = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as JsonObject
const signed = (header: object, claims: object, by = state.register.signer) =>
  signJws({ ...json(head), ...header } as never, { ...json(payload), ...claims } as never, by.key)

test('accepts an answer that is signed under a listed authority, or by a pinned key that the register publishes', () => {
  assert.equal(read(body).outcome === 'authentic' && (read(body) as { by: string }).by, 'list')
  const byKey = read(body, { anchors: [], keys, pinned })
  assert.ok(byKey.outcome === 'authentic' && byKey.by === 'pinned_key')
})

test('refuses an answer if its key is published but not pinned, or if its authority is listed for another purpose', () => {
  const unknown = /the signer of the register is not known/
  assert.match(refusal(body, { anchors: [], keys }), unknown)
  const reading = read(body, { anchors: [], pinned })
  assert.ok(reading.outcome === 'refused' && reading.needsKeys)
  for (const types of [['rc-wrp+jwt:*'], ['dc+sd-jwt:*'], []])
    assert.match(refusal(body, { anchors: [{ ...listed, types }] }), unknown)
  const { signer } = stranger.register
  assert.match(refusal(signed({ x5c: [signer.certificate] }, {}, signer)), unknown)
  // Another key, published under the `kid` of the pinned key.
  const other = { keys: [{ ...(registerKeys(stranger).keys as JsonObject[])[0], kid: json(head).kid }] }
  assert.match(refusal(signed({}, {}, signer), { anchors: [], pinned, keys: other }), unknown)
  assert.match(refusal(signed({}, {}, signer), { anchors: [], pinned, keys }), /is not valid/)
})

test('refuses an answer that is changed, old, from the future, undated, or of another type or algorithm', () => {
  const [, , signature] = body.split('.')
  const changed = Buffer.from(JSON.stringify({ ...json(payload), data: {} })).toString('base64url')
  assert.match(refusal(`${head}.${changed}.${signature}`), /is not valid/)
  assert.match(refusal(signed({ typ: 'rc-wrp+jwt' }, {})), /not an answer of a register/)
  assert.match(refusal(signed({ alg: 'ES384' }, {})), /is not valid/)
  assert.match(refusal(signed({}, { iat: now - 86_401 })), /long ago/)
  assert.match(refusal(signed({}, { iat: now + 301 })), /future/)
  assert.match(refusal(signed({}, { iat: 'now' })), /does not say when/)
  assert.match(refusal('nothing'), /cannot be read/)
  assert.match(refusal('x'.repeat(1_000_001)), /too long/)
})

test('reads the record of a party: its identifiers, names, services, intermediaries and registered credentials', () => {
  const record = readRegisterRecord(json(payload).data)
  assert.ok(record !== null)
  assert.deepEqual(record.identifiers, ['DE123456789', MERCHANT])
  assert.deepEqual([record.tradeName, record.legalName], ['Weinhandlung Muster', 'Muster Weine GmbH'])
  const [shop] = record.services
  assert.deepEqual([shop?.id, shop?.intermediaries], ['shop', [INTERMEDIARY]])
  assert.deepEqual(shop?.intendedUses[0]?.credentials[0], {
    format: 'dc+sd-jwt',
    types: ['urn:eudi:pid:1'],
    paths: [['given_name'], ['family_name']],
  })
})

test('accepts other spellings of the same model, and refuses a record if a member that it needs is unreadable', () => {
  const use = { intendedUseIdentifier: 'u', revokedAt: '2026-01-01', credentials: [] }
  const party = { identifier: [{ type: 'http://data.europa.eu/eudi/id/LEI', identifier: 'L1' }] }
  const record = readRegisterRecord({
    legalPerson: { legalName: ['A'], identifier: [{ type: 'urn:x:VATIN', identifier: 'FR1' }] },
    country: 'FR',
    services: [{ usesIntermediary: ['VATFR-2', party], intendedUse: [use] }],
  })
  assert.deepEqual(record?.identifiers, ['FR1', 'VATFR-FR1'])
  assert.deepEqual(record?.services[0]?.intermediaries, ['VATFR-2', 'L1', 'LEIXG-L1'])
  assert.equal(record?.services[0]?.intendedUses[0]?.isRevoked, true)
  const identifier = [{ type: 'NTR', identifier: '1' }]
  for (const spoiled of [
    null,
    {},
    { identifier: [] },
    { identifier, services: {} },
    { identifier, services: ['x'] },
    { identifier, services: [{ intendedUses: [{}] }] },
    { identifier, services: [{ intendedUses: [{ intendedUseIdentifier: 'u', credentials: 'all' }] }] },
    { identifier, services: Array.from({ length: 201 }, () => ({})) },
  ])
    assert.equal(readRegisterRecord(spoiled as never), null, JSON.stringify(spoiled).slice(0, 80))
})
