// Describes a column of sealed values, for a change of the master key.

import type { SecretKeys } from './seal.ts'

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key; every column is text. */
  readonly key: readonly [string, ...string[]]
  /** Further columns that are part of the seal context. Every column is text. */
  readonly contextColumns: readonly string[]
  /** Bytes before the sealed value in the column. */
  readonly prefixBytes: number
  /** The seal context of the value. */
  sealContext(row: SealedRowFacts, prefix: Buffer): string
  /** A column that is computed from the decrypted value under another key. A change of the master key recomputes it. */
  readonly derived: {
    readonly column: string
    make(keys: SecretKeys, row: SealedRowFacts, opened: Buffer): Buffer | null
  } | null
}

/** The columns of `key` and `contextColumns`, by name. */
export type SealedRowFacts = Readonly<Record<string, string | null>>
