// Once a day the whole log is read as an auditor would, and every audit chain is held against what the log has of it; what came
// since the last time is judged entry by entry. A chain that is not as the service wrote it, that went back, or of which
// nothing was ever signed, is an alarm.

import { createPublicKey } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { type Checkpoint, checkpointKey, type NoteOverEntry, openNoteOver } from '../../domain/audit/checkpoint.ts'
import { entryHash } from '../../domain/audit/entry.ts'
import type { ChainPoint } from '../../domain/audit/verify-chain.ts'
import { type HeadLeaf, tagOf } from '../../domain/log/leaves.ts'
import { blindingKeyOf } from '../../domain/log/log-keys.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type Instant, millisecondsOf, NEVER_STOPPED } from '../../domain/world.ts'
import type { Alarm } from '../../metrics.ts'
import type { StandingChain } from '../../store/audit/checkpoints.ts'
import { loadEntry } from '../../store/audit/trail.ts'
import { loadLastRun } from '../../store/jobs.ts'
import { haltLog, loadLogHead } from '../../store/log/log.ts'
import { walkLog } from '../log/walk-log.ts'
import { standingChains } from './guard.ts'
import { judgedChain, scanChain } from './scan-chain.ts'

export const JUDGE_CHAINS_JOB = 'judge-chains'

/** An hour for entries that were being written while the last run judged. */
const OVERLAP_MS = 3_600_000

type Needs = Pick<Deps, 'db' | 'clock' | 'sealer' | 'headMacs' | 'config' | 'metrics' | 'log'>

export interface JudgedChains {
  readonly whole: number
  readonly changed: number
  readonly missing: number
}

export async function judgeChains(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<JudgedChains> {
  const counts = { whole: 0, changed: 0, missing: 0 }
  const { size } = await loadLogHead(deps.db)
  const parts = Math.ceil((size + 1) / LEAVES_AT_ONCE)
  for (let part = 0; part < parts; part += 1) await judgePart(deps, { counts, part: { at: part, of: parts }, stopped })
  return counts
}

/** Of a long log the chains are judged part by part, each of which reads it: what is held in memory does not grow with it. */
const LEAVES_AT_ONCE = 2_000_000

interface Part {
  readonly at: number
  readonly of: number
}

const isIn = ({ at, of }: Part, tag: Buffer) => tag.readUInt32BE(0) % of === at

async function judgePart(
  deps: Needs,
  { counts, part, stopped }: { counts: Record<keyof JudgedChains, number>; part: Part; stopped: AbortSignal },
): Promise<void> {
  const { size, chains } = await readLoggedChains(deps, part, stopped)
  for await (const chain of standingChains(deps, size)) {
    stopped.throwIfAborted()
    const tag = tagOf(blindingKeyOf(deps.sealer, chain.tenantId), chain)
    if (!isIn(part, tag)) continue
    const name = nameOf(tag, chain.environment)
    if (chain.overdue) {
      counts.missing += 1
      const words = 'an audit chain should have a checkpoint in the log and has none'
      alarm(deps, chain, { name: 'audit_checkpoint_missing', words })
    }
    const outcome = await judgeChain(deps, chain, chains.get(name) ?? null)
    chains.delete(name)
    counts[outcome] += 1
    if (outcome === 'changed') {
      const words = 'an audit chain is not as the service wrote it: it is not exported, and gets no checkpoint'
      alarm(deps, chain, { name: 'audit_chain_changed', words })
    }
  }
  for (const _ of chains.keys()) {
    counts.changed += 1
    deps.metrics.alarms.inc({ alarm: 'audit_chain_changed' })
    deps.log.error('the log has an audit chain of a tenant that is not in the store')
  }
}

type Point = Pick<HeadLeaf, 'seq' | 'hash'> & { readonly leafIndex: number }

/** What the log has of one chain. */
interface LoggedChainHeads {
  newest: Point
  /** The newest that the last run has judged already. */
  judged: Point | null
  /** Every one since: each must still stand in the chain. */
  since: Point[]
  /** A leaf that does not go on from one before it: the chain was put back, and went on. */
  wentBack: boolean
}

const nameOf = (tag: Buffer, environment: string) => `${tag.toString('hex')}/${environment}`

/** A log whose leaves are not those that were signed halts; then its word counts for nothing here. */
async function readLoggedChains(
  deps: Needs,
  part: Part,
  stopped: AbortSignal,
): Promise<{ readonly size: number; readonly chains: Map<string, LoggedChainHeads> }> {
  const lastRun = await loadLastRun(deps.db, JUDGE_CHAINS_JOB)
  const ranMs = lastRun === null ? 0 : millisecondsOf(lastRun)
  // A run that is yet to come was written by somebody else.
  const judgedUntil = ranMs > deps.clock.now() ? 0 : (ranMs - OVERLAP_MS) * 1_000
  const chains = new Map<string, LoggedChainHeads>()
  const see = ({ tag, environment, seq, hash, atMicros }: HeadLeaf, leafIndex: number) => {
    if (!isIn(part, tag)) return
    const name = nameOf(tag, environment)
    // A copy: otherwise the whole tile stayed in memory.
    const head = { seq, hash: Buffer.from(hash), leafIndex }
    const known = chains.get(name) ?? { newest: head, judged: null, since: [], wentBack: false }
    const { newest } = known
    // The same head twice is no step back: an operator vouched for a chain that lost the sign of its place.
    known.wentBack ||= seq < newest.seq || (seq === newest.seq && !newest.hash.equals(head.hash))
    if (seq >= newest.seq) known.newest = head
    if (atMicros < judgedUntil) known.judged = head
    else known.since.push(head)
    chains.set(name, known)
  }
  const walked = await walkLog(deps, see, stopped)
  if (typeof walked !== 'string') return { size: walked.size, chains }
  await haltLog(deps.db, walked)
  deps.metrics.alarms.inc({ alarm: 'log_halted' })
  deps.log.error(`the log is halted: ${walked}`)
  return { size: 0, chains: new Map() }
}

async function judgeChain(
  deps: Needs,
  chain: StandingChain,
  logged: LoggedChainHeads | null,
): Promise<'whole' | 'changed'> {
  const { tenantId, environment, head } = chain
  const realm = { tenantId, environment }
  if (head === null || !deps.headMacs.holds(realm, head)) return 'changed'
  // What was signed, and not where the store says that it stands.
  const isWhereSaid = chain.logged?.seq === logged?.newest.seq && chain.logged?.leafIndex === logged?.newest.leafIndex
  if (!isWhereSaid || logged?.wentBack === true) return 'changed'
  const noted = chain.note === null ? null : notedPoint(deps, realm, chain.note)
  const judged = logged?.judged == null ? null : await loggedPoint(deps, realm, logged.judged)
  if (noted === 'unknown' || judged === 'unknown') return 'changed'
  const from = judged ?? noted
  const checkpoints = (logged?.since ?? []).map((leaf) => toCheckpoint(realm, leaf))
  const verdict = await judgedChain(scanChain(deps, realm, { checkpoints, ...(from === null ? {} : { from }) }))
  return verdict.outcome === 'whole' ? 'whole' : 'changed'
}

const toCheckpoint = (realm: Realm, { seq, hash }: Point): Checkpoint => ({ ...realm, size: seq, hash, at: '' })

/** The entry that the log has, where it still stands in the chain: from it on the chain is judged. */
async function loggedPoint({ db }: Needs, realm: Realm, leaf: Point): Promise<ChainPoint | 'unknown'> {
  const entry = await loadEntry(db, realm, leaf.seq)
  return entry === null || !entryHash(entry).equals(leaf.hash) ? 'unknown' : pointOf(leaf.seq, entry)
}

/** The same of the last note from before the log. */
function notedPoint({ sealer }: Needs, realm: Realm, note: NoteOverEntry): ChainPoint | 'unknown' {
  const checkpoint = openNoteOver(note, createPublicKey(checkpointKey(sealer)), realm)
  return checkpoint === null || note.entry === null ? 'unknown' : pointOf(checkpoint.size, note.entry)
}

/** Only of bytes that are known to be the service's own. */
function pointOf(seq: number, entry: Buffer): ChainPoint {
  const { at } = JSON.parse(entry.toString('utf8')) as { at: Instant }
  return { seq, hash: entryHash(entry), at }
}

function alarm(deps: Needs, realm: Realm, raised: { readonly name: Alarm; readonly words: string }): void {
  deps.metrics.alarms.inc({ alarm: raised.name })
  deps.log.error(raised.words, { tenant: realm.tenantId, environment: realm.environment })
}
