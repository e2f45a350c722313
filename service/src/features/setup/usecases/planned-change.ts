// One step of a plan: its description for people, and the use case that carries it out.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import type { ListNeeds } from '../../trust/index.ts'
import type { SetupPath, SetupProblem } from '../domain/setup.ts'

export type SetupDeps = ListNeeds & Pick<Deps, 'audit' | 'keys' | 'templates' | 'config' | 'remoteKeys'>

/** A newly created API key: it is shown only this once. */
export interface MadeKey {
  readonly tenantId: string
  readonly environment: Environment
  readonly id: string
  readonly name: string
  readonly key: string
}

interface Carried {
  /** Of the created tenant. */
  readonly tenantId?: string
  readonly madeKey?: MadeKey
}

export interface PlannedChange {
  readonly action: 'add' | 'change' | 'remove'
  readonly what: 'tenant' | 'settings' | 'key' | 'template' | 'endpoint' | 'anchor' | 'trust list' | 'certificate'
  /** null: of the tenant as a whole. */
  readonly environment: Environment | null
  readonly name: string
  /** What changes, in a few words; never a webhook's address or a secret. */
  readonly details: string
  /** `tenantId`: the owner; null for the operator. */
  readonly carryOut: (deps: SetupDeps, tenantId: string | null) => Promise<Carried>
}

/** The inputs of planning apart from the file. */
export interface Planning {
  readonly deps: SetupDeps
  readonly actor: AuditActor
  /** Removes what the file does not name, of the kinds it mentions. */
  readonly prune: boolean
  /** By the path in the set-up file; null: the key file cannot be read. */
  readonly privateKeys: ReadonlyMap<string, Uint8Array | null>
  readonly problems: SetupProblem[]
}

export const noteProblem = ({ problems }: Planning, path: SetupPath, message: string): void => {
  problems.push({ path, message })
}

/** A use case's refusal, in its words. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused'
}

export function requireTenant(tenantId: string | null): string {
  if (tenantId === null) throw new Error('bug: this is a tenant’s')
  return tenantId
}

/** The placeholder id of a tenant that does not exist yet: nothing is found under it. */
export const NOT_YET_MADE = '(new)'
