// Verifies an audit trail: an export with public keys only, or the chain in the store.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { type Instant, isEnvironment, millisecondsOf } from '../../../platform/world.ts'
import { type ProofKeys, verifyProof } from '../../transparency/domain/log/proof-file.ts'
import type { WalkNeeds } from '../../transparency/usecases/scan-log.ts'
import { commitmentLeaf, SALT_BYTES } from '../domain/blinded-heads.ts'
import { openNotes } from '../domain/checkpoint.ts'
import { entryHash } from '../domain/entry.ts'
import { type ExportLine, type LoggedHead, parseObject, readLine } from '../domain/export.ts'
import { TAG_BYTES, taggedLeaf } from '../domain/head-leaves.ts'
import type { AuditVerdict, LoggedTrail } from '../domain/verdict.ts'
import { type ChainVerdict, createChainVerifier, pointOver, type SignedPoint } from '../domain/verify-chain.ts'
import { readVerdict, scanChain } from './scan-chain.ts'
import { readSignedPoints, type SignedPointsInput } from './signed-points.ts'

interface ExportToVerify {
  readonly lines: () => AsyncIterable<string>
  /** PEM of the key that signs checkpoints of chains; null: only the log's checkpoint counts. */
  readonly publicKey: string | null
  /** Checkpoints of the chain that were stored separately from the export; only with `publicKey`. */
  readonly notes: readonly string[]
  /** The keys that verify the head in the public log; null: the head is not checked. */
  readonly logKeys: ProofKeys | null
}

/** Reads the lines twice: checkpoints first, then the chain. */
export async function verifyExport(input: ExportToVerify): Promise<AuditVerdict> {
  const untrusted = (problem: string) => ({ outcome: 'untrusted', problem }) as const
  const key = input.publicKey === null ? null : readKey(input.publicKey)
  if (input.publicKey !== null && key === null) return untrusted('the public key is not an Ed25519 key in PEM')
  if (key === null && input.notes.length > 0) return untrusted('without the public key, a checkpoint proves nothing')
  const read = await readFrame(input)
  if (read === null) return untrusted('the file is not an audit export')
  const { realm } = read
  const opened = key === null ? [] : openNotes(read.notes, key, realm)
  if (typeof opened === 'string') return untrusted(opened)
  const logged = input.logKeys === null ? null : openLogged(read, input.logKeys)
  if (typeof logged === 'string') return untrusted(logged)
  const checkpoints = [...opened.map(pointOver), ...(logged === null ? [] : [logged.checkpoint])]
  const verifier = createChainVerifier(realm, checkpoints)
  for await (const text of input.lines()) {
    const line = readLine(text)
    if (line.kind === 'entry') verifier.add(line.entry)
    if (line.kind === 'unreadable') verifier.addUnreadable()
  }
  const verdict = judgeExport(verifier.verdict(), checkpoints, key === null ? null : opened)
  if (logged === null || verdict.outcome === 'untrusted') return verdict
  return { ...verdict, logged: logged.chain, ...(key === null ? { notChecked: read.notes.length } : {}) }
}

interface Frame {
  readonly realm: Realm
  readonly notes: readonly string[]
  readonly logged: LoggedHead | null
  /** The entry that the log has; null if it is not in the export. */
  readonly entry: string | null
}

/** null if the first line is not a header, or a later line is one: then the owner of a line would be unclear. */
async function readFrame({ lines, notes: kept }: ExportToVerify): Promise<Frame | null> {
  let header: Extract<ExportLine, { kind: 'header' }> | null = null
  let entry: string | null = null
  const notes = [...kept]
  for await (const text of lines()) {
    const line = readLine(text)
    if ((line.kind === 'header') !== (header === null)) return null
    if (line.kind === 'header') header = line
    if (line.kind === 'checkpoint') notes.push(line.note)
    if (line.kind === 'entry' && line.entry.seq === header?.logged?.seq) entry ??= line.entry.entry
  }
  if (header === null || !isEnvironment(header.environment)) return null
  const { tenantId, environment, logged } = header
  return { realm: { tenantId, environment }, notes, logged, entry }
}

/** Verifies that the public log has the head of this chain, or returns the problem. */
function openLogged(
  { realm, logged, entry }: Frame,
  keys: ProofKeys,
): { readonly checkpoint: SignedPoint; readonly chain: LoggedTrail } | string {
  if (logged === null) return 'the export has no proof that the public log knows this chain'
  if (entry === null) return `the public log has entry ${logged.seq} of this chain, and the export does not`
  const hash = entryHash(Buffer.from(entry, 'utf8'))
  const leaf = leafOf(realm, logged, { entry, hash })
  if (leaf === null) return 'the proof in the export is not readable'
  const verdict = verifyProof(logged.proof, leaf, keys)
  if (verdict.outcome !== 'included') return `the public log does not have entry ${logged.seq} of this export`
  const { index, size, origin, cosigned } = verdict
  const checkpoint = pointOver({ size: logged.seq, hash })
  return { checkpoint, chain: { seq: logged.seq, index, size, origin, cosigned } }
}

/** The blinded leaf, or the leaf with the tenant's tag if an earlier release wrote the export. */
function leafOf(
  { environment }: Realm,
  { seq, opening }: LoggedHead,
  { entry, hash }: { readonly entry: string; readonly hash: Buffer },
): Buffer | null {
  if ('salt' in opening) {
    const salt = Buffer.from(opening.salt, 'hex')
    return salt.length === SALT_BYTES ? commitmentLeaf(salt, { seq, hash }) : null
  }
  const at = timeOf(entry)
  const tag = Buffer.from(opening.tag, 'hex')
  return at === null || tag.length !== TAG_BYTES ? null : taggedLeaf(tag, environment, { seq, hash, at })
}

function timeOf(entry: string): Instant | null {
  const at = parseObject(entry)?.at
  return typeof at === 'string' && Number.isFinite(millisecondsOf(at)) ? at : null
}

/** Verifies the stored chain against its head and everything that was signed of it. */
export async function verifyStored(
  deps: WalkNeeds & Pick<Deps, 'audit'>,
  input: SignedPointsInput & { readonly realm: Realm },
): Promise<AuditVerdict> {
  const { realm } = input
  const signed = await readSignedPoints(deps, realm, input)
  if (typeof signed === 'string') return { outcome: 'untrusted', problem: signed }
  const { checkpoints, logged } = signed
  const verdict = await readVerdict(scanChain(deps, realm, { checkpoints }))
  if (verdict.outcome === 'untrusted') return verdict
  return { ...verdict, checkpoints: checkpoints.length, ...(logged === null ? {} : { logged }) }
}

/**
 * An export ends with a checkpoint over all of its entries; without it, entries may have been removed or appended.
 * `own`: the checkpoints by the key; null if there is no key, and then the log may be older than the export.
 */
function judgeExport(
  verdict: ChainVerdict,
  checkpoints: readonly SignedPoint[],
  own: readonly { readonly size: number }[] | null,
): AuditVerdict {
  const isSigned = (entries: number) => own?.some(({ size }) => size === entries) ?? checkpoints.length > 0
  if (verdict.outcome === 'whole' && !isSigned(verdict.entries)) {
    const problem = 'is the last of the file, and no checkpoint says that it is the last of the chain'
    return { outcome: 'incomplete', seq: verdict.entries, problem, checkpoints: checkpoints.length }
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
