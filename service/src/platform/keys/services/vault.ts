// Uses keys in the transit engine of HashiCorp Vault or OpenBao.

import type { VaultSettings } from '../../config/key-settings.ts'
import { KeyFailure, type KeyProvider } from '../key-provider.ts'
import type { KeyAlgorithm } from '../signing-key.ts'
import type { PinnedKey } from '../stored-key.ts'
import { bytesOf, type CallService, CONCURRENCY, failureOf, type Json, objectOf, textOf } from './key-service.ts'
import { digestFor, pinKey, requireKind, requireParts } from './public-key.ts'
import { askVault, type VaultCall, vaultCredentials } from './vault-login.ts'

const ED25519 = 'ed25519'

const KINDS: Readonly<Partial<Record<KeyAlgorithm, Kind>>> = {
  ES256: { type: 'ecdsa-p256', how: { prehashed: true, marshaling_algorithm: 'jws' }, encoding: 'base64url' },
  EdDSA: { type: ED25519, how: {}, encoding: 'base64' },
  RS256: { type: 'rsa-2048', how: { prehashed: true, signature_algorithm: 'pkcs1v15' }, encoding: 'base64' },
}

interface Kind {
  readonly type: string
  readonly how: object
  /** The encoding of the key's signatures. */
  readonly encoding: 'base64' | 'base64url'
}

const WRAPPING_TYPE = 'aes256-gcm96'
const ASSOCIATED = Buffer.from('vidimus master key', 'utf8').toString('base64')

export function createVault(settings: VaultSettings, call: CallService): KeyProvider {
  const needs = { settings, call }
  const credentials = vaultCredentials(needs)
  /** null: there is no such key. */
  const ask = (vaultCall: VaultCall): Promise<Json | null> =>
    credentials.use(async ({ token }) => {
      const { status, json } = await askVault(needs, { ...vaultCall, token })
      if (status === 200) return objectOf(json.data) ?? {}
      if (status === 204) return {}
      if (status === 404) return null
      // Vault gives the same answer for an expired token and for a token without permission.
      throw failureOf({ service: 'Vault', status, isUnauthorised: status === 403 })
    })
  const requireAnswer = async (vaultCall: VaultCall): Promise<Json> => {
    const answer = await ask(vaultCall)
    if (answer === null) throw new KeyFailure('refused', 'Vault has no such key, or no transit engine at this mount')
    return answer
  }
  const describe = async (mount: string, name: string): Promise<Json | null> => {
    const key = await ask({ path: `${mount}/keys/${name}` })
    if (key === null) return null
    if (key.exportable !== false || key.allow_plaintext_backup !== false)
      throw new KeyFailure(
        'refused',
        'the key can leave Vault: it must be neither exportable nor backed up in plain text',
      )
    return key
  }
  const find = async (reference: string): Promise<PinnedKey | null> => {
    const { mount, name, version: wanted } = partsOf(reference)
    const key = await describe(mount, name)
    if (key === null) return null
    if (key.derived === true) throw new KeyFailure('refused', 'the key in Vault is a derived key, which cannot sign')
    const version = wanted ?? String(key.latest_version)
    const text = textOf(objectOf(objectOf(key.keys)?.[version])?.public_key)
    if (text === '') throw new KeyFailure('refused', 'Vault has no public key of this version')
    // Pins the version: the key may get newer versions, and a certificate belongs to one version.
    const pinned = `vault:${mount}/keys/${name}/${version}`
    if (key.type !== ED25519) return pinKey(pinned, { pem: text })
    return pinKey(pinned, { jwk: { kty: 'OKP', crv: 'Ed25519', x: bytesOf(text, 'base64').toString('base64url') } })
  }
  const make = (mount: string, name: string, type: string) =>
    requireAnswer({ path: `${mount}/keys/${name}`, body: { type, exportable: false, allow_plaintext_backup: false } })
  return {
    concurrency: CONCURRENCY,
    find,
    async create(reference, algorithm) {
      const { type } = requireKind(KINDS, algorithm, 'Vault')
      const { mount, name } = partsOf(reference)
      await make(mount, name, type)
      const key = await find(reference)
      if (key === null) throw new KeyFailure('away', 'Vault does not know its new key yet; try again')
      return key
    },
    async sign({ reference, algorithm }, bytes) {
      const { how, encoding } = requireKind(KINDS, algorithm, 'Vault')
      const { mount, name, version } = partsOf(reference)
      const input = (algorithm === 'EdDSA' ? Buffer.from(bytes) : digestFor(algorithm, bytes)).toString('base64')
      const answer = await requireAnswer({
        path: `${mount}/sign/${name}${algorithm === 'EdDSA' ? '' : '/sha2-256'}`,
        body: { input, key_version: Number(version), ...how },
        isQuick: true,
      })
      const [, signedVersion, signature] = /^vault:v(\d+):([\w+/=-]+)$/.exec(textOf(answer.signature)) ?? []
      if (signedVersion === undefined) throw new KeyFailure('away', 'the answer of Vault has no signature')
      if (signedVersion !== version)
        throw new KeyFailure('wrong_signature', 'Vault signed with another version of the key')
      return { encoding: 'raw', signature: bytesOf(signature, encoding) }
    },
    async wrap(reference, plain) {
      const { mount, name } = partsOf(reference)
      const key = await describe(mount, name)
      // Created here, because encrypting would create a key of a type that the mount chooses.
      if (key === null) await make(mount, name, WRAPPING_TYPE)
      else if (key.type !== WRAPPING_TYPE) throw new KeyFailure('refused', `the key in Vault is not ${WRAPPING_TYPE}`)
      const body = { plaintext: Buffer.from(plain).toString('base64'), associated_data: ASSOCIATED }
      const { ciphertext } = await requireAnswer({ path: `${mount}/encrypt/${name}`, body })
      if (!textOf(ciphertext).startsWith('vault:v'))
        throw new KeyFailure('away', 'the answer of Vault has no ciphertext')
      return Buffer.from(textOf(ciphertext), 'utf8')
    },
    async unwrap(reference, wrapped) {
      const { mount, name } = partsOf(reference)
      const body = { ciphertext: Buffer.from(wrapped).toString('utf8'), associated_data: ASSOCIATED }
      const { plaintext } = await requireAnswer({ path: `${mount}/decrypt/${name}`, body })
      return bytesOf(plaintext, 'base64')
    },
    close: async () => credentials.close(),
  }
}

function partsOf(reference: string) {
  const { mount = '', name = '', version } = requireParts('vault', reference)
  return { mount, name, version }
}
