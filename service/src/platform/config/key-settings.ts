// Where keys outside of this process are: an HSM, a key service, and how this process signs in there.

import { childReference, referenceProblem } from '../keys/key-reference.ts'
import { isSafeServiceUrl } from '../keys/service-url.ts'
import { readWrappedKey, type WrappedKey } from '../keys/wrapped-key.ts'
import { Misread, type Read } from './variable-readers.ts'

export interface KeySettings {
  /** null: no HSM. */
  readonly pkcs11: { readonly module: string; readonly pinFile: string } | null
  /** null: no Vault. */
  readonly vault: VaultSettings | null
  readonly aws: AwsSettings
  readonly azure: AzureSettings
  readonly google: GoogleSettings
  /** The beginning of the names of keys for ID tokens, which the service creates there; null: in the store, sealed. */
  readonly idTokens: string | null
  /** The master keys, wrapped by keys outside; the first seals, the others open. Empty: not wrapped. */
  readonly wrappedMasterKeys: readonly WrappedKey[]
}

export interface VaultSettings {
  readonly url: string
  readonly namespace: string | null
  readonly login: VaultLogin
}

export type VaultLogin =
  | { readonly by: 'token'; readonly tokenFile: string }
  | { readonly by: 'approle'; readonly path: string; readonly roleId: string; readonly secretIdFile: string }
  | { readonly by: 'kubernetes'; readonly path: string; readonly role: string; readonly tokenFile: string }

/** By the names that AWS gives them. Nothing is checked before a key of AWS is used: other programs share them. */
export interface AwsSettings {
  readonly region: string | null
  readonly accessKeyId: string | null
  readonly secretAccessKey: string | null
  readonly sessionToken: string | null
  readonly roleArn: string | null
  readonly webIdentityTokenFile: string | null
  readonly containerUri: string | null
  readonly containerPath: string | null
  readonly containerTokenFile: string | null
  readonly kmsUrl: string | null
  readonly stsUrl: string | null
  readonly metadataUrl: string
}

/** By the names that Azure gives them, as above. */
export interface AzureSettings {
  readonly tenantId: string | null
  readonly clientId: string | null
  readonly clientSecret: string | null
  readonly federatedTokenFile: string | null
  readonly authorityUrl: string
  readonly identityUrl: string | null
  readonly identityHeader: string | null
  readonly metadataUrl: string
}

export interface GoogleSettings {
  readonly credentialsFile: string | null
  readonly metadataHost: string
  readonly kmsUrl: string
}

export const absolutePath: Read<string> = (text) => {
  if (!text.startsWith('/')) throw new Misread('a full path')
  return text
}

/** The beginning of names: one with more behind it must be a name, too. */
export const keyParent: Read<string> = (text) => {
  const problem = referenceProblem(text)
  if (problem !== null) throw new Misread(problem)
  if (referenceProblem(childReference(text, 'sig_0')) !== null)
    throw new Misread('the beginning of names: without a version, an id or an ARN of one key')
  return text
}

export const wrappedKeys: Read<readonly WrappedKey[]> = (text) => {
  const keys = text.split(',').map((part) => readWrappedKey(part.trim()))
  if (keys.includes(null)) throw new Misread('what `vidimus master-key wrap` printed; several are separated by commas')
  return keys.filter((key) => key !== null)
}

/** Its token would be readable on the way by others: plain http is for this machine alone. */
export const serviceUrl: Read<string> = (text) => {
  const url = URL.parse(text)
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '' && !text.endsWith('/')
  if (isPlain && isSafeServiceUrl(text)) return text
  throw new Misread('an https address without a trailing slash; http only on this machine (127.0.0.1, localhost)')
}
