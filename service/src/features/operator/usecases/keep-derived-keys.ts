// Stores derived keys that must outlive their master key. A rotation of the master key only reseals them.

import type { Deps } from '../../../deps.ts'
import type { SigningKey } from '../../../platform/keys/signing-key.ts'
import { openStoredKey } from '../../../platform/keys/stored-key.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import { insertKeptKey, KEPT_KEYS_CHANNEL, loadKeptKeys } from '../../../platform/postgres/sealing/kept-keys.ts'
import type { DerivedKeys } from '../../../platform/seal/seal.ts'
import { keyOfSeed } from '../../../platform/signed-note.ts'
import { ROUTE_LABEL } from '../../../platform/verification-id.ts'
import { instantOf } from '../../../platform/world.ts'
import { CHECKPOINT_LABEL, ENTRY_KEY_LABEL, findAnyCheckpointAcrossTenants, openCheckpoint } from '../../audit/index.ts'
import { CORRELATION_LABEL, SUBJECT_LABEL } from '../../oidc/index.ts'
import { LOG_BLINDING_LABEL, LOG_SIGNING_LABEL } from '../../transparency/index.ts'

/**
 * Keys of checkpoints and of the log, whose public keys auditors have; keys that protect the audit trail and blind
 * tenants in the log; keys of subjects, correlation ids and verification ids.
 */
const KEPT = [
  CHECKPOINT_LABEL,
  ENTRY_KEY_LABEL,
  LOG_SIGNING_LABEL,
  LOG_BLINDING_LABEL,
  SUBJECT_LABEL,
  CORRELATION_LABEL,
  ROUTE_LABEL,
] as const
const KEY_BYTES = 32

/** Returns the derived keys. Stored keys take precedence, and missing ones are stored. */
export async function keepDerivedKeys(deps: Pick<Deps, 'db' | 'clock' | 'remoteKeys'>): Promise<DerivedKeys> {
  const { db, clock } = deps
  const known = await loadKeptKeys(db)
  const missing = KEPT.filter((label) => !known.has(label))
  for (const label of missing) {
    await insertKeptKey(db, { label, key: await firstKeyOf(db, label), at: instantOf(clock.now()) })
  }
  // The first writer wins, so every process reads the keys again, including the one that wrote them.
  return giveKept(deps, missing.length === 0 ? known : await loadKeptKeys(db))
}

/** Reloads the keys when a moved tenant has brought some. Returns a function that stops the reloading. */
export function followKeptKeys(
  { db }: Pick<Deps, 'db'>,
  report: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const reload = () => void loadKeptKeys(db).then((kept) => db.sealer.keep(kept), report)
  return db.listen(KEPT_KEYS_CHANNEL, reload, reload)
}

/** Like `keepDerivedKeys`, but writes nothing: keys that are not stored yet are derived. */
export async function readDerivedKeys(deps: Pick<Deps, 'db' | 'remoteKeys'>): Promise<DerivedKeys> {
  return giveKept(deps, await loadKeptKeys(deps.db))
}

function giveKept(
  { db: { sealer }, remoteKeys }: { readonly db: Sealing } & Pick<Deps, 'remoteKeys'>,
  kept: ReadonlyMap<string, Buffer>,
): DerivedKeys {
  sealer.keep(kept)
  const opened = new Map<string, SigningKey>()
  return {
    derive: sealer.derive,
    deriveReadable: sealer.deriveReadable,
    ofTenant: sealer.ofTenant,
    signingKey(label) {
      const known = opened.get(label) ?? openKept(sealer.derive(label, KEY_BYTES), remoteKeys)
      opened.set(label, known)
      return known
    },
  }
}

/** A seed, or the key that `vidimus log use-key` stored in its place. */
const openKept = (kept: Buffer, { open }: Deps['remoteKeys']): SigningKey =>
  kept.length === KEY_BYTES ? keyOfSeed(kept) : openStoredKey(kept, open)

/** From the master key whose derived key verifies the existing signatures; without signatures, from the current one. */
async function firstKeyOf(db: Tx, label: string): Promise<Buffer> {
  const candidates = db.sealer.deriveReadable(label, KEY_BYTES)
  const note = label === CHECKPOINT_LABEL && candidates.length > 1 ? await findAnyCheckpointAcrossTenants(db) : null
  const signer = candidates.find((seed) => note !== null && hasSigned(seed, note))
  const [key] = signer === undefined ? candidates : [signer]
  if (key === undefined) throw new Error('bug: no master key is here')
  return key
}

function hasSigned(seed: Buffer, note: string): boolean {
  return openCheckpoint(note, keyOfSeed(seed).publicKey).outcome === 'signed'
}
