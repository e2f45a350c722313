// Tests that no sign-in discloses more than was requested, whatever the scopes, claims, templates and settings are.

import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import test from 'node:test'
import type { JsonObject } from '@vidimus/engine'
import fc from 'fast-check'
import type { Template } from '../../src/core/templates/domain/template.ts'
import type { CredentialResult } from '../../src/core/verifications/domain/verification.ts'
import { presentedData } from '../../src/features/oidc/domain/assurance.ts'
import { disclose } from '../../src/features/oidc/domain/disclosure.ts'
import { OidcFailure } from '../../src/features/oidc/domain/failure.ts'
import { chooseTemplate } from '../../src/features/oidc/domain/question.ts'
import { KNOWN_PARAMETERS, type Parameters, readAuthorization } from '../../src/features/oidc/domain/request.ts'
import { readRequestObject } from '../../src/features/oidc/domain/request-object.ts'
import { answerVerified } from '../../src/features/oidc/domain/verified-claims.ts'
import { requestOf } from '../../src/features/oidc/usecases/begin-authorization.ts'

/** Our claims, each with the OpenID claims that disclose it. Written out, so that the oracle shares no code with the service. */
const DISCLOSED_BY: Readonly<Record<string, readonly string[]>> = {
  given_name: ['given_name', 'name'],
  family_name: ['family_name', 'name'],
  birth_date: ['birthdate'],
  address: ['address'],
  email: ['email'],
  mobile_phone_number: ['phone_number'],
  portrait: ['picture'],
  age_over_18: ['age_over_18', 'age_equal_or_over'],
  document_number: ['document_number'],
}
const AT = '2027-06-15T12:00:00.000Z'
const OURS = Object.keys(DISCLOSED_BY)
const OPENID = [...new Set(Object.values(DISCLOSED_BY).flat())]
const BY_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: ['name', 'given_name', 'family_name', 'birthdate', 'picture'],
  email: ['email'],
  address: ['address'],
  phone: ['phone_number'],
}
/** All values differ, so a disclosed value identifies its claim. */
const PERSON: JsonObject = Object.fromEntries(OURS.map((name) => [name, name === 'age_over_18' ? true : `<${name}>`]))

const names = (of: readonly string[]) => fc.uniqueArray(fc.constantFrom(...of), { maxLength: of.length })
const template = (key: string) => names(OURS).map((outputs) => ({ key, outputs }))
const situation = fc.record({
  templates: fc.tuple(template('a'), template('b'), template('c')),
  defaultTemplate: fc.constantFrom('a', 'b', null),
  scopes: names(['profile', 'email', 'address', 'phone', 'vidimus:a', 'vidimus:z', 'vc_authn', 'other']),
  acr: names(['urn:vidimus:template:c', 'urn:vidimus:template:z', '1']),
  userinfo: names([...OPENID, 'unknown', 'sub']),
  idToken: names([...OPENID, 'unknown', 'auth_time']),
  verifiedUserinfo: names([...OPENID, 'unknown']),
  verifiedIdToken: names([...OPENID, 'unknown']),
  settings: fc.record({ claimsInIdToken: fc.boolean(), vpData: fc.boolean(), verifiedClaims: fc.boolean() }),
  isOldRow: fc.boolean(),
  profile: fc.constantFrom('openid', 'fapi2'),
  sentBy: fc.constantFrom('browser', 'signed', 'pushed'),
})
type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never

const SETTINGS = { subjectClaims: [], authMethod: 'private_key_jwt', requireTrue: false } as const
const ISSUER = 'https://verify.example.com/oidc/ten_1/test'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const JWKS = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] }

/**
 * Returns the parameters that the provider uses: of a request object only what was signed, of a pushed request what was
 * stored.
 */
function received({ sentBy, profile }: Situation, sent: Parameters): Parameters {
  if (sentBy === 'browser') return sent
  if (sentBy === 'pushed')
    return new Map(Object.entries(Object.fromEntries([...sent].filter(([name]) => KNOWN_PARAMETERS.has(name)))))
  const seconds = Date.parse(AT) / 1000
  const own = { iss: 'oic_1', client_id: 'oic_1', aud: ISSUER, exp: seconds + 60 }
  const payload = { ...Object.fromEntries(sent), ...own, claims: JSON.parse(sent.get('claims') ?? '{}') }
  const input = [{ alg: 'ES256', kid: 'k' }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const client = { id: 'oic_1', jwks: JSON.stringify(JWKS), profile }
  const text = `${input}.${signature.toString('base64url')}`
  return readRequestObject(text, { client, issuer: ISSUER, nowMs: Date.parse(AT) })
}

function signIn(situation: Situation) {
  const templates = situation.templates.map(({ key, outputs }): Template => {
    const rules = Object.fromEntries(outputs.map((name) => [name, { value: [{ credential: 'pid', path: [name] }] }]))
    return { key, title: key, description: '', query: { credentials: [] }, outputs: rules }
  })
  const client = {
    ...SETTINGS,
    profile: situation.profile,
    templates: ['a', 'b', 'c'],
    defaultTemplate: situation.defaultTemplate,
  }
  const section = (of: readonly string[]) => Object.fromEntries(of.map((name) => [name, null]))
  const withVerified = (of: readonly string[], verified: readonly string[]) => ({
    ...section(of),
    ...(verified.length === 0
      ? {}
      : { verified_claims: { verification: { trust_framework: null }, claims: section(verified) } }),
  })
  const sent = new Map([
    ['response_type', 'code'],
    ['code_challenge', 'c'.repeat(43)],
    ['code_challenge_method', 'S256'],
    ['scope', ['openid', ...situation.scopes].join(' ')],
    ['acr_values', situation.acr.join(' ')],
    [
      'claims',
      JSON.stringify({
        userinfo: withVerified(situation.userinfo, situation.verifiedUserinfo),
        id_token: withVerified(situation.idToken, situation.verifiedIdToken),
      }),
    ],
  ])
  const requested = readAuthorization(received(situation, sent), { redirectUri: 'https://shop.example/', client })
  const sentBy = situation.sentBy === 'browser' ? 'browser' : 'client'
  const chosen = chooseTemplate(client, { question: requested, sentBy }, templates)
  const stored = requestOf({ parsed: requested, chosen, pushedId: situation.sentBy === 'pushed' ? 'id' : null })
  const { idTokenClaims: _, userinfoClaims: __, verified: ___, ...before } = stored
  const request = situation.isOldRow ? before : stored
  const outputs = situation.templates.find(({ key }) => key === chosen.template)?.outputs ?? []
  const claims: JsonObject = Object.fromEntries(outputs.map((name) => [name, PERSON[name] ?? null]))
  const verification = {
    id: 'ver_1',
    claims,
    credentials: [credential(claims)],
    respondedAt: AT,
    answeredQueries: [],
    trustList: null,
  } as const
  return {
    chosen,
    disclosed: disclose({ client: situation.settings, request, verification, nowMs: Date.parse(AT) }),
  }
}

const credential = (claims: JsonObject): CredentialResult => ({
  ...{ format: 'dc+sd-jwt', doctype_or_vct: 'urn:eudi:pid:1', claims, issuer: { common_name: 'I' }, trusted: true },
  ...{ signature_valid: true, holder_binding_valid: true, findings: [] },
})

/** Returns the OpenID claims that a place may disclose. */
function allowed(situation: Situation, isTemplateNamed: boolean, isVerified: boolean) {
  const byScope = situation.scopes.flatMap((scope) => BY_SCOPE[scope] ?? [])
  const named = situation.userinfo.filter((name) => name !== 'sub').length + byScope.length
  const namedInIdToken = situation.idToken.filter((name) => name !== 'auth_time').length
  const verified = situation.verifiedUserinfo.length + situation.verifiedIdToken.length
  const all = isTemplateNamed || named + namedInIdToken + verified === 0
  const userinfo = new Set(
    all ? OPENID : [...situation.userinfo, ...byScope, ...(isVerified ? situation.verifiedUserinfo : [])],
  )
  const idToken = new Set([...situation.idToken, ...(isVerified ? situation.verifiedIdToken : [])])
  const both = new Set([...userinfo, ...idToken])
  if (situation.settings.claimsInIdToken) return { userinfo: both, idToken: both }
  // An earlier release did not distinguish the places: its sign-ins have nothing in the ID token.
  return situation.isOldRow ? { userinfo: both, idToken: new Set<string>() } : { userinfo, idToken }
}

const fromPerson = (place: JsonObject) => {
  const text = JSON.stringify(place)
  return OURS.filter((name) =>
    name === 'age_over_18' ? /age_over_18|"18":true/.test(text) : text.includes(`<${name}>`),
  )
}

test('neither the ID token nor userinfo has a claim that was not requested for it', () => {
  fc.assert(
    fc.property(situation, (input) => {
      const isByScope = input.scopes.includes('vidimus:a') || input.scopes.includes('vidimus:z')
      let result: ReturnType<typeof signIn>
      try {
        result = signIn(input)
      } catch (error) {
        assert.ok(error instanceof OidcFailure, String(error))
        assert.equal(error.code, 'invalid_scope')
        const reach = input.templates.flatMap(({ outputs }) => outputs).length
        assert.ok(input.scopes.includes('vidimus:z') || (input.defaultTemplate === null && !isByScope) || reach === 0)
        return
      }
      const isNamed = isByScope || input.acr.includes('urn:vidimus:template:c')
      const may = allowed(input, isNamed, false)
      const mayVerified = allowed(input, isNamed, true)
      for (const place of ['idToken', 'userinfo'] as const) {
        const { verified_claims: verified = {}, ...plain } = result.disclosed[place]
        for (const [disclosed, of] of [
          [plain, may],
          [{ verified }, mayVerified],
        ] as const)
          for (const name of fromPerson(disclosed))
            assert.ok(
              (DISCLOSED_BY[name] ?? []).some((claim) => of[place].has(claim)),
              `${place} discloses ${name}: ${JSON.stringify(result)}`,
            )
      }
      // Requested claims that exist are disclosed.
      const outputs = input.templates.find(({ key }) => key === result.chosen.template)?.outputs ?? []
      for (const name of outputs)
        if ((DISCLOSED_BY[name] ?? []).slice(0, 1).some((claim) => may.userinfo.has(claim)))
          assert.ok(fromPerson(result.disclosed.userinfo).includes(name), `userinfo lacks ${name}`)
    }),
    { numRuns: 3_000 },
  )
})

test('a claim that is too large for the ID token comes from userinfo', () => {
  const portrait = Buffer.alloc(2_000, 1).toString('base64url')
  const client = { claimsInIdToken: false, vpData: false, verifiedClaims: false }
  const requested = { claims: ['picture', 'email'], idTokenClaims: ['picture', 'email'], userinfoClaims: [] }
  const rest = { redirectUri: '', responseMode: 'query', state: null, nonce: null, codeChallenge: null } as const
  const request = { ...rest, ...requested, acrEssential: null, presReqConfId: null }
  const verification = {
    id: 'ver_1',
    claims: { portrait, email: 'a@b' },
    credentials: [],
    respondedAt: AT,
    answeredQueries: [],
    trustList: null,
  }
  const { idToken, userinfo } = disclose({ client, request, verification, nowMs: Date.parse(AT) })
  assert.deepEqual([Object.keys(idToken), Object.keys(userinfo)], [['email'], ['picture']])
})

test('a request for verified claims replaces the setting, even if it cannot be met', () => {
  const client = { claimsInIdToken: true, vpData: false, verifiedClaims: true }
  const rest = { redirectUri: '', responseMode: 'query', state: null, nonce: null, codeChallenge: null } as const
  const names = { claims: [], idTokenClaims: [], userinfoClaims: [], acrEssential: null, presReqConfId: null }
  const claims = { given_name: 'A', family_name: 'B' }
  const verification = {
    id: 'ver_1',
    claims,
    credentials: [credential(claims)],
    respondedAt: AT,
    answeredQueries: [],
    trustList: null,
  }
  const disclosedUnder = (framework: string) => {
    const requested = [{ verification: { trust_framework: { value: framework } }, claims: { given_name: null } }]
    const request = { ...rest, ...names, verified: { idToken: requested, userinfo: requested } }
    return disclose({ client, request, verification, nowMs: Date.parse(AT) })
  }
  const met = { verified_claims: { verification: { trust_framework: 'eidas' }, claims: { given_name: 'A' } } }
  assert.deepEqual(disclosedUnder('eidas'), { idToken: met, userinfo: met })
  assert.deepEqual(disclosedUnder('de_aml'), { idToken: {}, userinfo: {} })
  // The setting adds no verified claims to the other place either, as the suite's test
  // ekyc-server-request-only-in-idtoken expects.
  const requestedOne = [{ verification: { trust_framework: null }, claims: { given_name: null } }]
  const all = { claims: null, idTokenClaims: [], userinfoClaims: null, acrEssential: null, presReqConfId: null }
  for (const place of ['idToken', 'userinfo'] as const) {
    const request = { ...rest, ...all, verified: { idToken: [], userinfo: [], [place]: requestedOne } }
    const disclosed = disclose({ client, request, verification, nowMs: Date.parse(AT) })
    const other = place === 'idToken' ? 'userinfo' : 'idToken'
    assert.deepEqual(
      [disclosed[place].verified_claims, disclosed[other].verified_claims],
      [met.verified_claims, undefined],
    )
  }
})

test('if no verified claim was requested, the setting does not disclose how the person was verified either', () => {
  const client = { claimsInIdToken: true, vpData: false, verifiedClaims: true }
  const rest = { redirectUri: '', responseMode: 'query', state: null, nonce: null, codeChallenge: null } as const
  const claims = { given_name: 'A', family_name: 'B' }
  const verification = {
    id: 'ver_1',
    claims,
    credentials: [credential(claims)],
    respondedAt: AT,
    answeredQueries: [],
    trustList: null,
  }
  const disclosedFor = (names: readonly string[]) => {
    const requested = {
      claims: names,
      idTokenClaims: [],
      userinfoClaims: names,
      acrEssential: null,
      presReqConfId: null,
    }
    return disclose({ client, request: { ...rest, ...requested }, verification, nowMs: Date.parse(AT) })
  }
  assert.deepEqual(disclosedFor(['email']), { idToken: {}, userinfo: {} })
  assert.deepEqual(Object.keys(disclosedFor(['given_name']).userinfo), ['given_name', 'verified_claims'])
})

// Comparing each of 2,000 claims with 1,100 names took as long as 262 P-256 signature verifications.
test('claims are looked up among the requested names in one step', () => {
  const wanted = Object.assign(['given_name'], {
    includes: () => assert.fail('each claim is compared with each name'),
  })
  const claims = { given_name: 'Vida', family_name: 'Specimen' }
  const credential = { format: 'dc+sd-jwt', doctype_or_vct: 'urn:x', issuer: {}, claims, trusted: true } as const
  const credentials = [{ ...credential, signature_valid: true, holder_binding_valid: true, findings: [] }]
  const { userinfo } = disclose({
    client: { claimsInIdToken: false, vpData: true, verifiedClaims: true },
    request: {
      redirectUri: 'https://shop.example/',
      responseMode: 'query',
      state: null,
      nonce: null,
      codeChallenge: null,
      acrEssential: null,
      subject: null,
      presReqConfId: null,
      uiLocales: null,
      claims: wanted,
      idTokenClaims: wanted,
      userinfoClaims: wanted,
    },
    verification: { id: 'ver_1', claims, credentials, respondedAt: AT as never, answeredQueries: [], trustList: null },
    nowMs: 0,
  })
  assert.equal(userinfo.given_name, 'Vida')
  assert.equal(userinfo.family_name, undefined)
  assert.ok(userinfo.vp_data !== undefined && userinfo.verified_claims !== undefined)
})

test('vp_data names each credential once, and none by a query that it does not answer', () => {
  const credentials = ['a', 'b', 'c'].map((given_name) => credential({ given_name }))
  const namesOf = (...answeredQueries: string[]) => Object.keys(presentedData({ credentials, answeredQueries }, null))
  assert.deepEqual(namesOf('pid', 'licence', 'card'), ['pid', 'licence', 'card'])
  assert.deepEqual(namesOf('credential_2', 'credential_2', 'card'), ['credential_2', 'credential_2.2', 'card'])
  // A made-up name must not be the id of another query.
  assert.deepEqual(namesOf('credential_1', 'credential_1', 'credential_2'), [
    'credential_1',
    'credential_1.2',
    'credential_2',
  ])
  assert.deepEqual(namesOf(), ['credential.1', 'credential.2', 'credential.3'], 'an earlier release stored the result')
})

test('the work for a filter with many absent members is limited', () => {
  const filter = Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`m${i}`, null]))
  let lookedUp = 0
  const getOwnPropertyDescriptor = () => {
    lookedUp += 1
    return undefined
  }
  const counted = () => new Proxy({}, { getOwnPropertyDescriptor })
  const requests = [{ verification: { trust_framework: null }, claims: { list: [filter] } }]
  const claims = { list: Array.from({ length: 1_600 }, counted) }
  assert.equal(answerVerified(requests, { verification: { trust_framework: 'eidas' }, claims }, 0), null)
  assert.ok(lookedUp <= 10_000, `${lookedUp} members were looked up`)
})

test('the names of a template are computed once, also if strangers begin many sign-ins', () => {
  let reads = 0
  const claims = Array.from({ length: 90 }, (_, at) => ({ path: [`claim_${at}`, 'given_name'] }))
  const query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] }, claims }] } as const
  const template = { key: 't', title: 'T', description: '', query, outputs: null }
  const counted = new Proxy(template, {
    get(target, name: keyof typeof template) {
      if (name === 'query') reads += 1
      return target[name]
    },
  })
  const client = { templates: ['t'], defaultTemplate: null, subjectClaims: [], requireTrue: false }
  const claimNames = { userinfo: ['given_name'], idToken: [] }
  const nothing = { scopes: [], acrValues: [], verified: { idToken: [], userinfo: [] }, presReqConfId: null }
  const question = { ...nothing, claimNames }
  for (let call = 0; call < 3; call += 1)
    assert.equal(chooseTemplate(client, { question, sentBy: 'browser' }, [counted]).template, 't')
  assert.equal(reads, 1)
})
