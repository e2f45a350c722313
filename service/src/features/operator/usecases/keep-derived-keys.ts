// Keeps derived keys that must outlive their master key, because others hold what they signed, or it cannot be signed
// again. They are stored sealed from the first start on, and a rotation of the master key only seals them again.

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
 * The keys of checkpoints and of the log, whose public keys auditors hold; those that protect the audit trail and a
 * tenant's name in the log; those that derive subjects and correlation ids; the
 * one by which verification ids name their tenant.
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

/** Derived keys, including the kept ones. */
export async function keepDerivedKeys(deps: Pick<Deps, 'db' | 'clock' | 'remoteKeys'>): Promise<DerivedKeys> {
  const { db, clock } = deps
  const known = await loadKeptKeys(db)
  const missing = KEPT.filter((label) => !known.has(label))
  for (const label of missing) {
    await insertKeptKey(db, { label, key: await firstKeyOf(db, label), at: instantOf(clock.now()) })
  }
  // The first writer decides: every process reads them again, also the one that wrote them.
  return giveKept(deps, missing.length === 0 ? known : await loadKeptKeys(db))
}

/** Reads them again when a tenant has brought some from another installation. Returns how to stop. */
export function followKeptKeys(
  { db }: Pick<Deps, 'db'>,
  report: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const reload = () => void loadKeptKeys(db).then((kept) => db.sealer.keep(kept), report)
  return db.listen(KEPT_KEYS_CHANNEL, reload, reload)
}

/** The same, read-only: keys that are not stored yet are derived. */
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

/** A seed, or what `vidimus log use-key` stored in its place. */
const openKept = (kept: Buffer, { open }: Deps['remoteKeys']): SigningKey =>
  kept.length === KEY_BYTES ? keyOfSeed(kept) : openStoredKey(kept, open)

/** Of the possible earlier master keys, the one that made the existing signatures. */
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
