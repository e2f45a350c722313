// Opens what `vidimus doctor` inspects, unchanged: migrates nothing and creates neither store nor key.

import { randomBytes } from 'node:crypto'
import { createRegistrationCache } from './core/registrations/store/registration-cache.ts'
import { createAudit } from './features/audit/usecases/audit.ts'
import type { DiagnosedDeps } from './features/operator/usecases/diagnose.ts'
import { readDerivedKeys } from './features/operator/usecases/keep-derived-keys.ts'
import { readMasterKeys } from './master-key.ts'
import { createClosing, openBudgets, openEgress, openMail, openOidc, openRemoteKeys } from './open-parts.ts'
import { openExistingStore } from './open-store.ts'
import type { Config } from './platform/config/config.ts'
import { createLog } from './platform/log/log.ts'
import { createMetrics } from './platform/metrics/metrics.ts'
import { followDatabaseClock } from './platform/postgres/clock.ts'
import { openDb } from './platform/postgres/db.ts'
import { type MigrationPlan, newestMigration, planMigration } from './platform/postgres/migrate.ts'
import { sessionNameFor, TAG_BYTES } from './platform/postgres/sealing/processes.ts'
import { MasterKeyProblem } from './platform/seal/master-key.ts'
import { createSealer } from './platform/seal/seal.ts'
import { StoreUnfit } from './platform/store-unavailable.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))

export async function inspectInstallation<T>(config: Config, work: (deps: DiagnosedDeps) => Promise<T>): Promise<T> {
  const closing = createClosing()
  try {
    const store = await openExistingStore(config)
    closing.add(store.stop)
    requireSchema(await planMigration({ connection: store.connection }))
    const log = createLog('silent', () => undefined)
    const metrics = createMetrics()
    const remoteKeys = openRemoteKeys(config, { metrics, log })
    closing.add(() => remoteKeys.close())
    const keys = await readMasterKeys(config, remoteKeys)
    if (keys === null) throw new MasterKeyProblem(`${config.dataDir} contains no master key; restore it from a backup`)
    const sealer = createSealer(keys.masterKey, random, keys.readableMasterKeys)
    const applicationName = sessionNameFor({
      keyIds: sealer.keyIds,
      tag: random(TAG_BYTES),
      release: await newestMigration(),
    })
    const poolMax = config.databasePoolMax
    const db = await openDb({ connection: store.connection, sealer, poolMax, applicationName })
    closing.add(() => db.close())
    const clock = await followDatabaseClock(db, { report: () => undefined })
    closing.add(async () => clock.stop())
    const registrations = await createRegistrationCache(db)
    closing.add(() => registrations.close())
    const derivedKeys = await readDerivedKeys({ db, remoteKeys })
    const budgets = await openBudgets(config, sealer, metrics, log)
    closing.add(() => budgets.close())
    const egress = openEgress({ config }, null).live
    return await work({
      config,
      db,
      storeShared: store.shared,
      clock,
      clockOffsetMs: clock.offsetMs,
      random,
      remoteKeys,
      registrations,
      audit: createAudit({ random, derivedKeys }),
      mail: await openMail(config, egress),
      oidc: await openOidc(config, { egress, clock }),
      budgets,
    })
  } finally {
    await closing.run()
  }
}

/** The other checks need the tables of this release. */
function requireSchema({ missing }: MigrationPlan): void {
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  const what = missing.length === 1 ? 'a migration is' : `${missing.length} migrations are`
  throw new StoreUnfit(`${what} not applied yet, so nothing else was checked: ${names}`, 'run `vidimus migrate`')
}
