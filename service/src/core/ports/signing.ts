// Who we say we are to wallets: what requests are signed with.

import type { KeyObject } from 'node:crypto'
import type { ClientIdPrefix } from '@vidimus/engine'
import type { Realm } from '../tenants/domain/realm.ts'

/** A key and its certificates. One object for as long as it is in use. */
export interface SigningCertificate {
  /** DER, leaf first, without the anchor. */
  readonly chain: readonly Uint8Array[]
  readonly leaf: Uint8Array
  readonly privateKey: KeyObject
  /** The client_id that the hash of the leaf gives. */
  readonly hashClientId: string
}

/** For whom something is signed: a realm, and where one is meant, a service of its tenant. */
export type Asking = Realm & { readonly serviceId?: string | null }

/** Each refuses with `unavailable` where no certificate is valid now. */
export interface Signing {
  /** The client_id that a new verification carries. */
  clientIdFor(asking: Asking, prefix: ClientIdPrefix): Promise<string>
  /** The one that a verification's client_id names; it may have been replaced since the creation. */
  signerFor(realm: Realm, clientId: string): Promise<SigningCertificate>
  /** Every one that may sign an OpenID4VP request, the usual one first; of a verification by its client_id, where one is given. */
  signersFor(asking: Asking, clientId?: string): Promise<readonly SigningCertificate[]>
  /** Every one that may authenticate us as a reader (ISO 18013-5), the usual one first. Empty where none is valid. */
  readersFor(asking: Asking): Promise<readonly SigningCertificate[]>
}
