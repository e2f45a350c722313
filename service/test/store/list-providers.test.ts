// Tests an upgrade from lists without providers: each gets the evident ones, or is marked as unknown.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testDatabase } from '../harness/servers/database.ts'

it('a list gets the one kind of provider that its format and types allow, and none if they allow several', async (t) => {
  const { db, connection } = await testDatabase(t, { migrated: false })
  const before = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(before, { recursive: true }))
  const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) => file.endsWith('.sql')).sort()
  const [own] = files.filter((file) => file.endsWith('_list_providers.sql'))
  assert.ok(own !== undefined)
  for (const file of files.slice(0, files.indexOf(own)))
    await copyFile(join(MIGRATIONS_DIRECTORY, file), join(before, file))
  await migrate({ connection, directory: before })
  const lists: Record<string, [kind: string, types: string[], providers: string | null]> = {
    licences: ['vical', ['mso_mdoc:org.iso.18013.5.1.mDL'], 'mdoc'],
    ages: ['tsl', ['mso_mdoc:eu.europa.ec.av.1'], 'age-attestation'],
    providers: ['lote', ['rc-wrp+jwt:*'], 'registration-certificate'],
    registers: ['lote', ['register+jwt:*'], 'register'],
    pid: [
      'lote',
      ['dc+sd-jwt:urn:eudi:pid:1', 'dc+sd-jwt:urn:eudi:pid:de:1', 'mso_mdoc:eu.europa.ec.eudi.pid.1'],
      'pid',
    ],
    everything: ['lote', ['dc+sd-jwt:*', 'mso_mdoc:*'], null],
    mixed: ['lote', ['dc+sd-jwt:urn:eudi:pid:1', 'mso_mdoc:org.iso.18013.5.1.mDL'], null],
    nearly: ['lote', ['mso_mdoc:eu_europa.ec.eudi.pid.1'], null],
    nothing: ['lote', [], null],
  }
  for (const [id, [kind, types]] of Object.entries(lists))
    await db.query(
      {
        name: 'test_list_before',
        text: `insert into trust_lists (id, environment, by_owner, kind, source, types, created_at, loaded_at, sequence, issued_at)
               values ($1, 'live', false, $2, case when $1 = 'registers' then 'file' else 'https://lists.example' end, $3, now(), now(), 7, now())`,
      },
      [id, kind, types],
    )
  await migrate({ connection })
  const rows = await db.query<{ id: string; providers: string | null; mismatched: boolean; sequence: number | null }>({
    name: 'test_providers',
    text: 'select id, providers, mismatched, sequence from trust_lists where issued_at is not null',
  })
  assert.deepEqual(
    Object.fromEntries(rows.map(({ id, providers }) => [id, providers])),
    Object.fromEntries(Object.entries(lists).map(([id, [, , providers]]) => [id, providers])),
  )
  assert.ok(rows.every(({ mismatched }) => !mismatched))
  // Their issue was not checked, so it may have the number of another list.
  const withoutNumber = rows.flatMap(({ id, sequence }) => (sequence === null ? [id] : []))
  assert.deepEqual(withoutNumber.sort(), ['ages', 'pid', 'providers'])
})
