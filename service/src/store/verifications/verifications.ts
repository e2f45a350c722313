// Verifications: read one by one or newest first. creation.ts writes them; what the wallet's side changes is not here.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Particulars, StoredParticulars } from '../../domain/verification/sealed-particulars.ts'
import type { Verification } from '../../domain/verification/verification.ts'
import type { Environment, Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

/** Of a verification: what every reader needs and is not sealed. */
export type VerificationCore = Omit<Verification, 'result' | keyof Particulars>

/** A verification as stored: its result and its particulars are still sealed. */
export type StoredVerification = VerificationCore & StoredParticulars & { readonly sealedResult: Buffer | null }

/** Of `verifications v`: what every reader of a verification needs. */
export const CORE_COLUMNS = `v.id, v.tenant_id, v.environment, v.created_at, v.expires_at, v.status, v.template, v.purpose,
  v.redirect_url, v.webhook_url, v.metadata, v.particulars, v.client_id, v.responded_at`
/** Of `verifications v left join verification_results r`. */
export const VERIFICATION_COLUMNS = `${CORE_COLUMNS}, r.sealed`
const FROM = 'verifications v left join verification_results r on r.verification_id = v.id'

export interface CoreRow {
  id: string
  tenant_id: string
  environment: Environment
  created_at: string
  expires_at: string
  status: Verification['state']
  template: string | null
  purpose: string | null
  redirect_url: string | null
  webhook_url: string | null
  metadata: Record<string, string> | null
  particulars: Buffer | null
  client_id: string
  responded_at: string | null
}

export interface VerificationRow extends CoreRow {
  sealed: Buffer | null
}

/** Only what that device created; null for all of the realm. */
export interface Visibility {
  readonly deviceId: string | null
}

export async function loadVerification(
  tx: Tx,
  realm: Realm,
  wanted: Visibility & { readonly id: string },
): Promise<StoredVerification | null> {
  const [found] = await loadVerifications(tx, realm, { ids: [wanted.id], deviceId: wanted.deviceId })
  return found ?? null
}

/** Those of the ids that there are in this realm, in any order. */
export async function loadVerifications(
  tx: Tx,
  realm: Realm,
  wanted: Visibility & { readonly ids: readonly string[] },
): Promise<StoredVerification[]> {
  const rows = await tx.query<VerificationRow>(
    {
      name: 'load_verifications',
      text: `select ${VERIFICATION_COLUMNS} from ${FROM}
             where v.id = any ($3::text[]) and v.tenant_id = $1 and v.environment = $2
               and ($4::text is null or (v.actor_type = 'device' and v.actor_id = $4))`,
    },
    [realm.tenantId, realm.environment, wanted.ids, wanted.deviceId],
  )
  return rows.map(toVerification)
}

/**
 * Newest first, strictly earlier than `before`. Two texts, because each is served by its own index, read from the end on;
 * the results are looked up for the rows of the page alone, whatever the planner thinks of their number.
 */
export async function listVerifications(
  tx: Tx,
  realm: Realm,
  page: Visibility & { readonly before: Instant; readonly limit: number },
): Promise<StoredVerification[]> {
  const bounds = [realm.tenantId, realm.environment, page.before, page.limit]
  const rows =
    page.deviceId === null
      ? await tx.query<VerificationRow>({ name: 'list_verifications', text: pageOf('true') }, bounds)
      : await tx.query<VerificationRow>(
          { name: 'list_verifications_of_device', text: pageOf("actor_type = 'device' and actor_id = $5") },
          [...bounds, page.deviceId],
        )
  return rows.map(toVerification)
}

const pageOf = (condition: string) => `
  select ${VERIFICATION_COLUMNS}
  from (select * from verifications where tenant_id = $1 and environment = $2 and created_at < $3 and ${condition}
        order by created_at desc limit $4) v
  left join lateral (select sealed from verification_results where verification_id = v.id offset 0) r on true
  order by v.created_at desc`

/** For the public status route, where the id alone is the capability. */
export async function loadStatusAcrossTenants(
  tx: Tx,
  id: string,
): Promise<Pick<Verification, 'state' | 'expiresAt'> | null> {
  const [row] = await tx.query<{ state: Verification['state']; expiresAt: string }>(
    {
      name: 'load_status_across_tenants',
      text: 'select status as state, expires_at as "expiresAt" from verifications where id = $1',
    },
    [id],
  )
  return row ?? null
}

export function toVerification(row: VerificationRow): StoredVerification {
  return { ...toCore(row), ...toParticulars(row), sealedResult: row.sealed }
}

export function toParticulars(
  row: Pick<CoreRow, 'redirect_url' | 'webhook_url' | 'metadata' | 'particulars'>,
): StoredParticulars {
  const plainParticulars = { redirectUrl: row.redirect_url, webhookUrl: row.webhook_url, metadata: row.metadata }
  return { sealedParticulars: row.particulars, plainParticulars }
}

export function toCore(row: CoreRow): VerificationCore {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    environment: row.environment,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    state: row.status,
    template: row.template,
    purpose: row.purpose,
    clientId: row.client_id,
    respondedAt: row.responded_at,
  }
}
