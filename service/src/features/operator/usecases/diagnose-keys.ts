// Signs a probe with every external key in use, for `vidimus doctor`.

import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { decodeStoredKey, type PinnedKey } from '../../../platform/keys/stored-key.ts'
import { loadKeptKeys } from '../../../platform/postgres/sealing/kept-keys.ts'
import { UnknownMasterKey } from '../../../platform/seal/seal.ts'
import { listReceiptKeyMaterial } from '../../transparency/index.ts'
import { listCertificateKeyMaterial } from '../../trust/index.ts'

const AREA = 'key outside'
/** Local keys are stored as seeds of this length. */
const SEED_BYTES = 32
/** Excludes the ID token keys of tenants: there may be thousands, and they are in the same key services. */
const KEYS_MAX = 100

export async function diagnoseKeys(deps: Pick<Deps, 'db' | 'clock' | 'remoteKeys'>): Promise<Diagnosis[]> {
  const keys = await findPinnedKeys(deps).catch((error: unknown) => {
    if (error instanceof UnknownMasterKey) return null
    throw error
  })
  if (keys === null)
    return [
      {
        area: AREA,
        status: 'problem',
        finding: 'a stored key does not open with the master keys of this process',
        remedy: 'put the master key that sealed it into VIDIMUS_MASTER_KEYS_READABLE',
      },
    ]
  const findings: Diagnosis[] = []
  for (const pinned of keys.slice(0, KEYS_MAX)) {
    const problem = await deps.remoteKeys.probe(pinned)
    if (problem === null) findings.push({ area: AREA, status: 'ok', finding: `${pinned.reference} signs` })
    else
      findings.push({
        area: AREA,
        status: 'problem',
        finding: `${pinned.reference} does not sign: ${problem}`,
        remedy: 'see docs/keys-outside.md; until it works, no other key signs in its place',
      })
  }
  return findings
}

async function findPinnedKeys({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<PinnedKey[]> {
  const kept = [...(await loadKeptKeys(db)).values()].filter(({ length }) => length !== SEED_BYTES)
  const stored = [
    ...(await listCertificateKeyMaterial(db)),
    ...(await listReceiptKeyMaterial(db, clock.now())),
    ...kept,
  ]
  const pinned = stored.map(decodeStoredKey).filter((key) => 'reference' in key)
  return [...new Map(pinned.map((key) => [key.reference, key])).values()]
}
