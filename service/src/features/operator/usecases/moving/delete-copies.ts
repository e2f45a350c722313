// Job: deletes copies of tenants that another installation serves, after moves that were not finished or aborted.

import type { Deps } from '../../../../deps.ts'
import type { Diagnosis } from '../../../../platform/diagnosis.ts'
import type { Db, Tx } from '../../../../platform/postgres/db.ts'
import { ENVIRONMENTS, type Environment, instantOf } from '../../../../platform/world.ts'
import { emptyLinks } from '../../../links/index.ts'
import { CORRELATION_LABEL, SUBJECT_LABEL } from '../../../oidc/index.ts'
import { KEPT_HERE, MOVED_TABLES } from '../../domain/moved-tables.ts'
import {
  findUnservedCopiesAcrossTenants,
  holdCopy,
  noteCopy,
  noteOpenedThere,
  type UnservedCopy,
} from '../../store/closings.ts'
import { deleteCopiedAccounts, deleteTeam } from '../../store/moved-accounts.ts'
import { findLastPending, forgetReceiptKeys, forgetTenantKeys } from '../../store/moved-people.ts'
import { deleteSomeRows } from '../../store/moved-rows.ts'
import { MoveRefused, WHOLE_ROWS_MAX } from './copy-rows.ts'
import { type Asking, isOpenAt, isVerified, type Opening } from './whereabouts.ts'

const CHANGED_AT_ONCE = 1_000
/** How long a rehearsal is kept; and moved rows, once the tenant is open at the new installation. */
const KEPT_MS = 24 * 3_600_000

export const subjectLabel = (environment: Environment) => `${SUBJECT_LABEL}|${environment}`
const TENANT_KEYS = [...ENVIRONMENTS.map(subjectLabel), CORRELATION_LABEL]

export async function deleteCopies(deps: Opening & Asking, stopped: AbortSignal): Promise<void> {
  const nowMs = deps.clock.now()
  for (const copy of await findUnservedCopiesAcrossTenants(deps.db, instantOf(nowMs))) {
    stopped.throwIfAborted()
    try {
      if (copy.movedTo !== null) await deleteIfOpenThere(deps, { ...copy, movedTo: copy.movedTo })
      else if (copy.since <= instantOf(nowMs - KEPT_MS)) await deleteUnlessVerified(deps, copy)
    } catch (error) {
      // A command is working on this tenant. The next run tries again.
      if (!(error instanceof MoveRefused)) throw error
    }
  }
}

/** Wallets may still fetch requests here until the last pending verification has ended. */
async function deleteIfOpenThere(deps: Opening & Asking, copy: UnservedCopy & { movedTo: string }): Promise<void> {
  const nowMs = deps.clock.now()
  if (copy.openedThereAt === null) {
    // Normally the move command records this. Here it was killed, and the other installation's job opened the tenant.
    if (await isOpenAt(deps, copy.movedTo, copy.id)) await noteOpenedThere(deps.db, copy.id, instantOf(nowMs))
  } else if (copy.openedThereAt <= instantOf(nowMs - KEPT_MS)) {
    if ((await findLastPending(deps.db, copy.id, instantOf(nowMs))) === null) await deleteMovedRows(deps, copy)
  }
}

/**
 * Keeps a verified copy, which may become the tenant's new place: the command or the other job opens it. `doctor`
 * reports it.
 */
async function deleteUnlessVerified(deps: Opening, copy: UnservedCopy): Promise<void> {
  if (!(await isVerified(deps, copy.id))) await deleteArrivingRows(deps, copy)
}

/** Deletes what has moved away, except the rows that redirect callers to the new address. */
export async function deleteMovedRows({ db }: Pick<Deps, 'db'>, copy: UnservedCopy): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    const portion: { after: string; rowsMax: number } = { after, rowsMax: CHANGED_AT_ONCE }
    after = await changeCopy(db, copy, (tx) => emptyLinks(tx, copy.id, portion))
  }
  await deleteRows(db, copy, (table) => !Object.hasOwn(KEPT_HERE, table))
  await changeCopy(db, copy, async (tx) => {
    await deleteTeam(tx, copy.id)
    // Keys of a tenant that had come from another installation could reveal who its subjects are.
    await forgetTenantKeys(tx, copy.id, TENANT_KEYS)
    await noteCopy(tx, copy.id, null)
  })
}

/** Deletes a copy that is not served here. */
export async function deleteArrivingRows({ db }: Pick<Deps, 'db'>, copy: UnservedCopy): Promise<void> {
  await deleteRows(db, copy, (table) => table !== 'audit_entries')
  await changeCopy(db, copy, async (tx) => {
    await deleteSomeRows(tx, 'members', copy.id, WHOLE_ROWS_MAX)
    await deleteCopiedAccounts(tx, copy.id, [])
    await forgetReceiptKeys(tx, copy.id)
    await forgetTenantKeys(tx, copy.id, TENANT_KEYS)
    await noteCopy(tx, copy.id, null)
  })
}

/** Without members, which are deleted with their accounts. */
async function deleteRows(db: Db, copy: UnservedCopy, isDeleted: (table: string) => boolean): Promise<void> {
  const derived = ['webhook_answers', 'webhook_due_times', 'unlogged_receipts', 'receipt_places']
  const tables = [...derived, ...MOVED_TABLES.map(({ table }) => table).reverse()]
  for (const table of tables.filter((name) => name !== 'members' && isDeleted(name))) {
    const deleteSome = () => changeCopy(db, copy, (tx) => deleteSomeRows(tx, table, copy.id, CHANGED_AT_ONCE))
    // bounded: each round deletes rows, and a closed tenant gets no new ones.
    while ((await deleteSome()) > 0);
  }
}

/**
 * One step of a deletion. A `switch` may copy and open the tenant between two steps, so each step locks the tenant's
 * row, and deletes nothing if the tenant was copied again or opened.
 */
const changeCopy = <T>(db: Db, copy: UnservedCopy, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    if (!(await holdCopy(tx, copy))) throw new MoveRefused(`${copy.id} was copied again or opened meanwhile`)
    return work(tx)
  })

/** Leaves out verified copies, which `diagnoseArrivals` reports. */
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
        remedy: `run \`vidimus tenant move finish ${id} --to <file>\`. A job deletes them a day after it was opened there, once no verification is open here`,
      }
