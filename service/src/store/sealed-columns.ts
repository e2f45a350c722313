// Every column that holds sealed values, and how each is sealed again when the master key changes. A test compares this table
// with the schema: a new column of bytes is in it, or is said not to be sealed.

import { keptKeyPlace } from '../domain/kept-key.ts'
import type { Sealer } from '../domain/seal.ts'
import { indexMetadata, particularsPlace } from '../domain/sealed-particulars.ts'
import type { Realm } from '../domain/tenant/realm.ts'
import { authoritySealContext, certificateSealContext } from '../domain/trust/certificate.ts'
import { sandboxIssuerPlace } from '../domain/trust/sandbox.ts'
import { ephemeralKeyPlace, POINT_BYTES } from '../domain/verification/ephemeral-key.ts'
import { answerSealContext } from '../domain/verification/idempotency.ts'
import { resultPlace } from '../domain/verification/sealed-result.ts'
import { webhookSecretPlace } from '../domain/webhook/signature.ts'
import type { Environment } from '../domain/world.ts'

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key: all of them texts. */
  readonly key: readonly [string, ...string[]]
  /** Whether `tenant_id` and `environment` are columns beside the key that the realm is made from. */
  readonly beside: readonly string[]
  /** Bytes that stand before the sealed value in the column. */
  readonly prefixBytes: number
  /** Where the value belongs (see Sealer). */
  realmOf(row: SealedRowFacts, prefix: Buffer): string
  /** A column that is made from the opened value under a key of its own, and is made anew with it. */
  readonly derived: {
    readonly column: string
    make(sealer: Sealer, row: SealedRowFacts, opened: Buffer): Buffer | null
  } | null
}

/** The columns of `key` and `beside`, by name. */
export type SealedRowFacts = Readonly<Record<string, string | null>>

const whole = { beside: [], prefixBytes: 0, derived: null } as const
const inRealm = { ...whole, beside: ['tenant_id', 'environment'] } as const

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  // First: nothing can start without them.
  {
    ...whole,
    table: 'kept_keys',
    column: 'sealed',
    key: ['label'],
    realmOf: (row) => keptKeyPlace(text(row, 'label')),
  },
  {
    ...whole,
    table: 'access_authorities',
    column: 'private_key',
    key: ['environment'],
    realmOf: (row) => authoritySealContext(environmentOf(row)),
  },
  {
    ...inRealm,
    table: 'access_keys',
    column: 'private_key',
    key: ['id'],
    realmOf: (row) =>
      certificateSealContext({ id: text(row, 'id'), tenantId: row.tenant_id ?? null, environment: environmentOf(row) }),
  },
  {
    ...whole,
    table: 'sandbox_issuers',
    column: 'sealed',
    key: ['name'],
    realmOf: (row) => sandboxIssuerPlace(text(row, 'name')),
  },
  ...(['secret', 'previous'] as const).map(
    (column): SealedColumn => ({
      ...whole,
      table: 'webhook_secrets',
      column,
      key: ['tenant_id', 'environment'],
      realmOf: (row) => webhookSecretPlace(placeOfRow(row)),
    }),
  ),
  {
    ...inRealm,
    table: 'verifications',
    column: 'encryption_key',
    key: ['id'],
    prefixBytes: POINT_BYTES,
    realmOf: (row, point) => ephemeralKeyPlace(ownerOf(row, 'id'), point),
  },
  {
    ...inRealm,
    table: 'verifications',
    column: 'particulars',
    key: ['id'],
    realmOf: (row) => particularsPlace(ownerOf(row, 'id')),
    derived: {
      column: 'metadata_index',
      make: (sealer, row, opened) =>
        indexMetadata(sealer, placeOfRow(row), JSON.parse(opened.toString('utf8')).metadata),
    },
  },
  {
    ...inRealm,
    table: 'verification_results',
    column: 'sealed',
    key: ['verification_id'],
    realmOf: (row) => resultPlace(ownerOf(row, 'verification_id')),
  },
  {
    ...whole,
    table: 'idempotency_keys',
    column: 'answer',
    key: ['tenant_id', 'environment', 'key'],
    realmOf: (row) => answerSealContext(placeOfRow(row), text(row, 'key')),
  },
]

function text(row: SealedRowFacts, column: string): string {
  const value = row[column]
  if (value === undefined || value === null) throw new Error(`bug: a sealed row without its ${column}`)
  return value
}

const environmentOf = (row: SealedRowFacts) => text(row, 'environment') as Environment
const placeOfRow = (row: SealedRowFacts): Realm => ({
  tenantId: text(row, 'tenant_id'),
  environment: environmentOf(row),
})
const ownerOf = (row: SealedRowFacts, id: string) => ({ ...placeOfRow(row), id: text(row, id) })
