// Tests an upgrade from subjects that depend on the name of the issuer alone: clients that have users keep them.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { olderProcess } from '../harness/servers/late-parts.ts'

it('existing clients keep their subjects; with the late part, new ones and those without users get the new rule', async (t) => {
  const { db, connection, url } = await testDatabase(t, { migrated: false })
  const before = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(before, { recursive: true }))
  const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) => file.endsWith('.sql')).sort()
  const [own] = files.filter((file) => file.endsWith('_subjects_per_type.sql'))
  assert.ok(own !== undefined)
  for (const file of files.slice(0, files.indexOf(own)))
    await copyFile(join(MIGRATIONS_DIRECTORY, file), join(before, file))
  await migrate({ connection, directory: before })
  await db.query({
    name: 'tenant',
    text: `insert into tenants (id, name, plan, created_at) values ('ten_1', 'Shop', 'free', now())`,
  })
  const insert = (id: string, mode: string, claims: string) =>
    db.query({
      name: `insert_${id}`,
      text: `insert into oidc_clients (id, tenant_id, environment, name, auth_method, redirect_uris, templates, subject_mode,
               subject_claims, require_true, vp_data, verified_claims, id_token_alg, remember_minutes, created_at)
             values ('${id}', 'ten_1', 'test', 'Shop', 'none', '{https://a.example}', '{identity}', '${mode}',
               '${claims}', false, false, false, 'ES256', 0, now())`,
    })
  const rows = async () => {
    const text = 'select id, subject_per_type as "isOn" from oidc_clients order by id'
    const found = await db.query<{ id: string; isOn: boolean }>({ name: 'rules', text })
    return Object.fromEntries(found.map(({ id, isOn }) => [id, isOn]))
  }
  await insert('old_claim', 'claim', '{a}')
  await insert('old_ephemeral', 'ephemeral', '{}')
  const older = await olderProcess(url)
  await migrate({ connection })
  await insert('between', 'derived', '{a,b}')
  assert.deepEqual(await rows(), { between: false, old_claim: false, old_ephemeral: false })
  await older.end()
  await migrate({ connection })
  await insert('new', 'derived', '{a,b}')
  assert.deepEqual(await rows(), { between: false, new: true, old_claim: false, old_ephemeral: true })
})
