// Reads the environment and runs one command. Loads the store and the service only if the command needs them.

import { randomBytes } from 'node:crypto'
import type { World } from './assemble.ts'
import { runProgram } from './cli/program.ts'
import type { CliWorld } from './cli/world.ts'
import { addMasterKey, retireMasterKeys, wrapMasterKey } from './master-key.ts'
import { readText } from './platform/cli/files.ts'
import { readConfig, unreadVariables } from './platform/config/config.ts'
import { ConfigError } from './platform/config/config-problems.ts'
import { reservePort } from './platform/reserved-port.ts'
import { watchStopSignals } from './platform/stop-signals.ts'
import { commandEnvironment, readServiceFile } from './running-service.ts'

const randomOf = (size: number) => new Uint8Array(randomBytes(size))

/** For a command that runs next to a server. A second log would only disturb, and nothing collects its traces. */
const COMMAND_OVERRIDES = { logLevel: 'silent', traces: null } as const

const world: CliWorld = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  reach: (url, init) => globalThis.fetch(url, init),
  apiKey: process.env.VIDIMUS_API_KEY,
  unreadVariables: unreadVariables(process.env),
  async withDeps(work) {
    const opened = await openForCommand()
    try {
      return await work(opened.deps)
    } finally {
      await opened.close()
    }
  },
  async withOtherDeps(environmentFile, work) {
    const config = readConfig(await commandEnvironment(parseVariables(await readText(environmentFile))))
    const { openMigratedWorld } = await import('./assemble.ts')
    const opened = await openMigratedWorld({ ...config, ...COMMAND_OVERRIDES }, () => undefined)
    try {
      return await work(opened.deps)
    } finally {
      await opened.close()
    }
  },
  async inspect(work) {
    const { inspectInstallation } = await import('./inspection.ts')
    return inspectInstallation({ ...readConfig(await commandEnvironment(process.env)), ...COMMAND_OVERRIDES }, work)
  },
  async migrate() {
    const [opened, { listWaitingParts }] = await Promise.all([
      openForCommand(),
      import('./platform/postgres/late-migrations.ts'),
    ])
    try {
      const waiting = await listWaitingParts(opened.deps.db)
      return { applied: opened.migrated, waiting, store: opened.store.description }
    } finally {
      await opened.close()
    }
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
  masterKeyFile:
    process.env.VIDIMUS_MASTER_KEY || process.env.VIDIMUS_MASTER_KEY_WRAPPED
      ? undefined
      : {
          add: () => addMasterKey(readConfig(process.env), randomOf),
          retire: () => retireMasterKeys(readConfig(process.env), randomOf),
        },
  async wrapMasterKey({ reference, isNew }) {
    const config = readConfig(await commandEnvironment(process.env))
    const { withRemoteKeys } = await import('./open-parts.ts')
    return withRemoteKeys(config, (keys) => wrapMasterKey(config, keys, { reference, isNew, random: randomOf }))
  },
  runningService: () => readServiceFile(process.env.VIDIMUS_DATA_DIR || './data'),
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
    // Listens before anything is loaded, because PID 1 of a container ignores signals that it does not handle.
    const stopping = watchStopSignals()
    // 0 means any free port. The base URL must name the port before the server starts.
    const reservation = process.env.PORT === '0' ? await reservePort() : null
    const port = reservation === null ? {} : { PORT: String(reservation.port) }
    const role = options.role === undefined ? {} : { VIDIMUS_ROLE: options.role }
    const config = readConfig({ ...process.env, ...port, ...role })
    const { serve } = await import('./serve.ts')
    await serve(config, {
      port: reservation,
      unread: world.unreadVariables,
      stopping,
    })
  },
}

/** `NAME=value` in each line, as systemd and container tools read it. */
const parseVariables = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(["']?)(.*)\2\s*$/gm)].map(([, name, , value]) => [name, value]))

async function openForCommand(): Promise<World> {
  const config = readConfig(await commandEnvironment(process.env))
  const { openWorld } = await import('./assemble.ts')
  return openWorld({ ...config, ...COMMAND_OVERRIDES }, () => undefined)
}

process.exitCode = await runProgram(world, process.argv.slice(2))
