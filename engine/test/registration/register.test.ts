// Tests answers of registers. The sandbox registrar signs them with code of its own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintSigner } from '../../../wallet/src/authorities.ts'
import { certificateBytes, mintCrl, serialOf } from '../../../wallet/src/pki.ts'
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
  type StatusAnswer,
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

const fetchStatus = async (): Promise<StatusAnswer> => assert.fail('no certificate names a list')
const TERMS = {
  anchors: [listed],
  cache: createChainCache(10),
  now,
  pinned: new Set<string>(),
  keys: null,
  fetchStatus,
}
const read = (text: string, change: object = {}): Promise<RegisterReading> =>
  readRegisterAnswer(text, { ...TERMS, cache: createChainCache(10), ...change })

async function refusal(text: string, change: object = {}): Promise<string> {
  const reading = await read(text, change)
  assert.ok(reading.outcome === 'refused')
  return reading.detail
}

const [head = '', payload = ''] = body.split('.')
const json = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as JsonObject
const signed = (header: object, claims: object, by = state.register.signer) =>
  signJws({ ...json(head), ...header } as never, { ...json(payload), ...claims } as never, by.key)

test('accepts an answer that is signed under a listed authority, or by a pinned key that the register publishes', async () => {
  const byList = await read(body)
  assert.ok(byList.outcome === 'authentic' && byList.by === 'list')
  const byKey = await read(body, { anchors: [], keys, pinned })
  assert.ok(byKey.outcome === 'authentic' && byKey.by === 'pinned_key')
})

test('refuses an answer if its key is published but not pinned, or if its authority is listed for another purpose', async () => {
  const unknown = /the signer of the register is not known/
  assert.match(await refusal(body, { anchors: [], keys }), unknown)
  const reading = await read(body, { anchors: [], pinned })
  assert.ok(reading.outcome === 'refused' && reading.needsKeys)
  for (const types of [['rc-wrp+jwt:*'], ['dc+sd-jwt:*'], []])
    assert.match(await refusal(body, { anchors: [{ ...listed, types }] }), unknown)
  const { signer } = stranger.register
  assert.match(await refusal(signed({ x5c: [signer.certificate] }, {}, signer)), unknown)
  // Another key, published under the `kid` of the pinned key.
  const other = { keys: [{ ...(registerKeys(stranger).keys as JsonObject[])[0], kid: json(head).kid }] }
  assert.match(await refusal(signed({}, {}, signer), { anchors: [], pinned, keys: other }), unknown)
  assert.match(await refusal(signed({}, {}, signer), { anchors: [], pinned, keys }), /is not valid/)
})

test('refuses an answer that is changed, old, from the future, undated, or of another type or algorithm', async () => {
  const [, , signature] = body.split('.')
  const changed = Buffer.from(JSON.stringify({ ...json(payload), data: {} })).toString('base64url')
  assert.match(await refusal(`${head}.${changed}.${signature}`), /is not valid/)
  assert.match(await refusal(signed({ typ: 'rc-wrp+jwt' }, {})), /not an answer of a register/)
  assert.match(await refusal(signed({ alg: 'ES384' }, {})), /is not valid/)
  assert.match(await refusal(signed({}, { iat: now - 86_401 })), /long ago/)
  assert.match(await refusal(signed({}, { iat: now + 301 })), /future/)
  assert.match(await refusal(signed({}, { iat: 'now' })), /does not say when/)
  assert.match(await refusal('nothing'), /cannot be read/)
  assert.match(await refusal('x'.repeat(1_000_001)), /too long/)
})

// An owner chooses the address of the register, and so who answers.
test('parses the payload of an answer only after its signature was verified, and bounds its header', async () => {
  const signature = body.split('.')[2]
  const unsigned = (text: string) => `${head}.${Buffer.from(text).toString('base64url')}.${signature}`
  assert.match(await refusal(unsigned('no JSON')), /is not valid/)
  const members = unsigned(JSON.stringify(Object.fromEntries(Array.from({ length: 45_000 }, (_, at) => [`n${at}`, 1]))))
  const costs: number[] = []
  for (let at = 0; at < 10; at++) {
    const before = process.threadCpuUsage()
    assert.match(await refusal(members), /is not valid/)
    const { user, system } = process.threadCpuUsage(before)
    costs.push((user + system) / 1_000)
  }
  assert.ok(Math.min(...costs) < 8, `${costs.join()} ms of CPU`)
  const header = (length: number) => signed({ kid: 'x'.repeat(length) }, {})
  assert.equal((await read(header(40_000))).outcome, 'authentic')
  assert.match(await refusal(header(50_000)), /header of the answer is too long/)
  const many = signed({}, { data: Array(100_000).fill(1) })
  assert.match(await refusal(many), /cannot be read/)
})

test('refuses an answer of a listed signer that is revoked, or whose revocation list is unavailable', async () => {
  const crl = 'https://register.example/signers.crl'
  const { authority } = state.register
  const period = { notBefore: now - 10, notAfter: now + 1_000, crl }
  const signer = mintSigner(authority, { commonName: 'Register', country: 'UT' }, period)
  const text = signed({ x5c: [signer.certificate] }, {}, signer)
  const listing = (revoked: { serial: Uint8Array; at: number }[], by = authority) => ({
    fetchStatus: async (source: { uri: string }): Promise<StatusAnswer> => {
      assert.equal(source.uri, crl)
      const period = { thisUpdate: now - 60, nextUpdate: now + 3_600 }
      const bytes = mintCrl({ issuer: by.name, signingKey: by.key, ...period, revoked })
      return { outcome: 'fetched', bytes, contentType: 'application/pkix-crl', stale: false }
    },
  })
  const gone = async (): Promise<StatusAnswer> => ({ outcome: 'unavailable', reason: 'the host is down' })
  const inForce = await read(text, listing([]))
  assert.ok(inForce.outcome === 'authentic' && inForce.by === 'list', JSON.stringify(inForce))
  const revoked = [{ serial: serialOf({ subjectKey: signer.key }), at: now - 60 }]
  assert.match(await refusal(text, listing(revoked)), /has been revoked or is on hold/)
  assert.match(await refusal(text, { fetchStatus: gone }), /could not establish/)
  assert.match(await refusal(text, listing([], stranger.register.authority)), /could not establish/)
  // An answer that is refused anyway fetches nothing; a pinned key has no authority.
  const [, changed] = signed({}, { data: {} }).split('.')
  assert.match(await refusal(text.replace(/\..*\./, `.${changed}.`)), /is not valid/)
  const byKey = await read(body, { anchors: [], keys, pinned })
  assert.ok(byKey.outcome === 'authentic')
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
  assert.equal(readRegisterRecord({ identifier, legalPerson: { legalName: 'a\u0000' } })?.legalName, null)
  for (const spoiled of [
    null,
    {},
    { identifier: [] },
    { identifier: ['a\u0000'] },
    { identifier, tradeName: 'a\u001bb' },
    { identifier, services: {} },
    { identifier, services: ['x'] },
    { identifier, services: [{ intendedUses: [{}] }] },
    { identifier, services: [{ intendedUses: [{ intendedUseIdentifier: 'u', credentials: 'all' }] }] },
    { identifier, services: Array.from({ length: 201 }, () => ({})) },
  ])
    assert.equal(readRegisterRecord(spoiled as never), null, JSON.stringify(spoiled).slice(0, 80))
})
