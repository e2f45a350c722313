// The audit trail for those who may see it: a page for people, the whole chain as a file, a signed checkpoint of it.

import { createPublicKey } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { checkpointKey, signCheckpoint } from '../../domain/audit/checkpoint.ts'
import { checkpointLine, entryLine, headerLine, type LoggedHead } from '../../domain/audit/export.ts'
import type { AuditVerdict } from '../../domain/audit/verdict.ts'
import { tagOf } from '../../domain/log/leaves.ts'
import { blindingKeyOf } from '../../domain/log/log-keys.ts'
import { TileIncomplete } from '../../domain/log/tiles.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import { lacksCheckpoint, listCheckpoints } from '../../store/audit/checkpoints.ts'
import { loadAuditHead, readEntriesBefore } from '../../store/audit/trail.ts'
import { loadLoggedHead } from '../../store/log/log.ts'
import { proveLeaf } from '../log/read-log.ts'
import { dueSince } from './keep-checkpoints.ts'
import { judgedChain, type ScanVerdict, scanChain } from './scan-chain.ts'
import { openNotes } from './verify-audit.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'sealer' | 'auditSeal'>

export interface TrailEntry {
  readonly seq: number
  readonly at: string
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string }
  readonly object: { readonly type: string; readonly id: string }
  /** null: it never had any, or they were erased. */
  readonly details: object | null
}

/** Newest first; `before` is the number of the last entry of the page before. */
export async function readTrail(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
  page: { readonly before: number | null; readonly limit: number },
): Promise<TrailEntry[]> {
  const before = page.before ?? Number.MAX_SAFE_INTEGER
  const entries = await readEntriesBefore(deps.db, realm, { before, limit: page.limit })
  return entries.map(({ seq, entry, details }) => {
    const { at, action, actor, object } = JSON.parse(entry)
    return { seq, at, action, actor, object, details: typeof details === 'object' ? details : null }
  })
}

export interface TrailGuard {
  /** The head is as the service wrote it. */
  readonly sealed: boolean
  /** The chain has entries and should have a checkpoint, but has none. */
  readonly checkpointMissing: boolean
}

/** What is told of a chain without reading it. */
export async function readGuard(deps: Pick<Deps, 'db' | 'clock' | 'auditSeal'>, realm: Realm): Promise<TrailGuard> {
  const head = await loadAuditHead(deps.db, realm)
  return {
    sealed: head !== null && deps.auditSeal.holds(realm, head),
    checkpointMissing: await lacksCheckpoint(deps.db, realm, dueSince(deps)),
  }
}

/** The chain is not what the service wrote: nothing is signed. */
export class ChainNotWhole extends Error {
  override readonly name = 'ChainNotWhole'
  readonly verdict: Exclude<AuditVerdict, { outcome: 'whole' }>

  constructor(verdict: Exclude<AuditVerdict, { outcome: 'whole' }>) {
    super(`the audit chain is ${verdict.outcome}: ${verdict.problem}`)
    this.verdict = verdict
  }
}

/**
 * The lines of an export: entries, the checkpoints that were kept, and one at its end that covers exactly these entries. It
 * is judged while it is read: where it is not whole, everything is given out for whoever looks into it, but nothing is signed.
 */
export async function* exportAudit(deps: Needs, realm: Realm): AsyncGenerator<string> {
  const kept = await listCheckpoints(deps.db, realm)
  const checkpoints = openNotes(deps, realm, kept)
  yield headerLine(realm, await loggedHead(deps, realm))
  const scan = scanChain(deps, realm, { checkpoints: typeof checkpoints === 'string' ? [] : checkpoints })
  let step = await scan.next()
  for (; step.done !== true; step = await scan.next()) yield entryLine(step.value)
  for (const { note } of kept) yield checkpointLine(note)
  if (typeof checkpoints === 'string') throw new ChainNotWhole({ outcome: 'untrusted', problem: checkpoints })
  yield checkpointLine(signed(deps, realm, step.value))
}

/** null where the log has none of it yet, or has lost what a proof is made of: whoever verifies is told that there is none. */
async function loggedHead({ db, sealer }: Needs, realm: Realm): Promise<LoggedHead | null> {
  const head = await loadLoggedHead(db, realm)
  if (head === null) return null
  const tag = tagOf(blindingKeyOf(sealer, realm.tenantId), realm).toString('hex')
  try {
    return { seq: head.seq, tag, proof: await proveLeaf(db, head.leafIndex) }
  } catch (error) {
    if (error instanceof TileIncomplete) return null
    throw error
  }
}

/** A signed note over the chain as it stands. */
export async function checkpointAudit(deps: Needs, realm: Realm): Promise<string> {
  const checkpoints = openNotes(deps, realm, await listCheckpoints(deps.db, realm))
  if (typeof checkpoints === 'string') throw new ChainNotWhole({ outcome: 'untrusted', problem: checkpoints })
  return signed(deps, realm, await judgedChain(scanChain(deps, realm, { checkpoints })))
}

/** Only what was found whole is ever signed. */
function signed(deps: Needs, realm: Realm, verdict: ScanVerdict): string {
  if (verdict.outcome === 'untrusted') throw new ChainNotWhole(verdict)
  if (verdict.outcome !== 'whole') throw new ChainNotWhole({ ...verdict, checkpoints: 0 })
  const at = instantOf(deps.clock.now())
  const head = { seq: verdict.entries, hash: verdict.head, at }
  return signCheckpoint(checkpointKey(deps.sealer), { ...realm, head, at })
}

/** Those the service made itself, once a day where the chain grew; oldest first. */
export async function readCheckpoints(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
): Promise<{ readonly seq: number; readonly note: string }[]> {
  return listCheckpoints(deps.db, realm)
}

/** What a verifier outside needs: the public half of the key that checkpoints are signed with, as PEM. */
export function auditPublicKey(deps: Pick<Deps, 'sealer'>): string {
  return createPublicKey(checkpointKey(deps.sealer)).export({ format: 'pem', type: 'spki' }).toString()
}
