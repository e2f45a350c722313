// Tests an upgrade from events without a type: each delivery gets the type of how its verification ended.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testDatabase } from '../harness/servers/database.ts'

it('existing deliveries get their type', async (t) => {
  const { db, connection } = await testDatabase(t, { migrated: false })
  const before = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(before, { recursive: true }))
  const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) => file.endsWith('.sql')).sort()
  const [own] = files.filter((file) => file.endsWith('_event_types.sql'))
  assert.ok(own !== undefined)
  for (const file of files.slice(0, files.indexOf(own)))
    await copyFile(join(MIGRATIONS_DIRECTORY, file), join(before, file))
  await migrate({ connection, directory: before })
  await db.query({
    name: 'tenant',
    text: `insert into tenants (id, name, plan, created_at) values ('ten_1', 'Shop', 'free', now())`,
  })
  await db.query({
    name: 'ended',
    text: `with v as (
             insert into verifications (id, tenant_id, environment, created_at, expires_at, status, template, webhook_url, actor_type,
               actor_id, nonce, state, client_id, response_mode, responded_at)
             select 'ver_' || status, 'ten_1', 'test', now() + length(status) * interval '1 s', now(), status, 'age_over_18', 'https://shop.example/hook', 'api_key', 'key_1',
               'n', 's', 'c', 'direct_post.jwt', now() from unnest(array['completed', 'failed']) as g (status) returning id)
           insert into webhook_deliveries (id, tenant_id, environment, verification_id, created_at, next_at)
           select 'dlv_' || id, 'ten_1', 'test', id, now(), now() from v`,
  })
  await migrate({ connection })
  const rows = await db.query({
    name: 'types',
    text: 'select verification_id as id, type from webhook_deliveries order by 1',
  })
  assert.deepEqual(rows, [
    { id: 'ver_completed', type: 'verification.completed' },
    { id: 'ver_failed', type: 'verification.failed' },
  ])
})
