// The nightly look: is everybody still registered, does the register still name us, does it still say what the certificates say?

import { type IdentityOwner, loadIdentity } from '../../../core/registrations/store/identities.ts'
import { listRegistrations } from '../../../core/registrations/store/registrations.ts'
import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { FINDINGS_MAX, findDrift, finding, type RegisterFinding, type RegisterLook } from '../domain/drift.ts'
import {
  countLooksAcrossTenants,
  findDueLooksAcrossTenants,
  listUneasyLooksAcrossTenants,
  loadLook,
  saveLook,
} from '../store/register-looks.ts'
import { type AskingNeeds, askRegister } from './ask-register.ts'

type Needs = AskingNeeds & Pick<Deps, 'log' | 'metrics'>

const HOUR_MS = 3_600_000
/** Less than a day, so that a look a night is due every night. */
const DUE_AFTER_MS = 20 * HOUR_MS
/** One run; the next hour goes on. */
const LOOKS_MAX = 200
/** Below the lease of the job. */
const RUN_MS_MAX = 600_000

export async function lookAtRegisters(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  const began = deps.clock.now()
  const due = await findDueLooksAcrossTenants(deps.db, { before: instantOf(began - DUE_AFTER_MS), most: LOOKS_MAX })
  for (const owner of due) {
    stopped.throwIfAborted()
    if (deps.clock.now() - began > RUN_MS_MAX) return
    // What is wrong with one must not keep the others from being looked at.
    await lookAtRegister(deps, owner).catch((error) => {
      stopped.throwIfAborted()
      deps.log.fault('a look at the register failed', error)
    })
  }
}

/** Null where nobody is registered as that owner. */
export async function lookAtRegister(deps: Needs, owner: IdentityOwner): Promise<RegisterLook | null> {
  const found = await compare(deps, owner)
  if (found === null) return null
  const look = { ...found, findings: found.findings.slice(0, FINDINGS_MAX), lookedAt: instantOf(deps.clock.now()) }
  await saveLook(deps.db, owner, look)
  if (look.outcome === 'drift' && owner.environment === 'live') deps.metrics.alarms.inc({ alarm: 'register_drift' })
  return look
}

async function compare(deps: Needs, owner: IdentityOwner): Promise<Omit<RegisterLook, 'lookedAt'> | null> {
  const { tenantId, environment } = owner
  const identity = await loadIdentity(deps.db, owner)
  if (identity === null) return null
  const registryUri = identity.registryUri ?? sandboxRegister(deps, owner)
  if (registryUri === null) return failed(finding('no_register', 'the address of its register is not known'))
  const answer = await askRegister(deps, { tenantId, environment, registryUri, identifier: identity.identifier })
  if (answer.outcome === 'failed') return failed(answer.finding)
  const now = instantOf(deps.clock.now())
  const kept = tenantId === null ? [] : await listRegistrations(deps.db, { tenantId, environment }, now)
  const own = tenantId === null ? null : await loadIdentity(deps.db, { tenantId: null, environment })
  const registrations = kept.filter(({ removedAt }) => removedAt === null)
  const findings = findDrift(answer.record, { identity, own, registrations })
  return { outcome: findings.length === 0 ? 'same' : 'drift', findings }
}

/** In test, whoever names no register is looked up in that of the sandbox. */
function sandboxRegister({ sandbox }: Pick<Deps, 'sandbox'>, { environment }: IdentityOwner): string | null {
  return environment === 'test' ? (sandbox?.registrar.base ?? null) : null
}

const failed = (one: RegisterFinding) => ({ outcome: 'failed', findings: [one] }) as const

export const readLook = (deps: Pick<Deps, 'db'>, owner: IdentityOwner): Promise<RegisterLook | null> =>
  loadLook(deps.db, owner)

export const readUneasyLooks = (deps: Pick<Deps, 'db'>): Promise<readonly (IdentityOwner & RegisterLook)[]> =>
  listUneasyLooksAcrossTenants(deps.db)

/** What an operator should know of the last looks. */
export async function diagnoseRegisters(deps: Pick<Deps, 'db'>): Promise<Diagnosis[]> {
  return (await readUneasyLooks(deps)).flatMap(({ tenantId, environment, outcome, findings }) =>
    findings.map(({ code, detail }) => ({
      area: 'register',
      status: outcome === 'drift' && environment === 'live' ? 'problem' : 'warning',
      finding: `${tenantId ?? 'operator'}, ${environment}: ${code}: ${detail}`,
      mend: 'have it corrected where it is registered, or fetch a new certificate; then `vidimus register look`',
    })),
  )
}

/** Of live, by how they ended. */
export async function countLooks(deps: Pick<Deps, 'db'>): Promise<ReadonlyMap<string, number>> {
  // While the store is away the other metrics still count.
  const counted = await countLooksAcrossTenants(deps.db).catch(() => [])
  return new Map(counted.map(({ outcome, looks }) => [outcome, looks]))
}
