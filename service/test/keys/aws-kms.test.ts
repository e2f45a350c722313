// Tests keys in AWS KMS with moto, which checks the signature of every request as AWS does.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { AwsClient } from 'aws4fetch'
import { startFaultProxy } from '../harness/servers/fault-proxy.ts'
import { type Moto, startMoto } from '../harness/servers/moto.ts'
import { type Counterpart, openKeys, SECRET, testKeyService } from './key-service-contract.ts'
import { testServiceUnderKeys } from './service-contract.ts'

const moto = await startMoto()
if (moto !== null) await addTests(moto)

function awsError(status: number, type: string) {
  return { status, body: JSON.stringify({ __type: `com.amazonaws.kms#${type}`, message: SECRET }) }
}

async function addTests(moto: Moto): Promise<void> {
  const proxy = await startFaultProxy(moto.url)
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-aws-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const endpoints = { AWS_REGION: moto.region, AWS_ENDPOINT_URL_KMS: proxy.url, AWS_ENDPOINT_URL_STS: proxy.url }
  const env = { ...endpoints, AWS_ACCESS_KEY_ID: moto.accessKeyId, AWS_SECRET_ACCESS_KEY: moto.secretAccessKey }
  const counterpart: Counterpart = {
    env,
    proxy,
    reference: (name) => `awskms:alias/${name}`,
    // moto has no Ed25519.
    algorithms: ['ES256', 'RS256'],
    encoding: 'der',
    pinned: /^awskms:arn:aws:kms:eu-central-1:\d{12}:key\/[0-9a-f-]{36}$/,
    isSignature: ({ headers }) => headers['x-amz-target'] === 'TrentService.Sign',
    signatureIn: (body) => Buffer.from(JSON.parse(body).Signature, 'base64'),
    withSignature: (body, signature) =>
      JSON.stringify({ ...JSON.parse(body), Signature: signature.toString('base64') }),
    answers: {
      throttled: awsError(400, 'ThrottlingException'),
      expired: awsError(400, 'ExpiredTokenException'),
      disabled: awsError(400, 'DisabledException'),
    },
  }
  testKeyService('AWS KMS', counterpart)
  testServiceUnderKeys('AWS KMS', counterpart)

  test('AWS KMS: requests are signed: another secret or key id is refused', async () => {
    const pinned = await openKeys(counterpart).findOrCreate('awskms:alias/faults', 'ES256')
    for (const wrong of [{ AWS_SECRET_ACCESS_KEY: 'other' }, { AWS_ACCESS_KEY_ID: 'AKIAAAAAAAAAAAAAAAAA' }])
      assert.match((await openKeys({ env: { ...env, ...wrong } }).probe(pinned)) ?? '', /AWS KMS answers 403/)
    const noRegion = openKeys({ env: { ...env, AWS_REGION: '' } })
    assert.equal(await noRegion.probe(pinned), null, 'an ARN has its region')
    await assert.rejects(noRegion.findOrCreate('awskms:alias/faults', 'ES256'), /AWS_REGION is not set/)
    const plain = openKeys({ env: { ...env, AWS_ENDPOINT_URL_KMS: 'http://kms.example.com' } })
    assert.match((await plain.probe(pinned)) ?? '', /by https only/)
  })

  test('AWS KMS: the pinned key still signs after its alias gets another key; a disabled key signs nothing', async () => {
    const keys = openKeys(counterpart)
    const first = await keys.findOrCreate('awskms:alias/moved', 'ES256')
    const second = await keys.findOrCreate('awskms:alias/target', 'ES256')
    const targetOf = (reference: string) => reference.replace(/^.*\//, '')
    await askAws('UpdateAlias', { AliasName: 'alias/moved', TargetKeyId: targetOf(second.reference) })
    assert.equal((await keys.findOrCreate('awskms:alias/moved', 'ES256')).reference, second.reference)
    assert.equal(await keys.probe(first), null)
    await askAws('DisableKey', { KeyId: targetOf(first.reference) })
    assert.match((await keys.probe(first)) ?? '', /AWS KMS answers 400 DisabledException/)
    await askAws('EnableKey', { KeyId: targetOf(first.reference) })
    assert.equal(await keys.probe(first), null)
  })

  test('AWS KMS: only an alias is created, and a key for another use is refused', async () => {
    const keys = openKeys(counterpart)
    const absent = 'awskms:arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-0000-0000-000000000000'
    await assert.rejects(keys.findOrCreate(absent, 'ES256'), /no such key; only `alias\/…` names can be created/)
    await keys.wrap('awskms:alias/symmetric', Buffer.alloc(32, 1))
    await assert.rejects(keys.findOrCreate('awskms:alias/symmetric', 'ES256'), /not a signing key/)
  })

  test('AWS KMS: a wrapped key is bound to its purpose', async () => {
    const keys = openKeys(counterpart)
    const wrapped = await keys.wrap('awskms:alias/wrapping', Buffer.alloc(32, 1))
    const CiphertextBlob = Buffer.from(wrapped).toString('base64')
    const KeyId = 'alias/wrapping'
    await askAws('Decrypt', { KeyId, CiphertextBlob, EncryptionContext: { vidimus: 'master key' } })
    await assert.rejects(askAws('Decrypt', { KeyId, CiphertextBlob }), /400/)
  })

  test('AWS KMS: credentials come from a web identity, a container or a machine', async () => {
    const pinned = await openKeys(counterpart).findOrCreate('awskms:alias/faults', 'ES256')
    const tokenFile = join(folder, 'token')
    await writeFile(tokenFile, 'header.claims.signature\n')
    const temporary = {
      AccessKeyId: moto.accessKeyId,
      SecretAccessKey: moto.secretAccessKey,
      Token: 'session',
      Expiration: new Date(Date.now() + 3_600_000).toISOString(),
    }
    const seen = () => proxy.seen.splice(0)
    // moto knows none of these credentials, so its check of signatures is off.
    await checkSignatures('inf')
    proxy.fault = ({ path }) => (path === '/role' ? { status: 200, body: JSON.stringify(temporary) } : null)
    const container = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${proxy.url}/role`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
    }
    seen()
    assert.equal(await openKeys({ env: { ...endpoints, ...container } }).probe(pinned), null)
    const [request, signed] = seen()
    assert.equal(request?.headers.authorization, 'header.claims.signature')
    assert.equal(signed?.headers['x-amz-security-token'], 'session')
    proxy.fault = () => null
    const machine = { AWS_EC2_METADATA_SERVICE_ENDPOINT: proxy.url }
    assert.equal(await openKeys({ env: { ...endpoints, ...machine } }).probe(pinned), null)
    assert.deepEqual(
      seen().map(({ method, path }) => `${method} ${path}`),
      [
        'PUT /latest/api/token',
        'GET /latest/meta-data/iam/security-credentials/',
        'GET /latest/meta-data/iam/security-credentials/default-role',
        'POST /',
      ],
    )
    const identity = { AWS_ROLE_ARN: moto.roleArn, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile }
    assert.equal(await openKeys({ env: { ...endpoints, ...identity } }).probe(pinned), null)
    const [assumed, used] = seen()
    assert.match(assumed?.body ?? '', /Action=AssumeRoleWithWebIdentity.*WebIdentityToken=header\.claims\.signature/)
    assert.match(String(used?.headers.authorization), /Credential=ASIA/)
    await checkSignatures('0')
    const nothing = { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' }
    assert.match((await openKeys({ env: { ...endpoints, ...nothing } }).probe(pinned)) ?? '', /does not answer/)
  })

  /** Sends actions of an administrator. */
  async function askAws(action: string, content: object): Promise<void> {
    const { accessKeyId, secretAccessKey, region, url } = moto
    const body = JSON.stringify(content)
    const headers = { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': `TrentService.${action}` }
    const signed = await new AwsClient({ accessKeyId, secretAccessKey, region, service: 'kms' }).sign(url, {
      method: 'POST',
      headers,
      body,
    })
    const answer = await fetch(signed)
    assert.equal(answer.status, 200, await answer.text())
  }

  /** Sets after how many requests moto begins to check signatures. */
  async function checkSignatures(after: string): Promise<void> {
    const headers = { 'Content-Type': 'text/plain' }
    const answer = await fetch(`${moto.url}/moto-api/reset-auth`, { method: 'POST', headers, body: after })
    assert.equal(answer.status, 200)
  }
}
