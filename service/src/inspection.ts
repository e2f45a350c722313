// Opens what `vidimus doctor` looks at, as it stands: nothing is migrated, and no store and no key is made.

import { randomBytes } from 'node:crypto'
import type { Config } from './config.ts'
import { createHeadMacs, headKey } from './domain/audit/head-macs.ts'
import { MasterKeyProblem } from './domain/seal/master-key.ts'
import { createSealer } from './domain/seal/seal.ts'
import { StoreUnfit } from './domain/store-unavailable.ts'
import { createLog } from './log.ts'
import { readMasterKeys } from './master-key.ts'
import { createMetrics } from './metrics.ts'
import { openExistingStore } from './open-store.ts'
import { followDatabaseClock } from './store/postgres/clock.ts'
import { openDb } from './store/postgres/db.ts'
import { type MigrationPlan, planMigration } from './store/postgres/migrate.ts'
import { sessionNameFor } from './store/sealing/processes.ts'
import type { DiagnosedDeps } from './usecases/operator/diagnose.ts'
import { readDerivedKeys } from './usecases/operator/keep-derived-keys.ts'
import { createClosing, openBudgets, openEgress, openOidc } from './wire.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))

export async function inspectInstallation<T>(config: Config, work: (deps: DiagnosedDeps) => Promise<T>): Promise<T> {
  const closing = createClosing()
  try {
    const store = await openExistingStore(config)
    closing.add(store.stop)
    demandSchema(await planMigration({ connection: store.connection }))
    const keys = await readMasterKeys(config)
    if (keys === null) throw new MasterKeyProblem(`${config.dataDir} holds no master key; restore it from a backup`)
    const opener = createSealer(keys.masterKey, random, keys.readableMasterKeys)
    const applicationName = sessionNameFor(opener.keyIds, Buffer.from(random(3)).toString('hex'))
    const db = await openDb({ connection: store.connection, poolMax: config.databasePoolMax, applicationName })
    closing.add(() => db.close())
    const clock = await followDatabaseClock(db, { report: () => undefined })
    closing.add(async () => clock.stop())
    const sealer = await readDerivedKeys({ db, sealer: opener })
    const log = createLog('silent', () => undefined)
    const budgets = await openBudgets(config, createMetrics(), log)
    closing.add(() => budgets.close())
    return await work({
      config,
      db,
      storeShared: store.shared,
      clock,
      clockOffsetMs: clock.offsetMs,
      random,
      sealer,
      headMacs: createHeadMacs(headKey(sealer)),
      oidc: await openOidc(config, { egress: openEgress({ config }, null).live, clock }),
      budgets,
    })
  } finally {
    await closing.run()
  }
}

/** What else is wrong can be told only of tables as this release knows them. */
function demandSchema({ missing }: MigrationPlan): void {
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  const what = missing.length === 1 ? 'a migration is' : `${missing.length} migrations are`
  throw new StoreUnfit(`${what} not applied yet, and nothing more was looked at: ${names}`, 'run `vidimus migrate`')
}
