// Tenants' own templates.

import type { Place } from '../domain/place.ts'
import type { Template } from '../domain/template.ts'
import type { Instant } from '../domain/world.ts'
import type { Tx } from './db.ts'

const COLUMNS = 'key, title, description, query, outputs'

export async function loadTemplate(tx: Tx, place: Place, key: string): Promise<Template | null> {
  const [row] = await tx.query<Template>(
    {
      name: 'load_template',
      text: `select ${COLUMNS} from templates where tenant_id = $1 and environment = $2 and key = $3`,
    },
    [place.tenantId, place.environment, key],
  )
  return row ?? null
}

export async function listTemplates(tx: Tx, place: Place): Promise<Template[]> {
  return tx.query<Template>(
    {
      name: 'list_templates',
      text: `select ${COLUMNS} from templates where tenant_id = $1 and environment = $2 order by key`,
    },
    [place.tenantId, place.environment],
  )
}

/** True when it is new, false when it replaced one. */
export async function saveTemplate(
  tx: Tx,
  place: Place,
  save: { readonly template: Template; readonly now: Instant },
): Promise<boolean> {
  const { template, now } = save
  const rows = await tx.query<{ created: boolean }>(
    {
      name: 'save_template',
      text: `insert into templates (tenant_id, environment, key, title, description, query, outputs, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
             on conflict (tenant_id, environment, key) do update
               set title = excluded.title, description = excluded.description, query = excluded.query,
                   outputs = excluded.outputs, updated_at = excluded.updated_at
             returning (xmax = 0) as created`,
    },
    [
      place.tenantId,
      place.environment,
      template.key,
      template.title,
      template.description,
      JSON.stringify(template.query),
      template.outputs === null ? null : JSON.stringify(template.outputs),
      now,
    ],
  )
  return rows[0]?.created === true
}

/** False when there was none. */
export async function deleteTemplate(tx: Tx, place: Place, key: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'delete_template',
      text: 'delete from templates where tenant_id = $1 and environment = $2 and key = $3 returning key',
    },
    [place.tenantId, place.environment, key],
  )
  return rows.length === 1
}
