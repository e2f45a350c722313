// Is the trail whole? Of an export, with nothing but the public key; or of the store itself.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { type Checkpoint, checkpointKey, openCheckpoint } from '../../domain/audit/checkpoint.ts'
import { readLine } from '../../domain/audit/export.ts'
import type { AuditVerdict } from '../../domain/audit/verdict.ts'
import { type ChainVerdict, createChainVerifier } from '../../domain/audit/verify-chain.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { isEnvironment } from '../../domain/world.ts'
import { listCheckpoints } from '../../store/audit/checkpoints.ts'
import { judgedChain, scanChain } from './scan-chain.ts'

/** `notes`: checkpoints that were kept apart from the export. Lines are read twice: checkpoints first, then the chain. */
export async function verifyExport(input: {
  readonly lines: () => AsyncIterable<string>
  readonly publicKey: string
  readonly notes: readonly string[]
}): Promise<AuditVerdict> {
  const key = readKey(input.publicKey)
  if (key === null) return { outcome: 'untrusted', problem: 'the public key is not an Ed25519 key in PEM' }
  let realm: Realm | null = null
  const notes = [...input.notes]
  for await (const text of input.lines()) {
    const line = readLine(text)
    if (line.kind === 'checkpoint') notes.push(line.note)
    if (line.kind === 'header' && realm === null && isEnvironment(line.environment)) {
      realm = { tenantId: line.tenantId, environment: line.environment }
    }
  }
  if (realm === null) return { outcome: 'untrusted', problem: 'the file is not an audit export' }
  const checkpoints = openAll(notes, key, realm)
  if (typeof checkpoints === 'string') return { outcome: 'untrusted', problem: checkpoints }
  const verifier = createChainVerifier(realm, checkpoints)
  for await (const text of input.lines()) {
    const line = readLine(text)
    if (line.kind === 'entry') verifier.add(line.entry)
    if (line.kind === 'unreadable') verifier.addUnreadable()
  }
  return concluded(verifier.verdict(), checkpoints)
}

/** Against the head, the checkpoints the service keeps, and `notes` that were kept elsewhere. */
export async function verifyStored(
  deps: Pick<Deps, 'db' | 'sealer' | 'auditSeal'>,
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
