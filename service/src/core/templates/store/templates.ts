// Stores tenants' own templates.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import type { OwnTemplate } from '../domain/template.ts'

/** Replicas clear their template cache on a notification of this channel. */
export const TEMPLATE_CHANNEL = 'templates'

export interface StoredTemplate extends OwnTemplate {
  readonly updatedAt: Instant
}

const COLUMNS = 'key, title, description, query, outputs, intended_use as "intendedUse", transaction'

export async function loadTemplate(tx: Tx, realm: Realm, key: string): Promise<StoredTemplate | null> {
  const [row] = await tx.query<StoredTemplate>(
    {
      name: 'load_template',
      text: `select ${COLUMNS}, updated_at as "updatedAt" from templates where tenant_id = $1 and environment = $2 and key = $3`,
    },
    [realm.tenantId, realm.environment, key],
  )
  return row ?? null
}

export async function listTemplates(tx: Tx, realm: Realm): Promise<OwnTemplate[]> {
  return tx.query<OwnTemplate>(
    {
      name: 'list_templates',
      text: `select ${COLUMNS} from templates where tenant_id = $1 and environment = $2 order by key`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** Lists the templates of the named tenants. */
export async function listTemplatesAcrossTenants(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<(Realm & { readonly template: OwnTemplate })[]> {
  const rows = await tx.query<OwnTemplate & Realm>(
    {
      name: 'list_templates_of_tenants',
      text: `select tenant_id as "tenantId", environment, ${COLUMNS} from templates
             where tenant_id = any ($1::text[]) order by key`,
    },
    [tenantIds],
  )
  return rows.map(({ tenantId, environment, ...template }) => ({ tenantId, environment, template }))
}

/** The number of templates, and their bytes as stored. */
export async function sumTemplates(tx: Tx, realm: Realm): Promise<{ readonly count: number; readonly bytes: number }> {
  const [row] = await tx.query<{ count: number; bytes: number }>(
    {
      name: 'sum_templates',
      text: `select count(*) as count, coalesce(sum(octet_length(concat(query, outputs, transaction))), 0) as bytes
             from templates where tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  if (row === undefined) throw new Error('bug: an aggregate gave no row')
  return row
}

/** How many templates a till or a list for people shows at most. */
const TITLES_MAX = 1_000

/** With `keys`, only these templates; null: all. */
export async function listTitles(
  tx: Tx,
  realm: Realm,
  keys: readonly string[] | null,
): Promise<Pick<OwnTemplate, 'key' | 'title' | 'transaction'>[]> {
  return tx.query<Pick<OwnTemplate, 'key' | 'title' | 'transaction'>>(
    {
      name: 'list_template_titles',
      text: `select key, title, transaction from templates
             where tenant_id = $1 and environment = $2 and ($3::text[] is null or key = any ($3)) order by key limit $4`,
    },
    [realm.tenantId, realm.environment, keys, TITLES_MAX],
  )
}

/** A replaced template keeps its id. */
export async function saveTemplate(
  tx: Tx,
  realm: Realm,
  save: { readonly template: OwnTemplate; readonly newId: string; readonly now: Instant },
): Promise<{ readonly id: string; readonly created: boolean }> {
  const { template, newId, now } = save
  const [row] = await tx.query<{ id: string }>(
    {
      name: 'save_template',
      text: `insert into templates (tenant_id, environment, id, key, title, description, query, outputs, created_at, updated_at,
                                    intended_use, transaction)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11)
             on conflict (tenant_id, environment, key) do update
               set title = excluded.title, description = excluded.description, query = excluded.query,
                   outputs = excluded.outputs, intended_use = excluded.intended_use, updated_at = excluded.updated_at,
                   transaction = excluded.transaction
             returning id, pg_notify('${TEMPLATE_CHANNEL}', '')`,
    },
    [
      realm.tenantId,
      realm.environment,
      newId,
      template.key,
      template.title,
      template.description,
      JSON.stringify(template.query),
      template.outputs === null ? null : JSON.stringify(template.outputs),
      now,
      template.intendedUse,
      template.transaction === null ? null : JSON.stringify(template.transaction),
    ],
  )
  if (row === undefined) throw new Error('bug: an upsert gave no row')
  return { id: row.id, created: row.id === newId }
}

/** With an `id`, only if the template has it. Returns its id; null if there was none. */
export async function deleteTemplate(tx: Tx, realm: Realm, of: { key: string; id?: string }): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    {
      name: 'delete_template',
      text: `delete from templates where tenant_id = $1 and environment = $2 and key = $3 and id = coalesce($4, id)
             returning id, pg_notify('${TEMPLATE_CHANNEL}', '')`,
    },
    [realm.tenantId, realm.environment, of.key, of.id ?? null],
  )
  return row?.id ?? null
}
