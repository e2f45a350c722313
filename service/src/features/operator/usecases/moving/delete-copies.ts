// Deletes copies of tenants that another installation serves: erasures there do not reach them. The commands of a move do so; this
// job does it for moves that were neither finished nor given up.

import type { Deps } from '../../../../deps.ts'
import type { Diagnosis } from '../../../../platform/diagnosis.ts'
import { ENVIRONMENTS, type Environment, instantOf } from '../../../../platform/world.ts'
import { CORRELATION_LABEL, SUBJECT_LABEL } from '../../../oidc/index.ts'
import { KEPT_HERE, MOVED_TABLES } from '../../domain/moved-tables.ts'
import { findUnservedCopiesAcrossTenants, noteCopy, type UnservedCopy } from '../../store/closings.ts'
import { findLastPending, forgetTenantKeys } from '../../store/moved-people.ts'
import { deleteSomeRows } from '../../store/moved-rows.ts'
import { type Asking, isServedAt, isVerified, type Opening } from './whereabouts.ts'

const DELETED_AT_ONCE = 1_000
/** How long a rehearsed copy is kept: erasures at the installation that serves the tenant do not reach it. */
const COPY_KEPT_MS = 24 * 3_600_000

export const subjectLabel = (environment: Environment) => `${SUBJECT_LABEL}|${environment}`
const TENANT_KEYS = [...ENVIRONMENTS.map(subjectLabel), CORRELATION_LABEL]

export async function deleteCopies(deps: Opening & Asking, stopped: AbortSignal): Promise<void> {
  const nowMs = deps.clock.now()
  for (const copy of await findUnservedCopiesAcrossTenants(deps.db, instantOf(nowMs))) {
    stopped.throwIfAborted()
    if (copy.movedTo !== null) await deleteIfServedThere(deps, { ...copy, movedTo: copy.movedTo })
    else if (copy.since <= instantOf(nowMs - COPY_KEPT_MS)) await deleteUnlessVerified(deps, copy)
  }
}

/** Wallets may still fetch requests here until the last pending verification has ended. */
async function deleteIfServedThere(deps: Opening & Asking, { id, movedTo }: UnservedCopy & { movedTo: string }) {
  if ((await findLastPending(deps.db, id, instantOf(deps.clock.now()))) !== null) return
  if (await isServedAt(deps, movedTo, id)) await deleteMovedRows(deps, id)
}

/** A verified copy may be the tenant's new place: the command or the other job opens it, and `doctor` names it. */
async function deleteUnlessVerified(deps: Opening, { id }: UnservedCopy): Promise<void> {
  if (!(await isVerified(deps, id))) await deleteArrivingRows(deps, id)
}

/** What has moved away, but for what leads callers to the new address. */
export async function deleteMovedRows(deps: Pick<Deps, 'db'>, tenantId: string): Promise<void> {
  await deleteRows(deps, tenantId, (table) => !Object.hasOwn(KEPT_HERE, table))
  await noteCopy(deps.db, tenantId, null)
}

/** What was copied here and is not served here. */
export async function deleteArrivingRows(deps: Pick<Deps, 'db'>, tenantId: string): Promise<void> {
  await deleteRows(deps, tenantId, (table) => table !== 'audit_entries')
  await forgetTenantKeys(deps.db, tenantId, TENANT_KEYS)
  await noteCopy(deps.db, tenantId, null)
}

async function deleteRows(
  { db }: Pick<Deps, 'db'>,
  tenantId: string,
  isDeleted: (table: string) => boolean,
): Promise<void> {
  const derived = ['webhook_answers', 'webhook_due_times', 'unlogged_receipts', 'receipt_places']
  const tables = [...derived, ...MOVED_TABLES.map(({ table }) => table).reverse()]
  for (const table of tables.filter(isDeleted)) {
    // bounded: each round deletes rows, and a closed tenant gets no new ones.
    while ((await deleteSomeRows(db, table, tenantId, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
  }
}

/** A verified copy that waits to be opened is named by `diagnoseArrivals`. */
export async function diagnoseCopies(deps: Opening): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const { id, movedTo, since } of await findUnservedCopiesAcrossTenants(deps.db, instantOf(deps.clock.now()))) {
    if (movedTo === null && (await isVerified(deps, id))) continue
    found.push({ area: 'moving', status: 'warning', ...describe(id, movedTo, since) })
  }
  return found
}

const describe = (id: string, movedTo: string | null, since: string): Pick<Diagnosis, 'finding' | 'remedy'> =>
  movedTo === null
    ? {
        finding: `${id} was copied here at ${since} and is not served here: erasures do not reach the copy`,
        remedy: `where it is served, run \`vidimus tenant move switch ${id} --to <file>\`, or \`abort\`. A day after the copy a job deletes it`,
      }
    : {
        finding: `${id} has moved to ${movedTo}, and its rows are still here: erasures there do not reach them`,
        remedy: `run \`vidimus tenant move finish ${id} --to <file>\`. A job deletes them once no verification is open and ${movedTo} serves it`,
      }
