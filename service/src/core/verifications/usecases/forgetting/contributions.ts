// What features delete together with a verification. Core calls each; it knows none of them by name.

import type { Lapsed } from '../../../../platform/postgres/days.ts'
import type { Tx } from '../../../../platform/postgres/db.ts'
import type { Instant } from '../../../../platform/world.ts'
import type { AuditEvent } from '../../../ports/audit.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import type { ErasureCounts } from '../../store/erasure.ts'

/** What a feature deleted with erased verifications. */
export interface ErasedByFeature {
  /** For the audit trail. */
  readonly events?: readonly AuditEvent[]
  /** For the answer to the merchant. */
  readonly counts?: Partial<Pick<ErasureCounts, 'webhook_deliveries'>>
}

export interface ForgettingContribution {
  readonly name: string
  /** The content of a verification is deleted; the verification stays. Called after core has deleted its own. */
  forgetContent?(tx: Tx, realm: Realm, id: string): Promise<void>
  /**
   * For a merchant's call: deletes copies that would outlive the content, even if the content is gone already. The
   * verification's row is locked.
   */
  forgetCopies?(tx: Tx, realm: Realm, forgotten: { readonly id: string; readonly at: Instant }): Promise<void>
  /** Returns which of these verifications the retention job must leave for later. */
  findInUse?(tx: Tx, realm: Realm, ids: readonly string[]): Promise<readonly string[]>
  /** These verifications are erased. Called before core deletes its own rows. */
  forgetDerived?(tx: Tx, realm: Realm, ids: readonly string[]): Promise<ErasedByFeature>
  /** A day is past its retention: deletes what is derived from these of its verifications. */
  forgetLapsed?(tx: Tx, lapsed: Lapsed): Promise<void>
  /** The tables that `forgetLapsed` deletes from: if they are small, they are searched as a whole instead of for each page of the day. */
  readonly derivedTables?: readonly string[]
  /** Deletes what is overdue, at most this many rows. Returns how many. */
  forgetOverdue?(tx: Tx, now: Instant, rowsMax: number): Promise<number>
}
