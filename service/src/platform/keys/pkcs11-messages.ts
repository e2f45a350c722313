// Defines the messages between the event loop and the threads that call PKCS #11.

import type { webcrypto } from 'node:crypto'
import type { KeyFailureKind } from './key-provider.ts'
import type { KeyAlgorithm } from './signing-key.ts'

interface OfObject {
  readonly token: string
  readonly object: string
}

export type Pkcs11Request = OfObject &
  (
    | { readonly does: 'find' }
    | { readonly does: 'create'; readonly algorithm: KeyAlgorithm }
    | { readonly does: 'sign'; readonly algorithm: KeyAlgorithm; readonly bytes: Uint8Array }
    | { readonly does: 'wrap' | 'unwrap'; readonly bytes: Uint8Array }
  )

export interface Pkcs11Answers {
  readonly find: { readonly algorithm: KeyAlgorithm; readonly jwk: webcrypto.JsonWebKey } | null
  readonly create: { readonly algorithm: KeyAlgorithm; readonly jwk: webcrypto.JsonWebKey }
  readonly sign: Uint8Array
  readonly wrap: Uint8Array
  readonly unwrap: Uint8Array
}

export type Pkcs11Answer =
  | { readonly outcome: 'done'; readonly value: Pkcs11Answers[keyof Pkcs11Answers] }
  | { readonly outcome: 'failed'; readonly kind: KeyFailureKind; readonly message: string }

export interface Pkcs11Settings {
  /** The path of the module that came with the HSM. */
  readonly module: string
  readonly pin: string
}
