// Some keys must outlive the master key they were derived from: what they signed is held by others, or cannot be signed anew.
// They are kept, sealed, from the first start on, and a change of the master key only seals them again.

import { createPublicKey } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { insertKeptKey, loadKeptKeys } from '../../../platform/postgres/sealing/kept-keys.ts'
import { keptKeySealContext } from '../../../platform/seal/kept-key.ts'
import type { Sealer } from '../../../platform/seal/seal.ts'
import { instantOf } from '../../../platform/world.ts'
import { CHECKPOINT_LABEL, checkpointKey, openCheckpoint } from '../../audit/domain/checkpoint.ts'
import { ENTRY_KEY_LABEL } from '../../audit/domain/head-macs.ts'
import { findAnyCheckpointAcrossTenants } from '../../audit/store/checkpoints.ts'
import { SUBJECT_LABEL } from '../../oidc/domain/subject.ts'
import { LOG_BLINDING_LABEL, LOG_SIGNING_LABEL } from '../../transparency/domain/log/log-keys.ts'

/**
 * The keys of checkpoints and of the log, whose public keys auditors hold; those that protect the audit trail and a tenant's name
 * in the log; those that subjects and names of requests are made with.
 */
const KEPT = [
  CHECKPOINT_LABEL,
  ENTRY_KEY_LABEL,
  LOG_SIGNING_LABEL,
  LOG_BLINDING_LABEL,
  SUBJECT_LABEL,
  'oid4vp-correlation-v1',
] as const
const KEY_BYTES = 32

/** The sealer that gives the kept keys for their labels. */
export async function keepDerivedKeys(deps: Pick<Deps, 'db' | 'clock' | 'sealer'>): Promise<Sealer> {
  const { db, sealer } = deps
  const known = await loadKeptKeys(db)
  const missing = KEPT.filter((label) => !known.has(label))
  for (const label of missing) {
    const sealed = sealer.seal(await firstKeyOf(deps, label), keptKeySealContext(label))
    await insertKeptKey(db, { label, sealed, at: instantOf(deps.clock.now()) })
  }
  // Whoever was first decides: they are read again, also by the one who made them.
  return giveKept(sealer, missing.length === 0 ? known : await loadKeptKeys(db))
}

/** The same, where nothing is to be written: those that nobody has kept yet are derived. */
export async function readDerivedKeys({ db, sealer }: Pick<Deps, 'db' | 'sealer'>): Promise<Sealer> {
  return giveKept(sealer, await loadKeptKeys(db))
}

function giveKept(sealer: Sealer, kept: Awaited<ReturnType<typeof loadKeptKeys>>): Sealer {
  return sealer.keeping(
    new Map([...kept].map(([label, sealed]) => [label, sealer.open(sealed, keptKeySealContext(label))])),
  )
}

/** Of the keys that may have been the master key until now, the one that signed what there is. */
async function firstKeyOf({ db, sealer }: Pick<Deps, 'db' | 'sealer'>, label: string): Promise<Buffer> {
  const candidates = sealer.deriveReadable(label, KEY_BYTES)
  const note = label === CHECKPOINT_LABEL && candidates.length > 1 ? await findAnyCheckpointAcrossTenants(db) : null
  const signer = candidates.find((seed) => note !== null && hasSigned(seed, note))
  return signer ?? sealer.derive(label, KEY_BYTES)
}

function hasSigned(seed: Buffer, note: string): boolean {
  const publicKey = createPublicKey(checkpointKey({ derive: () => seed }))
  return openCheckpoint(note, publicKey).outcome === 'signed'
}
