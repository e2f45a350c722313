// Defines the settings of keys outside of this process: the HSM or key service, and how this process signs in to it.

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
  /** The prefix of the names of ID token keys in a key service; null: these keys are sealed in the store. */
  readonly idTokens: string | null
  /** The wrapped master keys. The first seals, the others only open. Empty: master keys are not wrapped. */
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

/** Named as in AWS. Checked only when an AWS key is used, because other programs share these variables. */
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

/** Named as in Azure. Checked only when an Azure key is used. */
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

/** The prefix of key names. A name with this prefix must also be a valid key reference. */
export const keyParent: Read<string> = (text) => {
  const problem = referenceProblem(text)
  if (problem !== null) throw new Misread(problem)
  if (referenceProblem(childReference(text, 'sig_0')) !== null)
    throw new Misread('a prefix of key names: not the version, the id or the ARN of one key')
  return text
}

export const wrappedKeys: Read<readonly WrappedKey[]> = (text) => {
  const keys = text.split(',').map((part) => readWrappedKey(part.trim()))
  if (keys.includes(null)) throw new Misread('what `vidimus master-key wrap` printed; several are separated by commas')
  return keys.filter((key) => key !== null)
}

/** Plain http is allowed only on this machine: elsewhere others could read the token in transit. */
export const serviceUrl: Read<string> = (text) => {
  const url = URL.parse(text)
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '' && !text.endsWith('/')
  if (isPlain && isSafeServiceUrl(text)) return text
  throw new Misread('an https address without a trailing slash; http only on this machine (127.0.0.1, localhost)')
}
