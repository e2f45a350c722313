// Trust anchors. Rows are never changed, only added and removed: an id stands for its content.

import type { Realm } from '../../domain/tenant/realm.ts'
import { type InstalledAnchor, isVouchedType, mayStandIn } from '../../domain/trust/anchor.ts'
import type { Environment, Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

/** Replicas forget their anchors when this channel speaks. */
export const ANCHOR_CHANNEL = 'anchors'

const COLUMNS = 'a.id, a.tenant_id, a.environment, a.kind, a.profile, a.types, a.certificate, a.list_id, a.created_at'

interface AnchorRow {
  id: string
  tenant_id: string | null
  environment: Environment
  kind: InstalledAnchor['kind']
  profile: InstalledAnchor['profile']
  types: string[]
  certificate: Buffer
  list_id: string | null
  created_at: string
  list_source?: string | null
  list_sequence?: number | null
  list_sha256?: Buffer | null
}

/** The tenant's and the operator's. Those of a list that has run out vouch for nobody. */
export async function loadAnchors(tx: Tx, realm: Realm, now: Instant): Promise<InstalledAnchor[]> {
  const rows = await tx.query<AnchorRow>(
    {
      name: 'load_anchors',
      text: `select ${COLUMNS}, l.source as list_source, l.sequence as list_sequence, l.sha256 as list_sha256
             from anchors a left join trust_lists l on l.id = a.list_id
             where a.environment = $2 and (a.tenant_id = $1 or a.tenant_id is null)
               and (a.list_id is null or l.next_update_at > $3)
             order by a.id`,
    },
    [realm.tenantId, realm.environment, now],
  )
  return rows.map(toAnchor).filter((anchor) => mayStandIn(realm.environment, anchor))
}

/** A realm's own and the operator's, also those of lists that have run out. */
export async function listAnchorsOf(tx: Tx, realm: Realm): Promise<InstalledAnchor[]> {
  const rows = await tx.query<AnchorRow>(
    {
      name: 'list_anchors_of',
      text: `select ${COLUMNS} from anchors a where a.environment = $2 and (a.tenant_id = $1 or a.tenant_id is null)
             order by a.tenant_id nulls first, a.created_at, a.id`,
    },
    [realm.tenantId, realm.environment],
  )
  return rows.map(toAnchor)
}

/** The operator's view. */
export async function listAllAnchors(tx: Tx): Promise<InstalledAnchor[]> {
  const rows = await tx.query<AnchorRow>({
    name: 'list_all_anchors',
    text: `select ${COLUMNS} from anchors a order by a.environment, a.tenant_id nulls first, a.created_at, a.id`,
  })
  return rows.map(toAnchor)
}

export async function insertAnchors(tx: Tx, anchors: readonly InstalledAnchor[]): Promise<void> {
  for (const anchor of anchors) {
    await tx.query(
      {
        name: 'insert_anchor',
        text: `insert into anchors (id, tenant_id, environment, kind, profile, types, certificate, list_id, created_at)
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      },
      [
        anchor.id,
        anchor.tenantId,
        anchor.environment,
        anchor.kind,
        anchor.profile,
        anchor.types,
        anchor.certificate,
        anchor.listId,
        anchor.createdAt,
      ],
    )
  }
  await notifyAnchors(tx)
}

/** null when there is none, or when it belongs to a list and goes with it only. */
export async function deleteAnchor(tx: Tx, id: string): Promise<InstalledAnchor | null> {
  const [row] = await tx.query<AnchorRow>(
    {
      name: 'delete_anchor',
      text: `delete from anchors a where a.id = $1 and a.list_id is null returning ${COLUMNS}`,
    },
    [id],
  )
  if (row !== undefined) await notifyAnchors(tx)
  return row === undefined ? null : toAnchor(row)
}

export async function deleteAnchorsOfList(tx: Tx, listId: string): Promise<void> {
  await tx.query({ name: 'delete_anchors_of_list', text: 'delete from anchors where list_id = $1' }, [listId])
  await notifyAnchors(tx)
}

export async function notifyAnchors(tx: Tx): Promise<void> {
  await tx.query({ name: 'notify_anchors', text: `select pg_notify('${ANCHOR_CHANNEL}', '')` })
}

function toAnchor(row: AnchorRow): InstalledAnchor {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    environment: row.environment,
    kind: row.kind,
    profile: row.profile,
    types: row.types.filter(isVouchedType),
    certificate: row.certificate,
    listId: row.list_id,
    createdAt: row.created_at,
    ...issueOf(row),
  }
}

function issueOf({ list_source, list_sequence, list_sha256 }: AnchorRow): Pick<InstalledAnchor, 'issue'> {
  if (list_source == null) return {}
  return {
    issue: { uri: list_source, sequence: list_sequence ?? null, sha256: list_sha256?.toString('base64url') ?? null },
  }
}
