// Tests an upgrade from certificates with a single use: existing ones and those added during the upgrade keep it.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { listAllCertificates } from '../../src/features/trust/store/certificates.ts'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testDatabase } from '../harness/servers/database.ts'

it('rows without a use are for openid4vp, and at most one row of each use is current', async (t) => {
  const { db, connection } = await testDatabase(t, { migrated: false })
  const before = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(before, { recursive: true }))
  const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) => file.endsWith('.sql')).sort()
  const [own] = files.filter((file) => file.endsWith('_certificate_purposes.sql'))
  assert.ok(own !== undefined)
  for (const file of files.slice(0, files.indexOf(own)))
    await copyFile(join(MIGRATIONS_DIRECTORY, file), join(before, file))
  await migrate({ connection, directory: before })
  const add = (id: string, environment: string, purpose?: string) =>
    db.query({
      name: `add_${id}`,
      text: `insert into access_keys (id, environment, origin, private_key, chain, created_at, installed_at ${purpose === undefined ? '' : ', purpose'})
             values ('${id}', '${environment}', 'generated', '', '{"\\\\x30"}', now(), now() ${purpose === undefined ? '' : `, '${purpose}'`})`,
    })
  await add('kept', 'test')
  await migrate({ connection })
  await add('late', 'live')
  for (const purpose of ['iso-reader', 'apple', 'google']) await add(purpose.replace('-', '_'), 'test', purpose)
  await assert.rejects(add('second', 'test', 'apple'), /access_keys_current/)
  await assert.rejects(add('unknown', 'test', 'samsung'), /purpose_check/)
  const purposes = (await listAllCertificates(db)).map(({ id, purpose }) => [id, purpose])
  assert.deepEqual(Object.fromEntries(purposes), {
    kept: 'openid4vp',
    late: 'openid4vp',
    iso_reader: 'iso-reader',
    apple: 'apple',
    google: 'google',
  })
})
