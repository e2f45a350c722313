// Tests the upgrade to partitions of a day on a store with data, while statements of the release before continue.

import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it, type TestContext } from 'node:test'
import pg from 'pg'
import { makeDay } from '../../src/features/retention/store/day-partitions.ts'
import { MIGRATIONS_DIRECTORY, migrate } from '../../src/platform/postgres/migrate.ts'
import { testCluster } from '../harness/servers/cluster.ts'
import { testDatabase } from '../harness/servers/database.ts'

const cluster = await testCluster()
after(() => cluster.stop())

/** The newest migration of the release before. */
const BEFORE = '0072'
const ROWS = 2_000

/** Returns a store as the release before left it. */
async function storeOfReleaseBefore(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'vidimus-before-'))
  t.after(() => rm(directory, { recursive: true }))
  for (const file of (await readdir(MIGRATIONS_DIRECTORY)).filter((name) => name.slice(0, 4) <= BEFORE))
    await cp(join(MIGRATIONS_DIRECTORY, file), join(directory, file))
  const { db, connection } = await testDatabase(t, { migrated: false })
  await migrate({ connection, directory })
  await db.query({
    name: 'test_tenant',
    text: `insert into tenants (id, name, plan, created_at) values ('ten_a', 'A', 'free', now())`,
  })
  await db.query({ name: 'test_many', text: `${manyVerifications(ROWS)}` })
  return { db, connection }
}

const manyVerifications = (count: number) => `
  with added as (
    insert into verifications (id, tenant_id, environment, created_at, expires_at, template, actor_type, actor_id, nonce, state,
      client_id, response_mode, status, responded_at)
    select 'ver_' || n, 'ten_a', 'test', now() - interval '1 day' + n * interval '1 ms', now(), 'identity', 'api_key', 'key_a', 'n', 's',
      'c', 'direct_post', 'completed', now() from generate_series(1, ${count}) n returning id),
  results as (
    insert into verification_results (verification_id, tenant_id, environment, sealed) select id, 'ten_a', 'test', '\\x01' from added),
  bundles as (
    insert into evidence_bundles (verification_id, tenant_id, environment, jwe, drop_at)
    select id, 'ten_a', 'test', 'jwe', now() from added where id like '%0'),
  codes as (
    insert into authentication_codes (tenant_id, environment, digest, verification_id, used_at)
    select 'ten_a', 'test', sha256(id::bytea), id, now() from added where id like '%0')
  insert into audit_details (tenant_id, environment, seq, object_id, salt, details)
  select 'ten_a', 'test', substr(id, 5)::int, id, '\\x01', '{}' from added`

/** The statements of the release before on these tables, shortened to what their form depends on. */
const STATEMENTS = {
  create: `with verification as (
      insert into verifications (id, tenant_id, environment, created_at, expires_at, template, actor_type, actor_id, nonce, state,
        client_id, response_mode)
      select g.id, 'ten_a', 'test', clock_timestamp(), now() + interval '1 hour', 'identity', 'api_key', 'key_a', 'n', 's', 'c', 'direct_post'
      from unnest($1::text[]) as g (id)),
    details as (
      insert into audit_details (tenant_id, environment, seq, object_id, salt, details)
      select 'ten_a', 'test', 1000000 + $2::int, g.id, '\\x01', '{}' from unnest($1::text[]) as g (id))
    select 1 as done`,
  fetch: `with free as (select v.id from verifications v where v.id = any ($1::text[]) and v.status = 'pending' order by v.id
      for update of v skip locked)
    update verifications v set request_fetched_at = now() from free where v.id = free.id and $2::int > 0 returning v.id`,
  end: `with locked as (
      select v.id, v.status = 'pending' as open from unnest($1::text[]) as g (id)
      cross join lateral (select * from verifications where id = g.id for update offset 0) v),
    ended as (
      update verifications v set status = 'completed', responded_at = now() from locked
      where v.id = locked.id and locked.open and $2::int > 0 returning v.id),
    results as (
      insert into verification_results (verification_id, tenant_id, environment, sealed) select id, 'ten_a', 'test', '\\x02' from ended)
    select id from ended`,
  read: `select v.id, v.xmin::text as version, r.sealed from unnest((select $1::text[])) as wanted (id)
    cross join lateral (select *, xmin from verifications where id = wanted.id offset 0) v
    left join lateral (select *, xmin from verification_results where verification_id = v.id offset 0) r on true where $2::int > 0`,
  forget: `update verification_results set sealed = null, forgotten_at = now() where verification_id = any (array(
      select verification_id from verification_results where verification_id = any ($1::text[]) and $2::int > 0 for update skip locked))
    returning verification_id as id`,
  erase: `with results as (delete from verification_results where verification_id = any ($1::text[]) returning 1),
    details as (delete from audit_details where tenant_id = 'ten_a' and environment = 'test' and object_id = any ($1::text[]))
    delete from verifications where id = any ($1::text[]) and $2::int > 0 returning id`,
} as const

/**
 * Returns a process of the release before: one verification after the other, on one connection with its prepared
 * statements.
 */
async function processOfReleaseBefore(config: pg.ClientConfig) {
  const client = new pg.Client(config)
  await client.connect()
  const lives: string[] = []
  let longestMs = 0
  const run = async (name: keyof typeof STATEMENTS, id: string, n: number) => {
    const began = performance.now()
    const { rows } = await client.query({ name, text: STATEMENTS[name], values: [[id], n] })
    longestMs = Math.max(longestMs, performance.now() - began)
    return rows
  }
  return {
    longestMs: () => longestMs,
    lives,
    stop: () => client.end(),
    /** Erases every second one. */
    async live(n: number): Promise<void> {
      const id = `ver_old_${n}`
      await run('create', id, n)
      assert.equal((await run('fetch', id, n)).length, 1)
      assert.equal((await run('end', id, n)).length, 1)
      assert.equal((await run('end', id, n)).length, 0, 'a second answer')
      const [read] = await run('read', id, n)
      assert.deepEqual([read?.id, read?.sealed], [id, Buffer.from([2])])
      assert.equal((await run('forget', id, n)).length, 1)
      if (n % 2 === 0) assert.equal((await run('erase', id, n)).length, 1)
      else lives.push(id)
    },
  }
}

it('the release before continues before, during and after the migrations; all data is still there', async (t) => {
  const { db, connection } = await storeOfReleaseBefore(t)
  assert.ok('socketDir' in connection)
  const { socketDir: host, user, database } = connection
  const old = await processOfReleaseBefore({ host, user, database })
  for (let n = 1; n <= 10; n += 1) await old.live(n)
  let isMigrated = false
  const migrated = migrate({ connection }).then(() => {
    isMigrated = true
  })
  let n = 11
  // bounded: by the migrations.
  for (; !isMigrated || n < 40; n += 1) await old.live(n)
  await migrated
  for (const end = n + 10; n < end; n += 1) await old.live(n)
  await old.stop()
  t.diagnostic(`the longest statement took ${old.longestMs().toFixed(0)} ms`)
  const places = await db.query({
    name: 'test_places_after',
    text: `select 'verifications' as table, tableoid::regclass::text as place, count(*)::int as rows from verifications group by 2
           union all select 'results', tableoid::regclass::text, count(*)::int from verification_results group by 2
           union all select 'details', tableoid::regclass::text, count(*)::int from audit_details group by 2 order by 1`,
  })
  const rows = ROWS + old.lives.length
  assert.deepEqual(places, [
    { table: 'details', place: 'audit_details_singly', rows },
    { table: 'results', place: 'verification_results_singly', rows },
    { table: 'verifications', place: 'verifications_singly', rows },
  ])
})

it('rows that the foreign keys used to delete are deleted with a verification that the release before erases', async (t) => {
  const { db, connection } = await storeOfReleaseBefore(t)
  await migrate({ connection })
  await db.query({ name: 'test_erase', text: STATEMENTS.erase }, [['ver_10', 'ver_20'], 1])
  const left = await db.query({
    name: 'test_left',
    text: `select (select count(*)::int from evidence_bundles) as bundles, (select count(*)::int from authentication_codes) as codes,
             (select count(*)::int from authentication_codes where verification_id is null) as "codesAlone"`,
  })
  assert.deepEqual(left, [{ bundles: ROWS / 10 - 2, codes: ROWS / 10, codesAlone: 2 }])
})

it('of two answers to one verification, one accepted by each release, one counts: there is one result', async (t) => {
  const { db, connection } = await storeOfReleaseBefore(t)
  await migrate({ connection })
  const day = 20_000
  assert.ok(await db.transaction((tx) => makeDay(tx, day)))
  // This release ends a verification by the day in its id, and writes the result to the verification's partition.
  const ENDING = `with locked as (
      select v.id, v.status = 'pending' as open from unnest($1::text[]) as g (id)
      cross join lateral (select * from verifications where id = g.id and (day = 0 or day = $2) for update offset 0) v),
    ended as (
      update verifications v set status = 'completed', responded_at = now() from locked
      where v.id = locked.id and locked.open and (v.day = 0 or v.day = $2) returning v.id, v.day),
    results as (
      insert into verification_results (verification_id, tenant_id, environment, day, sealed)
      select id, 'ten_a', 'test', day, '\\x03' from ended)
    select id from ended`
  const ids = Array.from({ length: 40 }, (_, n) => `ver_both_${n}`)
  await db.query(
    {
      name: 'test_of_day',
      text: `insert into verifications (id, tenant_id, environment, created_at, expires_at, template, actor_type, actor_id, nonce, state,
               client_id, response_mode, day)
             select id, 'ten_a', 'test', now() + n * interval '1 us', now() + interval '1 hour', 'identity', 'api_key', 'key_a', 'n', 's', 'c',
               'direct_post', $2 from unnest($1::text[]) with ordinality as g (id, n)`,
    },
    [ids, day],
  )
  assert.ok('socketDir' in connection)
  const { socketDir: host, user, database } = connection
  // Sessions of the release before do not announce that they know days.
  const old = new pg.Client({ host, user, database })
  await old.connect()
  const endOld = async (id: string) =>
    (await old.query({ name: 'test_end_old', text: STATEMENTS.end, values: [[id], 1] })).rows
  // The release before ends the first verification alone, so that it wins at least once.
  const ended: object[] = await endOld(ids[0] ?? '')
  assert.equal(ended.length, 1)
  const others = Promise.all(ids.map((id) => db.query({ name: 'test_end_new', text: ENDING }, [[id], day])))
  for (const id of ids) ended.push(...(await endOld(id)))
  ended.push(...(await others).flat())
  await old.end()
  assert.equal(ended.length, ids.length)
  const results = await db.query<{ place: string; rows: number }>({
    name: 'test_results_of_both',
    text: `select tableoid::regclass::text as place, count(*)::int as rows from verification_results
           where verification_id like 'ver_both%' group by 1 order by 1`,
  })
  assert.deepEqual(results, [{ place: `verification_results_${day}`, rows: ids.length }], 'each with its verification')
})

it('details that the release before writes go to the day of their verification, and the entry names it', async (t) => {
  const { db, connection } = await storeOfReleaseBefore(t)
  await migrate({ connection })
  const day = 20_000
  assert.ok(await db.transaction((tx) => makeDay(tx, day)))
  await db.query({ name: 'test_to_day', text: `update verifications set day = $1 where id = 'ver_10'` }, [day])
  assert.ok('socketDir' in connection)
  const { socketDir: host, user, database } = connection
  const old = new pg.Client({ host, user, database })
  await old.connect()
  // The release before appends both by one statement.
  for (const [n, id] of ['ver_10', 'ver_20', 'dev_a'].entries())
    await old.query(
      `with entries as (
         insert into audit_entries (tenant_id, environment, seq, object_id, bytes, hash)
         values ('ten_a', 'test', 2000000 + $1::int, $2, '\\x01', sha256($2::text::bytea)))
       insert into audit_details (tenant_id, environment, seq, object_id, salt, details)
       values ('ten_a', 'test', 2000000 + $1::int, $2, '\\x01', '{}')`,
      [n, id],
    )
  await old.end()
  const found = await db.query({
    name: 'test_days_of_entries',
    text: `select e.object_id as id, e.day as entry, d.day as details from audit_entries e join audit_details d using (tenant_id, environment, seq)
           where e.seq >= 2000000 order by e.seq`,
  })
  assert.deepEqual(found, [
    { id: 'ver_10', entry: day, details: day },
    { id: 'ver_20', entry: 0, details: 0 },
    { id: 'dev_a', entry: 0, details: 0 },
  ])
})
