// Tests a registered merchant in live: certified, asking within its registration, and refused beyond it.

import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import {
  answerDcApi,
  answerRegister,
  certificateBytes,
  createIssuer,
  createRegistrar,
  fromPem,
  issueAccessCertificate,
  issueRegistrationCertificate,
  issuerAnchors,
  issuerCrl,
  presentFromLink,
  type RegistrationDefect,
  type RegistrationView,
  readParty,
  registerParty,
  registrationStatusList,
  removeParty,
  revokeRegistration,
  statusListCwt,
  statusListJwt,
  type TrustedListName,
  trustedList,
} from '@vidimus/wallet'
import { INTERMEDIARY, intermediaryJson, MERCHANT, merchantJson } from '../../../wallet/test/merchant.ts'
import { diagnose } from '../../src/features/operator/usecases/diagnose.ts'
import { checkRegister } from '../../src/features/registration/usecases/check-registers.ts'
import { changeIdentity } from '../../src/features/registration/usecases/manage-identity.ts'
import { addRegistration } from '../../src/features/registration/usecases/manage-registrations.ts'
import { REGISTERS, REGISTRATIONS } from '../../src/features/trust/domain/anchor.ts'
import { importTrustList } from '../../src/features/trust/usecases/import-trust-list.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { installCertificate, requestCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import { fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { once } from '../harness/wait.ts'
import { fetchInto } from '../harness/wallet.ts'
import { makeAuthority } from '../outbound/certificates.ts'
import { startDnsServer } from '../outbound/dns-server.ts'
import { cidrs, OUTSIDE } from '../outbound/world.ts'
import { create, read } from '../wallet/verifications.ts'

const HOST = 'register.country.com'
const authority = await makeAuthority()
const dns = await startDnsServer((name) => (name === HOST ? { A: [OUTSIDE] } : undefined))
after(() => dns.close())
const server = createServer(await authority.issue({ names: [HOST] }), (request, response) => {
  const url = new URL(request.url ?? '', base)
  const served = serve(url)
  if (served === null) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': served.type }).end(served.body)
})
await once(server.listen(0, OUTSIDE), 'listening')
after(() => server.close())
const base = `https://${HOST}:${(server.address() as AddressInfo).port}`

const service = await testService(
  { egressAllow: cidrs(OUTSIDE) },
  {},
  { dnsServers: [dns.address], extraCa: [authority.pem] },
)
const { deps } = service
const now = () => Math.floor(service.clock.now() / 1000)

const issuer = createIssuer({ base, now: now(), name: 'An issuer of the world' })
const empty = createRegistrar({ base: `${base}/register`, now: now() })
let registrar = registerParty(registerParty(empty, readParty(merchantJson)), readParty(intermediaryJson))

function serve({ pathname, searchParams }: URL): { readonly type: string; readonly body: string | Uint8Array } | null {
  const path = pathname.replace(/^\/register/, '')
  const [, list] = /^\/lists\/([\w-]+)\.jwt$/.exec(path) ?? []
  if (list !== undefined)
    return { type: 'application/jwt', body: trustedList(registrar, list as TrustedListName, now()) }
  if (pathname === '/status-list.jwt') return { type: 'application/statuslist+jwt', body: statusListJwt(issuer, now()) }
  if (pathname === '/status-list.cwt') return { type: 'application/statuslist+cwt', body: statusListCwt(issuer, now()) }
  if (pathname === '/iaca.crl') return { type: 'application/pkix-crl', body: issuerCrl(issuer, now()) }
  if (path === '/status-list.jwt')
    return { type: 'application/statuslist+jwt', body: registrationStatusList(registrar, now()) }
  if (!path.startsWith('/wrp')) return null
  const answer = answerRegister(registrar, { path, query: searchParams }, now())
  return answer.status === 200 ? { type: answer.contentType, body: answer.body } : null
}

type Environment = 'test' | 'live'
const tenantId = await service.tenant()

function done<Outcome extends { readonly outcome: string }>(result: Outcome): Outcome {
  assert.notEqual(result.outcome, 'refused', JSON.stringify(result))
  return result
}

/** The operator's anchors and the registered party, the same in both environments. */
async function prepare(environment: Environment): Promise<void> {
  for (const [name, providers, type] of [
    ['registration-providers', 'registration-certificate', REGISTRATIONS],
    ['registers', 'register', REGISTERS],
  ] as const)
    done(
      await importTrustList(deps, {
        owner: { tenantId: null, environment },
        kind: 'lote',
        providers,
        source: `${registrar.base}/lists/${name}.jwt`,
        file: null,
        signer: certificateBytes(registrar.lists),
        signerAuthority: null,
        types: [type],
      }),
    )
  for (const anchor of issuerAnchors(issuer))
    done(await addAnchor(deps, { ...anchor, owner: { tenantId: null, environment }, actor: OPERATOR }))
  for (const owner of [null, tenantId]) {
    const own = owner === null
    const party = own
      ? { identifier: INTERMEDIARY, isIntermediary: true }
      : { identifier: MERCHANT, isIntermediary: false }
    const identity = { ...party, tradeName: 'As registered', registryUri: registrar.base }
    done(await changeIdentity(deps, { tenantId: owner, environment, identity, actor: OPERATOR }))
  }
  for (const purpose of ['openid4vp', 'iso-reader'] as const) {
    const use = { owner: { tenantId, environment }, purpose }
    const requested = await requestCertificate(deps, { ...use, subject: { commonName: 'Muster online shop' } })
    assert.ok(requested.outcome === 'requested', JSON.stringify(requested))
    const chain = issueAccessCertificate(registrar, {
      signingRequest: requested.csr,
      identifier: MERCHANT,
      serviceIdentifier: 'shop',
      intermediary: INTERMEDIARY,
      purpose,
      now: now(),
      days: 90,
    })
    done(await installCertificate(deps, { ...use, chain: [fromPem(chain)], privateKey: null, actor: OPERATOR }))
  }
}

function issued(defect?: RegistrationDefect) {
  const issued = issueRegistrationCertificate(registrar, {
    identifier: MERCHANT,
    serviceIdentifier: 'shop',
    intendedUseIdentifier: 'identity',
    now: now(),
    days: 90,
    version: '1.2.1',
    ...(defect === undefined ? {} : { defect }),
  })
  registrar = issued.state
  return issued
}

const add = (environment: Environment, jwt: string) =>
  addRegistration(deps, { realm: { tenantId, environment }, jwt, intendedUse: null, actor: OPERATOR })

const pid = (...names: string[]) => ({
  query: {
    credentials: [
      {
        id: 'pid',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:1'] },
        claims: names.map((name) => ({ path: [name] })),
      },
    ],
  },
})
const mdoc = (name: string) => ({
  query: {
    credentials: [
      {
        id: 'pid',
        format: 'mso_mdoc',
        meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
        claims: [{ path: ['eu.europa.ec.eudi.pid.1', name] }],
      },
    ],
  },
})
const WITHIN = pid('family_name')
const BEYOND = pid('family_name', 'birthdate')

/**
 * Terms of a customer's wallet, which knows the access authority and the registration providers, and checks status
 * online.
 */
const walletTerms = () => ({
  issuer,
  now: now(),
  trustedVerifiers: [certificateBytes(registrar.access)],
  registration: { trustedProviders: [certificateBytes(registrar.provider.authority)], onWarning: 'present' } as const,
})

const fetchStatus: typeof globalThis.fetch = async (uri) => {
  const served = serve(new URL(String(uri)))
  return served === null ? new Response(null, { status: 404 }) : new Response(served.body as string)
}

async function present(walletUri: string): Promise<RegistrationView | null> {
  const presented = await presentFromLink(walletUri, { ...walletTerms(), fetch: fetchInto(service), fetchStatus })
  assert.equal(presented.status, 200)
  return presented.registration
}

async function presentByBrowser(id: string, protocol: string): Promise<RegistrationView | null> {
  const offer = await fetchOffer(service, id, OWN_ORIGIN)
  const terms = { ...walletTerms(), fetch: fetchStatus, origin: OWN_ORIGIN, protocols: [protocol] }
  const { registration, protocol: spoken, data } = await answerDcApi(offer.json, terms)
  assert.equal((await postAnswer(service, id, { protocol: spoken, data }, OWN_ORIGIN)).status, 200)
  return registration
}

const codes = (shown: RegistrationView | null) => shown?.warnings.map(({ code }) => code)

await prepare('live')
await prepare('test')
const liveKey = await service.key(tenantId, { environment: 'live' })
const testKey = await service.key(tenantId)

test('registered and certified, the merchant asks within its registration, and no wallet warns', async () => {
  const added = await add('live', issued().jwt)
  assert.deepEqual(added.outcome === 'added' && added.warnings, [], JSON.stringify(added))
  assert.equal((await checkRegister(deps, { tenantId, environment: 'live' }))?.outcome, 'same')
  assert.equal((await checkRegister(deps, { tenantId: null, environment: 'live' }))?.outcome, 'same')
  const created = await create(service, liveKey, { ...WITHIN, intended_use: 'identity' })
  assert.deepEqual(await present(created.wallet_uri), {
    party: 'Muster Weine GmbH',
    service: 'Muster online shop',
    purposes: [{ lang: 'en', text: 'To know who buys' }],
    privacyPolicy: 'https://shop.example/privacy',
    warnings: [],
  })
  const result = await read(service, liveKey, created.id)
  assert.equal(result.status, 'completed', JSON.stringify(result))
})

test('through the browser no wallet warns either, by OpenID4VP and by Annex C', async () => {
  const first = await create(service, liveKey, WITHIN)
  assert.deepEqual(codes(await presentByBrowser(first.id, 'openid4vp-v1-signed')), [])
  const second = await create(service, liveKey, mdoc('family_name'))
  assert.deepEqual(codes(await presentByBrowser(second.id, 'org-iso-mdoc')), [])
  for (const { id } of [first, second]) assert.equal((await read(service, liveKey, id)).status, 'completed')
})

test('beyond its registration live refuses; without that check the wallet warns', async () => {
  const refused = await service.call('POST', '/v1/verifications', { key: liveKey, body: BEYOND })
  assertRefused(refused, 422, 'over_asking')
  assert.match(refused.json.error.message, /birthdate/)
  const added = await add('test', issued().jwt)
  assert.deepEqual(added.outcome === 'added' && added.warnings, [], JSON.stringify(added))
  const passed = await create(service, testKey, BEYOND)
  const shown = await present(passed.wallet_uri)
  assert.deepEqual(codes(shown), ['over_asking'])
  assert.match(shown?.warnings[0]?.text ?? '', /pid: birthdate/)
  const browser = await create(service, testKey, BEYOND)
  assert.deepEqual(codes(await presentByBrowser(browser.id, 'openid4vp-v1-signed')), ['over_asking'])
  const annexC = await create(service, testKey, mdoc('birth_date'))
  assert.deepEqual(codes(await presentByBrowser(annexC.id, 'org-iso-mdoc')), ['over_asking'])
})

test("live does not accept a registrar's mistakes", async () => {
  for (const [defect, problem] of [
    ['wrong_intermediary', /another intermediary/],
    ['expired_registration', /expired/],
    ['revoked_registration', /status is revoked/],
  ] as const) {
    service.clock.advance(400_000)
    const refused = await add('live', issued(defect).jwt)
    assert.ok(refused.outcome === 'refused' && problem.test(refused.problem), `${defect}: ${JSON.stringify(refused)}`)
  }
})

test('wallets warn if the registrar revoked it', async () => {
  const { state, index } = issued()
  const created = await create(service, testKey, WITHIN)
  for (let revoked = 0; revoked <= index; revoked++)
    if (state.issued.some((one) => one.index === revoked)) registrar = revokeRegistration(registrar, revoked)
  assert.deepEqual(codes(await present(created.wallet_uri)), ['revoked_registration'])
})

test('facts that the register no longer confirms for a live merchant are an alarm, a metric and a problem', async () => {
  registrar = removeParty(registrar, MERCHANT)
  const checked = await checkRegister(deps, { tenantId, environment: 'live' })
  assert.deepEqual([checked?.outcome, checked?.findings[0]?.code], ['drift', 'not_registered'])
  const metrics = await deps.metrics.registry.metrics()
  assert.match(metrics, /vidimus_alarms_total\{alarm="register_drift"\} 1/)
  assert.match(metrics, /vidimus_register_looks\{outcome="drift"\} 1/)
  const found = (await diagnose(deps)).find(({ area }) => area === 'register')
  assert.equal(found?.status, 'problem')
})
