// A store before and after the late part of a migration, and a process of the release before.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Db, Queries } from '../../../src/platform/postgres/db.ts'
import { LATE } from '../../../src/platform/postgres/late-migrations.ts'

export const LATE_NAME = `${String(LATE.rowsPerBatch).padStart(4, '0')}_rows_per_batch`

/** Changes the store as if the late part had never been applied: endings write the old form. */
export async function withoutLatePart(db: Db): Promise<void> {
  for (const [at, text] of [
    'create index if not exists receipts_not_logged on receipts (verification_id) where leaf_index is null',
    'drop index if exists receipts_without_leaf',
    `update schema_migrations set late_at = null, compatible_from = 72 where number = ${LATE.rowsPerBatch}`,
  ].entries())
    await db.query({ name: `test_without_late_part_${at}`, text })
}

export async function isInForce(db: Queries): Promise<boolean> {
  const text = `select late_at is not null as "isInForce" from schema_migrations where number = ${LATE.rowsPerBatch}`
  const [row] = await db.query<{ isInForce: boolean }>({ name: 'test_is_in_force', text })
  return row?.isInForce === true
}

/** Returns a session like those of an earlier release: it states its master key, and no release. */
export async function olderProcess(url: string, name = `vidimus 01234567 #${randomBytes(3).toString('hex')}`) {
  const client = new pg.Client({ connectionString: url, application_name: name })
  await client.connect()
  return client
}
