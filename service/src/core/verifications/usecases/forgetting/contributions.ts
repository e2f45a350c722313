// What features delete together with a verification. Core calls each; it knows none of them by name.

import type { Tx } from '../../../../platform/postgres/db.ts'
import type { Instant } from '../../../../platform/world.ts'
import type { AuditEvent } from '../../../ports/audit.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import type { DerivedRows } from '../../store/erasure.ts'

export interface ForgettingContribution {
  readonly name: string
  /** The content of a verification is deleted; the verification stays. */
  forgetContent?(tx: Tx, realm: Realm, id: string): Promise<void>
  /**
   * Verifications are erased: derived rows are gone, their own rows go next. Returns the events for the audit trail.
   */
  forgetDerived?(tx: Tx, realm: Realm, derived: DerivedRows): Promise<readonly AuditEvent[]>
  /** Deletes what is overdue, at most this many rows. Returns how many. */
  forgetOverdue?(tx: Tx, now: Instant, rowsMax: number): Promise<number>
}
