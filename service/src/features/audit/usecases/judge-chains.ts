// Reads the whole log once a day and compares every audit chain with it. Raises an alarm for each chain that differs.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { loadLastRun } from '../../../platform/jobs/job-leases.ts'
import type { Alarm } from '../../../platform/metrics/metrics.ts'
import { type Instant, millisecondsOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { epochNumber } from '../../transparency/domain/log/checkpoint.ts'
import { blindingKeyOf, entranceKeyOf } from '../../transparency/domain/log/log-keys.ts'
import { haltLog } from '../../transparency/store/log.ts'
import { readEpochNumbers } from '../../transparency/usecases/open-epoch.ts'
import { scanLog } from '../../transparency/usecases/scan-log.ts'
import { UNKNOWN_EPOCHS } from '../../transparency/usecases/verify-log.ts'
import {
  createMarkerFinder,
  entranceRow,
  fingerprintOf,
  headKeyOf,
  headRow,
  type MarkerRow,
} from '../domain/blinded-heads.ts'
import { checkpointKey, type NoteOverEntry, openNoteOver } from '../domain/checkpoint.ts'
import { entryHash } from '../domain/entry.ts'
import { readHeadLeaf, tagOf } from '../domain/head-leaves.ts'
import type { ChainPoint } from '../domain/verify-chain.ts'
import type { ListedChain } from '../store/checkpoints.ts'
import { loadJudgedLog, saveJudgedSize } from '../store/logged-heads.ts'
import { loadEntry } from '../store/trail.ts'
import { listChains } from './guard.ts'
import { readVerdict, scanChain } from './scan-chain.ts'

export const JUDGE_TRAILS_JOB = 'judge-chains'

/** A run begins this long before the previous one, to cover entries that were being written then. */
const OVERLAP_MS = 3_600_000

type Needs = Pick<Deps, 'db' | 'clock' | 'derivedKeys' | 'audit' | 'config' | 'metrics' | 'log'>

interface JudgedChains {
  readonly whole: number
  readonly changed: number
  readonly missing: number
}

export async function judgeTrails(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<JudgedChains> {
  const counts = { whole: 0, changed: 0, missing: 0 }
  const { judgedSize, heads } = await loadJudgedLog(deps.db)
  const parts = Math.ceil((heads + 1) / HEADS_AT_ONCE)
  let size = 0
  for (let at = 0; at < parts; at += 1) {
    const walked = await judgePart(deps, { counts, part: { at, of: parts }, judgedSize, stopped })
    size = at === 0 ? walked : Math.min(size, walked)
  }
  await saveJudgedSize(deps.db, size)
  return counts
}

/**
 * The job keeps at most this many heads in memory. If there are more, it checks the chains in parts and reads the log
 * for each part.
 */
const HEADS_AT_ONCE = 2_000_000

interface Part {
  readonly at: number
  readonly of: number
}

const isIn = ({ at, of }: Part, tag: Buffer) => tag.readUInt32BE(0) % of === at

interface PartOfJudging {
  readonly counts: Record<keyof JudgedChains, number>
  readonly part: Part
  /** The size of the log at the last run. */
  readonly judgedSize: number
  readonly stopped: AbortSignal
}

/** Checks the chains of one part. Returns the size of the log. */
async function judgePart(deps: Needs, { counts, part, judgedSize, stopped }: PartOfJudging): Promise<number> {
  const { size, chains, entrances } = await readLoggedChains(deps, { part, judgedSize, stopped })
  for await (const chain of listChains(deps, size)) {
    stopped.throwIfAborted()
    const tag = tagOf(blindingKeyOf(deps.derivedKeys, chain.tenantId), chain)
    if (!isIn(part, tag)) continue
    const name = nameOf(tag, chain.environment)
    if (chain.overdue) {
      counts.missing += 1
      const words = 'an audit chain should have a checkpoint in the log and has none'
      alarm(deps, chain, { name: 'audit_checkpoint_missing', words })
    }
    const logged = chains.get(name) ?? null
    // A blinded head needs its chain's entrance marker. If it is missing, the store named another chain at the entrance.
    const hasEntered = logged === null || logged.newest.ordinal === null || entrances.has(fingerprintOf(chain))
    const outcome = hasEntered ? await judgeChain(deps, chain, logged) : 'changed'
    chains.delete(name)
    entrances.delete(fingerprintOf(chain))
    counts[outcome] += 1
    if (outcome === 'changed') {
      const words = 'an audit chain is not as the service wrote it: it is not exported, and gets no checkpoint'
      alarm(deps, chain, { name: 'audit_chain_changed', words })
    }
  }
  const orphans = part.at === 0 ? await findMissingChains(deps, entrances) : []
  for (const _ of [...chains.keys(), ...orphans]) {
    counts.changed += 1
    deps.metrics.alarms.inc({ alarm: 'audit_chain_changed' })
    deps.log.error('the log has an audit chain of a tenant that is not in the store')
  }
  return size
}

/** The chains that entered the log and are not in the store. */
async function findMissingChains(deps: Needs, entrances: ReadonlySet<string>): Promise<string[]> {
  const unknown = new Set(entrances)
  if (unknown.size > 0) for await (const chain of listChains(deps, 0)) unknown.delete(fingerprintOf(chain))
  return [...unknown]
}

interface Point {
  readonly seq: number
  readonly leafIndex: number
  /** null if it is not blinded. */
  readonly ordinal: number | null
  readonly covers: (hash: Uint8Array) => boolean
}

/** The heads of one chain in the log. */
interface LoggedChainHeads {
  newest: Point
  /** The newest head that the last run checked. */
  judged: Point | null
  /** The heads after `judged`: each must still be in the chain. */
  since: Point[]
  /** Whether a head does not extend an earlier one, because the chain was rolled back and then continued. */
  wentBack: boolean
}

const nameOf = (tag: Buffer, environment: string) => `${tag.toString('hex')}/${environment}`

/**
 * Reads the heads of all chains from the log. If the leaves are not the signed ones, halts the log and ignores them.
 */
async function readLoggedChains(
  deps: Needs,
  { part, judgedSize, stopped }: Omit<PartOfJudging, 'counts'>,
): Promise<LoggedChains> {
  const lastRun = await loadLastRun(deps.db, JUDGE_TRAILS_JOB)
  const ranMs = lastRun === null ? 0 : millisecondsOf(lastRun)
  // A last run in the future is forged.
  const judgedUntil = ranMs > deps.clock.now() ? 0 : (ranMs - OVERLAP_MS) * 1_000
  const chains = new Map<string, LoggedChainHeads>()
  const note = (name: string, head: Point, { isJudged, hash }: { isJudged: boolean; hash: Buffer | null }) => {
    const known = chains.get(name) ?? { newest: head, judged: null, since: [], wentBack: false }
    // The same entry can appear twice if an operator adopted a chain whose position was lost. That is not a rollback.
    const isOther = hash !== null && head.seq === known.newest.seq && !known.newest.covers(hash)
    known.wentBack ||= isOther || head.seq < known.newest.seq
    if (head.seq >= known.newest.seq) known.newest = head
    if (isJudged) known.judged = head
    else known.since.push(head)
    chains.set(name, known)
  }
  const entrances = new Set<string>()
  const rows = [
    entranceRow(entranceKeyOf(deps.derivedKeys), (fingerprint) => void entrances.add(fingerprint)),
    ...(await rowsOf(deps, part, (name, head) =>
      note(name, head, { isJudged: head.leafIndex < judgedSize, hash: null }),
    )),
  ]
  const markers = createMarkerFinder(rows, await readEpochNumbers(deps))
  const see = (leaf: Buffer, leafIndex: number) => {
    markers.see(leaf, leafIndex)
    const old = readHeadLeaf(leaf)
    if (old === null || !isIn(part, old.tag)) return
    // Copies the hash: a view would keep the whole tile in memory.
    const own = Buffer.from(old.hash)
    const head = { seq: old.seq, leafIndex, ordinal: null, covers: (hash: Uint8Array) => own.equals(hash) }
    const isJudged = leafIndex < judgedSize || old.atMicros < judgedUntil
    note(nameOf(old.tag, old.environment), head, { isJudged, hash: own })
  }
  const walked = await scanLog(deps, see, stopped)
  const isRead = typeof walked !== 'string' && markers.epoch() === epochNumber(walked.epoch)
  if (isRead) return { size: walked.size, chains, entrances }
  const why = typeof walked === 'string' ? walked : UNKNOWN_EPOCHS
  await haltLog(deps.db, why)
  deps.metrics.alarms.inc({ alarm: 'log_halted' })
  deps.log.error(`the log is halted: ${why}`)
  return { size: 0, chains: new Map(), entrances: new Set() }
}

interface LoggedChains {
  readonly size: number
  readonly chains: Map<string, LoggedChainHeads>
  /** Fingerprints of the chains that have blinded heads in the log. */
  readonly entrances: Set<string>
}

/** The markers of every stored chain of this part. */
async function rowsOf(deps: Needs, part: Part, found: (name: string, head: Point) => void): Promise<MarkerRow[]> {
  const rows: MarkerRow[] = []
  for await (const chain of listChains(deps, 0)) {
    const blindingKey = blindingKeyOf(deps.derivedKeys, chain.tenantId)
    const tag = tagOf(blindingKey, chain)
    if (!isIn(part, tag)) continue
    const name = nameOf(tag, chain.environment)
    const key = headKeyOf(blindingKey, chain.environment)
    rows.push(headRow(key, ({ index, ...head }) => found(name, { ...head, leafIndex: index })))
  }
  return rows
}

async function judgeChain(
  deps: Needs,
  chain: ListedChain,
  logged: LoggedChainHeads | null,
): Promise<'whole' | 'changed'> {
  const { tenantId, environment, head } = chain
  const realm = { tenantId, environment }
  if (head === null || !deps.audit.macs.holds(realm, head)) return 'changed'
  // Compares with the signed log, not with the position in the store.
  if (!isWhereLogged(chain.logged, logged?.newest ?? null) || logged?.wentBack === true) return 'changed'
  const noted = chain.note === null ? null : notedPoint(deps, realm, chain.note)
  const judged = logged?.judged == null ? null : await loggedPoint(deps, realm, logged.judged)
  if (noted === 'unknown' || judged === 'unknown') return 'changed'
  const from = judged ?? noted
  const checkpoints = (logged?.since ?? []).map(({ seq, covers }) => ({ size: seq, covers }))
  const verdict = await readVerdict(scanChain(deps, realm, { checkpoints, ...(from === null ? {} : { from }) }))
  return verdict.outcome === 'whole' ? 'whole' : 'changed'
}

const isWhereLogged = (logged: ListedChain['logged'], newest: Point | null) =>
  logged?.seq === newest?.seq && logged?.leafIndex === newest?.leafIndex && logged?.ordinal === newest?.ordinal

/** Where the check starts: the logged entry, if it is still in the chain. */
async function loggedPoint({ db }: Needs, realm: Realm, leaf: Point): Promise<ChainPoint | 'unknown'> {
  const entry = await loadEntry(db, realm, leaf.seq)
  return entry === null || !leaf.covers(entryHash(entry)) ? 'unknown' : pointOf(leaf.seq, entry)
}

/** The same, for the last note from before the log. */
function notedPoint({ derivedKeys }: Needs, realm: Realm, note: NoteOverEntry): ChainPoint | 'unknown' {
  const checkpoint = openNoteOver(note, checkpointKey(derivedKeys).publicKey, realm)
  return checkpoint === null || note.entry === null ? 'unknown' : pointOf(checkpoint.size, note.entry)
}

/** Call it only with bytes that the service itself wrote. */
function pointOf(seq: number, entry: Buffer): ChainPoint {
  const { at } = JSON.parse(entry.toString('utf8')) as { at: Instant }
  return { seq, hash: entryHash(entry), at }
}

function alarm(deps: Needs, realm: Realm, raised: { readonly name: Alarm; readonly words: string }): void {
  deps.metrics.alarms.inc({ alarm: raised.name })
  deps.log.error(raised.words, { tenant: realm.tenantId, environment: realm.environment })
}
