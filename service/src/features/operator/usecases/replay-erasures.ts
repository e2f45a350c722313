// After a restore: repeats erasures, deletions and revocations since the backup, from a newer audit export.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadClosed } from '../../../core/tenants/store/closed.ts'
import { findStored } from '../../../core/verifications/store/erasure.ts'
import { eraseVerification } from '../../../core/verifications/usecases/forgetting/erase-verification.ts'
import { forgetContent } from '../../../core/verifications/usecases/forgetting/forget-content.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { type Instant, instantOf, isEnvironment } from '../../../platform/world.ts'
import {
  auditPublicKey,
  createLosses,
  LAPSE,
  type Losses,
  loadEntry,
  MOVED_AWAY,
  type RecordedEntry,
  readLapse,
  readLine,
  verifyExport,
} from '../../audit/index.ts'
import { isSetBack } from '../../transparency/index.ts'
import { loadWhereabouts } from '../store/closings.ts'
import { openHere } from './moving/open-arrived-tenants.ts'
import { isVerified, type Opening } from './moving/whereabouts.ts'
import { unpairDevices } from './repeated-actions.ts'
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
      /** When the first entry was made that the store lacks; null: it has all. It is older than the restore. */
      readonly lostAt: Instant | null
    } & RevocationCounts)
  /** Nothing was erased, because the export is not genuine or names no tenant. */
  | { readonly outcome: 'refused'; readonly problem: string }

/** Reads `lines` more than once. Can be repeated. */
export async function replayErasures(deps: Deps, lines: () => AsyncIterable<string>): Promise<Replay> {
  const verdict = await verifyExport({ lines, publicKey: auditPublicKey(deps), notes: [], logKeys: null })
  if (verdict.outcome !== 'whole') return { outcome: 'refused', problem: `${verdict.outcome}: ${verdict.problem}` }
  const { realm, movedTo, opening } = await readMoves(lines)
  if (realm === null) return { outcome: 'refused', problem: 'the export names no tenant' }
  const problem = movedTo === null ? await openAgain(deps, realm, opening) : null
  if (problem !== null) return { outcome: 'refused', problem }
  // A tenant that has moved away is not served, and a job deletes it.
  const isClosed = typeof (await loadClosed(deps.db, realm.tenantId)) === 'string'
  const counts = { erased: 0, forgotten: 0, alreadyGone: 0 }
  const losses = createLosses()
  const revocations = createRevocations(deps, realm)
  let lostAt: Instant | null = null
  for await (const step of isClosed ? [] : readSteps(lines)) {
    // An entry has the hash of the one before it. So the store has all before one that it has, and none after a lost one.
    const isWhole: boolean = lostAt === null && (await isKept(deps.db, realm, step.at(-1)))
    for (const recorded of step) {
      const entry: ReadEntry = JSON.parse(recorded.entry)
      if (lostAt === null && !isWhole && !(await isKept(deps.db, realm, recorded))) lostAt = entry.at
      if (lostAt !== null) revocations.noteLost(entry, recorded)
      else revocations.noteKept(entry)
      const gone = readErasure(entry)
      if (gone !== null) counts[await repeatErasure(deps, realm, gone)] += 1
      const lapsed = lapsedBy(losses, recorded, entry)
      const stored = await findAllStored(deps.db, realm, lapsed)
      counts.alreadyGone += lapsed.length - stored.length
      for (const id of stored) counts[await repeatErasure(deps, realm, { id, how: 'erased' })] += 1
    }
  }
  const revoked = await revocations.replay()
  // Without a restore, devices have their newest tokens. A store that is known to be restored paired none since.
  const before = lostAt ?? ((await isSetBack(deps)) ? instantOf(deps.clock.now()) : null)
  const unpaired = before === null ? 0 : await unpairDevices(deps, realm, before)
  return { outcome: 'replayed', realm, movedTo, lostAt, ...counts, ...revoked, unpaired }
}

const isKept = async (db: Deps['db'], realm: Realm, of: RecordedEntry | undefined): Promise<boolean> =>
  of !== undefined && (await loadEntry(db, realm, of.seq))?.toString('utf8') === of.entry

async function* readSteps(lines: () => AsyncIterable<string>): AsyncGenerator<RecordedEntry[]> {
  let step: RecordedEntry[] = []
  for await (const text of lines()) {
    const line = readLine(text)
    if (line.kind === 'entry') step.push(line.entry)
    if (step.length < LOOKED_UP_EACH) continue
    yield step
    step = []
  }
  yield step
}

/** The last address that the tenant has moved to, and the entry that it was opened here; null if there is none. */
async function readMoves(lines: () => AsyncIterable<string>) {
  let [realm, movedTo, opening]: [Realm | null, string | null, RecordedEntry | null] = [null, null, null]
  for await (const text of lines()) {
    const line = readLine(text)
    if (line.kind === 'header' && isEnvironment(line.environment))
      realm = { tenantId: line.tenantId, environment: line.environment }
    if (line.kind !== 'entry') continue
    const { action, object }: ReadEntry = JSON.parse(line.entry.entry)
    if (action === MOVED_AWAY) movedTo = object.id
    if (action === 'tenant.moved') [movedTo, opening] = [null, line.entry]
  }
  return { realm, movedTo, opening }
}

/**
 * A backup may have a tenant's copy from before it was opened here. A job would open it later, with everything that was
 * erased since, so it is opened now. Returns why nothing can be repeated in a closed tenant; null: it is open.
 */
async function openAgain(deps: Opening, realm: Realm, opening: RecordedEntry | null): Promise<string | null> {
  const { tenantId } = realm
  if ((await loadClosed(deps.db, tenantId)) !== '') return null
  const there = await loadWhereabouts(deps.db, tenantId)
  const isArriving = there !== null && there.movedFrom !== null && there.arrivedAt === null
  if (!isArriving) return 'the tenant is closed for a move: run this again once the move has ended'
  // The copy has the entry of an earlier move.
  if (opening === null || (await isKept(deps.db, realm, opening)))
    return 'the copy here was not open when this was exported'
  if (!(await isVerified(deps, tenantId)))
    return 'the tenant was served here, and this backup has only an unfinished copy: restore a newer backup'
  await openHere(deps, tenantId)
  return null
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
  const { at, action, object } = entry
  if (action === 'verification.erased') losses.erase(entry)
  if (entry.details !== null) losses.add({ seq: recorded.seq, at, action, object })
  return action === LAPSE ? [...(losses.lapse(readLapse(recorded, entry)) ?? [])] : []
}

/** Looks the ids up in steps: there may be many, and nearly all are gone. */
async function findAllStored(db: Deps['db'], realm: Realm, ids: readonly string[]): Promise<string[]> {
  const stored: string[] = []
  for (let at = 0; at < ids.length; at += LOOKED_UP_EACH)
    stored.push(...(await findStored(db, realm, ids.slice(at, at + LOOKED_UP_EACH))))
  return stored
}

async function repeatErasure(deps: Deps, realm: Realm, { id, how }: Gone): Promise<Gone['how'] | 'alreadyGone'> {
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
