// Defines a verification before the transaction sets its time and the tenant's terms.

import type { AuditActor } from '../../../ports/audit.ts'
import type { Warning } from '../../../registrations/domain/choose.ts'
import type { Registration } from '../../../registrations/domain/registration.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import type { FrozenTransaction } from '../../../transactions/domain/frozen.ts'
import type { EveryVerification } from '../../domain/verification.ts'
import type { NewVerification } from '../../store/columns.ts'

/** What a tenant's settings decide for a whole batch. */
export type Terms = Pick<NewVerification, 'clientId' | 'responseMode'>

/** Everything of a verification that is known before the transaction sets its time and the tenant's terms. */
export interface Draft
  extends Omit<EveryVerification, keyof Realm | keyof Terms | 'createdAt' | 'expiresAt'>,
    Pick<NewVerification, 'query' | 'outputs' | 'browserBinding' | 'browserHash'> {
  readonly ttlSeconds: number
  readonly actor: AuditActor
  /** What the audit trail says about the actor in addition to the id. */
  readonly actorDetails: { readonly actor_name?: string }
  /** The idempotency key that this creation has leased; null: none. */
  readonly keyLease: { readonly key: string; readonly fence: string } | null
  /** What the holder is asked to agree to. Empty: nothing. */
  readonly transaction: readonly FrozenTransaction[]
  /** The registration of the request. */
  readonly registration: Registration | null
  /** The warnings of the response. */
  readonly warnings: readonly Warning[]
}

export type Creation =
  | { readonly outcome: 'created'; readonly answer: string }
  /** `atMs`: the time of the decision, on the day whose quota is spent. */
  | { readonly outcome: 'quota_exceeded'; readonly atMs: number }
  /** The lease expired and another request took the key, so nothing was created. */
  | { readonly outcome: 'key_lost' }
  | { readonly outcome: 'failed'; readonly error: unknown }

/** Commits creations. */
export interface Creations {
  /** The time for a new id. As far as this process knows, its day is the partition of the verification. */
  timeOfId(tenantId: string): number
  commit(realm: Realm, draft: Draft): Promise<Creation>
}
