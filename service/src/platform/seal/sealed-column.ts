// A column of sealed values, as a change of the master key needs it.

import type { DerivedKeys } from './seal.ts'

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key: all of them texts. */
  readonly key: readonly [string, ...string[]]
  /** Columns beside the key that the context is made from: all of them texts. */
  readonly beside: readonly string[]
  /** Bytes that stand before the sealed value in the column. */
  readonly prefixBytes: number
  /** Where the value belongs. */
  sealContext(row: SealedRowFacts, prefix: Buffer): string
  /** A column that is made from the opened value under a key of its own, and is made anew with it. */
  readonly derived: {
    readonly column: string
    make(keys: DerivedKeys, row: SealedRowFacts, opened: Buffer): Buffer | null
  } | null
}

/** The columns of `key` and `beside`, by name. */
export type SealedRowFacts = Readonly<Record<string, string | null>>
