// The process: reads the environment, runs one command line, and for `serve` lives until it is told to stop.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { runProgram } from './cli/program.ts'
import type { CliWorld, WitnessOptions } from './cli/world.ts'
import { type Config, readConfig, unreadVariables } from './config.ts'
import { ConfigError, UNREAD } from './config-problems.ts'
import { noteSigner, renderNoteKey } from './domain/log/note.ts'
import { createWitnessServer } from './http/log/witness-server.ts'
import { inspectInstallation } from './inspection.ts'
import { addMasterKey, retireMasterKeys } from './master-key.ts'
import { addProcessMetrics } from './metrics.ts'
import { openExistingStore } from './open-store.ts'
import { processOf } from './running-process.ts'
import { commandEnvironment, recallService, rememberService } from './running-service.ts'
import { hearStopSignals, untilAborted } from './stop-signals.ts'
import { openWitnessFiles } from './store/log/witness-files.ts'
import { planMigration } from './store/postgres/migrate.ts'
import { createCosigning } from './usecases/log/cosign-checkpoint.ts'
import { prepareDemo } from './usecases/operator/prepare-demo.ts'
import { certificateFaults, generateMissingCertificates } from './usecases/trust/certificate-in-use.ts'
import { makingStore, welcome } from './welcome.ts'
import { openWorld, type World } from './wire.ts'

const randomOf = (size: number) => new Uint8Array(randomBytes(size))

/** Of a command beside a running server: its own log would only be in the way, and nobody follows its course. */
const BESIDE = { logLevel: 'silent', traces: null } as const

const world: CliWorld = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  reach: (url, init) => globalThis.fetch(url, init),
  apiKey: process.env.VIDIMUS_API_KEY,
  unreadVariables: unreadVariables(process.env),
  async withDeps(work) {
    const config = readConfig(await commandEnvironment(process.env))
    const opened = await openWorld({ ...config, ...BESIDE }, () => undefined)
    try {
      return await work(opened.deps)
    } finally {
      await opened.close()
    }
  },
  async inspect(work) {
    return inspectInstallation({ ...readConfig(await commandEnvironment(process.env)), ...BESIDE }, work)
  },
  async migrate() {
    const config = readConfig(await commandEnvironment(process.env))
    const opened = await openWorld({ ...config, ...BESIDE }, () => undefined)
    await opened.close()
    return { applied: opened.migrated, store: opened.store.description }
  },
  async planMigration() {
    const store = await openExistingStore(readConfig(await commandEnvironment(process.env)))
    try {
      return { ...(await planMigration({ connection: store.connection })), store: store.description }
    } finally {
      await store.stop()
    }
  },
  masterKeyFile: process.env.VIDIMUS_MASTER_KEY
    ? undefined
    : {
        add: () => addMasterKey(readConfig(process.env), randomOf),
        retire: () => retireMasterKeys(readConfig(process.env), randomOf),
      },
  runningService: () => recallService(process.env.VIDIMUS_DATA_DIR || './data'),
  async configProblems() {
    try {
      readConfig(await commandEnvironment(process.env))
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems.map(({ variable, problem }) => `${variable}: ${problem}`)
      throw error
    }
  },
  serveWitness: (options) => serveWitness(options),
  async serve(options) {
    const held = process.env.PORT === '0' ? await holdFreePort() : null
    const port = held === null ? {} : { PORT: String(held.port) }
    const role = options.role === undefined ? {} : { VIDIMUS_ROLE: options.role }
    await serve(readConfig({ ...process.env, ...port, ...role }), held?.release ?? (async () => undefined))
  },
}

/** Stops at the first signal; what it saw is on the disk already. */
async function serveWitness({ name, logs, folder, host, port }: WitnessOptions): Promise<void> {
  const stopping = hearStopSignals()
  const self = processOf(process.pid) ?? { pid: process.pid, begin: '' }
  const files = await openWitnessFiles(folder, { random: randomOf, self, processOf })
  const signer = noteSigner(name, 0x04, files.seed)
  const clock = { now: () => Date.now() }
  const server = createWitnessServer(createCosigning({ clock, files, signer, logs }))
  try {
    server.listen(port, host)
    await once(server, 'listening')
    const { port: listening } = server.address() as AddressInfo
    process.stdout.write(`${renderNoteKey(signer)}\nlistening on http://${host}:${listening}\n`)
    await untilAborted(stopping)
    server.close()
    server.closeAllConnections()
  } finally {
    await files.close()
  }
}

/** PORT=0 means any free one; the base URL must name it before anything is served. Held, so that nobody takes it. */
async function holdFreePort(): Promise<{ port: number; release(): Promise<void> }> {
  const holder = createServer().listen(0)
  await once(holder, 'listening')
  // A start that fails must still end the process.
  holder.unref()
  return {
    port: (holder.address() as AddressInfo).port,
    async release() {
      holder.close()
      await once(holder, 'close')
    },
  }
}

async function serve(config: Config, releasePort: () => Promise<void>): Promise<void> {
  const stopping = hearStopSignals()
  // Loaded here, so that the other commands start without the HTTP side.
  const [{ buildApp }, { startDeliveries }, { startJobs }] = await Promise.all([
    import('./http/server.ts'),
    import('./jobs/deliveries.ts'),
    import('./jobs/runner.ts'),
  ])
  if (config.databaseUrl === null && (await recallService(config.dataDir)) === null)
    process.stdout.write(makingStore(config.dataDir))
  const opened = await openWorld(config, (line) => void process.stdout.write(line))
  for (const name of world.unreadVariables) opened.deps.log.warn(UNREAD(name))
  await refuseFaultyCertificates(opened)
  if (stopping.aborted) return opened.close()
  addProcessMetrics(opened.deps.metrics)
  const app = buildApp(opened.deps)
  try {
    await releasePort()
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await opened.close()
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new ConfigError([
        { variable: 'PORT', problem: `${config.port} is taken by another process; set another one` },
      ])
    }
    throw error
  }
  await remember(opened)
  const workers = config.role === 'api' ? [] : [startJobs(opened.deps), await startDeliveries(opened.deps)]
  await greet(opened)
  await untilAborted(stopping)
  opened.deps.log.info('stopping')
  // Ctrl-C is somebody at a terminal, with no proxy that would have to notice.
  const drained = stopping.reason === 'SIGTERM' ? app.draining.begin() : Promise.resolve()
  // Together: whoever holds on to a request must not take from the time the workers have.
  await Promise.all([drained.then(() => app.close()), ...workers.map((worker) => worker.stop())])
  await opened.close()
}

/** A certificate that does not belong to its key, or that HAIP forbids, would make every request worthless. */
async function refuseFaultyCertificates(opened: World): Promise<void> {
  try {
    await generateMissingCertificates(opened.deps)
    const faults = await certificateFaults(opened.deps)
    if (faults.length > 0)
      throw new ConfigError(faults.map((problem) => ({ variable: 'vidimus certificate', problem })))
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** A data directory that cannot be written to is no reason not to serve. */
async function remember({ deps }: World): Promise<void> {
  await rememberService(deps.config).catch((error: unknown) => {
    deps.log.fault('where the service runs could not be written down for the command line', error)
  })
}

/** Once, at the first start of an empty store of our own: a demo tenant, its key and what to do with it. */
async function greet(opened: World): Promise<void> {
  const demo = opened.store.embedded && !opened.deps.config.production ? await prepareDemo(opened.deps) : null
  process.stdout.write(welcome(opened, demo))
}

process.exitCode = await runProgram(world, process.argv.slice(2))
