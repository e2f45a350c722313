// Runs the service as a process: opens, listens, works, and closes in order at a stop signal.

import { openWorld, type World } from './assemble.ts'
import { MAIL_IS_OFF, TURN_MAIL_ON } from './features/mail/usecases/diagnose-mail.ts'
import { prepareDemo } from './features/operator/usecases/prepare-demo.ts'
import { makeFirstDays } from './features/retention/usecases/make-days.ts'
import { certificateFaults, generateMissingCertificates } from './features/trust/usecases/certificate-in-use.ts'
import { startDeliveries } from './features/webhooks/jobs/deliveries.ts'
import { type HealthPort, openHealthPort } from './health-port.ts'
import { buildApp } from './http-server.ts'
import { jobsFor } from './job-table.ts'
import type { Config } from './platform/config/config.ts'
import { ConfigError, unreadWarning } from './platform/config/config-problems.ts'
import { startJobs } from './platform/jobs/runner.ts'
import { addProcessMetrics } from './platform/metrics/metrics.ts'
import type { ReservedPort } from './platform/reserved-port.ts'
import { untilAborted } from './platform/stop-signals.ts'
import { readServiceFile, writeServiceFile } from './running-service.ts'
import { askWitnessesAtStart, openLogMemory, startStoreGuard } from './store-guard.ts'
import { creatingStore, welcome } from './welcome.ts'

interface Serving {
  /** Reserved until the server listens; null: the configured port is not reserved. */
  readonly port: ReservedPort | null
  /** Environment variables that no setting reads. */
  readonly unread: readonly string[]
  readonly stopping: AbortSignal
}

/** Resolves after a stop signal. */
export async function serve(config: Config, { port, unread, stopping }: Serving): Promise<void> {
  if (stopping.aborted) return
  if (config.databaseUrl === null && (await readServiceFile(config.dataDir)) === null)
    process.stdout.write(creatingStore(config.dataDir))
  const memory = await openLogMemory(config.dataDir)
  const opened = await openWorld(config, (line) => void process.stdout.write(line), { admit: memory.admit })
  for (const name of unread) opened.deps.log.warn(unreadWarning(name))
  if (config.mail === null) opened.deps.log.info(`mail is ${MAIL_IS_OFF}; ${TURN_MAIL_ON}`)
  await closingOnFailure(opened, async () => {
    await refuseFaultyCertificates(opened)
    await askWitnessesAtStart(opened.deps, memory)
    await makeDaysAtStart(opened)
  })
  if (stopping.aborted) return opened.close()
  addProcessMetrics(opened.deps.metrics)
  const app = buildApp(opened.deps)
  let health: HealthPort | null = null
  try {
    // Opened first, so that a process that is ready also counts as live.
    if (config.healthPort !== null) health = await openHealthPort({ host: config.host, port: config.healthPort })
    await port?.release()
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    const [variable, taken] =
      config.healthPort !== null && health === null ? ['VIDIMUS_HEALTH_PORT', config.healthPort] : ['PORT', config.port]
    await health?.stop()
    await app.close()
    await opened.close()
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new ConfigError([{ variable, problem: `${taken} is taken by another process; set another one` }])
    throw error
  }
  const guard = startStoreGuard(opened.deps, memory)
  await writeServiceAddress(opened)
  const workers =
    config.role === 'api' ? [] : [startJobs(opened.deps, jobsFor(config)), await startDeliveries(opened.deps)]
  await greet(opened)
  await untilAborted(stopping)
  opened.deps.log.info('stopping')
  // Ctrl-C comes from a terminal. There no proxy has to notice the drain.
  const drained = stopping.reason === 'SIGTERM' ? app.draining.begin() : Promise.resolve()
  // In parallel, so that a client that keeps a request open does not use up the workers' time.
  await Promise.all([drained.then(() => app.close()), ...workers.map((worker) => worker.stop())])
  await health?.stop()
  await guard.stop()
  await opened.close()
}

async function closingOnFailure(opened: World, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** With a certificate that does not belong to its key, or that HAIP forbids, wallets would refuse every request. */
async function refuseFaultyCertificates(opened: World): Promise<void> {
  await generateMissingCertificates(opened.deps)
  const faults = await certificateFaults(opened.deps)
  if (faults.length > 0) throw new ConfigError(faults.map((problem) => ({ variable: 'vidimus certificate', problem })))
}

/** A failure does not prevent the start: without partitions, rows are deleted one by one. */
async function makeDaysAtStart({ deps }: World): Promise<void> {
  await makeFirstDays(deps).catch((error: unknown) => {
    deps.log.fault('no partitions were created for the coming days', error)
  })
}

/** The service also runs with a read-only data directory. */
async function writeServiceAddress({ deps }: World): Promise<void> {
  await writeServiceFile(deps.config).catch((error: unknown) => {
    deps.log.fault('the address of the service could not be written to its data directory', error)
  })
}

/**
 * Only at the first start with an empty embedded store: creates a demo tenant with a key, and prints what to do next.
 */
async function greet(opened: World): Promise<void> {
  const demo = opened.store.embedded && !opened.deps.config.production ? await prepareDemo(opened.deps) : null
  process.stdout.write(welcome(opened, demo))
}
