// Uses keys in AWS KMS (API of 2014-11-01, JSON 1.1). Requests are signed by Signature Version 4.

import { AwsV4Signer } from 'aws4fetch'
import type { AwsSettings } from '../../config/key-settings.ts'
import { KeyFailure, type KeyProvider } from '../key-provider.ts'
import type { KeyAlgorithm } from '../signing-key.ts'
import type { PinnedKey } from '../stored-key.ts'
import { type AwsCredentials, domainOf, loadAwsCredentials } from './aws-credentials.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { bytesOf, type CallService, CONCURRENCY, failureOf, type Json, objectOf, textOf } from './key-service.ts'
import { digestFor, pinKey, requireKind, requireParts } from './public-key.ts'

const KINDS: Readonly<Partial<Record<KeyAlgorithm, Kind>>> = {
  ES256: { spec: 'ECC_NIST_P256', signing: 'ECDSA_SHA_256', message: 'DIGEST' },
  EdDSA: { spec: 'ECC_NIST_EDWARDS25519', signing: 'ED25519_SHA_512', message: 'RAW' },
  RS256: { spec: 'RSA_2048', signing: 'RSASSA_PKCS1_V1_5_SHA_256', message: 'DIGEST' },
}

interface Kind {
  readonly spec: string
  readonly signing: string
  readonly message: 'DIGEST' | 'RAW'
}

/** The encryption context. AWS KMS unwraps only with the same context. AWS CloudTrail shows it, so it has no secret. */
const CONTEXT = { vidimus: 'master key' }

const THROTTLED = new Set(['ThrottlingException', 'Throttling', 'RequestLimitExceeded', 'TooManyRequestsException'])
const UNAUTHORISED = new Set([
  'ExpiredTokenException',
  'ExpiredToken',
  'InvalidClientTokenId',
  'RequestExpired',
  'UnrecognizedClientException',
])
const NOT_FOUND = 'NotFoundException'

export function createAwsKms(settings: AwsSettings, call: CallService): KeyProvider {
  const credentials = new Map<string, Credentials<AwsCredentials>>()
  const credentialsFor = (region: string) => {
    const known = credentials.get(region) ?? createCredentials(() => loadAwsCredentials({ settings, call, region }))
    credentials.set(region, known)
    return known
  }
  /** null: there is no such key. */
  const ask = (action: string, region: string, body: object, isQuick = false): Promise<Json | null> =>
    credentialsFor(region).use(async (value) => {
      const url = `${(settings.kmsUrl ?? `https://kms.${region}.${domainOf(region)}`).replace(/\/$/, '')}/`
      const text = JSON.stringify(body)
      const sent = { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': `TrentService.${action}` }
      const signer = new AwsV4Signer({
        ...value,
        method: 'POST',
        url,
        headers: sent,
        body: text,
        service: 'kms',
        region,
      })
      const headers = Object.fromEntries((await signer.sign()).headers)
      const { status, json } = await call({ method: 'POST', url, headers, body: text, isQuick })
      if (status === 200) return json
      const code = textOf(json.__type).split('#').at(-1) ?? ''
      if (code === NOT_FOUND) return null
      throw failureOf({
        service: 'AWS KMS',
        status,
        code,
        isThrottled: THROTTLED.has(code),
        isUnauthorised: UNAUTHORISED.has(code),
      })
    })
  const requireKey = async (...call: Parameters<typeof ask>): Promise<Json> => {
    const answer = await ask(...call)
    if (answer === null) throw new KeyFailure('refused', 'AWS KMS has no key of this name')
    return answer
  }
  const partsOf = (reference: string) => {
    const { key = '', alias, region: own } = requireParts('awskms', reference)
    const region = own ?? settings.region
    if (region === null) throw new KeyFailure('refused', 'the name has no region, and AWS_REGION is not set')
    if (!/^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/.test(region)) throw new KeyFailure('refused', 'not a region of AWS')
    return { key, alias, region }
  }
  /** Pins the ARN: an alias may later point to another key. */
  const pin = async (key: string, region: string): Promise<PinnedKey | null> => {
    const { KeyMetadata: metadata } = (await ask('DescribeKey', region, { KeyId: key })) ?? {}
    if (metadata === undefined) return null
    const { Arn, KeyUsage } = objectOf(metadata) ?? {}
    if (KeyUsage !== 'SIGN_VERIFY') throw new KeyFailure('refused', 'the key in AWS KMS is not a signing key')
    const { PublicKey } = await requireKey('GetPublicKey', region, { KeyId: textOf(Arn) })
    return pinKey(`awskms:${textOf(Arn)}`, { spki: bytesOf(PublicKey, 'base64') })
  }
  const make = async (reference: string, kind: { spec: string; usage: string }): Promise<string> => {
    const { alias, region } = partsOf(reference)
    if (alias === undefined)
      throw new KeyFailure('refused', 'AWS KMS has no such key; only `alias/…` names can be created')
    const created = await requireKey('CreateKey', region, {
      KeySpec: kind.spec,
      KeyUsage: kind.usage,
      Description: `Vidimus: ${alias}`,
    })
    const arn = textOf(objectOf(created.KeyMetadata)?.Arn)
    await requireKey('CreateAlias', region, { AliasName: alias, TargetKeyId: arn })
    return arn
  }
  return {
    concurrency: CONCURRENCY,
    find(reference) {
      const { key, region } = partsOf(reference)
      return pin(key, region)
    },
    async create(reference, algorithm) {
      const { spec } = requireKind(KINDS, algorithm, 'AWS KMS')
      const { region } = partsOf(reference)
      const key = await pin(await make(reference, { spec, usage: 'SIGN_VERIFY' }), region)
      if (key === null) throw new KeyFailure('away', 'AWS KMS does not know its new key yet; try again')
      return key
    },
    async sign({ reference, algorithm }, bytes) {
      const { signing, message } = requireKind(KINDS, algorithm, 'AWS KMS')
      const { key, region } = partsOf(reference)
      const input = message === 'RAW' ? Buffer.from(bytes) : digestFor(algorithm, bytes)
      const body = { KeyId: key, MessageType: message, SigningAlgorithm: signing, Message: input.toString('base64') }
      const answer = await requireKey('Sign', region, body, true)
      return { encoding: 'der', signature: bytesOf(answer.Signature, 'base64') }
    },
    async wrap(reference, plain) {
      const { key, region } = partsOf(reference)
      const body = { Plaintext: Buffer.from(plain).toString('base64'), EncryptionContext: CONTEXT }
      const answer =
        (await ask('Encrypt', region, { KeyId: key, ...body })) ??
        (await requireKey('Encrypt', region, {
          KeyId: await make(reference, { spec: 'SYMMETRIC_DEFAULT', usage: 'ENCRYPT_DECRYPT' }),
          ...body,
        }))
      return bytesOf(answer.CiphertextBlob, 'base64')
    },
    async unwrap(reference, wrapped) {
      const { key, region } = partsOf(reference)
      const CiphertextBlob = Buffer.from(wrapped).toString('base64')
      const answer = await requireKey('Decrypt', region, { KeyId: key, CiphertextBlob, EncryptionContext: CONTEXT })
      return bytesOf(answer.Plaintext, 'base64')
    },
    close: async () => undefined,
  }
}
