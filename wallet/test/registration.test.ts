// Tests the wallet's rules on registrations (ARF RPRC_17a, RPRC_21), and the warning of each case.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../src/encoding/json.ts'
import { createIssuer } from '../src/issuer.ts'
import type { ClaimPath } from '../src/present.ts'
import {
  REGISTRATION_DEFECTS,
  registrationStatusList,
  revokeRegistration,
} from '../src/registrar/registration-certificate.ts'
import { createRegistrar, type RegistrarState } from '../src/registrar/state.ts'
import { REGISTRATION_WARNINGS, type RegistrationView } from '../src/registration/assess.ts'
import { coversPath } from '../src/registration/over-asking.ts'
import { signJws } from '../src/sdjwt.ts'
import { type Presented, presentFromLink, type WalletOptions } from '../src/wallet.ts'
import {
  accessOf,
  hashIdOf,
  INTERMEDIARY,
  issued,
  MERCHANT,
  providersOf,
  registrarWithMerchant,
  statusFetch,
} from './merchant.ts'
import { link, now, requestClaims, verifierFetch } from './verifier.ts'

const state = registrarWithMerchant()
const access = accessOf(state, { serviceIdentifier: 'shop', intermediary: INTERMEDIARY })
const issuer = createIssuer({ base: 'https://issuer.example/sandbox', now })
const seen = new Set<string>()

const asking = (...paths: ClaimPath[]) => ({
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: paths.map((path) => ({ path })),
    },
  ],
})

interface Case {
  readonly info?: unknown
  readonly query?: object
  readonly signer?: typeof access
  readonly registrar?: RegistrarState
  readonly options?: Partial<WalletOptions>
}

async function present({ info, query, signer = access, registrar = state, options = {} }: Case): Promise<Presented> {
  const claims = requestClaims({
    client_id: hashIdOf(signer),
    dcql_query: query ?? asking(['family_name']),
    ...(info === undefined ? {} : { verifier_info: info }),
  })
  const verifier = verifierFetch(claims, { signer })
  const status = statusFetch(registrar)
  const fetch: typeof globalThis.fetch = (input, init) =>
    String(input).startsWith(registrar.base) ? status(input, init) : verifier.fetch(input, init)
  return presentFromLink(link(hashIdOf(signer)), {
    fetch,
    now,
    issuer,
    registration: { trustedProviders: providersOf(registrar), onWarning: 'present' },
    ...options,
  })
}

async function view(one: Case): Promise<RegistrationView> {
  const { registration } = await present(one)
  assert.ok(registration !== null)
  for (const { code } of registration.warnings) seen.add(code)
  return registration
}

const codes = async (one: Case) => (await view(one)).warnings.map(({ code }) => code)
const carrying = (jwt: string) => [{ format: 'registration_cert', data: jwt }]

/** A registration certificate with changed claims, signed again. */
function changed(change: JsonObject, header: JsonObject = {}, by = state.provider.signer): string {
  const [head = '', body = ''] = issued(state).jwt.split('.')
  const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as JsonObject
  return signJws({ ...read(head), ...header }, { ...read(body), ...change }, by.key)
}

test('shows the merchant, not the intermediary, and no warning if the request is within the registration', async () => {
  const shown = await view({ info: carrying(issued(state).jwt) })
  assert.deepEqual(shown, {
    party: 'Muster Weine GmbH',
    service: 'Muster online shop',
    purposes: [{ lang: 'en', text: 'To know who buys' }],
    privacyPolicy: 'https://shop.example/privacy',
    warnings: [],
  })
})

test('shows a party that asks itself without a warning; R04: warns if another party asks', async () => {
  const counter = { serviceIdentifier: 'counter', intermediary: null }
  const own = accessOf(state, counter)
  const { jwt } = issued(state, { serviceIdentifier: 'counter', intendedUseIdentifier: 'age' })
  assert.deepEqual(await codes({ info: carrying(jwt), signer: own }), [])
  const foreign = { sub: 'VATDE-DE000000000' }
  assert.deepEqual(await codes({ info: carrying(changed(foreign)) }), ['wrong_party'])
  // The same certificate, presented by an intermediary that it does not name.
  assert.deepEqual(await codes({ info: carrying(jwt) }), ['wrong_party'])
})

test('R01: warns if there is no registration, or more than one', async () => {
  const { jwt } = issued(state)
  assert.deepEqual(await codes({}), ['unregistered'])
  assert.deepEqual(await codes({ info: [] }), ['unregistered'])
  assert.deepEqual(await codes({ info: [{ format: 'registrar_dataset', data: {} }] }), ['unregistered'])
  assert.deepEqual(await codes({ info: [...carrying(jwt), ...carrying(jwt)] }), ['several_registrations'])
})

test('R02: warns of a malformed entry: for some credentials only, or with data that is not a text', async () => {
  const { jwt } = issued(state)
  for (const entry of [
    { format: 'registration_cert', data: jwt, credential_ids: ['pid'] },
    { format: 'registration_cert', data: { jwt } },
    { format: 'registration_cert' },
  ])
    assert.deepEqual(await codes({ info: [entry] }), ['malformed_registration'])
  assert.deepEqual(await codes({ info: { format: 'registration_cert', data: jwt } }), ['malformed_registration'])
})

test('R03: warns of another typ, another algorithm, a changed payload, or missing claims', async () => {
  const { jwt } = issued(state)
  const [head, body, signature] = jwt.split('.')
  const other = Buffer.from(JSON.stringify({ sub: MERCHANT })).toString('base64url')
  for (const spoiled of [
    changed({}, { typ: 'JWT' }),
    changed({}, { alg: 'HS256' }),
    `${head}.${other}.${signature}`,
    changed({ sub: '' }),
    changed({ name: 7 }),
    changed({ credentials: 'all' }),
    changed({ intermediary: {} }),
    changed({ status: {} }),
    changed({ iat: now + 3600 }),
  ])
    assert.deepEqual(await codes({ info: carrying(spoiled) }), ['malformed_registration'])
  assert.deepEqual(await codes({ info: carrying(`${body}`) }), ['malformed_registration'])
})

test('R05: warns if the certificate names another intermediary than the asking party', async () => {
  assert.deepEqual(await codes({ info: carrying(issued(state, { defect: 'wrong_intermediary' }).jwt) }), [
    'wrong_intermediary',
  ])
  assert.deepEqual(await codes({ info: carrying(changed({ intermediary: { sub: { id: MERCHANT } } })) }), [
    'wrong_intermediary',
  ])
})

test('warns if the registration is for another service than the access certificate', async () => {
  const info = carrying(issued(state, { defect: 'service_mismatch' }).jwt)
  assert.deepEqual(await codes({ info }), ['service_mismatch'])
  const earlier = carrying(issued(state, { defect: 'service_mismatch', version: '1.1.1' }).jwt)
  assert.deepEqual(await codes({ info: earlier }), ['service_mismatch'])
  // Without an identifier, the names of the services are compared.
  assert.deepEqual(await codes({ info: carrying(changed({ srv_id: '' })) }), [])
  assert.deepEqual(await codes({ info: carrying(changed({ srv_id: '', name: 'Another shop' })) }), ['service_mismatch'])
})

test('R06: warns if the registration has expired', async () => {
  const info = carrying(issued(state, { defect: 'expired_registration' }).jwt)
  assert.deepEqual(await codes({ info }), ['expired_registration'])
})

test('R07: warns if the status list revokes the registration, cannot be fetched, or is missing although required', async () => {
  const good = issued(state)
  const info = carrying(good.jwt)
  assert.deepEqual(await codes({ info, registrar: good.state }), [])
  assert.deepEqual(await codes({ info, registrar: revokeRegistration(good.state, good.index) }), [
    'revoked_registration',
  ])
  const away = { status: { status_list: { idx: 0, uri: `${state.base}/elsewhere` } } }
  const beyond = { status: { status_list: { idx: 999_999, uri: `${state.base}/status-list.jwt` } } }
  for (const change of [away, beyond])
    assert.deepEqual(await codes({ info: carrying(changed(change)) }), ['unknown_status'])
  // A list of another address, an expired list, and a list that its issuer did not sign.
  const served = (list: string) => ({ info, options: { fetchStatus: async () => new Response(list) } })
  const strangers = createRegistrar({ base: state.base, now })
  for (const list of [
    registrationStatusList({ ...good.state, base: 'https://elsewhere.example' }, now),
    registrationStatusList(good.state, now - 2 * 86_400),
    registrationStatusList(strangers, now),
  ])
    assert.deepEqual(await codes(served(list)), ['unknown_status'])
  const unsaid = JSON.parse(JSON.stringify({ status: undefined })) as JsonObject
  const [head = '', body = ''] = good.jwt.split('.')
  const { status: _, ...rest } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { [name: string]: never }
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as JsonObject
  const without = (exp: number) => signJws(header, { ...rest, ...unsaid, exp }, state.provider.signer.key)
  assert.deepEqual(await codes({ info: carrying(without(now + 90 * 86_400)) }), ['unknown_status'])
  assert.deepEqual(await codes({ info: carrying(without(now + 3600)) }), [])
})

test('R08: warns if no known provider signed the registration', async () => {
  const stranger = createRegistrar({ base: state.base, now })
  const foreign = changed({}, { x5c: [stranger.provider.signer.certificate] }, stranger.provider.signer)
  assert.deepEqual(await codes({ info: carrying(foreign) }), ['untrusted_registration'])
  assert.deepEqual(await codes({ info: carrying(changed({}, { x5c: [] })) }), ['untrusted_registration'])
  assert.deepEqual(await codes({ info: carrying(changed({}, { x5c: ['nothing'] })) }), ['untrusted_registration'])
  // The registrar's other signers may not sign registration certificates.
  const register = changed({}, { x5c: [state.register.signer.certificate] }, state.register.signer)
  assert.deepEqual(await codes({ info: carrying(register) }), ['untrusted_registration'])
  const nobody = { trustedProviders: [], onWarning: 'present' } as const
  assert.equal(
    (await present({ info: carrying(issued(state).jwt), options: { registration: nobody } })).registration?.warnings[0]
      ?.code,
    'untrusted_registration',
  )
})

test('R09, R10: reads the format of V1.1.1 with the same result: sub as an object, claims, act', async () => {
  const shown = await view({ info: carrying(issued(state, { version: '1.1.1' }).jwt) })
  assert.equal(shown.party, 'Muster Weine GmbH')
  assert.equal(shown.privacyPolicy, 'https://shop.example/privacy')
  assert.deepEqual(shown.warnings, [])
})

test('R11: a registered path covers all paths below it, and no sibling or parent', () => {
  assert.equal(coversPath(['address'], ['address', 'locality']), true)
  assert.equal(coversPath(['address', 'locality'], ['address']), false)
  assert.equal(coversPath(['address', 'locality'], ['address', 'country']), false)
  assert.equal(coversPath([], ['address']), false)
})

test('R12: a registered null covers null and every index; an index covers only itself', () => {
  assert.equal(coversPath(['nationalities', null], ['nationalities', 0]), true)
  assert.equal(coversPath(['nationalities', null], ['nationalities', null]), true)
  assert.equal(coversPath(['nationalities', 0], ['nationalities', null]), false)
  assert.equal(coversPath(['nationalities', 0], ['nationalities', 1]), false)
  assert.equal(coversPath([null], ['name']), false)
})

test('R13: warns of claims beyond the registration by name, even if they are optional', async () => {
  const info = carrying(issued(state).jwt)
  const [beyond] = (await view({ info, query: asking(['family_name'], ['birthdate']) })).warnings
  assert.equal(beyond?.code, 'over_asking')
  assert.match(beyond?.text ?? '', /pid: birthdate/)
  const [first] = asking(['family_name']).credentials
  const optional = {
    credentials: [
      first,
      {
        id: 'mdl',
        format: 'mso_mdoc',
        meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
        claims: [{ path: ['org.iso.18013.5.1', 'portrait'] }],
      },
    ],
    credential_sets: [{ options: [['pid']] }, { options: [['mdl']], required: false }],
  }
  assert.deepEqual(await codes({ info, query: optional }), ['over_asking'])
  const alternatives = {
    credentials: [
      {
        ...first,
        claims: [
          { id: 'a', path: ['family_name'] },
          { id: 'b', path: ['birthdate'] },
        ],
        claim_sets: [['a'], ['b']],
      },
    ],
  }
  assert.deepEqual(await codes({ info, query: alternatives }), ['over_asking'])
  const twoTypes = { credentials: [{ ...first, meta: { vct_values: ['urn:eudi:pid:1', 'urn:eudi:pid:de:1'] } }] }
  assert.deepEqual(await codes({ info, query: twoTypes }), ['over_asking'])
  assert.deepEqual(await codes({ info: carrying(issued(state, { defect: 'over_asking' }).jwt) }), ['over_asking'])
})

test("warns of each deliberate fault of the registrar, by the fault's name", async () => {
  for (const defect of Object.keys(REGISTRATION_DEFECTS) as (keyof typeof REGISTRATION_DEFECTS)[]) {
    const certificate = issued(state, { defect })
    assert.deepEqual(await codes({ info: carrying(certificate.jwt), registrar: certificate.state }), [defect])
  }
})

test('discloses nothing if it declines after a warning, and shows no registration if it does not check', async () => {
  const strict = { trustedProviders: providersOf(state), onWarning: 'decline' } as const
  const declined = await present({ options: { registration: strict } })
  assert.deepEqual([declined.disclosed, declined.registration?.warnings[0]?.code], [[], 'unregistered'])
  const consented = await present({ info: carrying(issued(state).jwt), options: { registration: strict } })
  assert.equal(consented.disclosed.length, 1)
  const claims = requestClaims({})
  const { fetch } = verifierFetch(claims)
  assert.equal((await presentFromLink(link(), { fetch, now, issuer })).registration, null)
})

test('every warning has a test', () => {
  assert.deepEqual([...seen].toSorted(), Object.keys(REGISTRATION_WARNINGS).toSorted())
})
