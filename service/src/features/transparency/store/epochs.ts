// Stores the statements that opened epochs, and the one that waits for its witnesses.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface StoredEpoch {
  readonly number: number
  /** A signed note, without the cosignature lines. */
  readonly statement: string
  readonly cosignatures: string
  /** null: the epoch waits for witnesses. */
  readonly openedAt: Instant | null
}

export async function listEpochs(tx: Tx): Promise<StoredEpoch[]> {
  return tx.query({
    name: 'list_log_epochs',
    text: 'select number, statement, cosignatures, opened_at as "openedAt" from log_epochs order by number',
  })
}

export async function insertEpoch(
  tx: Tx,
  epoch: { readonly number: number; readonly statement: string; readonly at: Instant },
): Promise<void> {
  const text = 'insert into log_epochs (number, statement, created_at) values ($1, $2, $3)'
  await tx.query({ name: 'insert_log_epoch', text }, [epoch.number, epoch.statement, epoch.at])
}

/** Deletes a statement whose epoch was not opened, so that another statement can take its number. */
export async function deletePendingEpoch(tx: Tx): Promise<void> {
  await tx.query({ name: 'delete_pending_epoch', text: 'delete from log_epochs where opened_at is null' })
}

export async function addEpochCosignature(tx: Tx, number: number, line: string): Promise<void> {
  const text = `update log_epochs set cosignatures = cosignatures || $2
                where number = $1 and position($2 in cosignatures) = 0`
  await tx.query({ name: 'add_epoch_cosignature', text }, [number, line])
}

/** Marks an epoch as open that had been opened before the store was restored. */
export async function noteEpochKnown(tx: Tx, number: number, at: Instant): Promise<void> {
  await tx.query({ name: 'open_log_epoch', text: 'update log_epochs set opened_at = $2 where number = $1' }, [
    number,
    at,
  ])
}

/** Opens an epoch and resets what was recorded about the previous one. */
export async function noteEpochOpened(tx: Tx, number: number, at: Instant): Promise<void> {
  await noteEpochKnown(tx, number, at)
  await tx.query({
    name: 'resume_log',
    text: 'update log_heads set halted = null, acknowledged_to = null, witnessed_note = null, set_back_note = null',
  })
  await tx.query({ name: 'forget_witness_sizes', text: 'update log_witnesses set size = null' })
}
