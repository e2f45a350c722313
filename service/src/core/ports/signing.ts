// Defines the signing port: the keys and certificates that identify us to wallets.

import type { ClientIdPrefix } from '@vidimus/engine'
import type { RequestAlgorithm, SigningKey } from '../../platform/keys/signing-key.ts'
import type { Realm } from '../tenants/domain/realm.ts'

/** A key and its certificates. Calls return the same object for as long as the key is in use. */
export interface SigningCertificate {
  /** DER, leaf first, without the anchor. */
  readonly chain: readonly Uint8Array[]
  readonly leaf: Uint8Array
  readonly key: SigningKey<RequestAlgorithm>
  /** The client_id derived from the hash of the leaf. */
  readonly hashClientId: string
  /** The exact names and addresses in the leaf. */
  readonly hosts: readonly string[]
}

/** Who the signature is for: a realm and, optionally, a service of its tenant. */
export type Asking = Realm & { readonly serviceId?: string | null }

/** Each method except `readersFor` refuses with `unavailable` if no certificate is valid now. */
export interface Signing {
  /** The client_id of a new verification. */
  clientIdFor(asking: Asking, prefix: ClientIdPrefix): Promise<string>
  /** The certificate that a verification's client_id names; it may have been replaced since the creation. */
  signerFor(realm: Realm, clientId: string): Promise<SigningCertificate>
  /** The certificates that may sign an OpenID4VP request, usual one first; with `clientId`, only those it names. */
  signersFor(asking: Asking, clientId?: string): Promise<readonly SigningCertificate[]>
  /** The certificates that may authenticate us as a reader (ISO 18013-5), the usual one first; may be empty. */
  readersFor(asking: Asking): Promise<readonly SigningCertificate[]>
}
