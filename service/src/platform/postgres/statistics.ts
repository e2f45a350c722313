// Finds columns that wrongly keep values in pg_statistic, where erased data could still be read.

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
