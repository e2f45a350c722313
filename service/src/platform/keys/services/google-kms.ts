// Uses keys in Google Cloud KMS (REST, v1). Every value is sent and returned with its CRC-32C.

import { setTimeout as wait } from 'node:timers/promises'
import type { GoogleSettings } from '../../config/key-settings.ts'
import { KeyFailure, type KeyProvider } from '../key-provider.ts'
import type { KeyAlgorithm } from '../signing-key.ts'
import type { PinnedKey } from '../stored-key.ts'
import { crc32c } from './crc32c.ts'
import { createCredentials } from './credentials.ts'
import { loadGoogleToken } from './google-token.ts'
import { bytesOf, type CallService, CONCURRENCY, failureOf, type Json, objectOf, textOf } from './key-service.ts'
import { digestFor, pinKey, requireKind, requireParts } from './public-key.ts'

/** Keys are in hardware if Google supports that for the algorithm. */
const KINDS: Readonly<Partial<Record<KeyAlgorithm, Kind>>> = {
  ES256: { algorithm: 'EC_SIGN_P256_SHA256', protectionLevel: 'HSM' },
  EdDSA: { algorithm: 'EC_SIGN_ED25519', protectionLevel: 'SOFTWARE' },
  RS256: { algorithm: 'RSA_SIGN_PKCS1_2048_SHA256', protectionLevel: 'HSM' },
}

interface Kind {
  readonly algorithm: string
  readonly protectionLevel: 'HSM' | 'SOFTWARE'
}

const ASSOCIATED = Buffer.from('vidimus master key', 'utf8')
/** A key in hardware takes seconds until it can be used. */
const NEW_KEY_STEPS = 20
const NEW_KEY_STEP_MS = 500
const PENDING = 'FAILED_PRECONDITION'

export function createGoogleKms(settings: GoogleSettings, call: CallService): KeyProvider {
  const token = createCredentials(() => loadGoogleToken({ settings, call }))
  const send = (path: string, body?: object, isQuick = false) =>
    token.use(async (value) => {
      const answer = await call({
        method: body === undefined ? 'GET' : 'POST',
        url: `${settings.kmsUrl}/v1/${path}`,
        headers: { Authorization: `Bearer ${value}` },
        ...(body === undefined ? {} : { body }),
        isQuick,
      })
      const { status, json } = answer
      const code = textOf(objectOf(json.error)?.status)
      if (status === 401) throw failureOf({ service: 'Google Cloud KMS', status, code, isUnauthorised: true })
      return { status, json, code }
    })
  /** null: there is no such key. Sends a GET if there is no body. */
  const ask = async (path: string, body?: object, isQuick = false): Promise<Json | null> => {
    const { status, json, code } = await send(path, body, isQuick)
    if (status === 200) return json
    if (status === 404) return null
    throw failureOf({ service: 'Google Cloud KMS', status, code, isThrottled: code === 'RESOURCE_EXHAUSTED' })
  }
  const requireAnswer = async (...call: Parameters<typeof ask>): Promise<Json> => {
    const answer = await ask(...call)
    if (answer === null) throw new KeyFailure('refused', 'Google Cloud KMS has no key of this name and version')
    return answer
  }
  const pin = ({ key, version }: Place, answer: Json): PinnedKey => {
    const path = `${key}/cryptoKeyVersions/${version}`
    if (answer.name !== path) throw new KeyFailure('refused', 'Google Cloud KMS returned another key')
    const pem = textOf(answer.pem)
    requireSum(answer.pemCrc32c, Buffer.from(pem, 'utf8'))
    return pinKey(`gcpkms:${path}`, { pem })
  }
  const find = async (reference: string): Promise<PinnedKey | null> => {
    const place = placeOf(reference)
    // A signing key has no default version. Uses the version in the reference, or the first.
    const named = { ...place, version: place.version ?? '1' }
    const answer = await ask(`${named.key}/cryptoKeyVersions/${named.version}/publicKey`)
    return answer === null ? null : pin(named, answer)
  }
  const make = ({ ring, name }: Place, body: object) => requireAnswer(`${ring}/cryptoKeys?cryptoKeyId=${name}`, body)
  return {
    concurrency: CONCURRENCY,
    find,
    async create(reference, algorithm) {
      const place = placeOf(reference)
      if (place.version !== undefined) throw new KeyFailure('refused', 'Google Cloud KMS has no such version')
      const versionTemplate = requireKind(KINDS, algorithm, 'Google Cloud KMS')
      await make(place, { purpose: 'ASYMMETRIC_SIGN', versionTemplate })
      const first = { ...place, version: '1' }
      for (let step = 0; step < NEW_KEY_STEPS; step += 1) {
        const { status, json, code } = await send(`${place.key}/cryptoKeyVersions/1/publicKey`)
        if (status === 200) return pin(first, json)
        if (code !== PENDING) throw failureOf({ service: 'Google Cloud KMS', status, code })
        await wait(NEW_KEY_STEP_MS)
      }
      throw new KeyFailure('away', 'Google Cloud KMS is still creating the key; try again')
    },
    async sign({ reference, algorithm }, bytes) {
      requireKind(KINDS, algorithm, 'Google Cloud KMS')
      const { key, version } = placeOf(reference)
      const path = `${key}/cryptoKeyVersions/${version}`
      const isWhole = algorithm === 'EdDSA'
      const input = isWhole ? Buffer.from(bytes) : digestFor(algorithm, bytes)
      const body = isWhole
        ? { data: input.toString('base64'), dataCrc32c: sumOf(input) }
        : { digest: { sha256: input.toString('base64') }, digestCrc32c: sumOf(input) }
      const answer = await requireAnswer(`${path}:asymmetricSign`, body, true)
      requireVerified(isWhole ? answer.verifiedDataCrc32c : answer.verifiedDigestCrc32c)
      const signature = bytesOf(answer.signature, 'base64')
      requireSum(answer.signatureCrc32c, signature)
      if (answer.name !== path) throw new KeyFailure('wrong_signature', 'Google Cloud KMS signed with another key')
      return { encoding: 'der', signature }
    },
    async wrap(reference, plain) {
      const place = placeOf(reference)
      const bytes = Buffer.from(plain)
      const body = {
        plaintext: bytes.toString('base64'),
        plaintextCrc32c: sumOf(bytes),
        additionalAuthenticatedData: ASSOCIATED.toString('base64'),
        additionalAuthenticatedDataCrc32c: sumOf(ASSOCIATED),
      }
      if ((await ask(place.key)) === null) {
        const versionTemplate = { algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION', protectionLevel: 'HSM' }
        await make(place, { purpose: 'ENCRYPT_DECRYPT', versionTemplate })
      }
      const answer = await requireAnswer(`${place.key}:encrypt`, body)
      requireVerified(answer.verifiedPlaintextCrc32c)
      requireVerified(answer.verifiedAdditionalAuthenticatedDataCrc32c)
      const wrapped = bytesOf(answer.ciphertext, 'base64')
      requireSum(answer.ciphertextCrc32c, wrapped)
      return wrapped
    },
    async unwrap(reference, wrapped) {
      const bytes = Buffer.from(wrapped)
      const answer = await requireAnswer(`${placeOf(reference).key}:decrypt`, {
        ciphertext: bytes.toString('base64'),
        ciphertextCrc32c: sumOf(bytes),
        additionalAuthenticatedData: ASSOCIATED.toString('base64'),
        additionalAuthenticatedDataCrc32c: sumOf(ASSOCIATED),
      })
      const plain = bytesOf(answer.plaintext, 'base64')
      requireSum(answer.plaintextCrc32c, plain)
      return plain
    },
    close: async () => undefined,
  }
}

interface Place {
  readonly ring: string
  readonly name: string
  readonly key: string
  readonly version: string | undefined
}

function placeOf(reference: string): Place {
  const { ring = '', name = '', version } = requireParts('gcpkms', reference)
  return { ring, name, key: `${ring}/cryptoKeys/${name}`, version }
}

/** An int64 in JSON is text. */
const sumOf = (bytes: Uint8Array) => String(crc32c(bytes))

function requireSum(sum: unknown, bytes: Uint8Array): void {
  if (String(sum) !== sumOf(bytes))
    throw new KeyFailure('away', 'the answer of Google Cloud KMS was corrupted in transit')
}

function requireVerified(verified: unknown): void {
  if (verified !== true) throw new KeyFailure('away', 'the request to Google Cloud KMS was corrupted in transit')
}
