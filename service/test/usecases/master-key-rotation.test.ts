// Tests a change of the master key: everything is sealed again, and old signatures stay valid.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generateResultKey } from '../../../sdk/typescript/src/result.ts'
import { assembleDeps } from '../../src/assemble.ts'
import { addResultKey } from '../../src/core/result-keys/usecases/manage-result-keys.ts'
import type { Principal } from '../../src/core/tenants/domain/principal.ts'
import { resultSealContext } from '../../src/core/verifications/domain/sealed-result.ts'
import { keepServedRequest } from '../../src/core/verifications/store/served-requests.ts'
import { createVerification } from '../../src/core/verifications/usecases/asking/create-verification.ts'
import { listPage } from '../../src/core/verifications/usecases/reading/list-verifications.ts'
import type { Deps } from '../../src/deps.ts'
import { changeUsageAlerts } from '../../src/features/alerts/usecases/manage-usage-alerts.ts'
import { auditPublicKey } from '../../src/features/audit/usecases/read-audit.ts'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { listVerificationsForStaff } from '../../src/features/dashboard/usecases/read-verifications-for-staff.ts'
import { parsePairingCode } from '../../src/features/devices/domain/pairing-code.ts'
import { enrollDevice } from '../../src/features/devices/usecases/enroll-device.ts'
import { insertMail } from '../../src/features/mail/store/mails.ts'
import { SEALED_COLUMNS } from '../../src/features/operator/domain/sealed-columns.ts'
import { rotateMasterKey } from '../../src/features/operator/usecases/rotate-master-key.ts'
import { saveEndpoint } from '../../src/features/webhooks/usecases/manage-endpoints.ts'
import {
  rotateSecret,
  showWebhookSecret,
  signingSecrets,
} from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { testEndpoint } from '../../src/features/webhooks/usecases/test-endpoint.ts'
import { newMailId } from '../../src/platform/ids.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { createSealer } from '../../src/platform/seal/seal.ts'
import { routeOf } from '../../src/platform/verification-id.ts'
import { instantOf } from '../../src/platform/world.ts'
import { fetchOffer } from '../harness/dc-api.ts'
import { registerDevice } from '../harness/devices.ts'
import { keepOldCheckpoint } from '../harness/log/old-checkpoints.ts'
import { type TestClient, testClient } from '../harness/openid-client.ts'
import { TEST_MASTER_KEY, testSealer } from '../harness/servers/master-key.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { once } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { basic, CALLBACK, callToken, codeFor, ownSecret, pathOf, payloadOf } from '../oidc/callers.ts'
import { CARD, PAYMENT } from '../transactions/asking.ts'
import { pay, wholeBody } from './reading/long-results.ts'

/** Columns of bytes without sealed values: hashes, public keys and certificates, salts, keyed digests, public data. */
const NOT_SEALED = new Set([
  // Hashes of a cookie's secret, and of a network under a separate key. They are compared for minutes, and never
  // decrypted.
  'verifications.browser_hash',
  'link_openings.browser_hash',
  'oidc_authorizations.network_hash',
  // Hashes of requests to wallets, and of published lists.
  'verifications.request_sha256',
  'trust_lists.sha256',
  // The leaf salt is public once a proof is handed out.
  'receipts.leaf_salt',
  'trust_lists.keys_sha256',
  'listed_keys.public_key_sha256',
  'tenant_branding.logo',
  'access_authorities.certificate',
  'access_keys.chain',
  'access_keys.signing_request',
  'anchors.certificate',
  'anchors.key_sha256',
  'anchors.public_key_sha256',
  'api_keys.hash',
  'audit_details.salt',
  'log_tiles.bytes',
  'audit_entries.bytes',
  'audit_entries.hash',
  'audit_heads.hash',
  'audit_heads.mac',
  'log_heads.judged_mac',
  'authentication_codes.digest',
  'dashboard_sessions.hash',
  'device_token_pairs.access_hash',
  'device_token_pairs.refresh_hash',
  'devices.display_token_hash',
  'devices.pairing_code_hash',
  'idempotency_keys.fingerprint',
  'links.secret_hash',
  // Hashes of links by mail and of the browser that requested one. An address is only counted, by its MAC.
  'access_links.hash',
  'access_links.browser_hash',
  'known_browsers.hash',
  'tenant_branding.logo_dark',
  'mails.address_mac',
  'mails.about_mac',
  'oid4vp_requests.correlation',
  'oidc_assertions.hash',
  'oidc_authorizations.browser_hash',
  'oidc_authorizations.code_hash',
  'oidc_authorizations.token_hash',
  // Encrypted to an access token that the service does not store.
  'oidc_authorizations.userinfo',
  'oidc_client_secrets.hash',
  'oidc_rounds.hash',
  'passkeys.public_key',
  'result_keys.challenge',
  'sign_in_links.hash',
  'trust_lists.signer',
  'trust_lists.signer_authority',
  'trust_lists.signer_chain',
  'verifications.metadata_index',
  'verifications.response_code_hash',
])

/** The plain texts of a verification, and why each is not sealed. No other column may have content. */
const PLAIN_IN_VERIFICATIONS: Readonly<Record<string, string>> = {
  id: 'random',
  tenant_id: 'id',
  environment: 'closed set',
  status: 'closed set',
  actor_type: 'closed set',
  actor_id: 'id of the key, device or person that asked',
  nonce: 'random, and sent to every wallet that asks',
  state: 'random, and sent to every wallet that asks',
  client_id: "the installation's own name or certificate",
  response_mode: 'closed set',
  registration_id: 'id',
  browser_binding: 'closed set',
  bound_by: 'closed set',
  requests_sent: 'hashes, names of queries, and names of formats and algorithms that wallets support',
  template: 'searched; docs/erasure.md says that it is plain',
  query: 'docs/erasure.md says that it is plain',
  outputs: 'part of the template',
  purpose: 'searched; docs/erasure.md says that it is plain',
  idempotency_key: 'looked up; docs/erasure.md says that it is plain',
  redirect_url: 'of an earlier release; sealed by a job within an hour',
  webhook_url: 'of an earlier release; sealed by a job within an hour',
  metadata: 'of an earlier release; sealed by a job within an hour',
  request_object: 'only until the late part of migration 86; gone when the verification ends or expires',
}

const service = await testService({}, LOOPBACK)
const receiver = await startReceiver()
receiver.answer = () => ({ status: 200, body: 'thank you' })
const wallet = await testWallet(service)
const { db } = service.deps
const quiet = () => undefined
const sealed = new Set(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`))

/** Returns the same service with other keys. */
async function under(masterKey: Uint8Array, readableMasterKeys: readonly Uint8Array[] = []): Promise<Deps> {
  const { config, clock, random } = service.deps
  const log = createLog('silent', quiet)
  const sealer = testSealer(masterKey, readableMasterKeys)
  const own = await openDb({
    connection: { url: service.url },
    sealer,
    poolMax: 3,
    applicationName: 'vidimus test ~9999',
  })
  after(() => own.close())
  const parts = { config, db: own, clock, clockOffsetMs: () => 0, random, log }
  const { deps, close } = await assembleDeps({ ...parts, dnsServers: ['127.0.0.1:9'] })
  after(close)
  return deps
}

/** Returns the subject of the test wallet's person at a client. */
async function subjectAt(shop: TestClient) {
  const code = await codeFor(service, wallet, shop)
  return payloadOf((await callToken(service, shop, { ...ownSecret(shop), code })).json.id_token).sub
}

function queueInvitation(tenantId: string) {
  const nowMs = service.clock.now()
  const [now, expiresAt, since] = [nowMs, nowMs + 3_600_000, nowMs - 3_600_000].map(instantOf) as [
    string,
    string,
    string,
  ]
  const values = { tenantName: 'Shop', role: 'viewer', url: 'https://vidimus.example/link', until: expiresAt }
  const mail = { kind: 'invitation', to: 'staff@shop.example', language: 'en', values } as const
  const bounds = { perMailbox: 5, perTenant: 50, total: 50 }
  return db.transaction((tx) =>
    insertMail(tx, {
      id: newMailId(service.deps.random),
      tenantIds: [tenantId],
      mail,
      now,
      expiresAt,
      since,
      ...bounds,
    }),
  )
}

/** Creates rows with a value in every sealed column. */
async function fill() {
  const tenantId = await service.tenant()
  const realm = { tenantId, environment: 'test' as const }
  const key = await service.key(tenantId)
  const ask = async (body: object, idempotencyKey?: string) => {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const answer = await service.call('POST', '/v1/verifications', { key, body, headers })
    assert.equal(answer.status, 201, answer.text)
    return answer.json
  }
  const metadata = { order: '4711' }
  const redirect_url = 'https://shop.example/back'
  const done = await ask({ template: 'identity', metadata, redirect_url }, 'same-again')
  await wallet.present(done.wallet_uri, 'good')
  const withWebhook = await ask({ template: 'identity', webhook_url: receiver.url })
  await wallet.present(withWebhook.wallet_uri, 'good')
  await deliverDue(service)
  const draft = { name: 'Shop', url: receiver.url, isDefault: true }
  const endpoint = await saveEndpoint(service.deps, { realm, id: null, draft, actor: OPERATOR })
  const sample = { type: 'verification.failed', newestSecretOnly: false, actor: OPERATOR } as const
  await testEndpoint(service.deps, { ...sample, realm, id: endpoint?.id ?? '' })
  const open = await ask({ template: 'identity', metadata: { order: '4712' } })
  await db.transaction((tx) =>
    keepServedRequest(tx, { ...realm, id: open.id }, 'eyJ.kept', instantOf(service.clock.now())),
  )
  await fetchOffer(service, (await ask({ template: 'driving_licence' })).id)
  await ask({ query: { credentials: [CARD] }, transaction: [PAYMENT] })
  assert.equal((await service.call('POST', '/v1/links', { key, body: { template: 'identity', metadata } })).status, 201)
  await queueInvitation(tenantId)
  const { publicKey } = await generateResultKey()
  await addResultKey(service.deps, { realm, jwk: JSON.stringify(publicKey), actor: OPERATOR })
  await showWebhookSecret(service.deps, { realm, actor: OPERATOR })
  await rotateSecret(service.deps, { realm, actor: OPERATOR, endPrevious: false })
  const alerts = { url: 'https://93.184.215.14/usage', thresholds: [80] }
  await changeUsageAlerts(service.deps, { realm, actor: OPERATOR, alerts })
  const pairing = await registerDevice(service, key)
  const shop = await testClient(service, tenantId, {
    redirectUris: [CALLBACK],
    subjectMode: 'claim',
    subjectClaims: ['birth_date'],
  })
  const subject = await subjectAt(shop)
  const pushed = await service.call('POST', pathOf(shop, '/par'), {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic(shop.client.id, shop.secret ?? '') },
    raw: new URLSearchParams({ redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' }).toString(),
  })
  assert.equal(pushed.status, 201, pushed.text)
  await keepOldCheckpoint(service.deps, realm)
  const principal: Principal = { kind: 'api_key', keyId: 'key_test', scopes: ['verifications:read'], ...realm }
  return {
    realm,
    key,
    done,
    open,
    principal,
    code: parsePairingCode(pairing.json.pairing_code) ?? '',
    metadata,
    shop,
    subject,
  }
}

test('every column of bytes is in the table of sealed columns, or is known to have no sealed value', async () => {
  const columns = await db.query<{ name: string }>({
    name: 'test_columns_of_bytes',
    text: `select table_name || '.' || column_name as name from information_schema.columns
           where table_schema = 'public' and (data_type = 'bytea' or udt_name = '_bytea')
             -- Partitions are resealed through their table; what lapses is dropped within minutes.
             and table_name <> 'lapsed_verifications' and not (select relispartition from pg_class where oid = table_name::regclass)`,
  })
  const names = columns.map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => !sealed.has(name) && !NOT_SEALED.has(name)),
    [],
  )
  assert.deepEqual(
    [...sealed].filter((name) => !names.includes(name)),
    [],
  )
  assert.deepEqual(
    [...sealed].filter((name) => NOT_SEALED.has(name)),
    [],
  )
})

test('each plain text of a verification is known, with the reason why it is not sealed', async () => {
  const columns = await db.query<{ name: string }>({
    name: 'test_plain_columns',
    text: `select column_name as name from information_schema.columns
           where table_schema = 'public' and table_name = 'verifications'
             and data_type not in ('bytea', 'boolean', 'integer', 'timestamp with time zone')`,
  })
  assert.deepEqual(columns.map(({ name }) => name).sort(), Object.keys(PLAIN_IN_VERIFICATIONS).sort())
})

test('everything is sealed again, only the new key decrypts it, and earlier signatures and tokens still count', async () => {
  const old = service.deps
  const created = await fill()
  const next = randomBytes(32)
  const secrets = await signingSecrets(old, created.realm)
  const before = await listPage(old, { principal: created.principal, pay, limit: 10, before: null })
  const search = async (deps: Deps) => {
    const input = {
      realm: created.realm,
      before: null,
      limit: 10,
      to: null,
      from: null,
      reason: null,
      channel: null,
      actor: null,
      status: null,
      template: null,
      text: '4711',
    }
    return (await listVerificationsForStaff(deps, input)).rows.map(({ id }) => id)
  }
  const both = await under(next, [TEST_MASTER_KEY])
  assert.deepEqual(await search(both), [created.done.id], 'found before it is sealed again')
  const rotation = await rotateMasterKey(both, quiet)
  assert.equal(rotation.outcome, 'done', JSON.stringify(rotation))
  assert.equal(rotation.left, 0)
  assert.deepEqual(new Set(Object.keys(rotation.columns)), sealed)
  for (const [name, { current }] of Object.entries(rotation.columns)) assert.ok(current > 0, `${name} was not tested`)
  assert.equal(
    rotation.resealed,
    Object.values(rotation.columns).reduce((all, { current }) => all + current, 0),
  )
  assert.ok(rotation.pairingCodesUntil !== null, 'a pairing code is open')
  assert.equal((await rotateMasterKey(both, quiet)).resealed, 0, 'once is enough')
  const pair = await enrollDevice(both, created.code)
  assert.equal(pair.device.tenantId, created.realm.tenantId, 'a code from before the rotation is valid')

  const alone = await under(next)
  assert.equal(await listPage(alone, { principal: created.principal, pay, limit: 10, before: null }), before)
  assert.deepEqual(await signingSecrets(alone, created.realm), secrets)
  assert.equal(secrets.length, 2)
  assert.deepEqual(await search(alone), [created.done.id])
  const request = { template: 'identity', metadata: created.metadata, redirect_url: 'https://shop.example/back' }
  const again = await createVerification(alone, { principal: created.principal, request, idempotencyKey: 'same-again' })
  assert.deepEqual([again.replayed, JSON.parse(again.answer).id], [true, created.done.id])
  assert.equal(auditPublicKey(alone), auditPublicKey(old), 'auditors still have the public key')
  const verdict = await verifyStored(alone, { realm: created.realm, log: 'whole' })
  assert.ok(verdict.outcome === 'whole' && verdict.checkpoints > 0, JSON.stringify(verdict))
  await assert.rejects(
    under(TEST_MASTER_KEY),
    /which this process does not have/,
    'the old key decrypts nothing any more',
  )
  // The tests below use the first key again.
  assert.equal((await rotateMasterKey(await under(TEST_MASTER_KEY, [next]), quiet)).outcome, 'done')
  assert.equal(await subjectAt(created.shop), created.subject, 'the person keeps the same subject')
  assert.deepEqual(alone.db.sealer.derive('oidc-subject-v1', 32), old.db.sealer.derive('oidc-subject-v1', 32))
  const route = routeOf(old.derivedKeys, created.open.id)
  assert.equal(route?.tenantId, created.realm.tenantId)
  for (const deps of [both, alone]) assert.deepEqual(routeOf(deps.derivedKeys, created.open.id), route)
})

test('values from before key ids are sealed again, too; values that no key decrypts are counted and left', async () => {
  const created = await fill()
  const key = Buffer.from(hkdfSync('sha256', TEST_MASTER_KEY, new Uint8Array(0), 'vidimus|seal-v1', 32))
  const write = (bytes: Buffer) =>
    db.query(
      { name: 'test_write_result', text: 'update verification_results set sealed = $2 where verification_id = $1' },
      [created.done.id, bytes],
    )
  const realm = resultSealContext({ ...created.realm, id: created.done.id })
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(realm))
  const text = JSON.stringify({ outcome: 'completed', claims: { family_name: 'Muster' }, credentials: [] })
  await write(Buffer.concat([Uint8Array.of(1), nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]))
  const rotation = await rotateMasterKey(service.deps, quiet)
  assert.deepEqual([rotation.outcome, rotation.resealed], ['done', 1])
  const read = await service.call('GET', `/v1/verifications/${created.done.id}`, { key: created.key })
  assert.deepEqual(read.json.claims, { family_name: 'Muster' })

  const stranger = createSealer(randomBytes(32), service.deps.random)
  await write(stranger.seal(Buffer.from(text), realm))
  const second = await rotateMasterKey(service.deps, quiet)
  assert.deepEqual([second.outcome, second.left, second.resealed], ['unfinished', 1, 0])
  assert.deepEqual(second.columns['verification_results.sealed']?.unreadable, { [stranger.keyIds[0]]: 1 })
  await write(service.deps.db.sealer.seal(Buffer.from(text), realm))
})

test('a rotation that is killed at any point and run again leaves nothing under the old key, while a replica still seals with it', async () => {
  const created = await fill()
  const next = randomBytes(32)
  const ask = () =>
    service.call('POST', '/v1/verifications', {
      key: created.key,
      body: { template: 'identity', metadata: created.metadata },
    })
  for (let batch = 0; batch < 5; batch += 1) await Promise.all(Array.from({ length: 60 }, ask))
  let writing = true
  const writer = (async () => {
    // bounded: by the rotations below.
    while (writing) assert.equal((await ask()).status, 201)
  })()
  for (const line of [1, 2, 5, 7, 8, 9]) await rotateInChild(next, line)
  writing = false
  await writer
  assert.equal(await rotateInChild(next, null), 'done 0')
  const alone = await under(next)
  const [left] = await db.query<{ many: number }>(
    {
      name: 'test_left_under_old_key',
      text: `select count(*)::int as many from verifications
             where substring(particulars from 1 for 5) <> $1 or substring(encryption_key from 65 for 5) <> $1`,
    },
    [alone.db.sealer.header],
  )
  assert.equal(left?.many, 0)
  const page = JSON.parse(
    await wholeBody(await listPage(alone, { principal: created.principal, pay, limit: 100, before: null })),
  )
  assert.equal(page.data.length, 100)
  for (const { metadata } of page.data) assert.deepEqual(metadata, created.metadata)
})

const CHILD = fileURLToPath(new URL('../harness/children/rotation-child.ts', import.meta.url))

/** Returns the last output of the child, or null if it was killed at that line of its progress. */
async function rotateInChild(next: Buffer, killAtLine: number | null): Promise<string | null> {
  const args = [CHILD, service.url, next.toString('hex'), TEST_MASTER_KEY.toString('hex')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let lines = 0
  let last: string | null = null
  for await (const line of createInterface({ input: child.stdout })) {
    lines += 1
    last = line
    if (lines === killAtLine) child.kill('SIGKILL')
  }
  await ended
  return killAtLine === null ? last : null
}
