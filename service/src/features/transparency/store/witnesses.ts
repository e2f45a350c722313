// Stores what each witness last answered about the log.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface WitnessState {
  readonly name: string
  readonly askedAt: Instant
  readonly state: 'cosigned' | 'unreachable' | 'refused' | 'ahead' | 'forked'
  /** The size that the witness knows; null: it has never answered. */
  readonly size: number | null
  readonly cosignedAt: Instant | null
}

export async function listWitnessStates(tx: Tx): Promise<WitnessState[]> {
  return tx.query({
    name: 'list_witness_states',
    text: 'select name, asked_at as "askedAt", state, size, cosigned_at as "cosignedAt" from log_witnesses order by name',
  })
}

/** An answer without a cosigning time keeps the stored one. */
export async function saveWitnessState(tx: Tx, state: WitnessState): Promise<void> {
  await tx.query(
    {
      name: 'save_witness_state',
      text: `insert into log_witnesses (name, asked_at, state, size, cosigned_at) values ($1, $2, $3, $4, $5)
             on conflict (name) do update set asked_at = excluded.asked_at, state = excluded.state,
               size = coalesce(excluded.size, log_witnesses.size),
               cosigned_at = coalesce(excluded.cosigned_at, log_witnesses.cosigned_at)`,
    },
    [state.name, state.askedAt, state.state, state.size, state.cosignedAt],
  )
}
