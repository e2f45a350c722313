// Opens and closes the audit trails of a tenant that moves to another installation.

import type { Tx } from '../../../platform/postgres/db.ts'

/** Waits for writers that have locked a trail. Later writers find it closed. */
export async function closeTrails(tx: Tx, tenantId: string, until: string): Promise<void> {
  await tx.query(
    {
      name: 'move_close_trails',
      text: 'update audit_heads set closed_until = $2::text::timestamptz where tenant_id = $1',
    },
    [tenantId, until],
  )
}

/** Reopens the trails that were closed until `until`. */
export async function reopenTrails(tx: Tx, tenantId: string, until: string): Promise<void> {
  await tx.query(
    {
      name: 'move_reopen_trails',
      text: `update audit_heads set closed_until = null where tenant_id = $1 and closed_until = $2::text::timestamptz`,
    },
    [tenantId, until],
  )
}

/** Closes the trails for good. Returns false if one is not closed any more: then the caller must roll back. */
export async function handOverTrails(tx: Tx, tenantId: string, until: string): Promise<boolean> {
  const [trails] = await tx.query<{ closed: number; all: number }>(
    {
      name: 'move_hand_over_trails',
      text: `with closed as (
               update audit_heads h set closed_until = 'infinity'
               where h.tenant_id = $1 and h.closed_until = $2::text::timestamptz and h.closed_until > clock_timestamp()
               returning 1)
             select (select count(*)::int from closed) as closed,
               (select count(*)::int from audit_heads where tenant_id = $1) as all`,
    },
    [tenantId, until],
  )
  return trails !== undefined && trails.closed === trails.all
}

export async function openTrails(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(
    { name: 'move_open_trails', text: 'update audit_heads set closed_until = null where tenant_id = $1' },
    [tenantId],
  )
}

/** Removes the MACs of a copy whose move was given up, so that it does not pass as genuine. */
export async function disownTrails(tx: Tx, tenantId: string): Promise<void> {
  await tx.query({ name: 'move_forget_trail_macs', text: 'update audit_heads set mac = null where tenant_id = $1' }, [
    tenantId,
  ])
}
