// Job: applies late parts of migrations once no process of an older release is connected.

import type { Deps } from '../../../deps.ts'
import { listWaitingParts } from '../../../platform/postgres/late-migrations.ts'
import { migrate } from '../../../platform/postgres/migrate.ts'

export async function applyLateMigrations({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const [first] = await listWaitingParts(db)
  if (first === undefined || first.olderProcesses > 0) return
  // `migrate` checks again, with the lock that every start takes.
  for (const name of await migrate({ connection: db.connection })) log.info(`migration ${name} is in force`)
}
