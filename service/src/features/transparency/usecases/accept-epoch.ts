// Lets a witness's operator review and accept a statement of a new epoch. The witness signs later.

import { type NoteKey, noteSigner } from '../../../platform/signed-note.ts'
import type { EpochStatement } from '../domain/log/epoch.ts'
import { acceptStatement, loadWitnessed, readWitnessSeed } from '../store/witness-files.ts'
import { openStatement, whyNotToFollow } from './cosign-epoch.ts'

interface WitnessFolder {
  readonly folder: string
  readonly name: string
  readonly log: NoteKey
}

/** Returns the statement, or why it cannot be followed. */
export async function acceptEpoch(
  { folder, name, log }: WitnessFolder,
  text: string,
  { isAccepting, isUnproven }: { readonly isAccepting: boolean; readonly isUnproven: boolean },
): Promise<EpochStatement | string> {
  const seed = await readWitnessSeed(folder)
  if (seed === null) return `${folder} is not the folder of a witness`
  const statement = openStatement(text, [log])
  if (typeof statement === 'string') return `this is not a statement of that log (${statement})`
  const witness = noteSigner(name, 0x04, seed)
  const wrong = whyNotToFollow(statement, await loadWitnessed(folder, log.name), { witness, isUnproven })
  if (wrong !== null) return wrong
  if (isAccepting) await acceptStatement(folder, statement.mark.digest, { isUnproven })
  return statement
}
