// Moves the signing key of the log or of audit checkpoints to a key service, before it has signed anything.

import type { Deps } from '../../../deps.ts'
import { encodePinnedKey } from '../../../platform/keys/stored-key.ts'
import { replaceKeptKey } from '../../../platform/postgres/sealing/kept-keys.ts'
import { CHECKPOINT_LABEL, findAnyCheckpointAcrossTenants } from '../../audit/index.ts'
import { isLogSigned, LOG_SIGNING_LABEL } from '../../transparency/index.ts'
import { countOtherProcesses } from './rotate-master-key.ts'

export type NoteRole = 'log' | 'audit'

type Move = { readonly outcome: 'moved' } | { readonly outcome: 'refused'; readonly problem: string }

const refused = (problem: string): Move => ({ outcome: 'refused', problem })

/** Throws a KeyFailure if the key cannot be used. */
export async function moveNoteKey(
  deps: Pick<Deps, 'db' | 'remoteKeys'>,
  role: NoteRole,
  reference: string,
): Promise<Move> {
  if ((await countOtherProcesses(deps)) > 0)
    return refused('the service is running and would sign with the old key: stop it first')
  const pinned = await deps.remoteKeys.findOrCreate(reference, 'EdDSA')
  const label = role === 'log' ? LOG_SIGNING_LABEL : CHECKPOINT_LABEL
  return deps.db.transaction(async (tx): Promise<Move> => {
    const isUsed = role === 'log' ? await isLogSigned(tx) : (await findAnyCheckpointAcrossTenants(tx)) !== null
    if (isUsed) return refused('the key has signed checkpoints, and auditors have its public key: it cannot be moved')
    await replaceKeptKey(tx, { label, key: encodePinnedKey(pinned) })
    return { outcome: 'moved' }
  })
}
