// Is the trail whole? Of an export, with nothing but the public key; or of the store itself.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { type Checkpoint, checkpointKey, openCheckpoint } from '../../domain/audit/checkpoint.ts'
import { entryHash } from '../../domain/audit/entry.ts'
import { type ExportLine, type LoggedHead, readLine } from '../../domain/audit/export.ts'
import type { AuditVerdict, LoggedChain } from '../../domain/audit/verdict.ts'
import { type ChainVerdict, createChainVerifier } from '../../domain/audit/verify-chain.ts'
import { TAG_BYTES, taggedLeaf } from '../../domain/log/leaves.ts'
import { type ProofKeys, verifyProof } from '../../domain/log/proof-file.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type Instant, isEnvironment, millisecondsOf } from '../../domain/world.ts'
import { listCheckpoints } from '../../store/audit/checkpoints.ts'
import { judgedChain, scanChain } from './scan-chain.ts'

export interface ExportToVerify {
  readonly lines: () => AsyncIterable<string>
  /** PEM, of the key that signs checkpoints of chains; null: the log's checkpoint alone counts. */
  readonly publicKey: string | null
  /** Checkpoints that were kept apart from the export. */
  readonly notes: readonly string[]
  /** With which the head that the public log has is proven; null: it is not looked at. */
  readonly logKeys: ProofKeys | null
}

/** Lines are read twice: checkpoints first, then the chain. */
export async function verifyExport(input: ExportToVerify): Promise<AuditVerdict> {
  const untrusted = (problem: string) => ({ outcome: 'untrusted', problem }) as const
  const key = input.publicKey === null ? null : readKey(input.publicKey)
  if (input.publicKey !== null && key === null) return untrusted('the public key is not an Ed25519 key in PEM')
  const read = await readFrame(input)
  if (read === null) return untrusted('the file is not an audit export')
  const { realm } = read
  const opened = key === null ? [] : openAll(read.notes, key, realm)
  if (typeof opened === 'string') return untrusted(opened)
  const logged = input.logKeys === null ? null : openLogged(read, input.logKeys)
  if (typeof logged === 'string') return untrusted(logged)
  const checkpoints = logged === null ? opened : [...opened, logged.checkpoint]
  const verifier = createChainVerifier(realm, checkpoints)
  for await (const text of input.lines()) {
    const line = readLine(text)
    if (line.kind === 'entry') verifier.add(line.entry)
    if (line.kind === 'unreadable') verifier.addUnreadable()
  }
  const verdict = concluded(verifier.verdict(), checkpoints)
  return logged === null || verdict.outcome === 'untrusted' ? verdict : { ...verdict, logged: logged.chain }
}

interface Frame {
  readonly realm: Realm
  readonly notes: readonly string[]
  readonly logged: LoggedHead | null
  /** The entry that the log has; null: the export does not reach it. */
  readonly entry: string | null
}

async function readFrame({ lines, notes: given }: ExportToVerify): Promise<Frame | null> {
  let header: Extract<ExportLine, { kind: 'header' }> | null = null
  let entry: string | null = null
  const notes = [...given]
  for await (const text of lines()) {
    const line = readLine(text)
    if (line.kind === 'checkpoint') notes.push(line.note)
    if (line.kind === 'header') header ??= line
    if (line.kind === 'entry' && line.entry.seq === header?.logged?.seq) entry ??= line.entry.entry
  }
  if (header === null || !isEnvironment(header.environment)) return null
  const { tenantId, environment, logged } = header
  return { realm: { tenantId, environment }, notes, logged, entry }
}

/** The log's checkpoint is one of this chain, by way of its leaf; or what is wrong with that. */
function openLogged(
  { realm, logged, entry }: Frame,
  keys: ProofKeys,
): { readonly checkpoint: Checkpoint; readonly chain: LoggedChain } | string {
  if (logged === null) return 'the export has no proof that the public log knows this chain'
  if (entry === null) return `the public log has entry ${logged.seq} of this chain, and the export does not`
  const at = timeOf(entry)
  const tag = Buffer.from(logged.tag, 'hex')
  if (at === null || tag.length !== TAG_BYTES) return 'the proof in the export is not readable'
  const head = { seq: logged.seq, hash: entryHash(Buffer.from(entry, 'utf8')), at }
  const verdict = verifyProof(logged.proof, taggedLeaf(tag, realm.environment, head), keys)
  if (verdict.outcome !== 'included') return `the public log does not have entry ${logged.seq} of this export`
  const { index, size, origin, cosigned } = verdict
  const checkpoint = { ...realm, size: logged.seq, hash: head.hash, at }
  return { checkpoint, chain: { seq: logged.seq, index, size, origin, cosigned } }
}

function timeOf(entry: string): Instant | null {
  try {
    const { at } = JSON.parse(entry)
    return typeof at === 'string' && Number.isFinite(millisecondsOf(at)) ? at : null
  } catch {
    return null
  }
}

/** Against the head, the checkpoints the service keeps, and `notes` that were kept elsewhere. */
export async function verifyStored(
  deps: Pick<Deps, 'db' | 'sealer' | 'headMacs'>,
  input: { readonly realm: Realm; readonly notes: readonly string[] },
): Promise<AuditVerdict> {
  const { realm } = input
  const kept = await listCheckpoints(deps.db, realm)
  const checkpoints = openNotes(deps, realm, [...kept, ...input.notes.map((note) => ({ note }))])
  if (typeof checkpoints === 'string') return { outcome: 'untrusted', problem: checkpoints }
  const verdict = await judgedChain(scanChain(deps, realm, { checkpoints }))
  return verdict.outcome === 'untrusted' ? verdict : { ...verdict, checkpoints: checkpoints.length }
}

/** What the service's own notes say; or what is wrong with one of them. */
export const openNotes = (
  deps: Pick<Deps, 'sealer'>,
  realm: Realm,
  kept: readonly { readonly note: string }[],
): Checkpoint[] | string =>
  openAll(
    kept.map(({ note }) => note),
    createPublicKey(checkpointKey(deps.sealer)),
    realm,
  )

/** Without a checkpoint nothing shows that the end is the end. */
function concluded(verdict: ChainVerdict, checkpoints: readonly Checkpoint[]): AuditVerdict {
  if (verdict.outcome === 'whole' && checkpoints.length === 0) {
    const problem = 'is the last of the file, and no checkpoint says that it is the last of the chain'
    return { outcome: 'incomplete', seq: verdict.entries, problem, checkpoints: 0 }
  }
  return { ...verdict, checkpoints: checkpoints.length }
}

function readKey(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

function openAll(notes: readonly string[], key: KeyObject, realm: Realm): Checkpoint[] | string {
  const checkpoints: Checkpoint[] = []
  for (const note of notes) {
    const opened = openCheckpoint(note, key)
    if (opened.outcome === 'malformed') return 'a checkpoint is not readable'
    if (opened.outcome === 'not_signed_by_key') return 'a checkpoint was not signed by this key'
    const { checkpoint } = opened
    if (checkpoint.tenantId !== realm.tenantId || checkpoint.environment !== realm.environment) {
      return 'a checkpoint belongs to another chain'
    }
    checkpoints.push(checkpoint)
  }
  return checkpoints
}
