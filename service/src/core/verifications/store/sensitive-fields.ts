// Loads sensitive fields of several verifications, and seals those that an earlier release left unsealed.

import { daysOf, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { loadKeptLabels } from '../../../platform/postgres/sealing/kept-keys.ts'
import { type Column, defineStatement, runStatement, selectAs } from '../../../platform/postgres/statement.ts'
import { keptKeySealContext } from '../../../platform/seal/kept-key.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm, RealmRow } from '../../tenants/domain/realm.ts'
import {
  indexMetadata,
  SENSITIVE_FIELDS_SEALED,
  type SensitiveFields,
  type StoredSensitiveFields,
} from '../domain/sensitive-fields.ts'
import { READ_BY_ALL } from './columns.ts'
import { sealSensitiveFields } from './sealed-sensitive-fields.ts'

const { id, tenantId, environment, sealedSensitiveFields, plainRedirectUrl, plainWebhookUrl, plainMetadata } =
  READ_BY_ALL
const STORED = {
  id,
  tenantId,
  environment,
  sealedSensitiveFields,
  plainRedirectUrl,
  plainWebhookUrl,
  plainMetadata,
} satisfies Record<keyof (RealmRow & StoredSensitiveFields), unknown>

/** Those of these verifications that are in this realm, in any order. */
export async function loadSensitiveFields(
  tx: Tx,
  realm: Realm,
  ids: readonly string[],
): Promise<(RealmRow & StoredSensitiveFields)[]> {
  const { from, to } = rangeOf(daysOf(tx.sealer, ids))
  return tx.query(
    {
      name: 'load_sensitive_fields',
      text: `select ${selectAs('v', STORED)} from verifications v
             where v.id = any ($3::text[]) and v.tenant_id = $1 and v.environment = $2 and ${inKnownDays('v.day', { from: '$4', to: '$5' })}`,
      replanEachCall: true,
    },
    [realm.tenantId, realm.environment, ids, from, to],
  )
}

/** Locks at most `rowsMax` rows until the transaction ends. Rows locked by others are left for the next run. */
export async function lockPlainSensitiveFieldsAcrossTenants(
  tx: Tx,
  rowsMax: number,
): Promise<(RealmRow & SensitiveFields)[]> {
  return tx.query(
    {
      name: 'lock_plain_sensitive_fields',
      text: `select id, tenant_id as "tenantId", environment, redirect_url as "redirectUrl", webhook_url as "webhookUrl", metadata,
                    null as origin
             from verifications where metadata is not null or redirect_url is not null or webhook_url is not null
             order by id limit $1 for update skip locked`,
    },
    [rowsMax],
  )
}

interface SealedRow extends Pick<RealmRow, 'id' | 'tenantId'> {
  readonly sealedSensitiveFields: Uint8Array | null
  readonly metadataIndex: Uint8Array | null
}

/** The sealed value replaces the plain ones. */
export async function replacePlainSensitiveFields(
  tx: Tx,
  rows: readonly (RealmRow & SensitiveFields)[],
): Promise<void> {
  const sealed = rows.map((row) => ({
    id: row.id,
    tenantId: row.tenantId,
    sealedSensitiveFields: sealSensitiveFields(tx, row, row),
    metadataIndex: indexMetadata(tx.sealer, row, row.metadata),
  }))
  await runStatement(tx, REPLACE, sealed)
}

const SEALED: readonly Column<SealedRow>[] = [
  { name: 'id', type: 'text', get: (row) => row.id },
  { name: 'tenant_id', type: 'text', get: (row) => row.tenantId },
  { name: 'particulars', type: 'bytea', get: (row) => row.sealedSensitiveFields },
  { name: 'metadata_index', type: 'bytea', get: (row) => row.metadataIndex },
]

const REPLACE = defineStatement<readonly SealedRow[]>(
  'replace_plain_sensitive_fields',
  (parameters) => `update verifications v set particulars = g.particulars, metadata_index = g.metadata_index,
                     redirect_url = null, webhook_url = null, metadata = null
                   from ${parameters.rows(SEALED, (rows) => rows).unnest('g')}
                   where v.id = g.id and v.tenant_id is not distinct from g.tenant_id`,
)

/**
 * Only if no plain value is left and the column for sealed values is older than `settledBefore`. By then no replica of
 * an earlier release is left that writes plain values.
 */
export async function noteSensitiveFieldsSealed(
  tx: Tx,
  note: { readonly at: Instant; readonly settledBefore: Instant },
): Promise<void> {
  const label = SENSITIVE_FIELDS_SEALED
  const sealed = tx.sealer.seal(Buffer.from(label, 'utf8'), keptKeySealContext(label))
  await tx.query(
    {
      name: 'note_sensitive_fields_sealed',
      text: `insert into kept_keys (label, sealed, created_at)
             select $1, $2, $3 where not exists (
               select from verifications where metadata is not null or redirect_url is not null or webhook_url is not null)
             and exists (select from schema_migrations where number = 10 and applied_at < $4)
             on conflict do nothing`,
    },
    [label, sealed, note.at, note.settledBefore],
  )
}

/** Whether any process has recorded this. Once true, it stays true. */
export async function areSensitiveFieldsSealed(tx: Tx): Promise<boolean> {
  return tx.sealer.keeps(SENSITIVE_FIELDS_SEALED) || (await loadKeptLabels(tx)).has(SENSITIVE_FIELDS_SEALED)
}

/** Deletes addresses from the delivery log, because the verification has them too. Returns how many. */
export async function forgetAttemptUrlsAcrossTenants(tx: Tx, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_attempt_urls',
      text: `update webhook_attempts set url = null where id = any (array(
               select id from webhook_attempts where url is not null order by id limit $1 for update skip locked))
             returning 1 as gone`,
    },
    [rowsMax],
  )
  return rows.length
}
