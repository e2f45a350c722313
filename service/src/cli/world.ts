// What commands share: their view of the process, the acting person, and common options.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Realm } from '../core/tenants/domain/realm.ts'
import type { Deps } from '../deps.ts'
import type { DiagnosedDeps } from '../features/operator/index.ts'
import type { Exchange, Owner } from '../features/trust/index.ts'
import { CliProblem, type Printer } from '../platform/cli/print.ts'
import type { NoteKey } from '../platform/signed-note.ts'
import { ENVIRONMENTS, type Environment } from '../platform/world.ts'
import type { RunningService } from '../running-service.ts'

interface MasterKeyFile {
  /** Creates a new sealing key. The earlier keys still decrypt. */
  add(): Promise<void>
  /** Moves keys that only decrypt out of the key file. Returns the path of the new file; null if there are none. */
  retire(): Promise<string | null>
}

export interface WitnessOptions {
  readonly name: string
  readonly logs: readonly NoteKey[]
  readonly folder: string
  readonly host: string
  readonly port: number
}

/** The late part of a migration. It is in force once no process of a release before `readableFrom` is connected. */
interface WaitingMigration {
  readonly name: string
  readonly readableFrom: number
  readonly olderProcesses: number
}

export interface PlannedMigration {
  readonly missing: readonly {
    readonly name: string
    readonly compatibleFrom: number | null
    readonly late: { readonly readableFrom: number } | null
  }[]
  readonly waiting: readonly WaitingMigration[]
  readonly ahead: string | null
  readonly store: string
}

/** The process as commands see it. */
export interface CliWorld extends Printer {
  /** Opens configuration and store, migrates the schema, runs the work and closes. */
  withDeps<T>(work: (deps: Deps) => Promise<T>): Promise<T>
  /** Like `withDeps`, for another installation, by a file with its environment variables. Never migrates it. */
  withOtherDeps<T>(environmentFile: string, work: (deps: Deps) => Promise<T>): Promise<T>
  /** Opens what `doctor` inspects, runs the work and closes. Changes nothing, not even the schema. */
  inspect<T>(work: (deps: DiagnosedDeps) => Promise<T>): Promise<T>
  /** Runs the service until a stop signal. */
  serve(options: { readonly role?: string }): Promise<void>
  /** Runs a witness until a stop signal. */
  serveWitness(options: WitnessOptions): Promise<void>
  migrate(): Promise<{ readonly applied: readonly string[] } & Pick<PlannedMigration, 'waiting' | 'store'>>
  planMigration(): Promise<PlannedMigration>
  /** Sends requests to a service over the network, for the test wallet. */
  readonly reach: typeof globalThis.fetch
  /** Where the service of this data directory runs, from the file that it wrote; null if there is none. */
  runningService(): Promise<RunningService | null>
  /** From the environment, for commands that act as a merchant. */
  readonly apiKey?: string | undefined
  /** The file with the master key; absent if the key comes from the environment. */
  readonly masterKeyFile?: MasterKeyFile | undefined
  /** The master key, or a new one, encrypted by a key outside of the process. */
  wrapMasterKey(options: { readonly reference: string; readonly isNew: boolean }): Promise<string>
  /** Problems of the configuration; empty if there are none. */
  configProblems(): Promise<readonly string[]>
  /** Environment variables with our prefix that nothing reads. */
  readonly unreadVariables: readonly string[]
}

/** The actor in audit entries. */
export const OPERATOR = { type: 'operator', id: 'cli' } as const

export interface RealmOptions {
  readonly tenant: string
  readonly environment: string
}

/** Options that name one tenant; the environment defaults to test. */
export function inRealm(command: Command): Command {
  return command.requiredOption('--tenant <id>').option('--environment <environment>', 'test or live', 'test')
}

export function realmOf(options: RealmOptions): Realm {
  return { tenantId: options.tenant, environment: checkEnvironment(options.environment) }
}

export interface OwnerOptions {
  readonly tenant?: string
  readonly environment: string
}

/** Options that name one tenant, or the service itself. */
export function withOwner(command: Command, everyone: string): Command {
  return command
    .option('--tenant <id>', `a tenant's own (default: ${everyone})`)
    .requiredOption('--environment <environment>', 'test or live')
}

export function ownerOf(options: OwnerOptions): Owner {
  return { tenantId: options.tenant ?? null, environment: checkEnvironment(options.environment) }
}

export function checkEnvironment(text: string): Environment {
  const found = ENVIRONMENTS.find((environment) => environment === text)
  if (found === undefined) throw new CliProblem(`--environment must be test or live, not '${text}'`)
  return found
}

export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new CliProblem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`)
  }
}

/** Connects like a phone, without the egress guard, because the developer chose the address. */
export function overHttp(world: Pick<CliWorld, 'reach'>): Exchange {
  return async ({ method, url, headers, body }) => {
    try {
      const answered = await world.reach(url, {
        method,
        headers,
        redirect: 'manual',
        ...(body === null ? {} : { body }),
      })
      return {
        status: answered.status,
        contentType: answered.headers.get('content-type') ?? '',
        body: await answered.text(),
      }
    } catch {
      throw new CliProblem(`${new URL(url).origin} does not answer; is the service running there?`)
    }
  }
}
