// Whom a tenant trusts to issue credentials: anchors by environment, installed by hand or taken from a published list.

import type { Anchor } from '@vidimus/engine'
import type { Environment, Instant } from '../world.ts'

/** What the engine judges chains against. */
export type TrustAnchor = Anchor

export interface InstalledAnchor extends TrustAnchor {
  readonly id: string
  /** null: the operator's, for every tenant. */
  readonly tenantId: string | null
  readonly environment: Environment
  /** null: installed by hand. */
  readonly listId: string | null
  readonly createdAt: Instant
}

export type TrustListKind = 'vical' | 'lote'

/** A published list of anchors, and how fresh our copy of it is. */
export interface TrustList {
  readonly id: string
  readonly tenantId: string | null
  readonly environment: Environment
  readonly kind: TrustListKind
  /** An http(s) address, or the name of a file that was read once. */
  readonly source: string
  /** DER of the certificate that the list's signature must lead to; null only for a file the operator vouches for. */
  readonly signer: Uint8Array | null
  /** Credential types for entries that name none. */
  readonly types: readonly string[]
  readonly createdAt: Instant
  readonly issuer: string | null
  readonly sequence: number | null
  readonly issuedAt: Instant | null
  readonly nextUpdateAt: Instant | null
  readonly loadedAt: Instant | null
  readonly attemptedAt: Instant | null
  readonly failure: string | null
}
