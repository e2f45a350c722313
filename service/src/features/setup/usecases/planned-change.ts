// One change of a plan: its description for people, and the function that carries it out.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import type { ListNeeds } from '../../trust/index.ts'
import type { SetupPath, SetupProblem } from '../domain/setup.ts'

export type SetupDeps = ListNeeds & Pick<Deps, 'audit' | 'keys' | 'templates' | 'config' | 'remoteKeys'>

/** A new API key, which is shown only once. */
export interface NewKey {
  readonly tenantId: string
  readonly environment: Environment
  readonly id: string
  readonly name: string
  readonly key: string
}

interface Carried {
  /** The id of the tenant that the change created. */
  readonly tenantId?: string
  readonly newKey?: NewKey
}

export interface PlannedChange {
  readonly action: 'add' | 'change' | 'remove'
  readonly what: 'tenant' | 'settings' | 'key' | 'template' | 'endpoint' | 'anchor' | 'trust list' | 'certificate'
  /** null if the change is for the whole tenant. */
  readonly environment: Environment | null
  readonly name: string
  /** A short description of the change. It never contains a webhook's address or a secret. */
  readonly details: string
  /** `tenantId`: the owner; null: the operator. */
  readonly carryOut: (deps: SetupDeps, tenantId: string | null) => Promise<Carried>
}

/** The inputs of planning, except the file. */
export interface Planning {
  readonly deps: SetupDeps
  readonly actor: AuditActor
  /** Whether to remove entries that the file lacks, for the kinds of entries that it mentions. */
  readonly prune: boolean
  /** Private keys by their path in the set-up file; null if the key file cannot be read. */
  readonly privateKeys: ReadonlyMap<string, Uint8Array | null>
  readonly problems: SetupProblem[]
}

export const noteProblem = ({ problems }: Planning, path: SetupPath, message: string): void => {
  problems.push({ path, message })
}

/** A use case refused the change. The message comes from the use case. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused'
}

export function requireTenant(tenantId: string | null): string {
  if (tenantId === null) throw new Error('bug: this is a tenant’s')
  return tenantId
}

/** The id of a tenant that the plan creates. No row has this id. */
export const NOT_YET_CREATED = '(new)'
