// Keys that were derived from a master key once and outlive it. Sealed; whoever keeps one first decides for all replicas.

import type { Instant } from '../../world.ts'
import type { Tx } from '../db.ts'

export async function loadKeptKeys(tx: Tx): Promise<Map<string, Buffer>> {
  const rows = await tx.query<{ label: string; sealed: Buffer }>({
    name: 'load_kept_keys',
    text: 'select label, sealed from kept_keys',
  })
  return new Map(rows.map(({ label, sealed }) => [label, sealed]))
}

export async function insertKeptKey(
  tx: Tx,
  key: { readonly label: string; readonly sealed: Uint8Array; readonly at: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_kept_key',
      text: 'insert into kept_keys (label, sealed, created_at) values ($1, $2, $3) on conflict do nothing',
    },
    [key.label, key.sealed, key.at],
  )
}
