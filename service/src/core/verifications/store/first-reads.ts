// Stores when a merchant's system first read a result. The time is in the result's row and is deleted with it.

import { inDays } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { TenantNote } from '../../../platform/postgres/gathered-notes.ts'
import { type Column, dayParameters, defineStatement, runStatement } from '../../../platform/postgres/statement.ts'

export interface FirstRead extends TenantNote {
  /** The partition of the result. */
  readonly day: number
}

/** Keeps the first time. Skips locked rows: this is best effort and must neither wait nor block. */
export async function noteFirstReads(tx: Tx, reads: readonly FirstRead[]): Promise<void> {
  await runStatement(tx, NOTE_FIRST_READS, reads)
}

const NOTE_FIRST_READS = defineStatement<readonly FirstRead[]>('note_first_reads', (parameters) => {
  const columns: readonly Column<FirstRead>[] = [
    { name: 'id', type: 'text', get: ({ id }) => id },
    { name: 'tenant_id', type: 'text', get: ({ tenantId }) => tenantId },
    { name: 'at', type: 'timestamptz', get: ({ at }) => at },
  ]
  const reads = parameters.rows(columns, (reads) => reads)
  const days = inDays(
    'r.day',
    dayParameters(parameters, (reads) => reads.map(({ day }) => day)),
  )
  const ids = reads.arrayOf('id')
  return `with input as (
            select * from ${reads.unnest('g')}
          ), free as (
            select r.verification_id as id, r.tenant_id, input.at from verification_results r
            join input on input.id = r.verification_id and input.tenant_id = r.tenant_id
            where r.first_read_at is null and r.verification_id = any (${ids}) and ${days}
            order by r.verification_id for update of r skip locked
          )
          update verification_results r set first_read_at = free.at from free
          where r.verification_id = free.id and r.tenant_id = free.tenant_id and r.verification_id = any (${ids}) and ${days}`
})
