// Tests `vidimus conformance`: what it prepares works with the suite's signer, and exported results become a table.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { createIssuer, type IssuerState, toPem } from '@vidimus/wallet'
import { readSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await testService()
const wallet = await testWallet(service)
const cli = commandLine(service)
const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
const prepare = (...args: string[]) => cli.json('conformance', 'prepare', ...args)

/** An issuer that the service does not know. */
const stranger = createIssuer({ base: 'https://suite.example/issuer', now: Math.floor(service.clock.now() / 1000) })

async function answered(prepared: { api_key: string; create: object }, issuer: IssuerState) {
  const created = await service.call('POST', '/v1/verifications', { key: prepared.api_key, body: prepared.create })
  assert.equal(created.status, 201, created.text)
  await wallet.present(created.json.wallet_uri, 'good', { issuer })
  const read = await service.call('GET', `/v1/verifications/${created.json.id}`, { key: prepared.api_key })
  return { walletUri: created.json.wallet_uri as string, ...read.json }
}

test('an SD-JWT VC of the configured signer is accepted, and one of another signer is refused', async () => {
  for (const [mode, prefix] of [
    ['direct_post.jwt', 'x509_hash'],
    ['direct_post', 'x509_san_dns'],
  ] as const) {
    const prepared = await prepare('verifier', '--response-mode', mode, '--client-id-prefix', prefix)
    assert.equal(prepared.plan, 'oid4vp-1final-verifier-test-plan')
    assert.deepEqual(prepared.variant, {
      credential_format: 'sd_jwt_vc',
      response_mode: mode,
      vp_profile: 'plain_vp',
      client_id_prefix: prefix,
      request_method: 'request_uri_signed',
    })
    const { client, credential, alias } = prepared.configuration
    assert.deepEqual([client.client_id, alias], ['verify.example.com', 'vidimus-verifier'])
    assert.match(client.request_object_trust_anchor_pem, /^-----BEGIN CERTIFICATE-----/)
    const { x5c, use, alg, ...key } = credential.signing_jwk
    assert.deepEqual([use, alg, x5c.length], ['sig', 'ES256', 1])
    const signer = { ...stranger.sdJwt.signer, key, certificate: x5c[0] }
    const { status, walletUri } = await answered(prepared, { ...stranger, sdJwt: { ...stranger.sdJwt, signer } })
    assert.equal(status, 'completed')
    assert.match(walletUri, new RegExp(`client_id=${prefix}%3A`))
    const other = await answered(prepared, stranger)
    assert.deepEqual([other.status, other.error.code], ['failed', 'issuer_untrusted'])
  }
})

test('an mdoc of the signer in the file is accepted, and one of another signer is refused; HAIP is a setting of the tenant', async () => {
  const file = join(folder, 'TestAppUtils.kt')
  const certificate = toPem(Buffer.from(stranger.mdoc.signer.certificate, 'base64'))
  await writeFile(file, `val key = "-----BEGIN PRIVATE KEY-----"\nval cert = X509Cert.fromPem("${certificate}")\n`)
  const prepared = await prepare('verifier-haip', '--format', 'iso_mdl', '--signer', file)
  assert.deepEqual(prepared.variant, { credential_format: 'iso_mdl', response_mode: 'direct_post.jwt' })
  assert.equal(prepared.configuration.credential, undefined)
  const settings = await readSettings(service.deps, prepared.tenant)
  assert.equal(settings?.haip, true)
  assert.equal((await answered(prepared, stranger)).status, 'completed')
  const another = createIssuer({ base: 'https://suite.example/issuer', now: Math.floor(service.clock.now() / 1000) })
  assert.equal((await answered(prepared, another)).status, 'failed')
})

test('only its owner can read a configuration, and it never overwrites another file', async () => {
  const out = join(folder, 'basic.json')
  const prepared = await prepare('op-basic', '--suite', 'https://suite.example', '--alias', 'run-1', '--out', out)
  assert.equal(prepared.configuration, undefined)
  assert.equal((await stat(out)).mode & 0o777, 0o600)
  const written = JSON.parse(await readFile(out, 'utf8'))
  assert.equal(written.alias, 'run-1')
  const clients = [written.client, written.client2, written.client_secret_post]
  assert.equal(new Set(clients.map(({ client_id: id }) => id)).size, 3)
  assert.ok(clients.every(({ client_secret: secret }) => /^vcs_/.test(secret)))
  const again = await cli.run('conformance', 'prepare', 'op-basic', '--out', out)
  assert.deepEqual([again.code, /EEXIST/.test(again.err)], [2, true])
})

test('every plan has its configuration', async () => {
  const plans = [
    ['op-config', 'oidcc-config-certification-test-plan'],
    ['op-form-post', 'oidcc-formpost-basic-certification-test-plan'],
    ['op-ekyc', 'ekyc-test-plan-oidccore'],
    ['op-fapi2', 'fapi2-security-profile-final-test-plan'],
  ] as const
  for (const [name, suiteName] of plans) {
    const { plan, configuration, tenant } = await prepare(name)
    assert.equal(plan, suiteName)
    const issuer = `https://verify.example.com/oidc/${tenant}/test`
    assert.equal(configuration.server.discoveryUrl, `${issuer}/.well-known/openid-configuration`)
    const path = new URL(configuration.server.discoveryUrl).pathname
    assert.equal((await service.call('GET', path)).status, 200)
  }
  const { configuration } = await prepare('op-fapi2')
  const [key] = configuration.client.jwks.keys
  assert.ok(typeof key.d === 'string' && key.kid !== configuration.client2.jwks.keys[0].kid)
  assert.equal(configuration.client.client_secret, undefined)
})

test('invalid arguments are refused in one sentence, before anything is created', async () => {
  const tenants = async () => (await cli.json('tenant', 'list')).data.length
  const before = await tenants()
  for (const [args, why] of [
    [['nothing'], /<plan> must be one of op-config/],
    [['op-basic', '--suite', 'http://suite.example'], /https origin/],
    [['op-basic', '--suite', 'https://suite.example/path'], /https origin/],
    [['op-basic', '--alias', '../x'], /--alias has/],
    [['verifier', '--format', 'jwt_vc'], /--format must be one of/],
    [['verifier', '--signer', 'file'], /--signer is for iso_mdl/],
    [['verifier', '--format', 'iso_mdl'], /--signer is required/],
    [['verifier', '--format', 'iso_mdl', '--signer', join(folder, 'none')], /cannot be read/],
    [['verifier', '--format', 'iso_mdl', '--signer', import.meta.filename], /one certificate in PEM/],
    [['verifier-haip', '--response-mode', 'direct_post'], /HAIP plan/],
  ] as const) {
    const output = await cli.run('conformance', 'prepare', ...args)
    assert.equal(output.code, 2, output.err)
    assert.match(output.err, why)
  }
  assert.equal(await tenants(), before)
})

const log = (testName: string, change: object, results: readonly object[] = []) => ({
  exportedVersion: '5.2.4',
  testInfo: {
    testName,
    planName: 'oidcc-basic-certification-test-plan',
    variant: { server_metadata: 'discovery', client_registration: 'static_client' },
    status: 'FINISHED',
    result: 'PASSED',
    ...change,
  },
  results,
})

test('exported results become a table; unfinished results and results with a warning do not count as passed', async () => {
  const logs = {
    a: log('oidcc-server', {}, [{ result: 'SUCCESS' }, {}]),
    b: log('oidcc-prompt-login', { result: 'REVIEW' }),
    c: log('oidcc-scope-email', { result: 'WARNING' }, [{ result: 'WARNING' }]),
    d: log('oidcc-codereuse', { result: 'FAILED' }, [{ result: 'FAILURE' }, { result: 'FAILURE' }]),
    e: log('oidcc-x|<b>`\n', { status: 'INTERRUPTED', result: null }),
    // A result that contradicts its own conditions.
    f: log('oidcc-y', { result: 'PASSED' }, [{ result: 'FAILURE' }]),
  }
  for (const [name, json] of Object.entries(logs))
    await writeFile(join(folder, `test-log-${name}.json`), JSON.stringify(json))
  await writeFile(join(folder, 'index.json'), '{}')
  const { out, code } = await cli.run('conformance', 'table', folder)
  assert.equal(code, 0)
  assert.match(out, /^Suite 5\.2\.4: 2 of 6 modules without a failed condition or warning\./)
  assert.match(
    out,
    /### oidcc-basic-certification-test-plan\n\nclient_registration=static_client server_metadata=discovery/,
  )
  assert.match(out, /\| `oidcc-codereuse` \| failed \| 2 \| 0 \|/)
  assert.match(out, /\| `oidcc-prompt-login` \| review \| 0 \| 0 \|/)
  assert.match(out, /\| `oidcc-x +b +` \| INTERRUPTED \(not finished\) \| 0 \| 0 \|/)
  const noLog = await cli.run('conformance', 'table', join(folder, 'index.json'))
  assert.match(noLog.err, /is not the log of a module/)
})
