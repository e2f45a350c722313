// Defines what features add to the ending of a verification: locks, rows, and their part of the statement.

import {
  defineFragment,
  defineParts,
  type KeyedRows,
  type Part,
  rowKey,
} from '../../../../platform/postgres/fragments.ts'
import type { DefinedStatement } from '../../../../platform/postgres/statement.ts'
import type { Instant } from '../../../../platform/world.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import type { ReceiptBinding } from '../../domain/browser-binding.ts'
import type { Keeping } from '../../domain/keeping.ts'
import type { VerificationResult } from '../../domain/verification.ts'
import type { WalletVerification } from '../../store/columns.ts'
import { defineEndings, type EndingStatements, type FromEnded } from '../../store/endings.ts'
import type { TenantLock } from '../../store/tenant-lock.ts'
import type { Answer } from './ending.ts'

/** An answer that has ended its verification. */
export interface EndedAnswer extends Omit<Answer, 'judgement'> {
  readonly realm: Realm
  readonly outcome: VerificationResult['outcome']
  /** The part of the result that is stored and can be read. */
  readonly kept: Keeping
  readonly binding: ReceiptBinding
  /** The hash of the request object that was served first; null if it was not recorded. */
  readonly servedHash: Uint8Array | null
  /** What contributions prepared from the answer. */
  readonly prepared: KeyedRows
}

/** When each verification ended, by its id. One contribution sets these times; no two of a realm are the same. */
export const ENDED_AT = rowKey<ReadonlyMap<string, Instant>>('the time of each ending')

export interface EndingBatch {
  readonly now: Instant
  /** The rows of this batch. Each contribution puts its rows here, and finds those of earlier contributions. */
  readonly keyedRows: KeyedRows
}

export interface EndingContribution {
  readonly name: string
  /** Rows of the tenant that the contribution writes later in the transaction. */
  readonly lock?: TenantLock
  /** What the contribution writes in the statement that ends verifications. */
  readonly fromEnded?: FromEnded
  /** Its part of the last statement, which commits. With this, `collect` must always put its rows. */
  readonly last?: Part
  /** Its own statement, which runs before the last one if `collect` returned true. */
  readonly own?: Part
  /** Whether `collect` would find rows for `own`. Absent: it may. */
  hasOwn?(ended: EndedAnswer): boolean
  /** Whether the contribution needs the request as the wallet got it. */
  keepsRequest?(verification: WalletVerification): boolean
  /** Runs for one answer, before the answer joins a batch. Long work belongs here, where it holds up no batch. */
  prepare?(answer: Answer, prepared: KeyedRows): Promise<void> | void
  /** Runs once per batch, before its transaction. */
  begin?(nowMs: number, keyedRows: KeyedRows): Promise<void>
  /** Collects rows for the verifications that have ended. False: there are none. */
  collect?(ended: readonly EndedAnswer[], batch: EndingBatch): boolean
}

/** The contributions, and the statements composed of them. */
export interface ComposedEndings {
  readonly all: readonly EndingContribution[]
  readonly locks: readonly TenantLock[]
  readonly statements: EndingStatements
  readonly own: readonly { readonly of: EndingContribution; readonly statement: DefinedStatement<KeyedRows> }[]
  readonly last: DefinedStatement<KeyedRows>
}

export function composeEndings(all: readonly EndingContribution[]): ComposedEndings {
  const locks = all.flatMap(({ lock }) => lock ?? [])
  const last = all.flatMap(({ last }) => last ?? [])
  return {
    all,
    locks,
    statements: defineEndings({ locks, fromEnded: all.flatMap(({ fromEnded }) => fromEnded ?? []), last }),
    own: all.flatMap((of) => (of.own === undefined ? [] : [{ of, statement: defineFragment(of.own) }])),
    last: defineParts('write_endings', last),
  }
}
