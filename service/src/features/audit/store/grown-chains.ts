// Finds chains that have grown since their last head in the log.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { NoteOverEntry } from '../domain/checkpoint.ts'
import type { HeadWithMac } from '../domain/head-macs.ts'
import { LACKS_CHECKPOINT, NEWEST_NOTE } from './checkpoints.ts'
import { type LoggedHeadIndex, newestLogged, nextOrdinal } from './logged-heads.ts'

export interface GrownChain {
  readonly realm: Realm
  readonly head: HeadWithMac
  /** The ordinal of its next head in the log. */
  readonly ordinal: number
  /** Its newest head in the log, with the current bytes of that entry in the chain; null if there is none. */
  readonly last: (LoggedHeadIndex & { readonly entry: Buffer | null }) | null
  /** The newest note from before the log, if the log has no head of the chain. */
  readonly note: NoteOverEntry | null
}

/** SQL for the newest head of the chain `h` in a log of `$2` leaves. */
const LAST_LOGGED = newestLogged({ tenantId: 'h.tenant_id', environment: 'h.environment', size: '$2' })
const NEXT_ORDINAL = nextOrdinal({ tenantId: 'h.tenant_id', environment: 'h.environment' })

/**
 * Finds the chains after `after` that have a MAC, and entries after their last head in the log. Leaves out chains that
 * should be in the log, but lost every record of it.
 */
export async function findGrownChainsAcrossTenants(
  tx: Tx,
  page: { readonly after: Realm | null; readonly limit: number; readonly size: number; readonly dueSince: Instant },
): Promise<GrownChain[]> {
  const rows = await tx.query<
    Realm &
      HeadWithMac & {
        readonly ordinal: number
        readonly lastSeq: number | null
        readonly leafIndex: number
        readonly lastOrdinal: number | null
        readonly lastEntry: Buffer | null
        readonly note: string | null
        readonly bytes: Buffer | null
      }
  >(
    {
      name: 'find_grown_chains',
      text: `select h.tenant_id as "tenantId", h.environment, h.seq, h.hash, h.at, h.mac,
                    l.seq as "lastSeq", l.leaf_index as "leafIndex", l.ordinal as "lastOrdinal", a.bytes as "lastEntry",
                    c.note, c.bytes, (${NEXT_ORDINAL}) as ordinal
             from audit_heads h join tenants t on t.id = h.tenant_id
             cross join lateral (values (h.environment)) as e (environment)
             left join lateral (${LAST_LOGGED}) l on true
             left join lateral (select bytes from audit_entries e where e.tenant_id = h.tenant_id
               and e.environment = h.environment and e.seq = l.seq offset 0) a on true
             left join lateral (${NEWEST_NOTE}) c on l.seq is null
             where h.mac is not null and h.seq > coalesce(l.seq, 0) and not ${LACKS_CHECKPOINT}
               and (h.tenant_id, h.environment) > ($3, $4)
             order by h.tenant_id, h.environment limit $5`,
      replanEachCall: true,
    },
    [page.dueSince, page.size, page.after?.tenantId ?? '', page.after?.environment ?? '', page.limit],
  )
  return rows.map(
    ({ tenantId, environment, ordinal, lastSeq, leafIndex, lastOrdinal, lastEntry, note, bytes, ...head }) => ({
      realm: { tenantId, environment },
      head,
      ordinal,
      last: lastSeq === null ? null : { seq: lastSeq, leafIndex, ordinal: lastOrdinal, entry: lastEntry },
      note: note === null ? null : { note, entry: bytes },
    }),
  )
}
