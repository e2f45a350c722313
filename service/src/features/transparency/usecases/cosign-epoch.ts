// Cosigns a new epoch if the witness's operator has accepted it and it covers everything that the witness has seen.

import { type LocalNoteSigner, type NoteKey, readNote, signatureLine } from '../../../platform/signed-note.ts'
import type { Clock } from '../../../platform/world.ts'
import { epochNumber, isSameEpoch, type LogTreeHead } from '../domain/log/checkpoint.ts'
import { cosign, cosignersOf } from '../domain/log/cosignature.ts'
import { type EpochStatement, openEpoch } from '../domain/log/epoch.ts'
import type { WitnessedTreeHead } from '../domain/log/submission.ts'
import type { WitnessFiles } from '../store/witness-files.ts'

export interface WitnessNeeds {
  readonly clock: Clock
  readonly files: Pick<WitnessFiles, 'load' | 'save' | 'acceptance'>
  readonly signer: LocalNoteSigner
  /** The logs whose checkpoints are cosigned. */
  readonly logs: readonly NoteKey[]
}

export type EpochCosigning =
  | { readonly outcome: 'cosigned'; readonly line: string }
  | { readonly outcome: 'malformed' | 'unknown_log' | 'not_signed' | 'not_accepted' | 'not_covered' }

export async function cosignEpoch({ clock, files, signer, logs }: WitnessNeeds, body: string): Promise<EpochCosigning> {
  const statement = openStatement(body, logs)
  if (typeof statement === 'string') return { outcome: statement }
  const { origin, mark, note } = statement
  const known = await files.load(origin)
  const line = () => signatureLine(cosign(note.text, Math.floor(clock.now() / 1000), signer))
  // The witness has cosigned the statement before, but its answer was lost.
  if (known !== null && isSameEpoch(known.epoch, mark)) return { outcome: 'cosigned', line: line() }
  const accepted = await files.acceptance(mark.digest)
  if (accepted === null) return { outcome: 'not_accepted' }
  if (whyNotToFollow(statement, known, { witness: signer, ...accepted }) !== null) return { outcome: 'not_covered' }
  const head = known !== null && isBefore(known, statement.restored) ? known : statement.restored
  await files.save(origin, { size: head.size, root: head.root, epoch: mark, note: null })
  return { outcome: 'cosigned', line: line() }
}

export function openStatement(
  body: string,
  logs: readonly NoteKey[],
): EpochStatement | 'malformed' | 'unknown_log' | 'not_signed' {
  const origin = /^\S+ (\S+)\n/.exec(readNote(body)?.text ?? '')?.[1]
  if (origin === undefined) return 'malformed'
  const keys = logs.filter(({ name }) => name === origin)
  if (keys.length === 0) return 'unknown_log'
  const opened = keys.map((key) => openEpoch(body, key)).find((one) => one !== null)
  return opened ?? 'not_signed'
}

/** Whether the log had grown from the head that the witness knows to `restored`. */
const isBefore = (known: WitnessedTreeHead, restored: LogTreeHead) =>
  isSameEpoch(known.epoch, restored.epoch) && known.size <= restored.size

interface Follower {
  readonly witness: NoteKey
  readonly isUnproven: boolean
}

/** Returns why the witness should not follow the statement, for its operator; null: no objection. */
export function whyNotToFollow(
  { mark, restored, restoredNote, witnessed }: EpochStatement,
  known: WitnessedTreeHead | null,
  { witness, isUnproven }: Follower,
): string | null {
  if (known === null) return null
  if (mark.number !== epochNumber(known.epoch) + 1 || !isSameEpoch(known.epoch, witnessed.epoch))
    return `this witness is in epoch ${epochNumber(known.epoch)} of the log, and the statement does not continue it`
  if (known.size > witnessed.size)
    return `this witness has seen ${known.size} leaves, and the statement declares only ${witnessed.size}`
  if (known.size === witnessed.size && !Buffer.from(known.root).equals(witnessed.root))
    return `this witness has seen another tree of ${known.size} leaves than the statement names`
  const isProven = isBefore(known, restored) || cosignersOf(restoredNote, [witness]).length > 0
  return isProven || isUnproven
    ? null
    : `this witness has not cosigned the checkpoint of ${restored.size} leaves that the log goes back to: leaves before it may have been changed, too`
}
