// Exports the list of verifications without answers. Records the export on the audit trail first.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import { csvLine } from '../../../platform/csv.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import {
  type ListedVerification,
  listVerificationsForStaff,
  type StaffPage,
  type StaffQuery,
} from './read-verifications-for-staff.ts'

const STEP_ROWS = 500
/** Maximum number of rows per file. */
const EXPORTED_MAX = 20_000
/** Maximum number of scans per file. It ends an export whose filter matches few rows. */
const SCANS_MAX = 100

const COLUMNS = [
  'id',
  'created_at',
  'status',
  'reason',
  'template',
  'purpose',
  'reference',
  'asked_by_type',
  'asked_by',
  'channel',
  'responded_at',
] as const

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

/** Records the export when it is called, then streams the lines. The last line says if there are more rows. */
export async function exportVerifications(
  deps: Needs,
  { query, actor }: { readonly query: StaffQuery; readonly actor: AuditActor },
): Promise<AsyncGenerator<string>> {
  const { realm } = query
  await deps.db.transaction((tx) =>
    deps.audit.record(tx, realm, {
      now: instantOf(deps.clock.now()),
      action: 'verifications.exported',
      actor,
      object: { type: 'tenant', id: realm.tenantId },
    }),
  )
  return linesOf(deps, query)
}

async function* linesOf(deps: Needs, query: StaffQuery): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  let before: Instant | null = null
  let left = EXPORTED_MAX
  for (let reads = 0; reads < SCANS_MAX && left > 0; reads += 1) {
    const page: StaffPage = await listVerificationsForStaff(deps, {
      ...query,
      before,
      limit: Math.min(STEP_ROWS, left),
    })
    if (page.rows.length > 0) yield page.rows.map(lineOf).join('')
    if (page.searchedTo === null) return
    left -= page.rows.length
    before = page.searchedTo
  }
  yield csvLine([`(ends here; continue with to=${before ?? ''})`])
}

const lineOf = (row: ListedVerification) =>
  csvLine([
    row.id,
    row.createdAt,
    row.status,
    row.errorCode,
    row.template,
    row.purpose,
    row.reference?.value ?? null,
    row.actorType,
    row.actorName ?? row.actorId,
    row.channel,
    row.respondedAt,
  ])
