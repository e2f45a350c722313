// Asks a witness for the newest checkpoint that it has of this log. The log's own signature proves that the checkpoint is genuine.

import { createHash } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import type { Witness } from '../../../platform/config/witness.ts'
import { request } from '../../../platform/egress/client.ts'
import { NOTE_BYTES_MAX } from '../../../platform/signed-note.ts'

/** Returns null if the witness does not answer or knows none. */
export async function readWitnessedCheckpoint(
  deps: Pick<Deps, 'egress' | 'config'>,
  { url }: Witness,
  origin: string,
): Promise<string | null> {
  const outcome = await request(deps.egress[deps.config.production ? 'live' : 'test'], {
    method: 'GET',
    url: `${url}/checkpoint/${createHash('sha256').update(origin, 'utf8').digest('hex')}`,
    headers: {},
    bodyBytesMax: NOTE_BYTES_MAX,
  })
  return outcome.outcome === 'answered' && outcome.status === 200 ? Buffer.from(outcome.body).toString('utf8') : null
}
