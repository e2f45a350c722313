// Checks whether the store takes writes at this moment.

import { StoreUnavailable } from '../store-unavailable.ts'
import { TAKES_NO_WRITES } from './connection.ts'
import type { Queries } from './db.ts'
import { READ_ONLY } from './identity.ts'

/** Needed because a connection stays open and answers reads when its primary becomes a standby. */
async function requireWrites(tx: Queries): Promise<void> {
  const [row] = await tx.query<{ readOnly: boolean }>(TAKES_WRITES)
  if (row?.readOnly !== false) throw new StoreUnavailable(TAKES_NO_WRITES)
}

/** How long processes share the result of one write. A write by each process at each check would be too expensive. */
const PROBE_SECONDS = 10
/** With less free space than this, the disk counts as full. */
const ROOM_KIB = 1024

/**
 * Throws if the store takes no writes or its disk is full. A small update may succeed on a full disk. So the probe also
 * makes PostgreSQL write a temporary file, with a sort that does not fit in memory.
 */
export async function requireRoomForWrites(tx: Queries): Promise<void> {
  await requireWrites(tx)
  const [proof] = await tx.query<{ isFresh: boolean }>(LOAD_PROOF)
  if (proof?.isFresh !== true) await tx.query(PROBE_WRITES)
}

/** For `vidimus doctor`. Uses no earlier result and changes nothing. */
export async function requireRoom(tx: Queries): Promise<void> {
  await requireWrites(tx)
  await tx.query(PROBE_ROOM)
}

// This service writes no time in the future, so such a time proves nothing.
const IS_FRESH = `written_at between clock_timestamp() - interval '${PROBE_SECONDS} seconds' and clock_timestamp()`

const LOAD_PROOF = { name: 'load_write_proof', text: `select ${IS_FRESH} as "isFresh" from write_probe` }

/** Without temp_tablespaces, the file is on the disk of the database's tables. */
const FILL_FILE = `
  perform set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true);
  perform max(length(filler)) from (
    select repeat('x', 1024) as filler from generate_series(1, ${ROOM_KIB}) as number order by number desc offset 0
  ) as sorted;`

const PROBE_ROOM = { name: 'probe_room', text: `do $$ begin ${FILL_FILE} end $$` }

/** If several processes find no fresh proof at the same time, only one writes a new proof. */
const PROBE_WRITES = {
  name: 'probe_writes',
  text: `do $$ begin
  insert into write_probe (written_at) values ('-infinity') on conflict do nothing;
  perform from write_probe for update;
  if exists (select from write_probe where ${IS_FRESH}) then return; end if;
  ${FILL_FILE}
  update write_probe set written_at = clock_timestamp();
end $$`,
}

const TAKES_WRITES = { name: 'takes_writes', text: `select ${READ_ONLY} as "readOnly"` }
