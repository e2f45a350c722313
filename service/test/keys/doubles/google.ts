// Simulates Google Cloud KMS and its token services as documented, as far as we use them.

import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import type { Answer, Passing, Respond } from '../../harness/servers/fault-proxy.ts'
import { derOfRaw } from './ecdsa-der.ts'
import { signDigest } from './sign-digest.ts'

interface GoogleKey {
  readonly purpose: string
  readonly versions: KeyObject[]
  readonly secret: Buffer
  /** How many further requests for its public key fail. */
  pending: number
}

export interface GoogleDouble {
  readonly respond: Respond
  readonly keys: Map<string, GoogleKey>
  readonly tokens: Set<string>
  /** Returns the content of the file of a service account. */
  account(tokenUrl: string): string
  rotate(path: string): void
}

const json = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) })
const refuse = (code: number, status: string) => json(code, { error: { code, status, message: 'no' } })
const METADATA = '/computeMetadata/v1/instance/service-accounts/default/token'

/** Computes CRC-32C bit by bit, so that it shares no code with ours. */
export function sumOf(bytes: Uint8Array): string {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return String((crc ^ 0xffffffff) >>> 0)
}

export function createGoogleDouble(): GoogleDouble {
  const keys = new Map<string, GoogleKey>()
  const tokens = new Set<string>()
  const owner = generateKeyPairSync('rsa', { modulusLength: 2048 })
  function respond({ method, path, headers, body }: Passing): Answer {
    const url = new URL(path, 'http://double')
    if (url.pathname === '/token') return hand(isAccount(new URLSearchParams(body)))
    if (url.pathname === METADATA) return hand(headers['metadata-flavor'] === 'Google')
    if (!tokens.has(String(headers.authorization).replace('Bearer ', ''))) return refuse(401, 'UNAUTHENTICATED')
    const input = body === '' ? {} : JSON.parse(body)
    const resource = url.pathname.replace('/v1/', '')
    if (method === 'POST' && resource.endsWith('/cryptoKeys'))
      return create(`${resource}/${url.searchParams.get('cryptoKeyId')}`, input)
    const [, path0 = '', version, tail = '', action] =
      /^(.+?\/cryptoKeys\/[^/:]+)(?:\/cryptoKeyVersions\/(\d+))?(\/publicKey)?(?::(\w+))?$/.exec(resource) ?? []
    const key = keys.get(path0)
    if (key === undefined) return refuse(404, 'NOT_FOUND')
    if (version === undefined) return action === undefined ? json(200, { name: path0 }) : crypt(key, action, input)
    const privateKey = key.versions[Number(version) - 1]
    const name = `${path0}/cryptoKeyVersions/${version}`
    if (privateKey === undefined) return refuse(key.purpose === 'ASYMMETRIC_SIGN' ? 404 : 400, 'FAILED_PRECONDITION')
    if (tail === '/publicKey') return showPublic(name, key, privateKey)
    return signWith(name, privateKey, input)
  }
  function isAccount(form: URLSearchParams): boolean {
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const { iss, scope, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      owner.publicKey,
      Buffer.from(signature, 'base64url'),
    )
    return isSigned && iss === 'vidimus@p.iam' && scope.endsWith('/auth/cloudkms') && exp * 1000 > Date.now()
  }
  function hand(isGood: boolean): Answer {
    if (!isGood) return json(400, { error: 'invalid_grant' })
    const token = randomBytes(16).toString('base64url')
    tokens.add(token)
    return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3599 })
  }
  function create(
    path: string,
    { purpose, versionTemplate }: { purpose: string; versionTemplate: { algorithm: string } },
  ): Answer {
    if (keys.has(path)) return refuse(409, 'ALREADY_EXISTS')
    const isSigning = purpose === 'ASYMMETRIC_SIGN'
    const versions = isSigning ? [makeKey(versionTemplate.algorithm)] : []
    keys.set(path, { purpose, versions, secret: randomBytes(32), pending: isSigning ? 1 : 0 })
    return json(200, { name: path, purpose })
  }
  return {
    respond,
    keys,
    tokens,
    account: (tokenUrl) =>
      JSON.stringify({
        type: 'service_account',
        client_email: 'vidimus@p.iam',
        private_key_id: 'key-1',
        private_key: owner.privateKey.export({ format: 'pem', type: 'pkcs8' }),
        token_uri: tokenUrl,
      }),
    rotate: (path) => void keys.get(path)?.versions.push(makeKey('EC_SIGN_P256_SHA256')),
  }
}

function makeKey(algorithm: string): KeyObject {
  if (algorithm === 'EC_SIGN_ED25519') return generateKeyPairSync('ed25519').privateKey
  if (algorithm === 'RSA_SIGN_PKCS1_2048_SHA256') return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

function showPublic(name: string, key: GoogleKey, privateKey: KeyObject): Answer {
  if (key.pending > 0) {
    key.pending -= 1
    return refuse(400, 'FAILED_PRECONDITION')
  }
  const pem = String(createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }))
  return json(200, { name, pem, pemCrc32c: sumOf(Buffer.from(pem)) })
}

function signWith(name: string, key: KeyObject, input: Record<string, unknown>): Answer {
  const isWhole = key.asymmetricKeyType === 'ed25519'
  const digest = isWhole ? input.data : (input.digest as { readonly sha256?: string } | undefined)?.sha256
  if (typeof digest !== 'string') return refuse(400, 'INVALID_ARGUMENT')
  const bytes = Buffer.from(digest, 'base64')
  if ((isWhole ? input.dataCrc32c : input.digestCrc32c) !== sumOf(bytes)) return refuse(400, 'INVALID_ARGUMENT')
  const raw = isWhole ? sign(null, bytes, key) : signDigest(bytes, key)
  const signature = key.asymmetricKeyType === 'ec' ? derOfRaw(raw) : raw
  const verified = isWhole ? { verifiedDataCrc32c: true } : { verifiedDigestCrc32c: true }
  return json(200, { name, signature: signature.toString('base64'), signatureCrc32c: sumOf(signature), ...verified })
}

function crypt({ secret, purpose }: GoogleKey, action: string, input: Record<string, string>): Answer {
  if (purpose !== 'ENCRYPT_DECRYPT') return refuse(400, 'FAILED_PRECONDITION')
  const data = Buffer.from(input.additionalAuthenticatedData ?? '', 'base64')
  const bytes = Buffer.from((action === 'encrypt' ? input.plaintext : input.ciphertext) ?? '', 'base64')
  const sum = action === 'encrypt' ? input.plaintextCrc32c : input.ciphertextCrc32c
  if (sum !== sumOf(bytes) || input.additionalAuthenticatedDataCrc32c !== sumOf(data))
    return refuse(400, 'INVALID_ARGUMENT')
  if (action === 'encrypt') {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', secret, iv)
    cipher.setAAD(data)
    const ciphertext = Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    return json(200, {
      ciphertext: ciphertext.toString('base64'),
      ciphertextCrc32c: sumOf(ciphertext),
      verifiedPlaintextCrc32c: true,
      verifiedAdditionalAuthenticatedDataCrc32c: true,
    })
  }
  if (bytes.length < 28) return refuse(400, 'INVALID_ARGUMENT')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12))
  decipher.setAAD(data)
  decipher.setAuthTag(bytes.subarray(-16))
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
    return json(200, { plaintext: plain.toString('base64'), plaintextCrc32c: sumOf(plain) })
  } catch {
    return refuse(400, 'INVALID_ARGUMENT')
  }
}
