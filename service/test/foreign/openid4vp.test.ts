// Tests the service with a wallet of foreign libraries: honest flows complete, dishonest ones are refused.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import type { HeldCredential } from '@vidimus/wallet'
import type { TenantSettings } from '../../src/core/tenants/domain/settings.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { fetchOffer, OWN_ORIGIN, postAnswer } from '../harness/dc-api.ts'
import { OPERATOR, type TestService, testService } from '../harness/service.ts'
import { fetchInto, testWallet } from '../harness/wallet.ts'
import { CARD, CONSENT, CONSENT_SCHEMA, LICENCE, PID } from '../transactions/asking.ts'
import { create, newCredentials, read } from '../wallet/verifications.ts'
import { answerLink, answerOffer, type Dishonesty, type LibraryWallet, resolveLink } from './library-wallet.ts'
import { serviceWithProofs } from './proof-helper.ts'

const MDOC = { mso_mdoc: { issuerauth_alg_values: [-7], deviceauth_alg_values: [-7] } } as const
const SD_JWT = { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } } as const
const FORMATS = ['dc+sd-jwt', 'mso_mdoc'] as const
type Format = (typeof FORMATS)[number]
type Merchant = 'plain' | 'clear' | 'unsigned'
const MERCHANTS: readonly Merchant[] = ['plain', 'clear', 'unsigned']
const SETTINGS: Readonly<Record<Merchant, Partial<TenantSettings>>> = {
  plain: {},
  clear: { responseMode: 'direct_post', dcApiClearInTest: true },
  unsigned: { dcApiUnsignedInTest: true },
}

/** Returns a service with a merchant of each kind, and holders with foreign wallets. */
async function openScene(service: TestService) {
  const wallet = await testWallet(service)
  const keys = new Map<Merchant, string>()
  for (const kind of MERCHANTS) keys.set(kind, await openMerchant(service, SETTINGS[kind]))

  /** Returns a wallet with the credentials of these formats. */
  const holder = (formats: readonly Format[] = FORMATS, change: Partial<LibraryWallet> = {}): LibraryWallet => {
    const credentials: readonly HeldCredential[] = newCredentials(wallet)
    return {
      credentials: credentials.filter(({ format }) => formats.includes(format)),
      fetch: fetchInto(service),
      now: wallet.options.now,
      ...change,
    }
  }
  const created = (body: object, kind: Merchant = 'plain') => create(service, keys.get(kind) ?? '', body)
  const readBy = (id: string, kind: Merchant = 'plain') => read(service, keys.get(kind) ?? '', id)

  async function offered(id: string, protocol: string) {
    const { json } = await fetchOffer(service, id)
    const request = (json.requests as Offered[]).find((one) => one.protocol === protocol)
    assert.ok(request !== undefined, `${protocol} is not offered`)
    return request
  }

  /** Returns the result that the merchant reads. */
  async function answered(body: object, by: LibraryWallet, { protocol, kind }: Flow, dishonest?: Dishonesty) {
    const { id, wallet_uri: link } = await created(body, kind)
    if (protocol === undefined) {
      const answer = await answerLink(link, by, dishonest)
      assert.equal(answer.status, 200, await answer.text())
    } else {
      const answer = await answerOffer(await offered(id, protocol), OWN_ORIGIN, by, dishonest)
      const posted = await postAnswer(service, id, answer)
      assert.equal(posted.status, 200, posted.text)
    }
    return readBy(id, kind)
  }
  return { holder, created, offered, answered }
}

async function openMerchant(service: TestService, change: Partial<TenantSettings>): Promise<string> {
  const tenantId = await service.tenant()
  await changeSettings(service.deps, { tenantId, change, actor: OPERATOR })
  const type = { type: CONSENT.type, title: 'Terms of use', schema: CONSENT_SCHEMA }
  await saveType(service.deps, { realm: { tenantId, environment: 'test' }, ...type, actor: OPERATOR })
  return service.key(tenantId)
}

interface Offered {
  readonly protocol: string
  readonly data: Readonly<Record<string, string>>
}

/** A flow through the browser with this protocol or by the link, and the request of the merchant. */
interface Flow {
  readonly protocol?: string
  readonly kind: Merchant
}
const SIGNED = 'openid4vp-v1-signed'
const LINK: Flow = { kind: 'plain' }
const FLOWS: Readonly<Record<string, Flow>> = {
  'redirect, direct_post.jwt': LINK,
  'redirect, direct_post': { kind: 'clear' },
  'browser, signed, dc_api.jwt': { protocol: SIGNED, kind: 'plain' },
  'browser, signed, dc_api': { protocol: SIGNED, kind: 'clear' },
  'browser, unsigned, dc_api.jwt': { protocol: 'openid4vp-v1-unsigned', kind: 'unsigned' },
}

type Result = Awaited<ReturnType<typeof read>>

function assertCompleted(result: Result, what: string): void {
  assert.equal(result.status, 'completed', `${what}: ${JSON.stringify(result)}`)
}

function assertFailed(result: Result, code: string, what: string): void {
  assert.deepEqual([result.status, result.error?.code], ['failed', code], `${what}: ${JSON.stringify(result)}`)
  assert.equal(result.claims, undefined)
}

const proving = await openScene(await serviceWithProofs())

for (const [proofs, scene] of [
  ['off', await openScene(await testService())],
  ['on', proving],
] as const)
  for (const [name, flow] of Object.entries(FLOWS)) {
    test(`proofs ${proofs}, ${name}: the libraries understand the request, and their answer completes`, async () => {
      for (const template of ['identity', 'age_over_18'])
        for (const formats of [FORMATS, ['dc+sd-jwt'], ['mso_mdoc']] as const)
          assertCompleted(await scene.answered({ template }, scene.holder(formats), flow), `${template}, ${formats}`)
    })

    test(`proofs ${proofs}, ${name}: the transaction is signed with the credential`, async () => {
      for (const credential of [CARD, LICENCE]) {
        const body = { query: { credentials: [credential] }, transaction: [CONSENT] }
        assertCompleted(await scene.answered(body, scene.holder(), flow), credential.format)
      }
    })
  }

const { holder, created: verification, offered, answered } = proving

const formatsOf = (query: unknown) => {
  const { credentials } = query as { credentials: { format: string }[] }
  return [...new Set(credentials.map(({ format }) => format))].sort()
}

const REPLAYED: Dishonesty = { binding: (honest) => ({ ...honest, nonce: randomUUID() }) }
const FOR_ANOTHER: Dishonesty = {
  binding: (honest) => ({
    ...honest,
    channel:
      honest.channel.kind === 'redirect'
        ? { ...honest.channel, clientId: `x509_hash:${'A'.repeat(43)}` }
        : { kind: 'dc_api', origin: 'https://shop.example' },
  }),
}

for (const [name, flow] of Object.entries(FLOWS)) {
  test(`${name}: an answer with another nonce or for another audience is refused`, async () => {
    for (const credential of [PID, LICENCE])
      for (const [what, dishonest] of Object.entries({ REPLAYED, FOR_ANOTHER })) {
        const result = await answered({ query: { credentials: [credential] } }, holder(), flow, dishonest)
        assertFailed(result, 'holder_binding_invalid', `${credential.format}, ${what}`)
      }
  })

  test(`${name}: an answer that lacks a credential of the query is refused`, async () => {
    const query = { credentials: [PID, LICENCE] }
    assertCompleted(await answered({ query }, holder(), flow), 'both credentials')
    for (const missing of ['pid', 'licence']) {
      const dishonest: Dishonesty = { answers: (ids) => ids.filter((id) => id !== missing) }
      assertFailed(await answered({ query }, holder(), flow, dishonest), 'query_not_satisfied', missing)
    }
  })

  test(`${name}: an answer without the signature over the transaction is refused`, async () => {
    for (const credential of [CARD, LICENCE]) {
      const body = { query: { credentials: [credential] }, transaction: [CONSENT] }
      const dishonest: Dishonesty = { binding: (honest) => ({ ...honest, agreed: [] }) }
      const result = await answered(body, holder(), flow, dishonest)
      assertFailed(result, 'transaction_not_confirmed', credential.format)
    }
  })
}

test("the wallet's metadata decides the request, and the libraries accept it", async () => {
  for (const [formats, kept] of [
    [MDOC, ['mso_mdoc']],
    [SD_JWT, ['dc+sd-jwt']],
    [{ ...MDOC, ...SD_JWT }, ['dc+sd-jwt', 'mso_mdoc']],
  ] as const) {
    const metadata = { vp_formats_supported: formats, client_id_prefixes_supported: ['x509_hash' as const] }
    const by = holder(kept, { metadata })
    const { wallet_uri: link } = await verification({ template: 'age_over_18' })
    const { resolved } = await resolveLink(link, by)
    assert.deepEqual(formatsOf(resolved.dcql?.query), kept)
    assertCompleted(await answered({ template: 'age_over_18' }, by, LINK), kept.join())
  }
})

test("the library refuses another client id than the link's, even if its wallet lists no other prefix", async () => {
  const by = holder(FORMATS, { metadata: { client_id_prefixes_supported: ['x509_san_dns'] } })
  const { wallet_uri: link } = await verification({ template: 'identity' })
  await assert.rejects(resolveLink(link, by), /client_id does not match/)
  // If its metadata lists no prefixes, the library answers, and its answer counts.
  assert.equal((await answerLink(link, holder())).status, 200)
})

test('a wallet that posts its metadata like 0.4.6 gets the plain request', async () => {
  const by = holder(FORMATS, { metadata: { vp_formats_supported: MDOC }, posts: 'as 0.4.6 does' })
  assertCompleted(await answered({ template: 'age_over_18' }, by, LINK), 'parameters of their own')
})

test('without negotiation the libraries would refuse: dcql does not know the format of proofs', async () => {
  const metadata = { vp_formats_supported: { ...MDOC, mso_mdoc_zk: {} } }
  const by = holder(['mso_mdoc'], { metadata })
  await assert.rejects(answered({ template: 'age_over_18' }, by, LINK), /received "mso_mdoc_zk"/)
})

test('the library checks the request itself: signature, client id and origin', async () => {
  const { id, wallet_uri: link } = await verification({ template: 'identity' })
  const by = holder()
  const spoiled: LibraryWallet['fetch'] = async (url, init) => {
    const [header, claims, signature = ''] = (await (await by.fetch(url, init)).text()).split('.')
    return new Response([header, claims, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.'))
  }
  await assert.rejects(resolveLink(link, { ...by, fetch: spoiled }), /verif/i)
  const renamed = new URL(link)
  renamed.searchParams.set('client_id', `x509_hash:${'A'.repeat(43)}`)
  await assert.rejects(resolveLink(renamed.href, by), /client_id does not match/)
  const request = await offered(id, SIGNED)
  await assert.rejects(answerOffer(request, 'https://shop.example', by), /expected_origins/)
})
