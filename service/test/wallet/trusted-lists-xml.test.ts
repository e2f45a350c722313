// Tests the EU's list of issuers of age attestations, in XML: imported by owners and operator, for ages only.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { createIssuer, generateKey, issue, mintAuthority, mintSigner, TYPE } from '@vidimus/wallet'
import {
  AGE_LIST,
  certificateIdentity,
  isoTime,
  mintTrustedList,
  type TrustedListPlan,
} from '../../../engine/test/trust/mint-trusted-list.ts'
import {
  importTrustList,
  removeTrustList,
  showTrustLists,
} from '../../src/features/trust/usecases/import-trust-list.ts'
import { LIST_BOUNDS } from '../../src/features/trust/usecases/load-trust-list.ts'
import { listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { runJob } from '../harness/jobs.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create, read, respond, validBody } from './verifications.ts'

const service = await testService({}, LOOPBACK)
const { deps } = service
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const owner = await person(service, tenant, 'owner')
const now = () => Math.floor(service.clock.now() / 1000)
const der = ({ certificate }: { certificate: string }) => new Uint8Array(Buffer.from(certificate, 'base64'))
const pem = ({ certificate }: { certificate: string }) =>
  `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`

const issuer = createIssuer({ base: 'https://issuer.example', now: now(), name: 'Attests ages' })
const other = createIssuer({ base: 'https://other.example', now: now(), name: 'Attests ages too' })
const period = { notBefore: now() - 1000, notAfter: now() + 40_000_000 }
const publisher = mintSigner(mintAuthority({ commonName: 'Lists' }, period), { commonName: 'List signer' }, period)
const signer = { der: der(publisher), privateKey: createPrivateKey({ key: publisher.key, format: 'jwk' }) }
const AGES = `mso_mdoc:${TYPE.ageProof}` as const

const serviceOf = (by: typeof issuer) => ({ identity: certificateIdentity(der(by.mdoc.authority)) })
const mint = (plan: Partial<TrustedListPlan> = {}) =>
  mintTrustedList(signer, { now: now(), services: [serviceOf(issuer)], ...plan }).toString()

const server = await startReceiver()
const serve = (body: string) => {
  server.answer = () => ({ status: 200, body })
}

const load = (change: object = {}) =>
  importTrustList(deps, {
    owner: { tenantId: null, environment: 'test' },
    kind: 'tsl',
    providers: 'age-attestation',
    source: server.url,
    file: null,
    signer: signer.der,
    signerAuthority: null,
    types: [AGES],
    ...change,
  })

const NO_PROVIDERS = 'the list no longer names a provider for the types that it was granted'

async function loaded(change: object = {}): Promise<string> {
  const done = await load(change)
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  return done.id
}

async function problem(change: object = {}): Promise<string> {
  const done = await load(change)
  assert.ok(done.outcome === 'refused', JSON.stringify(done))
  return done.problem
}

async function stateOf(id: string) {
  const anchors = (await listAnchors(deps)).filter(({ listId }) => listId === id)
  const list = (await showTrustLists(deps)).find((one) => one.id === id)
  return { failure: list?.failure, sequence: list?.sequence, anchors: anchors.map(({ subject }) => subject) }
}

/** Answers a verification with a credential of this issuer, and returns how it ends. */
async function outcome(kind: 'age_proof' | 'pid_mdoc' = 'age_proof', by = issuer): Promise<string> {
  // Anchors are cached for some seconds.
  service.clock.advance(5_001)
  const created = await create(service, key, { template: kind === 'age_proof' ? 'age_over_18' : 'identity' })
  const credentials = [issue(by, kind, { holderKey: generateKey(), now: now(), statusIndex: null })]
  await respond(service, created.id, await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  const result = await read(service, key, created.id)
  return result.error?.code ?? result.status
}

test('an owner imports the list; from then on proofs of age of its issuers count, and nothing else of theirs', async () => {
  serve(mint())
  assert.equal(await outcome(), 'issuer_untrusted')
  const body = { kind: 'tsl', providers: 'age-attestation', url: server.url, signer: pem(publisher), types: [AGES] }
  assert.deepEqual((await owner.call('POST', '@/trust/lists', { body })).json, { outcome: 'done', warnings: [] })
  const { lists } = (await owner.call('GET', '@/trust')).json
  assert.deepEqual([lists[0].kind, lists[0].issuer, lists[0].sequence], ['tsl', 'An invented authority', 7])
  assert.equal(await outcome(), 'completed')
  assert.equal(await outcome('pid_mdoc'), 'issuer_untrusted')
  assert.equal(await outcome('age_proof', other), 'issuer_untrusted')
  assert.equal((await owner.call('POST', `@/trust/lists/${lists[0].id}/remove`)).status, 200)
  assert.equal(await outcome(), 'issuer_untrusted')
})

test('the list vouches only for ages, whatever it is granted', async () => {
  serve(mint())
  const id = await loaded({ types: ['mso_mdoc:*', 'dc+sd-jwt:*'] })
  const types = (await listAnchors(deps)).filter(({ listId }) => listId === id).map((anchor) => anchor.types)
  assert.deepEqual(types, [[AGES]])
  assert.equal(await outcome('pid_mdoc'), 'issuer_untrusted')
  await removeTrustList(deps, id)
  for (const granted of [[`mso_mdoc:${TYPE.mdl}`], [`mso_mdoc:${TYPE.pidMdoc}`], ['dc+sd-jwt:*']])
    assert.match(await problem({ types: granted }), /names no authority for these types/)
})

test('a newer issue of the list replaces the current one, an older or corrupted issue does not', async () => {
  serve(mint({ sequence: '7' }))
  const id = await loaded()
  const subjects = (await stateOf(id)).anchors
  service.clock.advance(3_600_000)
  const newer = mint({ sequence: '8', services: [serviceOf(other)] })
  serve(newer)
  await runJob(deps, 'refresh-trust-lists')
  const { anchors } = await stateOf(id)
  assert.notDeepEqual(anchors, subjects)
  assert.deepEqual([await outcome('age_proof', other), await outcome()], ['completed', 'issuer_untrusted'])
  const served: [string, string][] = [
    [mint({ sequence: '7' }), 'the address serves an older list than the one loaded'],
    [mint({ sequence: '8', issued: isoTime(now() - 7200) }), 'the address serves an older list than the one loaded'],
    [
      newer.replace(AGE_LIST.recognized, AGE_LIST.deprecated),
      'the list is not signed under the certificate that was given for it',
    ],
    [
      newer.replace('<SchemeInformation>', '<!-- -->$&'),
      'the list cannot be read: it has something that is not an element, attribute or text',
    ],
  ]
  for (const [list, failure] of served) {
    serve(list)
    await runJob(deps, 'refresh-trust-lists')
    assert.deepEqual(await stateOf(id), { failure, sequence: 8, anchors })
  }
  serve(mint({ sequence: '9', services: [{ ...serviceOf(other), status: AGE_LIST.deprecated }] }))
  await runJob(deps, 'refresh-trust-lists')
  assert.deepEqual(await stateOf(id), { failure: NO_PROVIDERS, sequence: 9, anchors: [] })
  assert.equal(await outcome('age_proof', other), 'issuer_untrusted')
  await removeTrustList(deps, id)
})

test('a list from a file needs its signer, too, and vouches for no issuer once the next issue is due', async () => {
  const file = Buffer.from(mint())
  assert.match(await problem({ source: 'list.xml', file, signer: null }), /needs the certificate/)
  const id = await loaded({ source: 'list.xml', file })
  assert.equal(await outcome(), 'completed')
  service.clock.advance(30 * 86_400_000)
  assert.equal(await outcome(), 'issuer_untrusted')
  await removeTrustList(deps, id)
})

test("a certificate that is not an authority's, or a missing certificate, is left out", async () => {
  const named = [signer.der, Buffer.from('no certificate')].map((one) => ({ identity: certificateIdentity(one) }))
  serve(mint({ services: [...named, serviceOf(issuer)] }))
  const done = await load()
  assert.ok(done.outcome === 'loaded' && done.anchors === 1 && done.left === 2, JSON.stringify(done))
  await removeTrustList(deps, done.id)
  serve(mint({ services: named }))
  assert.match(await problem(), /names no authority/)
})

test('the entries and bytes of the list are limited', async () => {
  const own = { owner: { tenantId: tenant, environment: 'test' }, byOwner: true }
  const { entriesMax: entries, bytes, elements } = LIST_BOUNDS.owner
  const nobody = '<DigitalId><X509Certificate>AAAA</X509Certificate></DigitalId>'
  serve(mint({ services: [serviceOf(issuer), { identity: nobody.repeat(entries) }] }))
  assert.match(await problem(own), new RegExp(`names ${entries + 1} authorities, and may name ${entries}`))
  serve(mint({ services: [{ ...serviceOf(issuer), more: '<Other></Other>'.repeat(elements) }] }))
  assert.equal(await problem(own), 'the list cannot be read: it has too many elements')
  await removeTrustList(deps, await loaded())
  const other = (more: string) => mint({ services: [{ ...serviceOf(issuer), more: `<Other>${more}</Other>` }] })
  serve(other('&amp;'.repeat(elements + 1)))
  assert.equal(await problem(own), 'the list cannot be read: it has too many character references')
  // Written as `>`, they are references only in the canonical form, which is read again.
  serve(
    mint({
      services: [{ ...serviceOf(issuer), more: `<Other>${'&gt;'.repeat(elements + 1)}</Other>` }],
      document: (xml) => xml.replaceAll('&gt;', '>'),
    }),
  )
  assert.equal(await problem(own), 'the list cannot be read: it has too many character references')
  serve(
    mint({
      services: [
        {
          ...serviceOf(issuer),
          identity: `<DigitalId><X509Certificate>${'AAAA '.repeat(1_000)}</X509Certificate></DigitalId>`,
        },
      ],
    }),
  )
  assert.equal(await problem(own), 'the list cannot be read: X509Certificate is not base64')
  const heavy = (weight: number) => mint({ list: (xml) => xml.replace('An invented', `${' '.repeat(weight)}$&`) })
  serve(heavy(bytes))
  assert.equal(await problem(own), 'the list could not be fetched')
  await removeTrustList(deps, await loaded())
  serve(heavy(4_000_000))
  assert.equal(await problem(), 'the list cannot be read: it is too large')
})
