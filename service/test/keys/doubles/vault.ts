// Simulates Vault and OpenBao as far as we use them; compared with Vault 1.14's transit engine.

import { createCipheriv, createDecipheriv, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Answer, Passing, Respond } from '../../harness/servers/fault-proxy.ts'
import { signDigest } from './sign-digest.ts'

interface TransitKey {
  readonly type: string
  exportable: boolean
  readonly versions: { readonly privateKey?: KeyObject; readonly publicKey?: string; readonly secret?: Buffer }[]
}

/** Tokens do not expire by the clock. A test revokes them. */
interface Token {
  readonly ttlSeconds: number
  readonly isRenewable: boolean
}

export interface VaultDouble {
  readonly respond: Respond
  readonly keys: Map<string, TransitKey>
  readonly tokens: Map<string, Token>
  readonly roleId: string
  /** Valid for one login each. */
  readonly secretIds: Set<string>
  readonly podToken: string
  addToken(ttlSeconds: number, isRenewable?: boolean): string
  /** Adds a version of a key. */
  rotate(name: string): void
}

const json = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) })
const refuse = (status: number, error: string) => json(status, { errors: [error] })

export function createVaultDouble(): VaultDouble {
  const keys = new Map<string, TransitKey>()
  const tokens = new Map<string, Token>()
  const double: VaultDouble = {
    keys,
    tokens,
    roleId: 'role-1',
    secretIds: new Set(),
    podToken: 'pod.token.signature',
    addToken(ttlSeconds, isRenewable = true) {
      const name = `hvs.${randomBytes(12).toString('base64url')}`
      tokens.set(name, { ttlSeconds, isRenewable })
      return name
    },
    rotate: (name) => void keys.get(name)?.versions.push(makeVersion(keys.get(name)?.type ?? '')),
    respond,
  }
  function respond({ method, path, headers, body }: Passing): Answer {
    const input = body === '' ? {} : JSON.parse(body)
    const [, , first, ...rest] = path.split('/')
    if (path === '/v1/auth/approle/login') return logIn(input.role_id === double.roleId && useSecret(input.secret_id))
    if (path === '/v1/auth/kubernetes/login') return logIn(input.role === 'vidimus' && input.jwt === double.podToken)
    const name = String(headers['x-vault-token'])
    const token = tokens.get(name)
    if (token === undefined) return refuse(403, 'permission denied')
    if (path === '/v1/auth/token/lookup-self')
      return json(200, { data: { ttl: token.ttlSeconds, renewable: token.isRenewable } })
    if (path === '/v1/auth/token/renew-self') return renew(name, token)
    if (first !== 'transit') return refuse(404, 'no handler for route')
    return transit(method, rest, input)
  }
  const useSecret = (secret: string) => double.secretIds.delete(secret)
  function logIn(isGood: boolean): Answer {
    if (!isGood) return refuse(400, 'invalid role or secret ID')
    return json(200, { auth: { client_token: double.addToken(3600), lease_duration: 3600, renewable: true } })
  }
  function renew(name: string, token: Token): Answer {
    if (!token.isRenewable) return refuse(400, 'lease is not renewable')
    return json(200, { auth: { client_token: name, lease_duration: token.ttlSeconds, renewable: true } })
  }
  function transit(method: string, [action, name = '', hash]: string[], input: Record<string, string>): Answer {
    const key = keys.get(name)
    if (action === 'keys' && method === 'GET')
      return key === undefined ? json(404, { errors: [] }) : describe(name, key)
    if (action === 'keys') {
      const type = input.type ?? 'aes256-gcm96'
      if (key === undefined)
        keys.set(name, { type, exportable: Boolean(input.exportable), versions: [makeVersion(type)] })
      return describe(name, keys.get(name) as TransitKey)
    }
    if (key === undefined) return refuse(400, 'encryption key not found')
    if (action === 'sign') return signWith(key, hash, input)
    if (action === 'encrypt') return json(200, { data: { ciphertext: encrypt(key, input) } })
    return decrypt(key, input)
  }
  return double
}

function makeVersion(type: string): TransitKey['versions'][number] {
  if (type === 'aes256-gcm96') return { secret: randomBytes(32) }
  const { privateKey, publicKey } =
    type === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : type === 'rsa-2048'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const raw = publicKey.export({ format: 'jwk' }).x ?? ''
  const shown =
    type === 'ed25519'
      ? Buffer.from(raw, 'base64url').toString('base64')
      : String(publicKey.export({ format: 'pem', type: 'spki' }))
  return { privateKey, publicKey: shown }
}

function describe(name: string, { type, exportable, versions }: TransitKey): Answer {
  const shown = versions.map(({ publicKey }, index) => [
    String(index + 1),
    publicKey === undefined ? 1_700_000_000 : { public_key: publicKey, creation_time: '2026-01-01T00:00:00Z' },
  ])
  const data = {
    name,
    type,
    exportable,
    allow_plaintext_backup: false,
    derived: false,
    latest_version: versions.length,
    keys: Object.fromEntries(shown),
  }
  return json(200, { data })
}

function signWith({ type, versions }: TransitKey, hash: string | undefined, input: Record<string, unknown>): Answer {
  const version = Number(input.key_version ?? versions.length)
  const privateKey = versions[version - 1]?.privateKey
  if (privateKey === undefined) return refuse(400, 'requested version for signing is not available')
  const bytes = Buffer.from(String(input.input), 'base64')
  const rendered = (signature: string) => json(200, { data: { signature: `vault:v${version}:${signature}` } })
  if (type === 'ed25519') return rendered(sign(null, bytes, privateKey).toString('base64'))
  if (hash !== 'sha2-256' || input.prehashed !== true || bytes.length !== 32) return refuse(400, 'not in this double')
  if (type === 'rsa-2048')
    return input.signature_algorithm === 'pkcs1v15'
      ? rendered(signDigest(bytes, privateKey).toString('base64'))
      : refuse(400, 'not in this double')
  // Without it Vault answers DER.
  return input.marshaling_algorithm === 'jws'
    ? rendered(signDigest(bytes, privateKey).toString('base64url'))
    : refuse(400, 'not in this double')
}

function encrypt({ versions }: TransitKey, input: Record<string, string>): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', versions.at(-1)?.secret ?? Buffer.alloc(32), iv)
  cipher.setAAD(Buffer.from(input.associated_data ?? '', 'base64'))
  const body = Buffer.concat([cipher.update(Buffer.from(input.plaintext ?? '', 'base64')), cipher.final()])
  return `vault:v${versions.length}:${Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64')}`
}

function decrypt({ versions }: TransitKey, input: Record<string, string>): Answer {
  const [, version, text = ''] = /^vault:v(\d+):(.+)$/.exec(input.ciphertext ?? '') ?? []
  const bytes = Buffer.from(text, 'base64')
  const secret = versions[Number(version) - 1]?.secret
  if (secret === undefined || bytes.length < 28) return refuse(400, 'invalid ciphertext')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12))
  decipher.setAAD(Buffer.from(input.associated_data ?? '', 'base64'))
  decipher.setAuthTag(bytes.subarray(-16))
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
    return json(200, { data: { plaintext: plain.toString('base64') } })
  } catch {
    return refuse(400, 'cipher: message authentication failed')
  }
}
