// After a restore: repeats erasures, deletions and revocations since the backup, from a newer audit export.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadClosed } from '../../../core/tenants/store/closed.ts'
import { findStored } from '../../../core/verifications/store/erasure.ts'
import {
  type ErasureNeeds,
  eraseVerification,
} from '../../../core/verifications/usecases/forgetting/erase-verification.ts'
import { type ForgettingNeeds, forgetContent } from '../../../core/verifications/usecases/forgetting/forget-content.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isEnvironment } from '../../../platform/world.ts'
import {
  auditPublicKey,
  createLosses,
  LAPSE,
  type Losses,
  MOVED_AWAY,
  type RecordedEntry,
  readLapse,
  readLine,
  verifyExport,
} from '../../audit/index.ts'
import { createRevocations, type ReadEntry, type RevocationCounts } from './replay-revocations.ts'

const REPLAY = { type: 'operator', id: 'erasure-replay' } as const
const LOOKED_UP_EACH = 500

export type Replay =
  | ({
      readonly outcome: 'replayed'
      readonly realm: Realm
      readonly erased: number
      readonly forgotten: number
      readonly alreadyGone: number
      /** The address that the tenant has moved to, for `closeMovedAway` after all exports; null if it has not moved. */
      readonly movedTo: string | null
    } & RevocationCounts)
  /** Nothing was erased, because the export is not genuine or names no tenant. */
  | { readonly outcome: 'refused'; readonly problem: string }

type Needs = ErasureNeeds & ForgettingNeeds & Pick<Deps, 'random' | 'clients' | 'keys' | 'derivedKeys'>

/** Reads `lines` more than once. Can be repeated. */
export async function replayErasures(deps: Needs, lines: () => AsyncIterable<string>): Promise<Replay> {
  const verdict = await verifyExport({ lines, publicKey: auditPublicKey(deps), notes: [], logKeys: null })
  if (verdict.outcome !== 'whole') return { outcome: 'refused', problem: `${verdict.outcome}: ${verdict.problem}` }
  let [realm, movedTo, isClosed]: [Realm | null, string | null, boolean] = [null, null, false]
  const counts = { erased: 0, forgotten: 0, alreadyGone: 0 }
  const losses = createLosses()
  const revocations = createRevocations(deps)
  for await (const text of lines()) {
    const line = readLine(text)
    // Only the first header was verified.
    if (line.kind === 'header' && realm === null && isEnvironment(line.environment)) {
      realm = { tenantId: line.tenantId, environment: line.environment }
      // The export of the other environment has already closed the tenant here: nothing is served, and a job deletes it.
      isClosed = typeof (await loadClosed(deps.db, line.tenantId)) === 'string'
    }
    const entry: ReadEntry | null = line.kind === 'entry' ? JSON.parse(line.entry.entry) : null
    if (entry !== null && !isClosed) revocations.note(entry)
    if (entry?.action === MOVED_AWAY) movedTo = entry.object.id
    if (entry?.action === 'tenant.moved') movedTo = null
    const gone = entry === null ? null : readErasure(entry)
    if (realm !== null && gone !== null && !isClosed) counts[await repeatErasure(deps, realm, gone)] += 1
    if (line.kind !== 'entry' || entry === null || realm === null || isClosed) continue
    const lapsed = lapsedBy(losses, line.entry, entry)
    const stored = await findAllStored(deps.db, realm, lapsed)
    counts.alreadyGone += lapsed.length - stored.length
    for (const id of stored) counts[await repeatErasure(deps, realm, { id, how: 'erased' })] += 1
  }
  if (realm === null) return { outcome: 'refused', problem: 'the export names no tenant' }
  return { outcome: 'replayed', realm, movedTo, ...counts, ...(await revocations.replay(realm)) }
}

interface Gone {
  readonly id: string
  readonly how: 'erased' | 'forgotten'
}

function readErasure({ action, object }: ReadEntry): Gone | null {
  if (action === 'verification.erased') return { id: object.id, how: 'erased' }
  return action === 'verification.forgotten' ? { id: object.id, how: 'forgotten' } : null
}

/** The verifications that the entry says have lapsed. An export has details that lapsed while it was written. */
function lapsedBy(losses: Losses, recorded: RecordedEntry, entry: ReadEntry): readonly string[] {
  const { at, object } = entry
  if (entry.action === 'verification.erased') losses.erase(entry)
  if (entry.details !== null) losses.add({ seq: recorded.seq, at, object })
  return entry.action === LAPSE ? [...(losses.lapse(readLapse(recorded, entry)) ?? [])] : []
}

/** Looks the ids up in steps: there may be many, and nearly all are gone. */
async function findAllStored(db: Deps['db'], realm: Realm, ids: readonly string[]): Promise<string[]> {
  const stored: string[] = []
  for (let at = 0; at < ids.length; at += LOOKED_UP_EACH)
    stored.push(...(await findStored(db, realm, ids.slice(at, at + LOOKED_UP_EACH))))
  return stored
}

async function repeatErasure(deps: Needs, realm: Realm, { id, how }: Gone): Promise<Gone['how'] | 'alreadyGone'> {
  const input = { realm, id, actor: REPLAY }
  try {
    if (how === 'erased') await eraseVerification(deps, input)
    else await forgetContent(deps, input)
    return how
  } catch (error) {
    if (error instanceof Refusal && error.code === 'session_not_found') return 'alreadyGone'
    throw error
  }
}
