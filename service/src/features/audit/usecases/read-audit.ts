// Reads the audit trail: one page, the whole chain as an export, or a signed checkpoint.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { proveLeaf } from '../../transparency/usecases/read-log.ts'
import { checkpointKey, signCheckpoint } from '../domain/checkpoint.ts'
import { checkpointLine, entryLine, headerLine, type LoggedHead } from '../domain/export.ts'
import type { AuditVerdict } from '../domain/verdict.ts'
import { lacksCheckpoint, listCheckpoints } from '../store/checkpoints.ts'
import { nameIds } from '../store/names.ts'
import { loadAuditHead, loadEntry, readEntriesBefore, type TrailFilter } from '../store/trail.ts'
import { dueSince } from './guard.ts'
import { readVerdict, type ScanVerdict, scanChain } from './scan-chain.ts'
import { readSignedPoints, type SignedPoints } from './signed-points.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'derivedKeys' | 'audit' | 'config'>

interface Named {
  readonly type: string
  readonly id: string
  /** Its current name; null if it has none or was removed. */
  readonly name: string | null
}

interface TrailEntry {
  readonly seq: number
  readonly at: string
  readonly action: string
  readonly actor: Named
  readonly object: Named
  /** null if the entry has no details, or if they were erased. */
  readonly details: object | null
}

interface TrailPage {
  readonly entries: readonly TrailEntry[]
  readonly next: number | null
}

export interface TrailQuestion extends TrailFilter {
  /** The number of the last entry of the previous page; null: start from the newest. */
  readonly before: number | null
  /** Only entries before this time; null: all. */
  readonly to?: Instant | null
  readonly limit: number
}

/** Newest first, with current names. */
export async function readTrail(deps: Pick<Deps, 'db'>, realm: Realm, question: TrailQuestion): Promise<TrailPage> {
  const { before, to = null, ...rest } = question
  const start = before ?? (to === null ? Number.MAX_SAFE_INTEGER : await firstSince(deps, realm, to))
  const { entries, next } = await readEntriesBefore(deps.db, realm, { ...rest, before: start })
  const read = entries.map(({ seq, entry, details }) => ({ seq, details, content: JSON.parse(entry) }))
  const ids = read.flatMap(({ content }) => [content.actor.id, content.object.id])
  const names = await nameIds(deps.db, realm, [...new Set<string>(ids)])
  const named = ({ type, id }: Omit<Named, 'name'>): Named => ({ type, id, name: names.get(id) ?? null })
  return {
    next,
    entries: read.map(({ seq, details, content }) => ({
      seq,
      at: content.at,
      action: content.action,
      actor: named(content.actor),
      object: named(content.object),
      details: typeof details === 'object' ? details : null,
    })),
  }
}

/** Finds the first entry at or after `to`, by binary search: times never decrease along the chain. */
async function firstSince(deps: Pick<Deps, 'db'>, realm: Realm, to: Instant): Promise<number> {
  const head = await loadAuditHead(deps.db, realm)
  let [low, high] = [1, (head?.seq ?? 0) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = await loadEntry(deps.db, realm, middle)
    if (entry !== null && JSON.parse(entry.toString('utf8')).at < to) low = middle + 1
    else high = middle
  }
  return low
}

interface TrailGuard {
  /** The head has a valid MAC. */
  readonly hasValidMac: boolean
  /** The chain has entries and lacks the checkpoint that it should have. */
  readonly checkpointMissing: boolean
}

/** Reads the state of a chain without scanning its entries. */
export async function readGuard(deps: Pick<Deps, 'db' | 'clock' | 'audit'>, realm: Realm): Promise<TrailGuard> {
  const head = await loadAuditHead(deps.db, realm)
  return {
    hasValidMac: head !== null && deps.audit.macs.holds(realm, head),
    checkpointMissing: await lacksCheckpoint(deps.db, realm, dueSince(deps)),
  }
}

/** Thrown if the chain is not what the service wrote. Nothing is signed then. */
export class ChainNotWhole extends Error {
  override readonly name = 'ChainNotWhole'
  readonly verdict: Exclude<AuditVerdict, { outcome: 'whole' }>

  constructor(verdict: Exclude<AuditVerdict, { outcome: 'whole' }>) {
    super(`the audit chain is ${verdict.outcome}: ${verdict.problem}`)
    this.verdict = verdict
  }
}

/**
 * The lines of an export: entries, notes from before the log existed, and a final note over exactly these entries.
 * Checks the chain while it reads: a broken chain is exported for inspection, but not signed.
 */
export async function* exportAudit(deps: Needs, realm: Realm): AsyncGenerator<string> {
  const signed = await readSignedPoints(deps, realm, { log: 'newest' })
  yield headerLine(realm, typeof signed === 'string' ? null : await proveHead(deps, signed))
  const scan = scanChain(deps, realm, { checkpoints: typeof signed === 'string' ? [] : signed.checkpoints })
  let step = await scan.next()
  for (; step.done !== true; step = await scan.next()) yield entryLine(step.value)
  for (const { note } of await listCheckpoints(deps.db, realm)) yield checkpointLine(note)
  if (typeof signed === 'string') throw new ChainNotWhole({ outcome: 'untrusted', problem: signed })
  yield checkpointLine(await signHead(deps, realm, step.value))
}

/** Proves the logged head by the newest checkpoint of the log. */
async function proveHead({ db }: Needs, { logged, opening }: SignedPoints): Promise<LoggedHead | null> {
  if (logged === null || opening === null) return null
  return { seq: logged.seq, opening, proof: await proveLeaf(db, logged.index) }
}

/** A signed note over the current chain. */
export async function checkpointAudit(deps: Needs, realm: Realm): Promise<string> {
  const signed = await readSignedPoints(deps, realm, { log: 'newest' })
  if (typeof signed === 'string') throw new ChainNotWhole({ outcome: 'untrusted', problem: signed })
  return signHead(deps, realm, await readVerdict(scanChain(deps, realm, { checkpoints: signed.checkpoints })))
}

/** Signs the head of a chain that was found whole; throws otherwise. */
async function signHead(deps: Needs, realm: Realm, verdict: ScanVerdict): Promise<string> {
  if (verdict.outcome === 'untrusted') throw new ChainNotWhole(verdict)
  if (verdict.outcome !== 'whole') throw new ChainNotWhole({ ...verdict, checkpoints: 0 })
  const at = instantOf(deps.clock.now())
  const head = { seq: verdict.entries, hash: verdict.head, at }
  return signCheckpoint(checkpointKey(deps.derivedKeys), { ...realm, head, at })
}

/** The daily checkpoints that this chain got before the log existed, oldest first. */
export async function readCheckpoints(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
): Promise<{ readonly seq: number; readonly note: string }[]> {
  return listCheckpoints(deps.db, realm)
}

/** For external verifiers: the public key of checkpoints, as PEM. */
export function auditPublicKey(deps: Pick<Deps, 'derivedKeys'>): string {
  return checkpointKey(deps.derivedKeys).publicKey.export({ format: 'pem', type: 'spki' }).toString()
}
