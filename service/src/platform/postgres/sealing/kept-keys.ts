// Stores keys that were derived from a master key and outlive it, sealed. The first replica decides for all.

import { keptKeySealContext } from '../../seal/kept-key.ts'
import type { Instant } from '../../world.ts'
import type { Queries, Tx } from '../db.ts'

/** Notified when keys were added, which other processes must load. */
export const KEPT_KEYS_CHANNEL = 'kept_keys'

const LOAD_KEPT_KEYS = { name: 'load_kept_keys', text: 'select label, sealed from kept_keys' }

interface KeptKeyRow {
  readonly label: string
  readonly sealed: Buffer
}

export async function loadKeptKeys(tx: Tx): Promise<Map<string, Buffer>> {
  const rows = await tx.query<KeptKeyRow>(LOAD_KEPT_KEYS)
  return new Map(rows.map(({ label, sealed }) => [label, tx.sealer.open(sealed, keptKeySealContext(label))]))
}

/** Includes the labels of keys that this process cannot decrypt. */
export async function loadKeptLabels(tx: Queries): Promise<Set<string>> {
  const rows = await tx.query<KeptKeyRow>(LOAD_KEPT_KEYS)
  return new Set(rows.map(({ label }) => label))
}

export async function insertKeptKey(
  tx: Tx,
  kept: { readonly label: string; readonly key: Uint8Array; readonly at: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_kept_key',
      text: 'insert into kept_keys (label, sealed, created_at) values ($1, $2, $3) on conflict do nothing',
    },
    [kept.label, tx.sealer.seal(kept.key, keptKeySealContext(kept.label)), kept.at],
  )
}

export async function replaceKeptKey(
  tx: Tx,
  kept: { readonly label: string; readonly key: Uint8Array },
): Promise<void> {
  await tx.query({ name: 'replace_kept_key', text: 'update kept_keys set sealed = $2 where label = $1' }, [
    kept.label,
    tx.sealer.seal(kept.key, keptKeySealContext(kept.label)),
  ])
}
