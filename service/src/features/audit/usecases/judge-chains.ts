// Reads the whole log once a day and compares every audit chain with it. Raises an alarm for each chain that differs, each day.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
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
import { headKey } from '../domain/head-macs.ts'
import { blocksInTurn, isOwnJudgedLog, macOfJudgedLog, type Turns } from '../domain/judged-log.ts'
import type { ChainPoint } from '../domain/verify-chain.ts'
import type { ListedChain } from '../store/checkpoints.ts'
import { countForCheckAcrossTenants, loadJudgedLog, saveJudgedLog } from '../store/logged-heads.ts'
import { loadEntry } from '../store/trail.ts'
import { listChains } from './guard.ts'
import { isLinked, pointAt, readVerdict, scanChain } from './scan-chain.ts'

export const JUDGE_TRAILS_JOB = 'judge-chains'

/** How much one run reads, at 20,000 entries a second and more: less than the job's lease. */
const LIMITS = {
  /** Entries that earlier runs have checked are read in blocks of this many. */
  block: 100_000,
  /** Each block is read once in so many days. */
  days: 30,
  /** More than this many are not read in turns in one run. Then the turns take more days. */
  inTurns: 3_000_000,
  /** Without a valid record of the last run, so many of the newest entries are read, of each chain its share and at least 1,000. */
  newest: 3_000_000,
  /** Changed chains are read whole until this many entries were read. The others count as changed. */
  again: 3_000_000,
}

const NEWEST_MIN = 1_000

type Needs = Pick<Deps, 'db' | 'clock' | 'derivedKeys' | 'audit' | 'config' | 'metrics' | 'log'>

interface JudgedChains {
  readonly whole: number
  readonly changed: number
  readonly missing: number
}

export async function judgeTrails(
  deps: Needs,
  stopped: AbortSignal = NEVER_STOPPED,
  changedLimits: Partial<typeof LIMITS> = {},
): Promise<JudgedChains> {
  const limits = { ...LIMITS, ...changedLimits }
  const counts = { whole: 0, changed: 0, missing: 0 }
  const key = headKey(deps.derivedKeys)
  const { log, mac } = await loadJudgedLog(deps.db)
  const judgedSize = isOwnJudgedLog(key, log, mac) ? log.size : 0
  const { heads, entries, chains } = await countForCheckAcrossTenants(deps.db, judgedSize)
  const days = Math.max(limits.days, Math.ceil(entries / limits.inTurns))
  const turns = { block: limits.block, days, today: await daysOfRun(deps) }
  const newest = Math.max(NEWEST_MIN, Math.floor(limits.newest / Math.max(1, chains)))
  const before = { names: new Set(log.changed), left: limits.again }
  const changed: string[] = []
  const parts = Math.ceil((heads + 1) / HEADS_AT_ONCE)
  let size = 0
  for (let at = 0; at < parts; at += 1) {
    const part = { at, of: parts }
    const run = { counts, part, judgedSize, stopped, turns, newest, before, changed }
    const walked = await judgePart(deps, run)
    size = at === 0 ? walked : Math.min(size, walked)
  }
  const next = { size, changed }
  await saveJudgedLog(deps.db, next, macOfJudgedLog(key, next))
  return counts
}

const DAY_MS = 86_400_000

/** Today, and yesterday if the last run was before: a run begins a little later each day, and can leave one out. */
async function daysOfRun({ db, clock }: Needs): Promise<number[]> {
  const lastRun = await loadLastRun(db, JUDGE_TRAILS_JOB)
  const today = Math.floor(clock.now() / DAY_MS)
  return lastRun !== null && millisecondsOf(lastRun) < (today - 1) * DAY_MS ? [today - 1, today] : [today]
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
  /** The size of the log at the last run; 0: unknown. */
  readonly judgedSize: number
  readonly stopped: AbortSignal
  readonly turns: Turns
  readonly newest: number
  /** The chains that the last run found changed, and how many of their entries this run may still read. */
  readonly before: { readonly names: ReadonlySet<string>; left: number }
  /** The chains that this run found changed. */
  readonly changed: string[]
}

/** Checks the chains of one part. Returns the size of the log. */
async function judgePart(deps: Needs, run: PartOfJudging): Promise<number> {
  const { counts, part, stopped } = run
  const { size, chains, entrances } = await readLoggedChains(deps, run)
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
    const outcome = hasEntered ? await judgeChain(deps, chain, { ...run, tag, logged }) : 'changed'
    chains.delete(name)
    entrances.delete(fingerprintOf(chain))
    counts[outcome] += 1
    if (outcome === 'changed') {
      run.changed.push(realmName(chain))
      const words = 'an audit chain is not as the service wrote it: it is not exported until it is whole'
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
async function readLoggedChains(deps: Needs, { part, judgedSize, stopped }: PartOfJudging): Promise<LoggedChains> {
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
    note(nameOf(old.tag, old.environment), head, { isJudged: leafIndex < judgedSize, hash: own })
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

interface ChainToJudge extends PartOfJudging {
  readonly tag: Buffer
  readonly logged: LoggedChainHeads | null
}

async function judgeChain(
  deps: Needs,
  chain: ListedChain,
  { tag, logged, turns, newest, before }: ChainToJudge,
): Promise<'whole' | 'changed'> {
  const { tenantId, environment, head } = chain
  const realm = { tenantId, environment }
  if (head === null || !deps.audit.macs.holds(realm, head)) return 'changed'
  // Compares with the signed log, not with the position in the store.
  if (!isWhereLogged(chain.logged, logged?.newest ?? null) || logged?.wentBack === true) return 'changed'
  const noted = chain.note === null ? null : notedPoint(deps, realm, chain.note)
  const judged = logged?.judged == null ? null : await loggedPoint(deps, realm, logged.judged)
  if (noted === 'unknown' || judged === 'unknown') return 'changed'
  const wasChanged = before.names.has(realmName(realm))
  if (wasChanged && before.left <= 0) return 'changed'
  if (wasChanged) before.left -= head.seq
  const blocks = blocksInTurn(turns, tag, head.seq)
  // Only a whole chain shows that nothing but erasures took its details.
  const isWholeRead = wasChanged || (blocks.length > 0 && head.seq <= turns.block)
  const start = isWholeRead ? 0 : Math.max(0, head.seq - newest)
  const from = (isWholeRead ? null : (judged ?? noted)) ?? (await pointAt(deps.db, realm, start))
  if (from === null) return 'changed'
  const checkpoints = (logged?.since ?? []).map(({ seq, covers }) => ({ size: seq, covers }))
  const verdict = await readVerdict(scanChain(deps, realm, { checkpoints, from }))
  if (verdict.outcome !== 'whole') return 'changed'
  for (const after of isWholeRead ? [] : blocks)
    if (!(await isLinked(deps.db, realm, { after, to: after + turns.block }))) return 'changed'
  return 'whole'
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
