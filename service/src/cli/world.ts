// What commands share: the process as they see it, who acts, and options that many of them take.

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
  /** Makes a new key that seals from now on; the ones before go on opening. */
  add(): Promise<void>
  /** Puts the keys that only open aside; where to, or null where there are none. */
  retire(): Promise<string | null>
}

export interface WitnessOptions {
  readonly name: string
  readonly logs: readonly NoteKey[]
  readonly folder: string
  readonly host: string
  readonly port: number
}

export interface PlannedMigration {
  readonly missing: readonly { readonly name: string; readonly compatibleFrom: number | null }[]
  readonly ahead: string | null
  readonly store: string
}

/** What a command is given of the process. */
export interface CliWorld extends Printer {
  /** Opens configuration and store, brings the schema up to date, runs the work, closes. */
  withDeps<T>(work: (deps: Deps) => Promise<T>): Promise<T>
  /** Opens what `doctor` looks at, as it stands, runs the work, closes. Nothing is changed: not even the schema. */
  inspect<T>(work: (deps: DiagnosedDeps) => Promise<T>): Promise<T>
  /** Runs the service until it is told to stop. */
  serve(options: { readonly role?: string }): Promise<void>
  /** Runs a witness until it is told to stop. */
  serveWitness(options: WitnessOptions): Promise<void>
  migrate(): Promise<{ readonly applied: readonly string[]; readonly store: string }>
  planMigration(): Promise<PlannedMigration>
  /** The way to a service over the network, for the test wallet. */
  readonly reach: typeof globalThis.fetch
  /** Where the service of the data directory runs, as it wrote down itself; null: none did. */
  runningService(): Promise<RunningService | null>
  /** Of the environment, for commands that act as a merchant. */
  readonly apiKey?: string | undefined
  /** The file that the master key is in; absent where it comes from the environment. */
  readonly masterKeyFile?: MasterKeyFile | undefined
  /** What is wrong with the configuration; empty when nothing is. */
  configProblems(): Promise<readonly string[]>
  /** Of the environment, those that nothing reads. */
  readonly unreadVariables: readonly string[]
}

/** Who acts, in audit entries. */
export const OPERATOR = { type: 'operator', id: 'cli' } as const

export interface RealmOptions {
  readonly tenant: string
  readonly environment: string
}

/** Of one tenant, in test where nothing else is said. */
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

/** A tenant's own, or everyone's. */
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

/** As a phone would, over the network: the developer chose the address. */
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
