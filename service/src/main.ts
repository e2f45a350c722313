// The process: reads the environment and runs one command line. What a command needs is loaded when it is needed: the store, the
// service and all that belongs to it are most of what there is to load, and many commands need none of it.

import { randomBytes } from 'node:crypto'
import type { World } from './assemble.ts'
import { runProgram } from './cli/program.ts'
import type { CliWorld } from './cli/world.ts'
import { addMasterKey, retireMasterKeys } from './master-key.ts'
import { readConfig, unreadVariables } from './platform/config/config.ts'
import { ConfigError } from './platform/config/config-problems.ts'
import { holdPort } from './platform/reserved-port.ts'
import { hearStopSignals } from './platform/stop-signals.ts'
import { commandEnvironment, recallService } from './running-service.ts'

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
    const opened = await openBeside()
    try {
      return await work(opened.deps)
    } finally {
      await opened.close()
    }
  },
  async inspect(work) {
    const { inspectInstallation } = await import('./inspection.ts')
    return inspectInstallation({ ...readConfig(await commandEnvironment(process.env)), ...BESIDE }, work)
  },
  async migrate() {
    const opened = await openBeside()
    await opened.close()
    return { applied: opened.migrated, store: opened.store.description }
  },
  async planMigration() {
    const [{ openExistingStore }, { planMigration }] = await Promise.all([
      import('./open-store.ts'),
      import('./platform/postgres/migrate.ts'),
    ])
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
  serveWitness: async (options) => (await import('./serve-witness.ts')).serveWitness(options),
  async serve(options) {
    // Heard before anything is loaded: a first process of a container is told to stop by nothing else.
    const stopping = hearStopSignals()
    // 0 means any free one; the base URL must name it before anything is served.
    const held = process.env.PORT === '0' ? await holdPort() : null
    const port = held === null ? {} : { PORT: String(held.port) }
    const role = options.role === undefined ? {} : { VIDIMUS_ROLE: options.role }
    const config = readConfig({ ...process.env, ...port, ...role })
    const { serve } = await import('./serve.ts')
    await serve(config, {
      port: held,
      unread: world.unreadVariables,
      stopping,
    })
  },
}

async function openBeside(): Promise<World> {
  const config = readConfig(await commandEnvironment(process.env))
  const { openWorld } = await import('./assemble.ts')
  return openWorld({ ...config, ...BESIDE }, () => undefined)
}

process.exitCode = await runProgram(world, process.argv.slice(2))
