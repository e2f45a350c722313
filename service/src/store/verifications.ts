// Verifications: written in batches, read one by one or newest first. What the wallet's side changes is not here.

import type { Place } from '../domain/place.ts'
import type { ResponseMode, Verification } from '../domain/verification.ts'
import type { Environment, Instant } from '../domain/world.ts'
import type { Tx } from './db.ts'

/** A verification as stored: its result is still sealed. */
export type StoredVerification = Omit<Verification, 'result'> & { readonly sealedResult: Buffer | null }

export interface NewVerification {
  readonly id: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
  readonly template: string | null
  /** JSON texts, stored as they are. */
  readonly query: string
  readonly outputs: string | null
  readonly metadata: string | null
  readonly purpose: string | null
  readonly redirectUrl: string | null
  readonly webhookUrl: string | null
  readonly actor: { readonly type: string; readonly id: string }
  readonly nonce: string
  readonly state: string
  /** Sealed; null where the response is asked for in clear. */
  readonly encryptionKey: Uint8Array | null
}

export interface BatchTerms {
  readonly clientId: string
  readonly responseMode: ResponseMode
}

export async function insertVerifications(
  tx: Tx,
  place: Place,
  batch: BatchTerms & { readonly verifications: readonly NewVerification[] },
): Promise<void> {
  const all = batch.verifications
  await tx.query(
    {
      name: 'insert_verifications',
      text: `insert into verifications (tenant_id, environment, client_id, response_mode, id, created_at, expires_at, template,
               query, outputs, metadata, purpose, redirect_url, webhook_url, actor_type, actor_id, nonce, state, encryption_key)
             select $1, $2, $3, $4, id, created_at, expires_at, template, query::json, outputs::json, metadata::json, purpose,
               redirect_url, webhook_url, actor_type, actor_id, nonce, state, encryption_key
             from unnest($5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[],
               $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::bytea[])
               as v (id, created_at, expires_at, template, query, outputs, metadata, purpose, redirect_url, webhook_url,
                 actor_type, actor_id, nonce, state, encryption_key)`,
    },
    [
      place.tenantId,
      place.environment,
      batch.clientId,
      batch.responseMode,
      all.map((one) => one.id),
      all.map((one) => one.createdAt),
      all.map((one) => one.expiresAt),
      all.map((one) => one.template),
      all.map((one) => one.query),
      all.map((one) => one.outputs),
      all.map((one) => one.metadata),
      all.map((one) => one.purpose),
      all.map((one) => one.redirectUrl),
      all.map((one) => one.webhookUrl),
      all.map((one) => one.actor.type),
      all.map((one) => one.actor.id),
      all.map((one) => one.nonce),
      all.map((one) => one.state),
      all.map((one) => one.encryptionKey),
    ],
  )
}

const COLUMNS = `v.id, v.tenant_id, v.environment, v.created_at, v.expires_at, v.status, v.template, v.purpose,
  v.redirect_url, v.webhook_url, v.metadata, v.client_id, v.responded_at, r.sealed`
const FROM = 'verifications v left join verification_results r on r.verification_id = v.id'

interface Row {
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
  client_id: string
  responded_at: string | null
  sealed: Buffer | null
}

/** `actorId`: only what that actor created; null for all of the place. */
export interface Sight {
  readonly actorId: string | null
}

export async function loadVerification(
  tx: Tx,
  place: Place,
  wanted: Sight & { readonly id: string },
): Promise<StoredVerification | null> {
  const [row] = await tx.query<Row>(
    {
      name: 'load_verification',
      text: `select ${COLUMNS} from ${FROM} where v.id = $3 and v.tenant_id = $1 and v.environment = $2
               and ($4::text is null or v.actor_id = $4)`,
    },
    [place.tenantId, place.environment, wanted.id, wanted.actorId],
  )
  return row === undefined ? null : toVerification(row)
}

/** Newest first, strictly earlier than `before`. Two texts, because each is served by its own index from end to start. */
export async function listVerifications(
  tx: Tx,
  place: Place,
  page: Sight & { readonly before: Instant; readonly limit: number },
): Promise<StoredVerification[]> {
  const where = 'v.tenant_id = $1 and v.environment = $2 and v.created_at < $3'
  const order = 'order by v.created_at desc limit $4'
  const bounds = [place.tenantId, place.environment, page.before, page.limit]
  const rows =
    page.actorId === null
      ? await tx.query<Row>(
          { name: 'list_verifications', text: `select ${COLUMNS} from ${FROM} where ${where} ${order}` },
          bounds,
        )
      : await tx.query<Row>(
          {
            name: 'list_verifications_of_actor',
            text: `select ${COLUMNS} from ${FROM} where ${where} and v.actor_id = $5 ${order}`,
          },
          [...bounds, page.actorId],
        )
  return rows.map(toVerification)
}

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

function toVerification(row: Row): StoredVerification {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    environment: row.environment,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    state: row.status,
    template: row.template,
    purpose: row.purpose,
    redirectUrl: row.redirect_url,
    webhookUrl: row.webhook_url,
    metadata: row.metadata,
    clientId: row.client_id,
    respondedAt: row.responded_at,
    sealedResult: row.sealed,
  }
}
