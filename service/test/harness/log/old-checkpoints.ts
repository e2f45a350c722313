// Writes a checkpoint of a chain as releases before the log stored it once a day.

import type { Realm } from '../../../src/core/tenants/domain/realm.ts'
import type { Deps } from '../../../src/deps.ts'
import { checkpointAudit } from '../../../src/features/audit/usecases/read-audit.ts'
import { instantOf } from '../../../src/platform/world.ts'

export async function keepOldCheckpoint(deps: Deps, realm: Realm): Promise<string> {
  const note = await checkpointAudit(deps, realm)
  await deps.db.query(
    {
      name: 'test_keep_note',
      text: 'insert into audit_checkpoints (tenant_id, environment, seq, note) values ($1, $2, $3, $4)',
    },
    [realm.tenantId, realm.environment, Number(note.split('\n')[1]), note],
  )
  await deps.db.query(
    {
      name: 'test_note_run',
      text: `insert into jobs (name, lease_until, ran_at) values ('keep-checkpoints', $1, $1)
             on conflict (name) do update set ran_at = excluded.ran_at`,
    },
    [instantOf(deps.clock.now())],
  )
  return note
}
