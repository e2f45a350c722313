// Job: checks every night that the register still has each party, that its entry names us, and that its certificates match.

import { type IdentityOwner, loadIdentity } from '../../../core/registrations/store/identities.ts'
import { listRegistrations } from '../../../core/registrations/store/registrations.ts'
import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { FINDINGS_MAX, findDrift, finding, type RegisterCheck, type RegisterFinding } from '../domain/drift.ts'
import {
  countChecksAcrossTenants,
  findDueChecksAcrossTenants,
  listChecksWithFindingsAcrossTenants,
  saveRegisterCheck,
} from '../store/register-checks.ts'
import { type AskingNeeds, askRegister } from './ask-register.ts'

type Needs = AskingNeeds & Pick<Deps, 'log' | 'metrics'>

const HOUR_MS = 3_600_000
/** Less than a day, so that a check is due every night. */
const DUE_AFTER_MS = 20 * HOUR_MS
/** The most checks of one run. The next hourly run continues. */
const CHECKS_MAX = 200
/** Ends a run before the lease of the job expires. */
const RUN_MS_MAX = 600_000

export async function checkRegisters(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  const began = deps.clock.now()
  const due = await findDueChecksAcrossTenants(deps.db, { before: instantOf(began - DUE_AFTER_MS), most: CHECKS_MAX })
  for (const owner of due) {
    stopped.throwIfAborted()
    if (deps.clock.now() - began > RUN_MS_MAX) return
    // An error of one check must not stop the others.
    await checkRegister(deps, owner).catch((error) => {
      stopped.throwIfAborted()
      deps.log.fault('a check of the register failed', error)
    })
  }
}

/** Returns null if the owner has no identity. */
export async function checkRegister(deps: Needs, owner: IdentityOwner): Promise<RegisterCheck | null> {
  const found = await compare(deps, owner)
  if (found === null) return null
  const check = { ...found, findings: found.findings.slice(0, FINDINGS_MAX), checkedAt: instantOf(deps.clock.now()) }
  await saveRegisterCheck(deps.db, owner, check)
  if (check.outcome === 'drift' && owner.environment === 'live') deps.metrics.alarms.inc({ alarm: 'register_drift' })
  return check
}

async function compare(deps: Needs, owner: IdentityOwner): Promise<Omit<RegisterCheck, 'checkedAt'> | null> {
  const { tenantId, environment } = owner
  const identity = await loadIdentity(deps.db, owner)
  if (identity === null) return null
  const registryUri = identity.registryUri ?? sandboxRegister(deps, owner)
  if (registryUri === null) return failed(finding('no_register', 'the address of the register is not known'))
  const answer = await askRegister(deps, { tenantId, environment, registryUri, identifier: identity.identifier })
  if (answer.outcome === 'failed') return failed(answer.finding)
  const now = instantOf(deps.clock.now())
  const kept = tenantId === null ? [] : await listRegistrations(deps.db, { tenantId, environment }, now)
  const own = tenantId === null ? null : await loadIdentity(deps.db, { tenantId: null, environment })
  const registrations = kept.filter(({ removedAt }) => removedAt === null)
  const findings = findDrift(answer.record, { identity, own, registrations })
  return { outcome: findings.length === 0 ? 'same' : 'drift', findings }
}

/** In test, a party without a register is looked up in the sandbox's register. */
function sandboxRegister({ sandbox }: Pick<Deps, 'sandbox'>, { environment }: IdentityOwner): string | null {
  return environment === 'test' ? (sandbox?.registrar.base ?? null) : null
}

const failed = (one: RegisterFinding) => ({ outcome: 'failed', findings: [one] }) as const

export const readChecksWithFindings = (deps: Pick<Deps, 'db'>): Promise<readonly (IdentityOwner & RegisterCheck)[]> =>
  listChecksWithFindingsAcrossTenants(deps.db)

/** Diagnoses the last checks for the operator. */
export async function diagnoseRegisters(deps: Pick<Deps, 'db'>): Promise<Diagnosis[]> {
  return (await readChecksWithFindings(deps)).flatMap(({ tenantId, environment, outcome, findings }) =>
    findings.map(({ code, detail }) => ({
      area: 'register',
      status: outcome === 'drift' && environment === 'live' ? 'problem' : 'warning',
      finding: `${tenantId ?? 'operator'}, ${environment}: ${code}: ${detail}`,
      remedy: 'have it corrected where it is registered, or fetch a new certificate; then `vidimus register look`',
    })),
  )
}

/** Counts checks of live by outcome. */
export async function countChecks(deps: Pick<Deps, 'db'>): Promise<ReadonlyMap<string, number>> {
  const counted = await countChecksAcrossTenants(deps.db)
  return new Map(counted.map(({ outcome, looks }) => [outcome, looks]))
}
