// Tests the sandbox registrar: its certificates, its register's answers, and its refusals. jose verifies the signatures.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { certificateBytes, fromPem } from '../src/pki.ts'
import { accessCrl, issueAccessCertificate } from '../src/registrar/access-certificate.ts'
import { RegistrarRefused, readParty } from '../src/registrar/party.ts'
import { answerRegister, registerKeys } from '../src/registrar/register-answers.ts'
import { issueRegistrationCertificate, revokeRegistration } from '../src/registrar/registration-certificate.ts'
import {
  createRegistrar,
  PARTIES_MAX,
  type RegistrarState,
  registerParty,
  removeParty,
} from '../src/registrar/state.ts'
import { TRUSTED_LISTS, trustedList } from '../src/registrar/trusted-lists.ts'
import { readAccessIdentity } from '../src/registration/access-identity.ts'
import {
  INTERMEDIARY,
  issued,
  MERCHANT,
  merchant,
  merchantJson,
  registrarWithMerchant,
  signingRequest,
} from './merchant.ts'
import { now } from './verifier.ts'

const state = registrarWithMerchant()
const order = (change: object = {}) => ({
  signingRequest: signingRequest().pem,
  identifier: MERCHANT,
  serviceIdentifier: 'shop',
  intermediary: INTERMEDIARY,
  purpose: 'openid4vp' as const,
  now,
  days: 90,
  ...change,
})

test('an access certificate names the asking party, the service, and the party on whose behalf it asks', () => {
  const leaf = new X509Certificate(fromPem(issueAccessCertificate(state, order())))
  assert.deepEqual(readAccessIdentity(leaf), {
    organization: 'Example Intermediary',
    identifier: INTERMEDIARY,
    commonName: 'Muster online shop',
    serviceId: 'verify',
    association: { identifier: MERCHANT, serviceId: 'shop' },
  })
  assert.ok(leaf.verify(new X509Certificate(certificateBytes(state.access)).publicKey))
  const der = Buffer.from(leaf.raw)
  const extensions = { policy: '060704008bec460102', timestamps: '060a2b06010401d679020402' }
  for (const [what, oid] of Object.entries(extensions)) assert.ok(der.includes(Buffer.from(oid, 'hex')), what)
  assert.match(leaf.infoAccess ?? '', /access\.crt/)
  const direct = new X509Certificate(fromPem(issueAccessCertificate(state, order({ intermediary: null }))))
  assert.deepEqual(readAccessIdentity(direct).association, null)
  assert.equal(readAccessIdentity(direct).serviceId, 'shop')
  const reader = new X509Certificate(fromPem(issueAccessCertificate(state, order({ purpose: 'iso-reader' }))))
  assert.deepEqual(reader.keyUsage, ['1.0.18013.5.1.6'])
  assert.ok(accessCrl(state, now).length > 100)
})

/** The members of header and payload in both versions of TS 119 475, from their tables. A certificate has no others. */
const TEXT = { type: 'string', minLength: 1 }
const LINK = { ...TEXT, pattern: '^https://' }
const listOf = (items: object, minItems = 1) => ({ type: 'array', minItems, items })
const members = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
  additionalProperties: false,
})
const WORDS = listOf(members({ lang: TEXT, value: TEXT }))
const SECONDS = { type: 'integer', minimum: 1 }
const SIGNED = { typ: { const: 'rc-wrp+jwt' }, alg: { const: 'ES256' }, x5c: listOf(TEXT) }
const IN_BOTH = {
  name: TEXT,
  country: { ...TEXT, pattern: '^[A-Z]{2}$' },
  registry_uri: LINK,
  entitlements: listOf(LINK),
  policy_id: listOf(TEXT),
  certificate_policy: LINK,
  iat: SECONDS,
  exp: SECONDS,
  status: members({ status_list: members({ idx: { type: 'integer', minimum: 0 }, uri: LINK }) }),
  purpose: WORDS,
  intended_use_id: TEXT,
}
const IDENTIFIERS = listOf(
  members({ type: { ...TEXT, pattern: '^http://data[.]europa[.]eu/eudi/id/' }, identifier: TEXT }),
)
const PATH = listOf({ type: ['string', 'integer', 'null'] })

const SHAPES = {
  '1.1.1': {
    header: members({ ...SIGNED, b64: { const: 'true' }, cty: { const: 'b64' } }),
    payload: members(
      {
        ...IN_BOTH,
        sub: {
          oneOf: [
            members({ legal_name: listOf(TEXT), id: IDENTIFIERS }),
            members({ given_name: TEXT, family_name: TEXT, id: IDENTIFIERS }),
          ],
        },
        service: WORDS,
        info_uri: listOf(LINK, 0),
        privacy_policy: listOf(
          members({ type: { const: 'http://data.europa.eu/eudi/policy/privacy-policy' }, policyURI: LINK }),
        ),
        dpa: members({ country: TEXT, email: listOf(TEXT, 0), phone: listOf(TEXT, 0), uri: listOf(LINK, 0) }),
        credentials: listOf(members({ format: TEXT, meta: TEXT, claim: listOf(members({ path: TEXT })) })),
      },
      { support_uri: listOf(LINK), act: members({ sub: members({ id: TEXT, name: TEXT }) }) },
    ),
  },
  '1.2.1': {
    header: members({ ...SIGNED, iat: SECONDS }),
    payload: members(
      {
        ...IN_BOTH,
        sub: { ...TEXT, pattern: '^[A-Z]{3}[A-Z]{2}-.' },
        srv_description: listOf(WORDS),
        privacy_policy: LINK,
        credentials: listOf(
          members({ format: TEXT, meta: { type: 'object' }, claim: listOf(members({ path: PATH })) }),
        ),
        // The member that Italy uses.
        srv_id: TEXT,
      },
      {
        ...{ sub_ln: TEXT, sub_gn: TEXT, sub_fn: TEXT, info_uri: LINK, support_uri: LINK },
        supervisory_authority: members({}, { email: TEXT, phone: TEXT, uri: LINK }),
        intermediary: members({ sub: TEXT, sname: TEXT }),
        act: members({ sub: TEXT }),
      },
    ),
  },
} as const

const person = readParty({
  ...merchantJson,
  legalName: undefined,
  givenName: 'Vida',
  familyName: 'Specimen',
  identifier: [{ type: 'http://data.europa.eu/eudi/id/TIN', identifier: 'X1' }],
  infoURI: undefined,
  supervisoryAuthority: undefined,
})
const partsOf = (jwt: string) =>
  jwt
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

for (const version of ['1.1.1', '1.2.1'] as const)
  test(`registration certificates have the members that TS 119 475 V${version} names, in its types, and no others`, () => {
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    const { header, payload } = SHAPES[version]
    const both = registerParty(state, person)
    for (const request of [
      { identifier: MERCHANT, serviceIdentifier: 'shop', intendedUseIdentifier: 'identity' },
      // A service without an intermediary and without a support address.
      { identifier: MERCHANT, serviceIdentifier: 'counter', intendedUseIdentifier: 'age' },
      { identifier: 'NTRDE-X1', serviceIdentifier: 'shop', intendedUseIdentifier: 'identity' },
    ]) {
      const [sentHeader, sent] = partsOf(
        issueRegistrationCertificate(both, { ...request, now, days: 365, version }).jwt,
      )
      const found = [header, payload].flatMap((shape, at) =>
        ajv.validate(shape, [sentHeader, sent][at]) ? [] : (ajv.errors ?? []),
      )
      assert.deepEqual(
        found.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`),
        [],
      )
    }
  })

test('V1.2.1, GEN-5.2.4-08: refuses a certificate that expires after more than twelve months', () => {
  assert.throws(() => issued(state, { days: 366 }), /valid for 1 to 365 days/)
})

test('certifies only registered claims, and only for a key that the caller has', () => {
  const refusals: readonly [object, RegExp][] = [
    [{ signingRequest: signingRequest('another').pem }, /not signed with its own key/],
    [{ signingRequest: 'nothing' }, /not a signing request/],
    [
      { signingRequest: '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----' },
      /not a signing/,
    ],
    [{ identifier: 'VATDE-UNKNOWN' }, /no party is registered/],
    [{ serviceIdentifier: 'another' }, /has no service/],
    [{ serviceIdentifier: 'counter' }, /has not registered Example Intermediary/],
    [{ intermediary: 'VATDE-UNKNOWN' }, /no party is registered/],
    [{ days: 10_000 }, /valid for 1 to/],
  ]
  for (const [change, problem] of refusals)
    assert.throws(
      () => issueAccessCertificate(state, order(change)),
      (error) => error instanceof RegistrarRefused && problem.test(error.message),
    )
  assert.throws(() => issued(state, { intendedUseIdentifier: 'age' }), /has no intended use/)
  assert.throws(() => issued(state, { days: 0 }), /valid for 1 to/)
  assert.throws(() => revokeRegistration(state, 7), /no registration certificate/)
})

const keys = createLocalJWKSet(registerKeys(state) as unknown as JSONWebKeySet)

async function ask(path: string, query: { readonly [name: string]: string } = {}, from: RegistrarState = state) {
  const answer = answerRegister(from, { path, query: new URLSearchParams(query) }, now)
  if (answer.status !== 200) return { status: answer.status, claims: null }
  assert.equal(answer.contentType, 'application/jwt')
  assert.equal(answer.headers['x-jku-url'], `${state.base}/jwks.json`)
  const { payload } = await jwtVerify(answer.body, keys, { issuer: state.base, currentDate: new Date(now * 1000) })
  return {
    status: 200,
    claims: payload as { data: never; pagination?: { has_next_page: boolean; next_cursor?: string } },
  }
}

test('the register signs its answer about a party, for either spelling of the identifier', async () => {
  for (const identifier of [MERCHANT, 'DE123456789']) {
    const { claims } = await ask(`/wrp/${identifier}`)
    const data = claims?.data as unknown as { tradeName: string; services: { usesIntermediary: object[] }[] }
    assert.equal(data.tradeName, 'Weinhandlung Muster')
    assert.deepEqual(data.services[0]?.usesIntermediary, [{ identifier: INTERMEDIARY }])
  }
  assert.equal((await ask('/wrp/VATDE-UNKNOWN')).status, 404)
  assert.equal((await ask('/wrp/%E0%A4%A')).status, 404)
})

test('the register filters and pages a search', async () => {
  const found = async (query: { [name: string]: string }) => {
    const { claims } = await ask('/wrp', query)
    assert.ok(claims !== null)
    return (claims.data as unknown as object[]).length
  }
  assert.equal(await found({}), 2)
  const filters = {
    identifier: MERCHANT,
    legalname: 'Muster Weine GmbH',
    tradename: 'Weinhandlung Muster',
    policy: 'https://shop.example/privacy',
    entitlement: 'https://uri.etsi.org/19475/Entitlement/Service_Provider',
    credentialmeta: 'urn:eudi:pid:1',
    credentialformat: 'mso_mdoc',
    usesintermediary: INTERMEDIARY,
    isintermediary: 'false',
    intendeduseidentifier: 'age',
  }
  for (const [name, value] of Object.entries(filters)) {
    assert.equal(await found({ [name]: value }), 1, name)
    assert.equal(await found({ [name]: name === 'isintermediary' ? 'neither' : 'nothing' }), 0, name)
  }
  const first = await ask('/wrp', { limit: '1' })
  assert.deepEqual(first.claims?.pagination, { has_next_page: true, next_cursor: '1' })
  const last = await ask('/wrp', { limit: '1', cursor: '1' })
  assert.deepEqual(last.claims?.pagination, { has_next_page: false })
  for (const query of [{ limit: '0' }, { limit: '1000' }, { limit: 'x' }, { cursor: '-1' }])
    assert.equal((await ask('/wrp', query as { [name: string]: string })).status, 400)
})

test('the register says whether an intended use is registered', async () => {
  const isRegistered = async (query: { [name: string]: string }) => {
    const { claims } = await ask('/wrp/check-intended-use', { rpidentifier: MERCHANT, ...query })
    assert.ok(claims !== null)
    return (claims.data as unknown as { isRegistered: boolean }).isRegistered
  }
  assert.equal(await isRegistered({ intendeduseidentifier: 'identity' }), true)
  assert.equal(await isRegistered({ intendeduseidentifier: 'another' }), false)
  assert.equal(await isRegistered({ intendeduseidentifier: 'identity', claimpath: '["family_name"]' }), true)
  assert.equal(await isRegistered({ intendeduseidentifier: 'identity', claimpath: 'birthdate' }), false)
  assert.equal(await isRegistered({ credentialformat: 'mso_mdoc', claimpath: 'family_name' }), false)
  assert.equal(await isRegistered({ rpidentifier: 'VATDE-UNKNOWN' }), false)
  assert.equal((await ask('/wrp/check-intended-use')).status, 400)
})

test('each list of trusted entities is signed and names one authority', async () => {
  const key = new X509Certificate(certificateBytes(state.lists)).publicKey
  const named = await Promise.all(
    TRUSTED_LISTS.map(async (name) => {
      const { payload } = await compactVerify(trustedList(state, name, now), key)
      const text = new TextDecoder().decode(payload)
      const authorities = {
        access: state.access,
        provider: state.provider.authority,
        register: state.register.authority,
      }
      return Object.entries(authorities).flatMap(([role, { certificate }]) =>
        text.includes(certificate) ? [role] : [],
      )
    }),
  )
  assert.deepEqual(named, [['access'], ['provider'], ['register']])
})

test('removing a party revokes its certificates; registering a party again replaces it', async () => {
  const certificate = issued(state)
  const left = removeParty(certificate.state, MERCHANT)
  assert.equal(left.issued[0]?.revoked, true)
  assert.equal((await ask(`/wrp/${MERCHANT}`, {}, left)).status, 404)
  assert.equal(registerParty(state, merchant).parties.length, 2)
})

test('the size of the register is limited', () => {
  let filled = createRegistrar({ base: 'https://registrar.example', now })
  const party = (number: number) =>
    readParty({ ...merchantJson, identifier: [{ type: 'NTR', identifier: `N${number}` }] })
  for (let number = 0; number < PARTIES_MAX; number++) filled = registerParty(filled, party(number))
  assert.throws(() => registerParty(filled, party(PARTIES_MAX)), /at most/)
  const [use] = merchantJson.services[0]?.intendedUses ?? []
  const uses = Array.from({ length: 20 }, (_, number) => ({ ...use, intendedUseIdentifier: `u${number}` }))
  const wide = readParty({
    ...merchantJson,
    services: [1, 2, 3].map((id) => ({ ...merchantJson.services[0], serviceIdentifier: `s${id}`, intendedUses: uses })),
  })
  assert.throws(() => registerParty(state, wide), /at most 16384 characters/)
  const many = Array.from({ length: 21 }, (_, number) => ({ type: 'NTR', identifier: `N${number}` }))
  const [service] = merchantJson.services
  for (const spoiled of [
    null,
    { ...merchantJson, identifier: many },
    { ...merchantJson, identifier: [] },
    { ...merchantJson, tradeName: 'x'.repeat(501) },
    { ...merchantJson, country: 'Germany' },
    { ...merchantJson, legalName: undefined },
    { ...merchantJson, services: [service, service] },
    { ...merchantJson, services: [{ ...service, intendedUses: [] }] },
    { ...merchantJson, services: [{ ...service, serviceIdentifier: 'a/b' }] },
  ])
    assert.throws(() => readParty(spoiled), RegistrarRefused)
})
