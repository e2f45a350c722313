// One step from what is there to what a set-up file says: what a person reads of it, and the use case that does it.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import type { ListNeeds } from '../../trust/index.ts'
import type { SetupPath, SetupProblem } from '../domain/setup.ts'

export type SetupDeps = ListNeeds & Pick<Deps, 'audit' | 'keys' | 'templates' | 'config'>

/** An API key that was made just now: nobody is told it again. */
export interface MadeKey {
  readonly tenantId: string
  readonly environment: Environment
  readonly id: string
  readonly name: string
  readonly key: string
}

export interface Carried {
  /** Of the tenant that was made. */
  readonly tenantId?: string
  readonly madeKey?: MadeKey
}

export interface PlannedChange {
  readonly action: 'add' | 'change' | 'remove'
  readonly what: 'tenant' | 'settings' | 'key' | 'template' | 'endpoint' | 'anchor' | 'trust list' | 'certificate'
  /** null: of the tenant as a whole. */
  readonly environment: Environment | null
  readonly name: string
  /** What becomes different, in a few words; never a webhook's address or a secret. */
  readonly details: string
  /** `tenantId`: whose; null for what is the operator's own. */
  readonly carryOut: (deps: SetupDeps, tenantId: string | null) => Promise<Carried>
}

/** What planning is told beside the file. */
export interface Planning {
  readonly deps: SetupDeps
  readonly actor: AuditActor
  /** Whether what the file does not name is removed, of the kinds it speaks of. */
  readonly prune: boolean
  /** By the name that the file gives them; null: the file cannot be read. */
  readonly privateKeys: ReadonlyMap<string, Uint8Array | null>
  readonly problems: SetupProblem[]
}

export const noteProblem = ({ problems }: Planning, path: SetupPath, message: string): void => {
  problems.push({ path, message })
}

/** What a use case refused, in its words. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused'
}

export function demandTenant(tenantId: string | null): string {
  if (tenantId === null) throw new Error('bug: this is a tenant’s')
  return tenantId
}

/** Stands for the id of a tenant that is yet to be made: nothing of anybody is found under it. */
export const NOT_YET_MADE = '(new)'
