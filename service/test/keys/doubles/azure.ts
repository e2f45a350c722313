// Simulates Azure Key Vault and its token services as documented, as far as we use them.

import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import type { Answer, Passing, Respond } from '../../harness/servers/fault-proxy.ts'
import { signDigest } from './sign-digest.ts'

interface AzureKey {
  readonly versions: Map<string, KeyObject>
  exportable: boolean
}

export interface AzureDouble {
  readonly respond: Respond
  readonly keys: Map<string, AzureKey>
  /** The valid tokens. */
  readonly tokens: Set<string>
  rotate(name: string): void
}

const TENANT = '/11111111-2222-3333-4444-555555555555/oauth2/v2.0/token'
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const

const json = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) })
const refuse = (status: number, code: string) => json(status, { error: { code, message: 'no' } })

export function createAzureDouble(host: string): AzureDouble {
  const keys = new Map<string, AzureKey>()
  const tokens = new Set<string>()
  const newVersion = () => randomBytes(16).toString('hex')
  function respond({ method, path, headers, body }: Passing): Answer {
    const url = new URL(path, 'https://double')
    if (url.pathname === TENANT) return hand(isApplication(new URLSearchParams(body)), { expires_in: 3600 })
    const inOneHour = { expires_on: String(Math.floor(Date.now() / 1000) + 3600) }
    const isForVault = url.searchParams.get('resource') === 'https://vault.azure.net'
    if (url.pathname === '/metadata/identity/oauth2/token')
      return hand(isForVault && headers.metadata === 'true', inOneHour)
    if (url.pathname === '/msi/token') return hand(isForVault && headers['x-identity-header'] === 'header-1', inOneHour)
    const [, token = ''] = /^Bearer (.+)$/.exec(String(headers.authorization)) ?? []
    if (!tokens.has(token)) return refuse(401, 'Unauthorized')
    if (url.searchParams.get('api-version') !== '7.4') return refuse(400, 'BadParameter')
    const [, , name = '', second = '', action] = url.pathname.split('/')
    const input = body === '' ? {} : JSON.parse(body)
    if (second === 'create' && method === 'POST') return create(name, input)
    const key = keys.get(name)
    const version = second === '' ? [...(key?.versions.keys() ?? [])].at(-1) : second
    const privateKey = key?.versions.get(version ?? '')
    if (key === undefined || version === undefined || privateKey === undefined) return refuse(404, 'KeyNotFound')
    const kid = `https://${host}/keys/${name}/${version}`
    if (method === 'GET') return show(kid, key, privateKey)
    return operate({ kid, privateKey, action, input })
  }
  const isApplication = (form: URLSearchParams) =>
    form.get('grant_type') === 'client_credentials' &&
    form.get('client_id') === 'app-1' &&
    form.get('scope') === 'https://vault.azure.net/.default' &&
    (form.get('client_secret') === 'secret-1' || form.get('client_assertion') === 'pod.token.signature')
  function hand(isGood: boolean, expiry: object): Answer {
    if (!isGood) return json(401, { error: 'invalid_client' })
    const token = randomBytes(16).toString('base64url')
    tokens.add(token)
    return json(200, { access_token: token, token_type: 'Bearer', ...expiry })
  }
  function create(
    name: string,
    input: { kty: string; key_size?: number; attributes: { exportable: boolean } },
  ): Answer {
    const privateKey =
      input.kty === 'RSA'
        ? // Creating a longer key takes seconds, in which nothing else runs.
          generateKeyPairSync('rsa', { modulusLength: Math.min(input.key_size ?? 2048, 2048) }).privateKey
        : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const version = newVersion()
    const key = keys.get(name) ?? { versions: new Map(), exportable: input.attributes.exportable }
    key.versions.set(version, privateKey)
    keys.set(name, key)
    return show(`https://${host}/keys/${name}/${version}`, key, privateKey)
  }
  return {
    respond,
    keys,
    tokens,
    rotate: (name) =>
      void keys.get(name)?.versions.set(newVersion(), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  }
}

function show(kid: string, { exportable }: AzureKey, privateKey: KeyObject): Answer {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' })
  return json(200, { key: { kid, ...jwk }, attributes: { enabled: true, exportable } })
}

interface Operation {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly action: string | undefined
  readonly input: { readonly alg: string; readonly value: string }
}

function operate({ kid, privateKey, action, input }: Operation): Answer {
  const bytes = Buffer.from(input.value, 'base64url')
  const answer = (value: Buffer) => json(200, { kid, value: value.toString('base64url') })
  const isRsa = privateKey.asymmetricKeyType === 'rsa'
  if (action === 'sign' && input.alg === (isRsa ? 'RS256' : 'ES256') && bytes.length === 32)
    return answer(signDigest(bytes, privateKey))
  if (action === 'wrapKey' && isRsa && input.alg === 'RSA-OAEP-256')
    return answer(publicEncrypt({ key: createPublicKey(privateKey), ...OAEP }, bytes))
  if (action === 'unwrapKey' && isRsa && input.alg === 'RSA-OAEP-256') {
    try {
      return answer(privateDecrypt({ key: privateKey, ...OAEP }, bytes))
    } catch {
      return refuse(400, 'BadParameter')
    }
  }
  return refuse(400, 'BadParameter')
}
