// Defines what features delete together with a verification. Core calls each feature and knows none by name.

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
  /** Called after core has deleted the content of a verification. The verification itself stays. */
  forgetContent?(tx: Tx, realm: Realm, id: string): Promise<void>
  /**
   * Called at a merchant's request: deletes copies that would outlive the content, even if the content is gone already.
   * The row of the verification is locked.
   */
  forgetCopies?(tx: Tx, realm: Realm, forgotten: { readonly id: string; readonly at: Instant }): Promise<void>
  /** Returns which of these verifications the retention job must leave for later. */
  findInUse?(tx: Tx, realm: Realm, ids: readonly string[]): Promise<readonly string[]>
  /** Called before core deletes the rows of erased verifications. */
  forgetDerived?(tx: Tx, realm: Realm, ids: readonly string[]): Promise<ErasedByFeature>
  /** Deletes what is derived from these verifications of a day whose retention is over. */
  forgetLapsed?(tx: Tx, lapsed: Lapsed): Promise<void>
  /** The tables that `forgetLapsed` deletes from. Small tables are searched once, not for each page of the day. */
  readonly derivedTables?: readonly string[]
  /** Deletes at most this many overdue rows. Returns how many. */
  forgetOverdue?(tx: Tx, now: Instant, rowsMax: number): Promise<number>
}
