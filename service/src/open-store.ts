// Opens the configured store: an external PostgreSQL, or the embedded PostgreSQL, which it starts.

import type { Config } from './platform/config/config.ts'
import { ConfigError } from './platform/config/config-problems.ts'
import { type Connection, shownHost } from './platform/postgres/connection.ts'
import { hasCluster } from './platform/postgres/embedded/location.ts'
import { SharedAccount, startEmbeddedPostgres } from './platform/postgres/embedded/server.ts'
import { machineUsers, type SystemUsers } from './platform/postgres/embedded/system-user.ts'
import { StoreUnfit } from './platform/store-unavailable.ts'

export interface StoreFacts {
  readonly embedded: boolean
  readonly description: string
  /** Whether the embedded PostgreSQL runs as the account "nobody", which other processes may use too. */
  readonly shared: boolean
}

export const OWN_USER =
  'started as root, the embedded PostgreSQL runs as "nobody", which other processes may use too: create a user for it (useradd --system vidimus), start as another user, or set DATABASE_URL'

type StoreConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'production'>

interface OpenStore extends StoreFacts {
  readonly connection: Connection
  stop(): Promise<void>
}

/** Opens the existing store, for callers that must not create one. */
export async function openExistingStore(config: StoreConfig): Promise<OpenStore> {
  if (config.databaseUrl === null && !(await hasCluster(config.dataDir)))
    throw new StoreUnfit(
      `there is none in ${config.dataDir}`,
      'start the service once (`npm start`), or correct VIDIMUS_DATA_DIR',
    )
  return openStore(config, () => undefined)
}

export async function openStore(
  config: StoreConfig,
  report: (event: string, error: unknown) => void,
  users: SystemUsers = machineUsers,
): Promise<OpenStore> {
  if (config.databaseUrl !== null) {
    return {
      embedded: false,
      description: `PostgreSQL at ${shownHost(config.databaseUrl) ?? 'DATABASE_URL'}`,
      shared: false,
      connection: { url: config.databaseUrl },
      stop: async () => undefined,
    }
  }
  const refuseShared = config.production
  const postgres = await startEmbeddedPostgres(config.dataDir, { report, refuseShared, users }).catch(
    (error: unknown) => {
      throw error instanceof SharedAccount ? new ConfigError([{ variable: 'DATABASE_URL', problem: OWN_USER }]) : error
    },
  )
  return {
    embedded: true,
    description: `embedded PostgreSQL in ${postgres.home}`,
    shared: postgres.shared,
    connection: postgres.connection,
    stop: postgres.stop,
  }
}
