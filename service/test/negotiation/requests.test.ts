// Tests that each wallet gets the smallest request it can answer (docs/protocol/negotiation.md).

import assert from 'node:assert/strict'
import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import test from 'node:test'
import { verifyRequestObject } from '@vidimus/wallet'
import { compactDecrypt, decodeProtectedHeader } from 'jose'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { SENT_REQUESTS_MAX } from '../../src/core/verifications/domain/sent-requests.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { type Created, create, decode, FORM, read, respond, validBody } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const key = await service.key(tenantId)

const MDOC = { mso_mdoc: { issuerauth_alg_values: [-9], deviceauth_alg_values: [-7] } }
const SD_JWT = { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } }
const HOST = 'verify.example.com'
const OTHER = `x509_san_dns:${HOST}`

const post = (id: string, metadata: object) =>
  service.call('POST', `/wallet/request/${id}`, {
    headers: FORM,
    raw: new URLSearchParams({ wallet_metadata: JSON.stringify(metadata) }).toString(),
  })

/** Returns the request that a wallet with this metadata gets, checked as a wallet does. */
async function fetched(id: string, metadata: object, clientId?: string) {
  const { status, text } = await post(id, metadata)
  assert.equal(status, 200, text)
  const { claims } = decode(text) as { claims: Record<string, unknown> }
  const expected = { clientId: clientId ?? String(claims.client_id), walletNonce: null, trusted: [] }
  return { text, claims, request: await verifyRequestObject(text, { ...expected, now: wallet.options.now }) }
}

const formatsOf = ({ claims }: Awaited<ReturnType<typeof fetched>>) => {
  const { credentials } = claims.dcql_query as { credentials: { format: string }[] }
  return [...new Set(credentials.map(({ format }) => format))].sort()
}

async function diagnosed(id: string, reader = key) {
  await service.deps.fetchNotes.flush()
  const answer = await service.call('GET', `/v1/verifications/${id}/diagnostics`, { key: reader })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

test('rule 2: a wallet gets only the formats it lists, and each option it answers is enough', async () => {
  for (const [formats, kept] of [
    [MDOC, ['mso_mdoc']],
    [SD_JWT, ['dc+sd-jwt']],
    [{ ...MDOC, ...SD_JWT }, ['dc+sd-jwt', 'mso_mdoc']],
    [{ jwt_vc_json: {} }, ['dc+sd-jwt', 'mso_mdoc']],
  ] as const)
    for (const template of ['identity', 'age_over_18']) {
      const created = await create(service, key, { template })
      const got = await fetched(created.id, { vp_formats_supported: formats })
      assert.deepEqual(formatsOf(got), kept)
      const { client_metadata: metadata } = got.claims as { client_metadata: { vp_formats_supported: object } }
      assert.deepEqual(Object.keys(metadata.vp_formats_supported).sort(), kept)
      assert.equal((await respond(service, created.id, await validBody(wallet, got.request))).status, 200)
      assert.equal((await read(service, key, created.id)).status, 'completed')
    }
})

test("rule 1: the answer is judged by the merchant's query: omitted credentials still count, unrequested ones do not", async () => {
  const created = await create(service, key)
  const { request: whole } = await fetched(created.id, {})
  await fetched(created.id, { vp_formats_supported: MDOC })
  const credentials = whole.query.credentials.filter(({ format }) => format === 'dc+sd-jwt')
  const [first] = credentials
  assert.ok(first !== undefined)
  const query = { ...whole.query, credentials: [first], sets: null }
  const body = await validBody(wallet, { ...whole, query })
  assert.equal((await respond(service, created.id, body)).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')

  const age = await create(service, key, { template: 'age_over_18' })
  const { request } = await fetched(age.id, { vp_formats_supported: MDOC })
  const renamed = request.query.credentials.map((one) => ({ ...one, id: `${one.id}_never` }))
  const foreign = { ...request.query, credentials: renamed.slice(0, 1), sets: null }
  await respond(service, age.id, await validBody(wallet, { ...request, query: foreign }))
  const { status, error } = await read(service, key, age.id)
  assert.deepEqual([status, error.code], ['failed', 'query_not_satisfied'])
})

test('the service stores and shows what it sent: hash, options, metadata by registered names; staff see the same', async () => {
  const created = await create(service, key)
  const { text } = await fetched(created.id, {
    vp_formats_supported: { ...MDOC, 'Erika Mustermann': {} },
    client_id_prefixes_supported: ['x509_hash', 'Musterstraße 1'],
    issuer: 'https://erika.example',
  })
  const { requests } = await diagnosed(created.id)
  assert.equal(requests.length, 1)
  const [sent] = requests
  assert.equal(sent.request_sha256, hash('sha256', text, 'base64url'))
  assert.equal(sent.client_id, new URL(created.wallet_uri).searchParams.get('client_id'))
  assert.deepEqual(sent.left_out, ['pid_sd'])
  assert.deepEqual([sent.encrypted_to, sent.missing], [null, []])
  assert.deepEqual(sent.declared, [
    { member: 'vp_formats_supported', values: ['mso_mdoc'], others: 1 },
    { member: 'vp_formats_supported.mso_mdoc', values: ['ES256'], others: 0 },
    { member: 'client_id_prefixes_supported', values: ['x509_hash'], others: 1 },
  ])
  const viewer = await person(service, tenantId, 'viewer')
  const shown = (await viewer.call('GET', `@/verifications/${created.id}`)).json
  assert.deepEqual(shown.requests, requests)
})

test('the service stores a sent request even if the wallet answers before the notes are written', async () => {
  const created = await create(service, key)
  const { request } = await fetched(created.id, { vp_formats_supported: MDOC })
  assert.equal((await respond(service, created.id, await validBody(wallet, request))).status, 200)
  const shown = await diagnosed(created.id)
  assert.deepEqual([shown.status, shown.requests[0]?.left_out], ['completed', ['pid_sd']])
})

test('a fetch without metadata is shown, too, without another column', async () => {
  const created = await create(service, key)
  assert.deepEqual((await diagnosed(created.id)).requests, [])
  const { text } = await service.call('GET', `/wallet/request/${created.id}`)
  const [sent, ...more] = (await diagnosed(created.id)).requests
  assert.deepEqual(more, [])
  assert.deepEqual([sent.request_sha256, sent.left_out, sent.declared], [hash('sha256', text, 'base64url'), [], null])
  const [row] = await service.deps.db.query<{ sent: unknown }>(
    { name: 'test_requests_sent', text: 'select requests_sent as sent from verifications where id = $1' },
    [created.id],
  )
  assert.equal(row?.sent, null)
})

test('different fetches are stored once each, up to a limit, so that a stranger with the link cannot fill a row', async () => {
  const created = await create(service, key)
  const kinds = [MDOC, SD_JWT, MDOC, { ...MDOC, ...SD_JWT }]
  for (const vp_formats_supported of kinds) await fetched(created.id, { vp_formats_supported })
  assert.equal((await diagnosed(created.id)).requests.length, 3)
  for (const name of ['direct_post.jwt', 'query', 'fragment', 'form_post', 'direct_post'])
    await fetched(created.id, { response_modes_supported: [name, 'direct_post.jwt'] })
  const { requests } = await diagnosed(created.id)
  assert.equal(requests.length, SENT_REQUESTS_MAX)
})

test('the same fetch is not stored twice', async () => {
  const created = await create(service, key)
  for (let i = 0; i < 3; i += 1) {
    await fetched(created.id, { vp_formats_supported: MDOC })
    assert.equal((await diagnosed(created.id)).requests.length, 1)
  }
})

test('rule 5: a wallet without a fitting request gets a 400 that names what is missing, and the merchant sees it', async () => {
  const created = await create(service, key)
  const answer = await post(created.id, {
    response_modes_supported: ['direct_post'],
    request_object_signing_alg_values_supported: ['RS256'],
  })
  assertRefused(answer, 400, 'invalid_request')
  assert.match(answer.json.error.message, /request_object_signing_alg_values_supported needs ES256/)
  assert.match(answer.json.error.message, /response_modes_supported needs direct_post\.jwt/)
  const shown = await diagnosed(created.id)
  assert.equal(shown.status, 'pending', 'another wallet may still answer')
  assert.equal(shown.requests[0].request_sha256, null)
  assert.deepEqual(shown.requests[0].missing, [
    { member: 'request_object_signing_alg_values_supported', any_of: ['ES256'] },
    { member: 'response_modes_supported', any_of: ['direct_post.jwt'] },
  ])
  const [row] = await service.deps.db.query<{ at: string | null }>(
    { name: 'test_fetched', text: 'select request_fetched_at as at from verifications where id = $1' },
    [created.id],
  )
  assert.equal(row?.at, null, 'nothing was fetched')
  // A wallet that tries again without metadata gets its request, and its answer counts.
  assert.equal((await wallet.present(created.wallet_uri)).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')
  assert.equal((await diagnosed(created.id)).requests[0].request_sha256, null)
})

test('rule 1: metadata beyond its bounds is refused', async () => {
  const created = await create(service, key)
  for (const metadata of [{ a: 'x'.repeat(16_384) }, { a: Array(500).fill(0) }]) {
    const answer = await post(created.id, metadata)
    assertRefused(answer, 400, 'invalid_request')
    assert.match(answer.json.error.message, /16384 bytes and 500 values/)
  }
})

test('rule 3: the client id of the link stays if the wallet lists its prefix, or none', async () => {
  const created = await create(service, key)
  const own = new URL(created.wallet_uri).searchParams.get('client_id') ?? ''
  for (const listed of [['x509_san_dns', 'x509_hash'], ['x509_hash'], []]) {
    const { claims } = await fetched(created.id, { client_id_prefixes_supported: listed }, own)
    assert.equal(claims.client_id, own)
  }
})

async function fetchUnderOtherClientId(
  owner = key,
): Promise<{ created: Created; got: Awaited<ReturnType<typeof fetched>> }> {
  const created = await create(service, owner)
  const got = await fetched(created.id, { client_id_prefixes_supported: ['x509_san_dns'] }, OTHER)
  return { created, got }
}

test('rule 3: a wallet that lists only the other prefix gets that client id, and its answer is judged by it', async () => {
  const { created, got } = await fetchUnderOtherClientId()
  // It is stored before the wallet gets it, because any process may get the answer.
  const [row] = await service.deps.db.query<{ sent: { clientId: string }[] }>(
    { name: 'test_requests_sent', text: 'select requests_sent as sent from verifications where id = $1' },
    [created.id],
  )
  assert.deepEqual(
    row?.sent.map(({ clientId }) => clientId),
    [OTHER],
  )
  assert.equal((await respond(service, created.id, await validBody(wallet, got.request))).status, 200)
  const result = await read(service, key, created.id)
  assert.equal(result.status, 'completed', JSON.stringify(result))
  const receipt = await service.call('GET', `/v1/verifications/${created.id}/receipt`, { key })
  const { asked } = decode(receipt.text).claims as unknown as { asked: { request_sha256: string } }
  assert.equal(
    asked.request_sha256,
    hash('sha256', got.text, 'base64url'),
    'the receipt names the request that was answered',
  )
})

test('rule 3: a request under the other client id is stored even if the row is locked at that moment', async () => {
  const created = await create(service, key)
  const { db } = service.deps
  const locked = { name: 'test_lock_asked', text: 'select 1 as one from verifications where id = $1 for update' }
  const waits = {
    name: 'test_waiting',
    text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  }
  const { fetching } = await db.transaction(async (tx) => {
    await tx.query(locked, [created.id])
    const fetching = fetched(created.id, { client_id_prefixes_supported: ['x509_san_dns'] }, OTHER)
    let isServed = false
    void fetching.then(() => {
      isServed = true
    })
    const isOver = async () => isServed || (await db.query(waits)).length > 0
    await waitUntil('the fetch waits for the row, or is served', isOver)
    return { fetching }
  })
  const { request } = await fetching
  assert.equal((await respond(service, created.id, await validBody(wallet, request))).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')
})

test('rule 3: simultaneous fetches store no more than the limit, and a request that is not stored is not served', async () => {
  const created = await create(service, key)
  const kinds = Array.from({ length: 8 }, (_, i) => ({
    client_id_prefixes_supported: ['x509_san_dns', ...Array(i).fill('unknown')],
  }))
  const answers = await Promise.all(kinds.map((metadata) => post(created.id, metadata)))
  const { requests } = await diagnosed(created.id)
  assert.ok(requests.length >= 1 && requests.length <= SENT_REQUESTS_MAX, String(requests.length))
  for (const { status, text } of answers) assert.ok(status === 200 || status === 503, text)
  await fetched(created.id, { client_id_prefixes_supported: ['x509_san_dns'] }, OTHER)
})

test('rule 3: the receipt names the request whose client id was answered, even if another was fetched first', async () => {
  const { created } = await fetchUnderOtherClientId()
  await fetched(created.id, { client_id_prefixes_supported: ['x509_san_dns'] }, OTHER)
  await service.deps.fetchNotes.flush()
  const { text } = await service.call('GET', `/wallet/request/${created.id}`)
  await service.deps.fetchNotes.flush()
  assert.equal((await wallet.present(created.wallet_uri)).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')
  const receipt = await service.call('GET', `/v1/verifications/${created.id}/receipt`, { key })
  const { asked } = decode(receipt.text).claims as unknown as { asked: { request_sha256: string } }
  assert.equal(asked.request_sha256, hash('sha256', text, 'base64url'))
  assert.deepEqual(
    (await diagnosed(created.id)).requests.map((one: { request_sha256: string }) => one.request_sha256).slice(1),
    [asked.request_sha256],
  )
})

test('rule 3: a stranger who uses up the limit does not exclude a wallet that lists only the other prefix', async () => {
  const created = await create(service, key)
  for (const name of ['query', 'fragment', 'form_post', 'direct_post'])
    await fetched(created.id, { response_modes_supported: [name, 'direct_post.jwt'] })
  assert.equal((await diagnosed(created.id)).requests.length, SENT_REQUESTS_MAX)
  const metadata = { client_id_prefixes_supported: ['x509_san_dns'] }
  const { request } = await fetched(created.id, metadata, OTHER)
  await fetched(created.id, { ...metadata, vp_formats_supported: MDOC }, OTHER)
  assert.equal((await diagnosed(created.id)).requests.length, SENT_REQUESTS_MAX + 1)
  assert.equal((await respond(service, created.id, await validBody(wallet, request))).status, 200)
  assert.equal((await read(service, key, created.id)).status, 'completed')
})

test('rule 3: an answer counts only under the client id of its own request', async () => {
  const { created, got } = await fetchUnderOtherClientId()
  const { request: own } = await fetched(created.id, {})
  assert.notEqual(own.state, got.request.state)
  // An answer bound to one request, with the state of the other: neither combination was sent.
  for (const [bound, other] of [
    [own, got.request],
    [got.request, own],
  ] as const) {
    const crossed = await create(service, key)
    const [first, second] = [
      await fetched(crossed.id, {}),
      await fetched(crossed.id, { client_id_prefixes_supported: ['x509_san_dns'] }, OTHER),
    ]
    const pick = (request: typeof own) => (request === own ? first.request : second.request)
    await respond(service, crossed.id, await validBody(wallet, pick(bound), { state: pick(other).state }))
    const { status, error } = await read(service, key, crossed.id)
    assert.deepEqual([status, error.code], ['failed', 'holder_binding_invalid'])
  }
})

test('rule 3: an answer under an unused client id does not count, even with an invented state', async () => {
  const { got } = await fetchUnderOtherClientId()
  const [, suffix] = String(got.request.state).split('.')
  const created = await create(service, key)
  const { request } = await fetched(created.id, {})
  const made_up = { ...request, clientId: OTHER, state: `${request.state}.${suffix}` }
  assertRefused(await respond(service, created.id, await validBody(wallet, made_up)), 400, 'invalid_wallet_response')
  assert.equal((await read(service, key, created.id)).status, 'pending')
  // The answer has the state of our request, but is bound to another request.
  await respond(service, created.id, await validBody(wallet, { ...made_up, state: request.state }))
  assert.equal((await read(service, key, created.id)).error.code, 'holder_binding_invalid')
})

test('rule 3: HAIP allows only x509_hash', async () => {
  const other = await service.tenant()
  await changeSettings(service.deps, { tenantId: other, change: { haip: true }, actor: OPERATOR })
  const created = await create(service, await service.key(other))
  const answer = await post(created.id, { client_id_prefixes_supported: ['x509_san_dns'] })
  assertRefused(answer, 400, 'invalid_request')
  assert.match(answer.json.error.message, /client_id_prefixes_supported needs x509_hash\./)
})

test('rule 3 applies in reverse to a tenant that asks under its DNS name', async () => {
  const other = await service.tenant()
  await changeSettings(service.deps, { tenantId: other, change: { clientIdPrefix: 'x509_san_dns' }, actor: OPERATOR })
  const owner = await service.key(other)
  const created = await create(service, owner)
  assert.equal(new URL(created.wallet_uri).searchParams.get('client_id'), OTHER)
  const { request } = await fetched(created.id, { client_id_prefixes_supported: ['x509_hash'] })
  assert.match(request.clientId, /^x509_hash:/)
  assert.equal((await respond(service, created.id, await validBody(wallet, request))).status, 200)
  assert.equal((await read(service, owner, created.id)).status, 'completed')
})

const ENCRYPTED = {
  request_object_encryption_alg_values_supported: ['ECDH-ES'],
  request_object_encryption_enc_values_supported: ['A256GCM'],
}

function walletKey(namedCurve: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve }) as {
    publicKey: KeyObject
    privateKey: KeyObject
  }
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), use: 'enc' } }
}

test('rule 4: one wallet key on a large curve is used for each verification, and cached; other fetches get P-256 or no encryption', async () => {
  const created = await create(service, key)
  const { privateKey, jwk } = walletKey('P-521')
  const fetchWith = async (...keys: object[]) => (await post(created.id, { jwks: { keys }, ...ENCRYPTED })).text
  const first = await fetchWith(jwk)
  const second = await fetchWith(jwk)
  for (const text of [first, second]) {
    const { plaintext } = await compactDecrypt(text, privateKey)
    assert.match(String(decode(Buffer.from(plaintext).toString()).claims.nonce), /^[\w-]{43}$/)
  }
  assert.notEqual(first, second)
  assert.deepEqual(decodeProtectedHeader(first).epk, decodeProtectedHeader(second).epk, 'it was cached')
  for (const curve of ['P-521', 'P-384'])
    assert.equal((await fetchWith(walletKey(curve).jwk)).split('.').length, 3, 'signed, in clear')
  const small = walletKey('P-256')
  const { protectedHeader } = await compactDecrypt(await fetchWith(walletKey('P-521').jwk, small.jwk), small.privateKey)
  assert.equal(protectedHeader.alg, 'ECDH-ES')
  const { requests } = await diagnosed(created.id)
  assert.deepEqual(
    requests.map(({ encrypted_to: curve }: { encrypted_to: string | null }) => curve),
    ['P-521', null, null, 'P-256'],
  )
})

const statements: string[] = []
// These statements run at any time: notifications of open pages, and reads of other tests.
const OTHERS = ['announce_progress', 'note_first_reads']
service.deps.db.watch(({ name }) => !OTHERS.includes(name) && statements.push(name))

/** Returns the name of each round trip of a fetch and an answer, with commits. Writes batched records immediately. */
async function statementsOf(metadata: object): Promise<readonly string[]> {
  const created = await create(service, key)
  await service.deps.fetchNotes.flush()
  const began = statements.length
  const got = await fetched(created.id, metadata)
  await service.deps.fetchNotes.flush()
  const body = await validBody(wallet, got.request)
  assert.equal((await respond(service, created.id, body)).status, 200)
  return statements.slice(began)
}

/** A fetch under another client id is written immediately. */
const gathered = (name: string) => (name === 'store_request_fetched' ? 'note_requests_fetched' : name)

test('a flow with metadata has no more statements and round trips than one without', async () => {
  const plain = await statementsOf({})
  assert.ok(plain.includes('note_requests_fetched') && plain.length > 3, plain.join())
  for (const metadata of [
    { vp_formats_supported: MDOC },
    { vp_formats_supported: SD_JWT, response_modes_supported: ['direct_post.jwt'] },
    { client_id_prefixes_supported: ['x509_san_dns'] },
  ])
    assert.deepEqual((await statementsOf(metadata)).map(gathered).toSorted(), plain.toSorted())
})
