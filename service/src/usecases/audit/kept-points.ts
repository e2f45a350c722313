// Up to where a chain in the store was signed, by whatever was: notes from before the log, the log's own leaves, and what was kept
// elsewhere. A chain that does not fit all of it is not the one that the service wrote.

import { createPublicKey } from 'node:crypto'
import { type Checkpoint, checkpointKey, openNotes } from '../../domain/audit/checkpoint.ts'
import type { LoggedChain } from '../../domain/audit/verdict.ts'
import { openHead } from '../../domain/log/checkpoint.ts'
import { fateOfHead, lostIn } from '../../domain/log/epoch.ts'
import { tagOf, tenantLeafOf } from '../../domain/log/leaves.ts'
import { blindingKeyOf, logSigner } from '../../domain/log/log-keys.ts'
import { isConsistent, leafHash } from '../../domain/log/merkle.ts'
import { TileIncomplete } from '../../domain/log/tiles.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { listCheckpoints } from '../../store/audit/checkpoints.ts'
import { loadLoggedHead } from '../../store/log/log.ts'
import { loadLeaves } from '../log/grow-log.ts'
import { readEpochs } from '../log/open-epoch.ts'
import { isLeafIn, proveConsistency } from '../log/read-log.ts'
import { openEpochs } from '../log/verify-log.ts'
import { readSignedLog, type SignedLog, type WalkNeeds, walkLog } from '../log/walk-log.ts'

export interface KeptPoints {
  readonly checkpoints: readonly Checkpoint[]
  /** null: the log has nothing of it yet. */
  readonly logged: LoggedChain | null
}

export interface KeptQuestion {
  /** Kept elsewhere: checkpoints of the log, or notes of this chain from before it. */
  readonly notes?: readonly string[]
  /** Its newest head in the log as the store says where it is; or every one, which reads the whole log. */
  readonly log: 'newest' | 'whole'
}

/** What the chain must fit; or what is wrong with that. */
export async function readKeptPoints(
  deps: WalkNeeds,
  realm: Realm,
  { notes = [], log }: KeptQuestion,
): Promise<KeptPoints | string> {
  const kept = await listCheckpoints(deps.db, realm)
  const [ofLog, ofChain] = [notes.filter((note) => !isOfChain(note)), notes.filter(isOfChain)]
  const key = createPublicKey(checkpointKey(deps.sealer))
  const noted = openNotes([...kept.map(({ note }) => note), ...ofChain], key, realm)
  if (typeof noted === 'string') return noted
  const logged = log === 'whole' ? await readWhole(deps, realm) : await readNewest(deps, realm)
  if (typeof logged === 'string') return logged
  for (const note of ofLog) {
    const wrong = await whyNotFollowing(deps, logged.signed, note)
    if (wrong !== null) return wrong
  }
  return { checkpoints: [...noted, ...logged.checkpoints], logged: logged.chain }
}

const isOfChain = (note: string) => note.startsWith('vidimus-audit/')

interface LoggedPoints {
  readonly signed: SignedLog
  readonly checkpoints: readonly Checkpoint[]
  readonly chain: LoggedChain | null
}

async function readWhole(deps: WalkNeeds, realm: Realm): Promise<LoggedPoints | string> {
  const tag = tagOf(blindingKeyOf(deps.sealer, realm.tenantId), realm)
  const points: { readonly seq: number; readonly hash: Buffer; readonly index: number }[] = []
  const signed = await walkLog(deps, (head, index) => {
    const isOwn = head.environment === realm.environment && head.tag.equals(tag)
    // A copy: otherwise the whole tile stayed in memory.
    if (isOwn) points.push({ seq: head.seq, hash: Buffer.from(head.hash), index })
  })
  return typeof signed === 'string' ? signed : toPoints(realm, signed, points)
}

async function readNewest(deps: WalkNeeds, realm: Realm): Promise<LoggedPoints | string> {
  const signed = await readSignedLog(deps)
  if (typeof signed === 'string') return signed
  const found = await loadLoggedHead(deps.db, realm, signed.size)
  if (found === null) return toPoints(realm, signed, [])
  const { seq, leafIndex: index } = found
  const leaf = (await loadLeaves(deps.db, [index])).get(index)
  const own = leaf === undefined ? null : tenantLeafOf(leaf, blindingKeyOf(deps.sealer, realm.tenantId), realm)
  const isIn =
    leaf !== undefined && own?.seq === seq && (await isLeafIn(deps.db, { index, leaf: leafHash(leaf) }, signed))
  if (own === null || !isIn) return `the public log does not have entry ${seq} of this chain where the store says so`
  return toPoints(realm, signed, [{ ...own, index }])
}

function toPoints(
  realm: Realm,
  signed: SignedLog,
  points: readonly { readonly seq: number; readonly hash: Buffer; readonly index: number }[],
): LoggedPoints {
  const checkpoints = points.map(({ seq, hash }) => ({ ...realm, size: seq, hash, at: '' }))
  const last = points.at(-1)
  const { size, origin, cosigned } = signed
  if (last === undefined || origin === null) return { signed, checkpoints, chain: null }
  return { signed, checkpoints, chain: { seq: last.seq, index: last.index, size, origin, cosigned } }
}

/** The log in the store goes on from a checkpoint of it that somebody kept; or why it does not. */
async function whyNotFollowing({ db, sealer }: WalkNeeds, signed: SignedLog, note: string): Promise<string | null> {
  const opened = signed.origin === null ? null : openHead(note, logSigner(sealer, signed.origin))
  if (opened?.outcome !== 'signed') return 'a checkpoint was not signed by this service'
  const { size, root } = opened.head
  const statements = openEpochs(await readEpochs({ db }), { log: logSigner(sealer, opened.head.origin), witnesses: [] })
  if (typeof statements === 'string') return statements
  const fate = fateOfHead(opened.head, statements)
  if (fate.outcome === 'lost') return `of a checkpoint of ${size} leaves the end was ${lostIn(fate.statement)}`
  if (size > signed.size)
    return `a checkpoint covers ${size} leaves of the public log, which has ${signed.size}: it was set back`
  try {
    const follows = isConsistent({ size, root }, signed, await proveConsistency(db, size, signed.size))
    return follows ? null : `the first ${size} leaves of the public log are not those of a checkpoint: it was forked`
  } catch (error) {
    if (error instanceof TileIncomplete) return 'the public log has lost tiles that a checkpoint covers'
    throw error
  }
}
