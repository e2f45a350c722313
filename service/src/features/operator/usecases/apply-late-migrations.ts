// The job: brings late parts of migrations into force once no process is connected that could not read what they change.

import type { Deps } from '../../../deps.ts'
import { listWaitingParts } from '../../../platform/postgres/late-migrations.ts'
import { migrate } from '../../../platform/postgres/migrate.ts'

export async function applyLateMigrations({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const [first] = await listWaitingParts(db)
  if (first === undefined || first.olderProcesses > 0) return
  // It looks again, with the lock that every start takes.
  for (const name of await migrate({ connection: db.connection })) log.info(`migration ${name} is in force`)
}
