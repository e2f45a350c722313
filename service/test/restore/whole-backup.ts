// Backs up all rows of a service's store, and restores them.

import pg from 'pg'
import type { TestService } from '../harness/service.ts'

const TABLES = `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  and not c.relispartition and c.relname <> 'schema_migrations'`

/** Returns what restores it, until the next one. Processes cache for at most some seconds of the test's clock. */
export async function backUp(service: Pick<TestService, 'url'>): Promise<() => Promise<void>> {
  const names = await asAdmin(service, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(TABLES)
    await admin.query('drop schema if exists backup cascade; create schema backup')
    for (const { name } of rows) await admin.query(`create table backup.${name} as select * from public.${name}`)
    return rows.map(({ name }) => name)
  })
  return () =>
    asAdmin(service, async (admin) => {
      // Without foreign keys and triggers.
      await admin.query('begin; set local session_replication_role = replica')
      await admin.query(`truncate ${names.map((name) => `public.${name}`).join()}`)
      for (const name of names)
        await admin.query(`insert into public.${name} overriding system value select * from backup.${name}`)
      await admin.query('commit')
    })
}

/** Connects as the superuser to the database of the service. */
export async function asAdmin<T>(
  { url }: Pick<TestService, 'url'>,
  work: (admin: pg.Client) => Promise<T>,
): Promise<T> {
  const [, database = '', host = ''] = /@\/(\w+)\?host=(.+)$/.exec(url) ?? []
  const admin = new pg.Client({ host: decodeURIComponent(host), user: 'postgres', database })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
