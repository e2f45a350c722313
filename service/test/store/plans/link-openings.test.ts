// What a link with many openings costs the store: its page reads only the openings of the browser that loads it.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeDay } from '../../../src/features/retention/store/day-partitions.ts'
import { dayAt } from '../../../src/platform/postgres/days.ts'
import { newVerificationId } from '../../../src/platform/verification-id.ts'
import { runJob } from '../../harness/jobs.ts'
import { BUTTON, pressLink } from '../../harness/links.ts'
import { type CountedStatement, countRowsRead } from '../../harness/servers/rows-read.ts'
import { testService } from '../../harness/service.ts'

const OPENINGS = 3_000
/** The days that a store has with the longest retention that counts whole days. */
const DAYS = { before: 45, after: 14 }
/** Limit for the page of a link. */
const PAGE_BLOCKS_MAX = 300
/** Limit per opening: its row, and an index of each day that its verification can be in. */
const BLOCKS_OF_OPENING = 16

// One connection, whose statistics are complete once it has sent them.
const service = await testService({}, {}, { noDays: true, poolMax: 1 })
const { deps, clock } = service
const tenantId = await service.tenant({ plan: 'enterprise' })
const key = await service.key(tenantId)
const sent: CountedStatement[] = []

async function cost<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly blocks: number }> {
  sent.length = 0
  const answer = await work()
  return { answer, blocks: sent.reduce((sum, { blocks }) => sum + blocks, 0) }
}

/** Adds openings whose verifications are copies of a pending one, without its browser. */
async function addOpenings(linkId: string, copied: string): Promise<void> {
  const nowMs = clock.now()
  const ids = Array.from({ length: OPENINGS }, () =>
    newVerificationId(deps.derivedKeys, deps.random, { tenantId, nowMs }),
  )
  const at = ids.map((_, i) => new Date(nowMs - i * 7 - 7).toISOString())
  const [columns] = await deps.db.query<{ names: string }>({
    name: 'test_columns_of_verifications',
    text: `select string_agg(attname, ', ') as names from pg_attribute where attrelid = 'verifications'::regclass
             and attnum > 0 and not attisdropped and attname not in ('id', 'created_at', 'browser_hash')`,
  })
  await deps.db.query(
    {
      name: 'test_copy_verifications',
      text: `insert into verifications (id, created_at, browser_hash, ${columns?.names})
             select g.id, g.at, sha256(g.id::bytea), ${columns?.names} from verifications v,
               unnest($2::text[], $3::timestamptz[]) g (id, at) where v.id = $1`,
    },
    [copied, ids, at],
  )
  await deps.db.query(
    {
      name: 'test_add_openings',
      text: `insert into link_openings (tenant_id, environment, link_id, verification_id, opened_at, browser_hash)
             select $1, 'test', $2, g.id, g.at, sha256(g.id::bytea) from unnest($3::text[], $4::timestamptz[]) g (id, at)`,
    },
    [tenantId, linkId, ids, at],
  )
}

/** How often tables of days were read that the openings are not of. */
async function scansOfOtherDays(today: number): Promise<number> {
  await deps.db.query({ name: 'test_send_statistics', text: 'select pg_stat_force_next_flush()' })
  const [row] = await deps.db.query<{ scans: number }>(
    {
      name: 'test_scans_of_days',
      text: `select sum(seq_scan + coalesce(idx_scan, 0))::int as scans from pg_stat_user_tables
             where relname ~ '^verifications_\\d+$' and substring(relname from '\\d+')::int not between $1 and $2`,
    },
    [today - 1, today + 1],
  )
  return row?.scans ?? assert.fail('no tables of days')
}

it('a page of a link reads as much with many openings as with few; no list looks up all', async () => {
  const today = dayAt(clock.now())
  for (let day = today - DAYS.before; day <= today + DAYS.after; day += 1)
    await deps.db.transaction((tx) => makeDay(tx, day))
  const body = { template: 'age_over_18', uses: null, ttl_seconds: 3600 }
  const link = (await service.call('POST', '/v1/links', { key, body })).json
  const url = new URL(link.url).pathname
  const inject = (method: 'GET' | 'POST', headers: Record<string, string> = {}) =>
    service.app.inject({ method, url, headers: { ...BUTTON, ...headers } })
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof inject>>) =>
    String(headers['set-cookie']).split(';')[0] ?? ''
  const opened = await pressLink(service, url)
  assert.equal(opened.statusCode, 303, opened.payload)
  const own = /ver_\w+/.exec(String(opened.headers.location))?.[0] ?? ''
  await addOpenings(link.id, own)
  await deps.db.query({ name: 'test_analyze_all', text: 'analyze' })
  countRowsRead(deps.db, (one) => void sent.push(one))

  for (const [cookie, status] of [
    ['', 200],
    [cookieOf(await inject('GET')), 200],
    [cookieOf(opened), 303],
  ] as const) {
    const page = await cost(() => inject('GET', cookie === '' ? {} : { cookie }))
    assert.equal(page.answer.statusCode, status)
    assert.ok(page.blocks < PAGE_BLOCKS_MAX, `a page with status ${status} read ${page.blocks} blocks`)
  }
  const cookie = cookieOf(await inject('GET'))
  const pressed = await cost(() => inject('POST', { cookie }))
  assert.equal(pressed.answer.statusCode, 303)
  assert.equal(sent.filter(({ name }) => name === 'find_link_by_secret').length, 1)
  const ofLinks = sent.filter(({ name }) => name.includes('link')).reduce((sum, { blocks }) => sum + blocks, 0)
  assert.ok(ofLinks < PAGE_BLOCKS_MAX, `pressing the button read ${ofLinks} blocks of links`)

  // One merchant's read looks up at most 1,000 openings.
  for (const path of [`/v1/links/${link.id}`, '/v1/links?limit=1']) {
    const read = await cost(() => service.call('GET', path, { key }))
    assert.equal(read.answer.status, 200, read.answer.text)
    assert.ok(read.blocks < 1_000 * BLOCKS_OF_OPENING, `${path} read ${read.blocks} blocks`)
  }

  const before = await scansOfOtherDays(today)
  await runJob(deps, 'count-link-openings')
  assert.equal(await scansOfOtherDays(today), before, 'the job reads only days that openings can be of')
  clock.advance(3_661_000)
  await runJob(deps, 'count-link-openings')
  const left = { name: 'test_openings_left', text: 'select count(*)::int as count from link_openings' }
  assert.deepEqual(await deps.db.query(left), [{ count: 0 }])
})
