// Finds where PostgreSQL keeps values of rows outside of their tables: in pg_statistic, or in its log of errors.

import type { Queries } from './db.ts'

/** Lists, as `table.column`, columns with `statistics 0` that still have values from before that setting. */
export async function listLeftoverStatistics(tx: Queries): Promise<string[]> {
  const rows = await tx.query<{ name: string }>({
    name: 'list_leftover_statistics',
    text: `select s.tablename || '.' || s.attname as name
           from pg_stats s join pg_class c on c.relname = s.tablename and c.relnamespace = s.schemaname::regnamespace
           join pg_attribute a on a.attrelid = c.oid and a.attname = s.attname
           where s.schemaname = current_schema() and a.attstattarget = 0
             and (s.most_common_vals is not null or s.histogram_bounds is not null or s.most_common_elems is not null)
           order by 1`,
  })
  return rows.map(({ name }) => name)
}

/** The setting `log_error_verbosity` of the server. Only `terse` leaves out DETAIL and CONTEXT, which can have values of rows. */
export async function readErrorVerbosity(tx: Queries): Promise<string> {
  const text = `select current_setting('log_error_verbosity') as verbosity`
  return (await tx.query<{ verbosity: string }>({ name: 'read_error_verbosity', text }))[0]?.verbosity ?? 'unknown'
}
