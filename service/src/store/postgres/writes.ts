// Does the store take writes at this moment?

import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { TAKES_NO_WRITES } from './connection.ts'
import type { Tx } from './db.ts'
import { READ_ONLY } from './identity.ts'

/** Connections that live on while their primary becomes a standby still answer reads. */
export async function demandWrites(tx: Tx): Promise<void> {
  const [row] = await tx.query<{ readOnly: boolean }>(TAKES_WRITES)
  if (row?.readOnly !== false) throw new StoreUnavailable(TAKES_NO_WRITES)
}

const TAKES_WRITES = { name: 'takes_writes', text: `select ${READ_ONLY} as "readOnly"` }
