// Tests an upgrade from type names without a format: each anchor and list keeps what it clearly meant, and no more.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testDatabase } from '../harness/servers/database.ts'

it('types without a format get theirs, and a VICAL keeps no more than its operator granted', async (t) => {
  const { db, connection } = await testDatabase(t, { migrated: false })
  const before = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'))
  t.after(() => rm(before, { recursive: true }))
  const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) => file.endsWith('.sql')).sort()
  const [own] = files.filter((file) => file.endsWith('_vouched_types.sql'))
  assert.ok(own !== undefined)
  for (const file of files.slice(0, files.indexOf(own)))
    await copyFile(join(MIGRATIONS_DIRECTORY, file), join(before, file))
  await migrate({ connection, directory: before })

  const list = (id: string, kind: string, types: string) =>
    db.query({
      name: `list_${id}`,
      text: `insert into trust_lists (id, environment, kind, source, types, created_at, issued_at)
             values ('${id}', 'live', '${kind}', 'file', '${types}', now(), '2026-01-01T00:00:00Z')`,
    })
  const anchor = (id: string, profile: string, types: string, listId: string | null = null) =>
    db.query({
      name: `anchor_${id}`,
      text: `insert into anchors (id, environment, kind, profile, types, certificate, list_id, created_at)
             values ('${id}', 'live', 'ca', '${profile}', '${types}', '', ${listId === null ? 'null' : `'${listId}'`}, now())`,
    })
  await list('open', 'vical', '{}')
  await list('granted', 'vical', '{eu.europa.ec.eudi.pid.1}')
  await list('every', 'vical', '{*}')
  await list('lote', 'lote', '{urn:eudi:pid:1,eu.europa.ec.eudi.pid.1}')
  await anchor('hand', 'generic', '{urn:eudi:pid:1,eu.europa.ec.eudi.pid.1}')
  await anchor('all', 'generic', '{*}')
  await anchor('iaca', 'iso-mdl', '{*}')
  for (const from of ['open', 'granted', 'every']) {
    await anchor(`${from}-both`, 'iso-mdl', '{org.iso.18013.5.1.mDL,eu.europa.ec.eudi.pid.1}', from)
    await anchor(`${from}-star`, 'iso-mdl', '{*}', from)
    await anchor(`${from}-vct`, 'iso-mdl', '{urn:eudi:pid:1}', from)
  }
  await anchor('entity', 'generic', '{urn:eudi:pid:1,eu.europa.ec.eudi.pid.1}', 'lote')

  await migrate({ connection })
  const types = async (table: string) => {
    const rows = await db.query<{ id: string; types: string[] }>({
      name: `types_${table}`,
      text: `select id, types from ${table}`,
    })
    return Object.fromEntries(rows.map((row) => [row.id, row.types.sort()]))
  }
  const [mdl, pidMdoc, pid] = [
    'mso_mdoc:org.iso.18013.5.1.mDL',
    'mso_mdoc:eu.europa.ec.eudi.pid.1',
    'dc+sd-jwt:urn:eudi:pid:1',
  ]
  assert.deepEqual(await types('trust_lists'), {
    open: [mdl],
    granted: [pidMdoc],
    every: ['mso_mdoc:*'],
    lote: [pid, pidMdoc],
  })
  assert.deepEqual(await types('anchors'), {
    hand: [pid, pidMdoc],
    all: ['dc+sd-jwt:*', 'mso_mdoc:*'],
    iaca: ['mso_mdoc:*'],
    'open-both': [mdl],
    'granted-both': [pidMdoc],
    'every-both': [pidMdoc, mdl],
    'every-vct': ['mso_mdoc:urn:eudi:pid:1'],
    entity: [pid, pidMdoc],
  })
  const [ends] = await db.query<{ same: boolean }>({
    name: 'ends',
    text: `select bool_and(next_update_at = '2026-04-01T00:00:00Z') as same from trust_lists`,
  })
  assert.equal(ends?.same, true)
})
