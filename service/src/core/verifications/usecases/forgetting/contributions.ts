// What features forget together with a verification. Core calls each; it knows none of them by name.

import type { Tx } from '../../../../platform/postgres/db.ts'
import type { Instant } from '../../../../platform/world.ts'
import type { AuditEvent } from '../../../ports/audit.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import type { DerivedRows } from '../../store/erasure.ts'

export interface ForgettingContribution {
  readonly name: string
  /** The content of a verification goes; the verification stays. */
  forgetContent?(tx: Tx, realm: Realm, id: string): Promise<void>
  /** Verifications are erased: what was derived from them is gone, their own rows go next. Returns what the trail says of it. */
  forgetDerived?(tx: Tx, realm: Realm, derived: DerivedRows): Promise<readonly AuditEvent[]>
  /** What is kept for too long, at most so many rows. Returns how many went. */
  forgetOverdue?(tx: Tx, now: Instant, rowsMax: number): Promise<number>
}
