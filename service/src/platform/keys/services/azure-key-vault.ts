// Uses keys in Azure Key Vault or Managed HSM (REST API 7.4).

import type { AzureSettings } from '../../config/key-settings.ts'
import { KeyFailure, type KeyProvider } from '../key-provider.ts'
import type { KeyAlgorithm } from '../signing-key.ts'
import type { PinnedKey } from '../stored-key.ts'
import { loadAzureToken } from './azure-token.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { bytesOf, type CallService, CONCURRENCY, failureOf, type Json, objectOf, textOf } from './key-service.ts'
import { digestFor, pinKey, requireKind, requireParts } from './public-key.ts'

const API = 'api-version=7.4'

/** Key Vault has no Ed25519. */
const KINDS: Readonly<Partial<Record<KeyAlgorithm, Kind>>> = {
  ES256: { kty: 'EC', crv: 'P-256' },
  RS256: { kty: 'RSA', key_size: 2048 },
}

interface Kind {
  readonly kty: string
  readonly crv?: string
  readonly key_size?: number
}

/** Our token is sent only to vaults of Azure's clouds. */
const CLOUDS = [
  'vault.azure.net',
  'managedhsm.azure.net',
  'vault.azure.cn',
  'managedhsm.azure.cn',
  'vault.usgovcloudapi.net',
  'managedhsm.usgovcloudapi.net',
]

/** The wrapping algorithm for each type of key. */
const WRAPPING: Readonly<Record<string, string>> = { RSA: 'RSA-OAEP-256', oct: 'A256KW' }
const VERSION = /^[0-9a-f]{32}$/

export function createAzureKeyVault(settings: AzureSettings, call: CallService): KeyProvider {
  const tokens = new Map<string, Credentials<string>>()
  const tokenFor = (resource: string) => {
    const known = tokens.get(resource) ?? createCredentials(() => loadAzureToken({ settings, call, resource }))
    tokens.set(resource, known)
    return known
  }
  /** null: there is no such key. Sends a GET if there is no body. */
  const ask = (place: Place, path: string, body?: object, isQuick = false): Promise<Json | null> =>
    tokenFor(place.resource).use(async (token) => {
      const { status, json } = await call({
        method: body === undefined ? 'GET' : 'POST',
        url: `${place.vault}/keys/${path}?${API}`,
        headers: { Authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
        isQuick,
      })
      if (status === 200) return json
      const error = objectOf(json.error)
      if (status === 404) return null
      const code = textOf(objectOf(error?.innererror)?.code) || textOf(error?.code)
      throw failureOf({ service: 'Azure Key Vault', status, code, isUnauthorised: status === 401 })
    })
  const requireAnswer = async (...call: Parameters<typeof ask>): Promise<Json> => {
    const answer = await ask(...call)
    if (answer === null) throw new KeyFailure('refused', 'Azure Key Vault has no key of this name and version')
    return answer
  }
  const make = (place: Place, kind: object) =>
    requireAnswer(place, `${place.name}/create`, { ...kind, attributes: { enabled: true, exportable: false } })
  return {
    concurrency: CONCURRENCY,
    async find(reference) {
      const place = placeOf(reference)
      const found = await ask(place, `${place.name}/${place.version ?? ''}`)
      return found === null ? null : pin(place, found)
    },
    async create(reference, algorithm) {
      const place = placeOf(reference)
      const { kty, ...more } = requireKind(KINDS, algorithm, 'Azure Key Vault')
      return pin(place, await make(place, { kty: `${kty}${place.hsm}`, ...more, key_ops: ['sign', 'verify'] }))
    },
    async sign({ reference, algorithm }, bytes) {
      requireKind(KINDS, algorithm, 'Azure Key Vault')
      const place = placeOf(reference)
      const value = digestFor(algorithm, bytes).toString('base64url')
      const answer = await requireAnswer(place, `${versioned(place)}/sign`, { alg: algorithm, value }, true)
      return { encoding: 'raw', signature: bytesOf(answer.value, 'base64url') }
    },
    async wrap(reference, plain) {
      const place = placeOf(reference)
      const found = await ask(place, `${place.name}/${place.version ?? ''}`)
      const kind = place.hsm === '' ? { kty: 'RSA', key_size: 4096 } : { kty: 'oct-HSM', key_size: 256 }
      const { kty, version } = readKey(
        place,
        found ?? (await make(place, { ...kind, key_ops: ['wrapKey', 'unwrapKey'] })),
      )
      const alg = wrappingOf(kty)
      const value = Buffer.from(plain).toString('base64url')
      const answer = await requireAnswer(place, `${place.name}/${version}/wrapKey`, { alg, value })
      // Stores the version with the wrapped key: unwrapping needs it, and the key may get newer versions.
      return Buffer.from(`${version}.${alg}.${bytesOf(answer.value, 'base64url').toString('base64url')}`, 'utf8')
    },
    async unwrap(reference, wrapped) {
      const place = placeOf(reference)
      const [version = '', alg = '', value = ''] = Buffer.from(wrapped).toString('utf8').split('.')
      if (!VERSION.test(version) || !Object.values(WRAPPING).includes(alg))
        throw new KeyFailure('refused', 'Azure Key Vault did not wrap this')
      const answer = await requireAnswer(place, `${place.name}/${version}/unwrapKey`, { alg, value })
      return bytesOf(answer.value, 'base64url')
    },
    close: async () => undefined,
  }
}

interface Place {
  readonly vault: string
  readonly resource: string
  readonly name: string
  readonly version: string | undefined
  /** The suffix of key types: a Managed HSM has only types with `-HSM`. */
  readonly hsm: '' | '-HSM'
}

function placeOf(reference: string): Place {
  const { vault = '', host = '', name = '', version } = requireParts('azurekms', reference)
  const cloud = CLOUDS.find((suffix) => host.endsWith(`.${suffix}`))
  if (cloud === undefined) throw new KeyFailure('refused', 'this host is not an Azure vault')
  return { vault, resource: `https://${cloud}`, name, version, hsm: cloud.startsWith('managedhsm') ? '-HSM' : '' }
}

const versioned = ({ name, version }: Place) => {
  if (version === undefined) throw new KeyFailure('refused', 'to sign, the name of a key in Azure needs its version')
  return `${name}/${version}`
}

function readKey(place: Place, answer: Json): { readonly kty: string; readonly version: string; readonly jwk: Json } {
  const jwk = objectOf(answer.key) ?? {}
  const [, version = ''] = /\/([0-9a-f]{32})$/.exec(textOf(jwk.kid)) ?? []
  if (version === '') throw new KeyFailure('away', 'the answer of Azure Key Vault has no version of the key')
  if (place.version !== undefined && place.version !== version)
    throw new KeyFailure('refused', 'Azure Key Vault returned another version of the key')
  if (objectOf(answer.attributes)?.exportable === true)
    throw new KeyFailure('refused', 'the key can leave Azure Key Vault: it must not be exportable')
  return { kty: textOf(jwk.kty).replace(/-HSM$/, ''), version, jwk }
}

function pin(place: Place, answer: Json): PinnedKey {
  const { kty, version, jwk } = readKey(place, answer)
  const { crv, x, y, n, e } = Object.fromEntries(Object.entries(jwk).map(([name, value]) => [name, textOf(value)]))
  const publicJwk = kty === 'EC' ? { kty, crv, x, y } : { kty, n, e }
  const clean = Object.fromEntries(Object.entries(publicJwk).filter(([, value]) => value !== undefined))
  return pinKey(`azurekms:${place.vault}/keys/${place.name}/${version}`, { jwk: clean })
}

function wrappingOf(kty: string): string {
  const alg = WRAPPING[kty]
  if (alg === undefined) throw new KeyFailure('refused', 'the key in Azure Key Vault is neither RSA nor symmetric')
  return alg
}
