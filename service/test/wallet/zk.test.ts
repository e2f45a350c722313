// Tests proofs in place of documents through the real routes. tools/test/zk.test.ts uses real proofs.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { type SoleType, type VouchedType, ZK_CIRCUITS } from '@vidimus/engine'
import { certificateBytes, createIssuer, formBody, type IssuerState, mintAuthority } from '@vidimus/wallet'
import { dateTime, embedded, encodeCbor, mapOf } from '../../../wallet/src/encoding/cbor.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { saveType } from '../../src/core/transactions/usecases/manage-types.ts'
import { readTrust } from '../../src/features/dashboard/usecases/read-trust.ts'
import { helpersFor, zkBounds } from '../../src/features/trust/outbound/zk/verifier.ts'
import { noteListedKeys } from '../../src/features/trust/store/listed-keys.ts'
import { diagnoseTrust } from '../../src/features/trust/usecases/diagnose-trust.ts'
import { importTrustList, removeTrustList } from '../../src/features/trust/usecases/import-trust-list.ts'
import { addAnchor, listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { instantOf } from '../../src/platform/world.ts'
import { fetchOffer, OWN_ORIGIN } from '../harness/dc-api.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { AGE_ALONE, LICENCE_ALONE, trustSoleIssuer } from '../harness/sole-issuer.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { CONSENT, CONSENT_SCHEMA } from '../transactions/asking.ts'
import { create, decode, FORM, read, respond } from './verifications.ts'

const AGE = 'eu.europa.ec.av.1'
const [VALID, INVALID, DIES, HELD] = [1, 2, 3, 4]
const ONE_ELEMENT = ZK_CIRCUITS.find(({ attributes }) => attributes === 1)?.id ?? ''
/** Counts how often the helper was asked. */
let questions = 0
/** Pending questions. Each function lets the helper answer yes. */
const waiting: (() => void)[] = []

const folder = await mkdtemp(join(tmpdir(), 'vidimus-zk-'))
after(() => rm(folder, { recursive: true }))
const socketPath = join(folder, 'helper.sock')
const helper = createServer((socket) => {
  let text = ''
  socket.on('error', () => undefined)
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
      const {
        id,
        proof,
        doc_type: type,
      } = JSON.parse(text.slice(0, at)) as { id: number; proof: string; doc_type: string }
      text = text.slice(at + 1)
      questions += type === 'warm.up' ? 0 : 1
      const [content] = Buffer.from(proof, 'base64')
      const yes = () => void socket.write(`${JSON.stringify({ id, answer: 'valid' })}\n`)
      if (content === DIES) socket.destroy()
      else if (content === HELD) waiting.push(yes)
      else socket.write(`${JSON.stringify({ id, answer: content === VALID ? 'valid' : 'invalid' })}\n`)
    }
  })
})
helper.listen(socketPath)
await once(helper, 'listening')
// Lets the process end even if clients are still connected.
helper.unref()

const service = await testService({}, { VIDIMUS_ZK_VERIFIER: `unix:${socketPath}` })
const wallet = await testWallet(service)
const ages = await trustSoleIssuer(service.deps, AGE_ALONE)
const licences = await trustSoleIssuer(service.deps, LICENCE_ALONE)
const PID = 'eu.europa.ec.eudi.pid.1'
const PID_ALONE = { docType: PID, nameSpace: PID, withoutStatus: false }
const pids = await trustSoleIssuer(service.deps, PID_ALONE)
const tenantId = await service.tenant()
const key = await service.key(tenantId)

interface AskedCredential {
  readonly id: string
  readonly format: string
  readonly meta: {
    readonly doctype_value?: string
    readonly zk_system_type?: readonly { readonly zkSystemId: string }[]
  }
}

const ALL_FORMATS = { 'dc+sd-jwt': {}, mso_mdoc: {}, mso_mdoc_zk: {} }
const isWarm = () => ZK_CIRCUITS.every(({ hash }) => service.deps.zkVerifier?.canCheck(hash) === true)

/** Returns the credential queries for a wallet that lists these formats; null: the wallet lists none. */
async function askedOf(requestUri: string, formats: object | null = ALL_FORMATS): Promise<readonly AskedCredential[]> {
  await waitUntil('the helper has loaded its circuits', async () => isWarm())
  const metadata = new URLSearchParams({ wallet_metadata: JSON.stringify({ vp_formats_supported: formats }) })
  const path = new URL(requestUri).pathname
  const answer =
    formats === null
      ? await service.call('GET', path)
      : await service.call('POST', path, { headers: FORM, raw: metadata.toString() })
  const query = decode(answer.text).claims.dcql_query as unknown as { readonly credentials: readonly AskedCredential[] }
  return query.credentials
}

interface Proof {
  readonly queryId: string
  readonly sole: SoleType
  readonly by: IssuerState
}

/** Builds proofs of an age, of one element each. */
async function proofsFor(owner: string, proofByte: number, proofs: readonly Proof[]) {
  const created = await create(service, owner, { template: 'age_over_18' })
  const request = await wallet.request(created.wallet_uri)
  await askedOf(created.request_uri)
  const vpToken = Object.fromEntries(
    proofs.map(({ queryId, sole: { docType, nameSpace }, by }) => {
      const data = mapOf({
        docType,
        zkSystemId: ONE_ELEMENT,
        timestamp: dateTime(wallet.options.now),
        issuerSigned: mapOf({ [nameSpace]: [mapOf({ elementIdentifier: 'age_over_18', elementValue: true })] }),
        msoX5chain: certificateBytes(by.mdoc.signer),
      })
      const zkDocument = mapOf({ documentData: embedded(data), proof: new Uint8Array(320_000).fill(proofByte) })
      const response = encodeCbor(mapOf({ version: '1.1', zkDocuments: [zkDocument], status: 0 }))
      return [queryId, [Buffer.from(response).toString('base64url')]]
    }),
  )
  return { id: String(created.id), body: await formBody(request, { vpToken }) }
}

const proofFor = (owner: string, proofByte: number, by: IssuerState = ages) =>
  proofsFor(owner, proofByte, [{ queryId: 'age_proof_zk', sole: AGE_ALONE, by }])

async function answerByProof(owner: string, proofByte: number) {
  const { id, body } = await proofFor(owner, proofByte)
  const posted = await respond(service, id, body)
  return { posted, result: await read(service, owner, id) }
}

test('a proof of age answers the template like the document', async () => {
  const { posted, result } = await answerByProof(key, VALID)
  assert.equal(posted.status, 200, posted.text)
  assert.equal(result.status, 'completed', JSON.stringify(result))
  assert.deepEqual(result.claims, { age_over_18: true })
  const [{ format, doctype_or_vct, claims, trusted, signature_valid, holder_binding_valid }] = result.credentials
  assert.deepEqual(
    { format, doctype_or_vct, claims, trusted, signature_valid, holder_binding_valid },
    {
      format: 'mso_mdoc_zk',
      doctype_or_vct: AGE,
      claims: { age_over_18: true },
      trusted: true,
      signature_valid: true,
      holder_binding_valid: true,
    },
  )
})

test('of three proofs for the alternatives of a template two are checked, and answer it', async () => {
  const before = questions
  const { id, body } = await proofsFor(key, VALID, [
    { queryId: 'age_proof_zk', sole: AGE_ALONE, by: ages },
    { queryId: 'mdl_zk', sole: LICENCE_ALONE, by: licences },
    { queryId: 'pid_mdoc_zk', sole: PID_ALONE, by: pids },
  ])
  await respond(service, id, body)
  const result = await read(service, key, id)
  assert.equal(result.status, 'completed', JSON.stringify(result))
  assert.deepEqual(result.claims, { age_over_18: true })
  assert.equal(questions - before, 2)
})

for (const [title, proofByte, code] of [
  ['does not hold', INVALID, 'credential_invalid'],
  ['could not be checked', DIES, 'proof_unavailable'],
] as const)
  test(`a proof that ${title} fails the verification, and reveals nothing`, async () => {
    const { result } = await answerByProof(key, proofByte)
    assert.equal(result.status, 'failed')
    assert.equal(result.error.code, code)
    assert.doesNotMatch(JSON.stringify(result.credentials), /age_over_18/)
  })

test('while too many proofs are being checked a further proof is deferred, and its retry counts', async () => {
  const owner = await service.key(await service.tenant())
  const { each } = zkBounds(helpersFor({ kind: 'socket', path: socketPath })).queued
  const proofs = await Promise.all(Array.from({ length: each + 1 }, () => proofFor(owner, HELD)))
  const posted = proofs.map(async (proof) => ({ proof, answer: await respond(service, proof.id, proof.body) }))
  // The other proofs wait.
  const { proof: refused, answer: refusal } = await Promise.race(posted)
  assert.equal(refusal.status, 429, refusal.text)
  assert.ok(Number(refusal.headers['retry-after']) > 0)
  assert.equal((await read(service, owner, refused.id)).status, 'pending', 'the verdict says nothing about the proof')
  const answering = setInterval(() => {
    for (const yes of waiting.splice(0)) yes()
  }, 10)
  const statuses = (await Promise.all(posted)).map(({ answer }) => answer.status)
  assert.deepEqual(statuses.sort(), [...Array(each).fill(200), 429])
  assert.equal((await respond(service, refused.id, refused.body)).status, 200)
  clearInterval(answering)
  for (const { id } of proofs) assert.equal((await read(service, owner, id)).status, 'completed')
})

test('result and receipt name format, claim and issuer, and nothing that two merchants could compare', async () => {
  const { result } = await answerByProof(key, VALID)
  const [credential] = result.credentials
  const members = ['claims', 'doctype_or_vct', 'findings', 'format', 'holder_binding_valid', 'issuer']
  assert.deepEqual(Object.keys(credential).sort(), [...members, 'signature_valid', 'trusted'])
  assert.deepEqual(
    credential.findings.map(({ check, status }: { check: string; status: string }) => [check, status]),
    [
      ['not_revoked', 'skipped'],
      // This issuer's list is unreachable, which is a warning in test.
      ['signer_not_revoked', 'warning'],
    ],
  )
  const receipt = (await service.call('GET', `/v1/verifications/${result.id}/receipt`, { key })).text
  const claims = decode(receipt).claims as unknown as { readonly credentials: readonly Record<string, unknown>[] }
  assert.deepEqual(Object.keys(claims.credentials[0] ?? {}).sort(), [
    'anchor_sha256',
    'checks',
    'format',
    'issuer_cert_sha256',
    'query',
    'sole_type',
    'status_policy',
    'trusted',
    'type',
  ])
  assert.equal(claims.credentials[0]?.format, 'mso_mdoc_zk')
  assert.deepEqual(claims.credentials[0]?.sole_type, { doc_type: AGE, namespace: AGE, without_status: true })
  assert.equal(claims.credentials[0]?.status_policy, 'prefer')
  const NOT_PROVABLE = { check: 'not_revoked', outcome: 'not_provable' }
  assert.match(JSON.stringify(claims.credentials[0]?.checks), /\{"check":"not_revoked","outcome":"not_provable"\}/)
  const diagnostics = (await service.call('GET', `/v1/verifications/${result.id}/diagnostics`, { key })).json
  const checks = diagnostics.credentials[0].checks as { check: string; outcome: string }[]
  assert.deepEqual(
    checks.find(({ check }) => check === 'not_revoked'),
    NOT_PROVABLE,
  )
  assert.doesNotMatch(JSON.stringify([credential, claims, diagnostics]), /names no status/)
})

/** Returns a tenant whose own anchor vouches for ages, as the case says. */
async function tenantTrusting(
  sole: Parameters<typeof trustSoleIssuer>[1],
  change: { types?: readonly VouchedType[]; issuer?: IssuerState } = {},
) {
  const other = await service.tenant()
  const owner = { tenantId: other, environment: 'test' } as const
  const issuer = await trustSoleIssuer(service.deps, sole, { owner, ...change })
  return { tenantId: other, owner: await service.key(other), issuer }
}

/** Returns the document types for which the trust page says that proofs are accepted. */
async function provableIn(tenant: string, environment: 'test' | 'live' = 'test') {
  const realm = { tenantId: tenant, environment }
  const { anchors, provable } = await readTrust(service.deps, { realm, isOwner: false, pay: async () => undefined })
  return anchors.flatMap(({ id, sole }) => (provable.has(id) ? [sole?.docType] : [])).sort()
}
const PROVABLE_WITHOUT_AGES = [PID, LICENCE_ALONE.docType]

for (const [title, trusting] of Object.entries({
  'an anchor without the mark': () => tenantTrusting(null),
  'an anchor that vouches for every mdoc': () => tenantTrusting(null, { types: ['mso_mdoc:*'] }),
  'a second anchor of the same key, for another type': () =>
    tenantTrusting(null, { types: ['mso_mdoc:club.card.1'], issuer: ages }),
  'marks that differ in the name space': () => tenantTrusting({ ...AGE_ALONE, nameSpace: 'club.card.1' }),
  'marks that differ in the status': () => tenantTrusting({ ...AGE_ALONE, withoutStatus: false }),
}))
  test(`under ${title} a proof is refused without a question to the helper, which would accept it`, async () => {
    const { tenantId: other, owner, issuer } = await trusting()
    assert.ok(!(await provableIn(other)).includes(AGE))
    const { id, body } = await proofFor(owner, VALID, issuer)
    const before = questions
    await respond(service, id, body)
    const result = await read(service, owner, id)
    assert.equal(result.status, 'failed', JSON.stringify(result))
    assert.equal(questions, before)
    assert.doesNotMatch(JSON.stringify(result.credentials), /age_over_18/)
  })

/** Returns a list of attestation providers that names this authority, valid for a minute. */
function shortList(nowMs: number, certificate: string): Uint8Array {
  const information = {
    ServiceTypeIdentifier: 'http://uri.etsi.org/19602/SvcType/EAA/Issuance',
    ServiceDigitalIdentity: { X509Certificates: [{ val: certificate }] },
  }
  return Buffer.from(
    JSON.stringify({
      ListAndSchemeInformation: {
        LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUEAAProvidersList',
        LoTESequenceNumber: 1,
        ListIssueDateTime: new Date(nowMs - 1_000).toISOString(),
        NextUpdate: new Date(nowMs + 60_000).toISOString(),
      },
      TrustedEntitiesList: [{ TrustedEntityServices: [{ ServiceInformation: information }] }],
    }),
  )
}

test('under the default policy of live, the trust page names only age attestations', async () => {
  for (const sole of [AGE_ALONE, LICENCE_ALONE])
    await trustSoleIssuer(service.deps, sole, { owner: { tenantId, environment: 'live' } })
  assert.deepEqual(await provableIn(tenantId, 'live'), [AGE])
})

test('the trust page says no to the anchors of an expired list, and to expired certificates', async () => {
  const other = await service.tenant()
  const owner = { tenantId: other, environment: 'test' } as const
  const now = service.clock.now()
  const seconds = Math.floor(now / 1000)
  const period = { notBefore: seconds - 1000, notAfter: seconds + 60 }
  const short = mintAuthority({ commonName: 'Ends soon' }, period)
  const issuer = createIssuer({ base: 'https://listed.example', now: seconds, name: 'Listed' })
  const certificate = Buffer.from(short.certificate, 'base64')
  const anchor = { owner, kind: 'ca', profile: 'generic', types: [`mso_mdoc:${AGE}`], sole: AGE_ALONE } as const
  const added = await addAnchor(service.deps, { ...anchor, certificate, actor: OPERATOR })
  assert.ok(added.outcome === 'added', JSON.stringify(added))
  const imported = await importTrustList(service.deps, {
    owner,
    kind: 'lote',
    providers: 'attestation',
    source: 'list.json',
    file: shortList(now, issuer.mdoc.authority.certificate),
    signer: null,
    signerAuthority: null,
    types: [`mso_mdoc:${AGE}`],
    sole: AGE_ALONE,
  })
  assert.ok(imported.outcome === 'loaded', JSON.stringify(imported))
  assert.deepEqual(await provableIn(other), [AGE, AGE, AGE, ...PROVABLE_WITHOUT_AGES])
  service.clock.advance(61_000)
  assert.deepEqual(await provableIn(other), [AGE, ...PROVABLE_WITHOUT_AGES])
})

/** Issues another certificate for the signer's key. */
const signerAsAuthority = () => {
  const seconds = Math.floor(service.clock.now() / 1000)
  const period = { notBefore: seconds - 1000, notAfter: seconds + 10_000_000 }
  return mintAuthority({ commonName: 'Signs cards' }, period, { subjectKey: ages.mdoc.signer.key }).certificate
}

for (const [title, certificateOf, refused] of [
  // No proof is requested.
  ['the marked key', () => ages.mdoc.authority.certificate, 'query_not_satisfied'],
  ['a key below the marked one', signerAsAuthority, 'issuer_untrusted'],
] as const)
  test(`an expired list still says that ${title} signs another type; a removed list says nothing`, async () => {
    const other = await service.tenant()
    const owner = await service.key(other)
    const outcome = async () => {
      const { id, body } = await proofFor(owner, VALID)
      await respond(service, id, body)
      const { status, error } = await read(service, owner, id)
      return error?.code ?? status
    }
    assert.equal(await outcome(), 'completed')
    assert.deepEqual(await provableIn(other), [AGE, ...PROVABLE_WITHOUT_AGES])
    const imported = await importTrustList(service.deps, {
      owner: { tenantId: other, environment: 'test' },
      kind: 'lote',
      providers: 'attestation',
      source: 'list.json',
      file: shortList(service.clock.now(), certificateOf()),
      signer: null,
      signerAuthority: null,
      types: ['mso_mdoc:club.card.1'],
    })
    assert.ok(imported.outcome === 'loaded', JSON.stringify(imported))
    const before = questions
    assert.equal(await outcome(), refused)
    // A key below the marked one is found only when a proof names it.
    if (refused === 'query_not_satisfied') assert.deepEqual(await provableIn(other), PROVABLE_WITHOUT_AGES)
    service.clock.advance(61_000)
    assert.equal(await outcome(), refused)
    assert.equal(questions, before)
    assert.equal(await removeTrustList(service.deps, imported.id), true)
    assert.equal(await outcome(), 'completed')
  })

test('a proof is requested only if every anchor of the type has the mark, because proofs under others would not count', async () => {
  const idsFor = async (owner: string) => {
    const created = await create(service, owner, { template: 'age_over_18' })
    return (await askedOf(created.request_uri)).flatMap(({ id, format }) => (format === 'mso_mdoc_zk' ? [id] : []))
  }
  assert.deepEqual(await idsFor(key), ['age_proof_zk', 'mdl_zk', 'pid_mdoc_zk'])
  assert.deepEqual(await idsFor((await tenantTrusting(null)).owner), ['mdl_zk', 'pid_mdoc_zk'])
  assert.deepEqual(await idsFor((await tenantTrusting({ ...AGE_ALONE, nameSpace: 'other' })).owner), [
    'mdl_zk',
    'pid_mdoc_zk',
  ])
  const claims = [{ path: ['another.name.space', 'age_over_18'] }]
  const query = {
    credentials: [{ id: 'age', format: 'mso_mdoc', meta: { doctype_value: AGE }, claims }],
  }
  const verification = await create(service, key, { query })
  assert.deepEqual(
    (await askedOf(verification.request_uri)).map(({ format }) => format),
    ['mso_mdoc'],
  )
})

const proofsIn = async ({ deps }: Pick<typeof service, 'deps'>) =>
  (await diagnoseTrust(deps)).filter(({ area }) => area === 'zero-knowledge proofs')

test('doctor names every contradicted mark, every list whose keys are unknown, and the types without a mark, at once', async () => {
  const plain = await testService({}, { VIDIMUS_ZK_VERIFIER: `unix:${socketPath}` })
  const { db, clock } = plain.deps
  const now = instantOf(clock.now())
  const signer = (name: string) =>
    createIssuer({ base: 'https://ages.example', now: Math.floor(clock.now() / 1000), name })
  for (const name of ['First', 'Second']) await trustSoleIssuer(plain.deps, AGE_ALONE, { issuer: signer(name) })
  const insert = `insert into trust_lists (id, environment, by_owner, kind, source, types, created_at, loaded_at, sha256)
                  select 'lst_' || name, 'test', false, 'vical', 'https://' || name || '.example', '{}', $1, $1, '\\x01' from unnest($2::text[]) name`
  await db.query({ name: 'test_lists_at_once', text: insert }, [now, ['wrong', 'old', 'older']])
  const marked = (await listAnchors(plain.deps)).filter(({ sole }) => sole !== undefined)
  const keys = marked.map(({ keySha256 }) => ({ keySha256, docType: 'club.card.1' }))
  await noteListedKeys(db, { id: 'lst_wrong', tenantId: null }, { keys, at: now, most: 10 })
  const unmarked = await trustSoleIssuer(plain.deps, AGE_ALONE)
  await trustSoleIssuer(plain.deps, null, { types: ['mso_mdoc:club.card.1'], issuer: unmarked })
  const found = await proofsIn(plain)
  assert.deepEqual(
    found.map(({ status, finding }) => [status, /same key|has named|keys are unknown|no mark/.exec(finding)?.[0]]),
    [
      ['problem', 'same key'],
      ['problem', 'has named'],
      ['problem', 'has named'],
      ['problem', 'keys are unknown'],
      ['problem', 'keys are unknown'],
    ],
  )
  assert.equal(new Set(found.map(({ finding }) => finding)).size, found.length)
  await trustSoleIssuer(plain.deps, null)
  const more = (await proofsIn(plain)).slice(found.length)
  assert.deepEqual(
    more.map(({ status }) => status),
    ['warning'],
    'no type counts as requested while there are problems',
  )
})

test('without any mark a helper is never asked, and doctor says so', async () => {
  const plain = await testService({}, { VIDIMUS_ZK_VERIFIER: `unix:${socketPath}` })
  const created = await create(plain, await plain.key(await plain.tenant()), { template: 'age_over_18' })
  const answer = await plain.call('GET', new URL(created.request_uri).pathname)
  assert.doesNotMatch(JSON.stringify(decode(answer.text).claims.dcql_query), /zk/)
  assert.deepEqual(
    (await proofsIn(plain)).map(({ status }) => status),
    ['warning'],
  )
  assert.match((await proofsIn(plain))[0]?.finding ?? '', /no anchor is marked/)
  const first = await trustSoleIssuer(plain.deps, AGE_ALONE)
  assert.deepEqual(
    (await proofsIn(plain)).map(({ status }) => status),
    ['ok'],
  )
  const owner = { tenantId: await plain.tenant(), environment: 'test' } as const
  await trustSoleIssuer(plain.deps, null, { types: ['mso_mdoc:club.card.1'], issuer: first, owner })
  assert.deepEqual(
    (await proofsIn(plain)).map(({ status }) => status),
    ['ok'],
    'the anchor of a tenant voids the mark only for that tenant',
  )
  const now = new Date(plain.deps.clock.now()).toISOString()
  const { db } = plain.deps
  const list = `insert into trust_lists (id, environment, by_owner, kind, source, types, created_at, loaded_at, sha256)
                values ('lst_old', 'test', false, 'vical', 'https://list.example', '{}', $1, $1, '\\x01')`
  await db.query({ name: 'test_old_list', text: list }, [now])
  assert.match((await proofsIn(plain))[0]?.finding ?? '', /https:\/\/list\.example names for its keys are unknown/)
  const keySha256 = (await listAnchors(plain.deps)).find(({ sole }) => sole !== undefined)?.keySha256 ?? ''
  const keys = [{ keySha256, docType: 'club.card.1' }]
  await noteListedKeys(db, { id: 'lst_old', tenantId: null }, { keys, at: instantOf(plain.deps.clock.now()), most: 10 })
  assert.match((await proofsIn(plain))[0]?.finding ?? '', /https:\/\/list\.example has named the key of/)
  await db.query({ name: 'test_forget_list', text: "delete from trust_lists where id = 'lst_old'" })
  await trustSoleIssuer(plain.deps, null)
  assert.match((await proofsIn(plain))[0]?.finding ?? '', /an anchor for it has no mark/)
  await trustSoleIssuer(plain.deps, null, { types: ['mso_mdoc:club.card.1'], issuer: first })
  const [contradicted] = await proofsIn(plain)
  assert.equal(contradicted?.status, 'problem')
  assert.match(contradicted.finding, /the same key/)
})

test('only wallets that list the format get a request for a proof; GET, and wallets that list other formats, do not', async () => {
  const { request_uri: uri } = await create(service, key, { template: 'age_over_18' })
  const asks = async (formats: object | null) =>
    (await askedOf(uri, formats)).some(({ format }) => format === 'mso_mdoc_zk')
  assert.equal(await asks(ALL_FORMATS), true)
  assert.equal(await asks(null), false)
  assert.equal(await asks({ mso_mdoc: {}, 'dc+sd-jwt': {} }), false)
  assert.equal(await asks({ mso_mdoc: {}, mso_mdoc_zk: null }), false)
})

test('through the browser, Annex C requests a proof or the document, and OpenID4VP only the document', async () => {
  await waitUntil('the helper has loaded its circuits', async () => isWarm())
  const created = await create(service, key, { template: 'age_over_18' })
  const { requests } = (await fetchOffer(service, created.id, OWN_ORIGIN)).json as {
    requests: { protocol: string; data: { request?: string; deviceRequest?: string } }[]
  }
  const of = (protocol: string) => requests.find((one) => one.protocol === protocol)?.data
  const { dcql_query: query } = decode(of('openid4vp-v1-signed')?.request ?? '').claims
  assert.match(JSON.stringify(query), /"format":"mso_mdoc"/)
  assert.doesNotMatch(JSON.stringify(query), /mso_mdoc_zk/)
  const device = Buffer.from(of('org-iso-mdoc')?.deviceRequest ?? '', 'base64url').toString('latin1')
  assert.match(device, /zkRequest/)
})

test('with a transaction only documents are requested: a proof cannot confirm it', async () => {
  const realm = { tenantId, environment: 'test' } as const
  const type = { type: CONSENT.type, title: 'Terms of use', schema: CONSENT_SCHEMA }
  await saveType(service.deps, { realm, ...type, actor: OPERATOR })
  const claims = [{ path: ['org.iso.18013.5.1', 'age_over_18'] }]
  const meta = { doctype_value: 'org.iso.18013.5.1.mDL' }
  const query = { credentials: [{ id: 'mdl', format: 'mso_mdoc', meta, claims }] }
  const without = await create(service, key, { query })
  assert.ok((await askedOf(without.request_uri)).some(({ format }) => format === 'mso_mdoc_zk'))
  const created = await create(service, key, { query, transaction: [CONSENT] })
  assert.ok((await askedOf(created.request_uri)).every(({ format }) => format !== 'mso_mdoc_zk'))
})

test('a wallet that shows documents gets both, and answers with the document', async () => {
  const created = await create(service, key, { template: 'age_over_18' })
  const requested = await askedOf(created.request_uri)
  for (const { id, format } of requested)
    if (format === 'mso_mdoc_zk')
      assert.ok(requested.some((plain) => `${plain.id}_zk` === id && plain.format === 'mso_mdoc'))
  const presented = await wallet.present(created.wallet_uri, 'good', { formats: ['mso_mdoc'] })
  assert.equal(presented.status, 200)
  const { status, credentials } = await read(service, key, created.id)
  assert.deepEqual([status, credentials[0].format], ['completed', 'mso_mdoc'])
})

/** Returns the ids of the queries for proofs, and the types for which the trust page says that proofs are accepted. */
async function proofsWith(change: Parameters<typeof changeSettings>[1]['change']) {
  const other = await service.tenant()
  await changeSettings(service.deps, { tenantId: other, change, actor: OPERATOR })
  const created = await create(service, await service.key(other), { template: 'age_over_18' })
  const requested = (await askedOf(created.request_uri)).filter(({ format }) => format === 'mso_mdoc_zk')
  return [requested.map(({ id }) => id), await provableIn(other)]
}

test('if a status is required, proofs count only for age attestations; under HAIP none does; the trust page says so', async () => {
  const all = [AGE, ...PROVABLE_WITHOUT_AGES]
  assert.deepEqual(await proofsWith({ statusPolicyTest: 'prefer' }), [['age_proof_zk', 'mdl_zk', 'pid_mdoc_zk'], all])
  assert.deepEqual(await proofsWith({ statusPolicyTest: 'require' }), [['age_proof_zk'], [AGE]])
  assert.deepEqual(await proofsWith({ haip: true }), [[], []])
  const { owner } = await tenantTrusting({ ...AGE_ALONE, withoutStatus: false })
  const created = await create(service, owner, { template: 'age_over_18' })
  assert.ok((await askedOf(created.request_uri)).every(({ id }) => id !== 'age_proof_zk'))
})

test('without a verifier no proof is requested', async () => {
  const plain = await testService()
  const created = await create(plain, await plain.key(await plain.tenant()), { template: 'age_over_18' })
  const answer = await plain.call('GET', new URL(created.request_uri).pathname)
  const { dcql_query: query, client_metadata: metadata } = decode(answer.text).claims as unknown as {
    readonly dcql_query: object
    readonly client_metadata: { readonly vp_formats_supported: object }
  }
  // Searches only these parts, because keys and nonces are random letters.
  assert.doesNotMatch(JSON.stringify([query, metadata.vp_formats_supported]), /zk/)
})
