// Tests links: what a merchant creates, what a person sees who opens one, and what stops a link.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import { removeTemplate, saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { revokeKey } from '../../src/core/tenants/usecases/manage-keys.ts'
import { WORDS } from '../../src/features/links/http/words.ts'
import { escapeHtml } from '../../src/platform/http/escape-html.ts'
import { newLinkId } from '../../src/platform/ids.ts'
import { pairDevice } from '../harness/devices.ts'
import { runJob } from '../harness/jobs.ts'
import { BUTTON, pressLink } from '../harness/links.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { type Created, FORM, read } from '../wallet/verifications.ts'

const DAY = 86_400_000
const AGE = { template: 'age_over_18' }

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Merchant & Sons' })
const key = await service.key(tenant)
const { deps } = service

interface MadeLink {
  readonly id: string
  readonly url: string
  readonly path: string
}

async function makeLink(body: object = AGE, by = key): Promise<MadeLink> {
  const answer = await service.call('POST', '/v1/links', { key: by, body })
  assert.equal(answer.status, 201, answer.text)
  return { ...answer.json, path: new URL(answer.json.url).pathname }
}

const readLink = async (id: string, by = key) => (await service.call('GET', `/v1/links/${id}`, { key: by })).json

/** Asks for a page like a browser: refusals are pages, too. */
async function visit(
  method: 'GET' | 'HEAD' | 'POST',
  path: string,
  { headers = {}, from = '203.0.113.7' }: { headers?: Record<string, string>; from?: string } = {},
) {
  const answer = await service.app.inject({ method, url: path, headers, remoteAddress: from })
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload }
}

/** Presses the button. Without a cookie, loads the page first, like a browser. */
async function open(path: string, headers: Record<string, string> = {}, from = '203.0.113.7') {
  const cookie = headers.cookie ?? cookieOf(await visit('GET', path, { from }))
  return visit('POST', path, { headers: { ...BUTTON, ...headers, cookie }, from })
}

/** Returns the verification that an opening created. */
function verificationOf({ status, headers, text }: Awaited<ReturnType<typeof open>>): string {
  assert.equal(status, 303, text)
  const [, id = ''] = /^\/verify\/(ver_\w+)\?lang=en$/.exec(String(headers.location)) ?? []
  assert.notEqual(id, '', String(headers.location))
  return id
}

const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['set-cookie']).split(';')[0] ?? ''
const iso = (ms: number) => new Date(ms).toISOString()

async function createdIn(tenantId: string): Promise<number> {
  const [row] = await deps.db.query<{ count: number }>(
    { name: 'test_count_of_tenant', text: 'select count(*)::int as count from verifications where tenant_id = $1' },
    [tenantId],
  )
  return row?.count ?? -1
}

const pageTitle = (text: string) => /<h1[^>]*>([^<]*)<\/h1>/.exec(text)?.[1]

test('a link shows its address once, and stores neither the secret nor the metadata unencrypted', async () => {
  const body = { ...AGE, purpose: 'To sell you wine', metadata: { order: 'canary-4711' }, uses: 3 }
  const answer = await service.call('POST', '/v1/links', { key, body })
  const { url, ...shown } = answer.json
  assert.match(url, /^https:\/\/verify\.example\.com\/l\/[\w-]{43}$/)
  assert.deepEqual(await readLink(shown.id), shown)
  assert.equal(shown.state, 'open')
  assert.equal(Date.parse(shown.ends_at) - Date.parse(shown.starts_at), 7 * DAY)
  const { data } = (await service.call('GET', '/v1/links?limit=1', { key })).json
  assert.deepEqual(data, [shown])
  const older = await service.call('GET', `/v1/links?before=${shown.created_at}`, { key })
  assert.deepEqual(older.json.data, [])
  const [row] = await deps.db.query<Record<string, unknown>>(
    { name: 'test_link_row', text: 'select * from links where id = $1' },
    [shown.id],
  )
  const secret = url.split('/l/')[1]
  const bytes = Object.values(row ?? {}).map((value) =>
    Buffer.isBuffer(value) ? value.toString('latin1') : `${value}`,
  )
  assert.ok(bytes.some((value) => value.length > 0) && !bytes.join('\n').includes(secret))
  assert.ok(!bytes.join('\n').includes('canary'))
  assert.ok(!service.logged.join('').includes(secret))
})

test('loading the page of a link takes no use; its button creates a verification for this browser', async () => {
  const { id, path } = await makeLink({ ...AGE, purpose: 'To sell <wine>', metadata: { order: '1' }, ttl_seconds: 120 })
  for (const method of ['GET', 'HEAD', 'GET'] as const)
    assert.equal((await visit(method, path, { headers: { 'user-agent': 'scanner' } })).status, 200)
  const { text, headers } = await visit('GET', path)
  assert.match(text, /<form method="post" action="\?lang=en">/)
  assert.match(text, /Merchant &#38; Sons/)
  assert.match(text, /To sell &#60;wine&#62;/)
  assert.ok(!text.includes(path.slice(3)), 'the page does not repeat its secret')
  assert.match(String(headers['content-security-policy']), /form-action 'self'/)
  // Otherwise browsers that send no Sec-Fetch-Site would send `Origin: null` with the form.
  assert.equal(headers['referrer-policy'], 'strict-origin')
  assert.equal((await readLink(id)).opened, 0)

  const opened = await open(path)
  const created = verificationOf(opened)
  const verification: Created & Record<string, unknown> = await read(service, key, created)
  assert.equal(verification.purpose, 'To sell <wine>')
  assert.deepEqual(verification.metadata, { order: '1' })
  assert.equal(Date.parse(verification.expires_at) - Date.parse(String(verification.created_at)), 120_000)
  const cookie = cookieOf(opened)
  assert.equal((await visit('GET', `/verify/${created}`, { headers: { cookie } })).status, 200)
  assert.equal((await visit('GET', `/verify/${created}`)).status, 403, 'another browser does not have its secret')
  await wallet.present(verification.wallet_uri)
  const after = await readLink(id)
  assert.deepEqual([after.opened, after.completed, after.state], [1, 1, 'used_up'])
})

test('a form of another site, or of a client without an origin, only leads to the page', async () => {
  const { id, path } = await makeLink()
  const own = 'https://verify.example.com'
  for (const headers of [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site', origin: own },
    { 'sec-fetch-site': 'none', origin: own },
    { 'sec-fetch-site': 'same-site', origin: own },
  ]) {
    const answer = await visit('POST', path, { headers: { ...FORM, ...headers } })
    assert.equal(answer.status, 303, JSON.stringify(headers))
    assert.equal(answer.headers.location, `${path}?lang=en`)
  }
  assert.equal((await readLink(id)).opened, 0)
  const cookie = cookieOf(await visit('GET', path))
  verificationOf(await visit('POST', path, { headers: { ...FORM, origin: own, cookie } }))
})

test('the button takes no use if the browser sends no cookie; the page says why, and its next cookie works', async () => {
  const { id, path } = await makeLink({ ...AGE, purpose: 'To sell <wine>' })
  await visit('GET', path)
  for (const language of LANGUAGES) {
    const pressed = await visit('POST', `${path}?lang=${language}`, { headers: BUTTON })
    assert.equal(pressed.status, 200, pressed.text)
    assert.equal(pageTitle(pressed.text), pageTitle((await visit('GET', `${path}?lang=${language}`)).text))
    assert.ok(pressed.text.includes(escapeHtml(WORDS[language].cookies)), language)
    assert.match(pressed.text, /To sell &#60;wine&#62;/)
  }
  const other = verificationOf(await open((await makeLink()).path))
  const foreign = await open(path, { cookie: `__Host-vidimus-at-${other.slice(-12)}=${'A'.repeat(43)}` })
  assert.equal(foreign.status, 200, 'the cookie of another verification is not the one of this page')
  assert.equal((await readLink(id)).opened, 0)
  const created = verificationOf(await open(path, { cookie: cookieOf(foreign) }))
  assert.deepEqual([(await readLink(id)).opened, (await read(service, key, created)).status], [1, 'pending'])
  const late = await visit('POST', path, { headers: BUTTON })
  assert.deepEqual([late.status, pageTitle(late.text)], [410, WORDS.en.stops.used_up.title])
})

test('if many people press at once on a link with one use, one gets a verification', async () => {
  const shop = await service.tenant()
  const own = await service.key(shop)
  const { id, path } = await makeLink(AGE, own)
  const answers = await Promise.all(Array.from({ length: 8 }, () => open(path)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array.from({ length: 7 }, () => 410)])
  assert.equal(await createdIn(shop), 1)
  assert.equal((await readLink(id, own)).opened, 1)
})

for (const uses of [1, 10, null])
  test(`a browser that presses several times at once gets one verification (uses: ${uses})`, async () => {
    const { id, path } = await makeLink({ ...AGE, uses, ttl_seconds: 60 })
    const cookie = cookieOf(await visit('GET', path))
    const presses = await Promise.all(Array.from({ length: 5 }, () => open(path, { cookie })))
    const [created, ...others] = new Set(presses.map(verificationOf))
    assert.deepEqual([others, (await readLink(id)).opened], [[], 1])
    for (const press of presses)
      assert.equal((await visit('GET', `/verify/${created}`, { headers: { cookie: cookieOf(press) } })).status, 200)
    service.clock.advance(61_000)
    const again = await open(path, { cookie })
    if (uses === 1) assert.equal(again.status, 410)
    else assert.notEqual(verificationOf(again), created, 'when it has ended, the browser may begin another')
  })

test('a press waits for the verification of another press that has taken the use but not written it yet', async () => {
  const { id, path } = await makeLink()
  const cookie = cookieOf(await visit('GET', path))
  const wait = { name: 'test_lock_verifications', text: 'lock table verifications in share row exclusive mode' }
  const presses = await deps.db.transaction(async (tx) => {
    await tx.query(wait)
    const first = open(path, { cookie })
    await waitUntil('the use is taken', async () => (await readLink(id)).opened === 1)
    const second = open(path, { cookie })
    await new Promise((resolve) => setTimeout(resolve, 300))
    return [first, second] as const
  })
  const [one, other] = await Promise.all(presses)
  assert.equal(verificationOf(one), verificationOf(other))
})

test('the browser that has started comes back to its verification, and uses no further one', async () => {
  const { id, path } = await makeLink({ ...AGE, uses: 5, ttl_seconds: 60 })
  const opened = await open(path)
  const created = verificationOf(opened)
  const cookie = cookieOf(opened)
  for (const again of [await visit('GET', path, { headers: { cookie } }), await open(path, { cookie })])
    assert.equal(verificationOf(again), created)
  assert.equal((await readLink(id)).opened, 1)
  service.clock.advance(61_000)
  const shown = cookieOf(await visit('GET', path, { headers: { cookie } }))
  assert.notEqual(verificationOf(await open(path, { cookie: `${cookie}; ${shown}` })), created)
})

test('a browser also comes back to a verification whose opening a process of the release before has written', async () => {
  const { path } = await makeLink()
  const opened = await open(path)
  const forget = 'update link_openings set browser_hash = null where verification_id = $1'
  await deps.db.query({ name: 'test_old_opening', text: forget }, [verificationOf(opened)])
  const again = await visit('GET', path, { headers: { cookie: cookieOf(opened) } })
  assert.equal(verificationOf(again), verificationOf(opened))
  assert.equal((await open(path)).status, 410, 'no other browser does')
})

test('a person whose response to the button was lost comes back to the verification; no other browser does', async () => {
  const { id, path } = await makeLink()
  const shown = cookieOf(await visit('GET', path))
  const other = cookieOf(await visit('GET', path))
  const created = verificationOf(await open(path, { cookie: shown }))
  for (const again of [await open(path, { cookie: shown }), await visit('GET', path, { headers: { cookie: shown } })]) {
    assert.equal(verificationOf(again), created)
    const cookie = cookieOf(again)
    assert.equal((await visit('GET', `/verify/${created}`, { headers: { cookie } })).status, 200)
  }
  assert.equal((await open(path, { cookie: other })).status, 410)
  assert.equal((await readLink(id)).opened, 1)
})

test("each load of a link's page gets its own secret, for one verification", async () => {
  const { path } = await makeLink({ ...AGE, uses: null })
  const before = cookieOf(await visit('GET', path))
  const now = cookieOf(await visit('GET', path, { headers: { cookie: before } }))
  assert.notEqual(now, before)
  const opened = await open(path, { cookie: now })
  const cookies = [opened.headers['set-cookie'] ?? []].flat()
  assert.match(String(cookies[1]), new RegExp(`^${now.split('=')[0]}=; Path=/; Max-Age=0`), 'used for one verification')
})

test('a browser without the secret is not redirected to a verification of another browser', async () => {
  const prefix = '__Host-vidimus-at-'
  for (const uses of [1, null]) {
    const { path } = await makeLink({ ...AGE, uses })
    const begun = await open(path)
    const id = verificationOf(begun)
    const [name = '', secret = ''] = cookieOf(begun).split('=')
    assert.ok(name.startsWith(prefix) && secret !== '')
    const other = verificationOf(await open((await makeLink()).path))
    const planted = [
      `${prefix}=x`,
      `${prefix}${id.slice(-1)}=x`,
      `${name}=${'A'.repeat(43)}`,
      `${name}=`,
      `${prefix}${id.slice(-12)}=${secret}; ${prefix}${id.slice(-12)}=${'A'.repeat(43)}`,
      `${prefix}${other.slice(-12)}=${'A'.repeat(43)}`,
    ]
    for (const cookie of planted) {
      const answer = await visit('GET', path, { headers: { cookie } })
      assert.deepEqual([answer.status, answer.headers.location], [uses === 1 ? 410 : 200, undefined], cookie)
    }
    const image = await visit('GET', `/verify/${id}/qr.svg`)
    assert.equal(image.status, 403)
    assert.equal((await visit('GET', `/verify/${id}/qr.svg`, { headers: { cookie: `${name}=${secret}` } })).status, 200)
    assert.equal(verificationOf(await open(path, { cookie: `${name}=${secret}` })), id)
  }
})

test('a link that does not work says why and what to do, in six languages, and only to a person with its secret', async () => {
  const scheduled = await makeLink({ ...AGE, starts_at: iso(service.clock.now() + DAY) })
  const used = await makeLink()
  verificationOf(await open(used.path))
  const revoked = await makeLink()
  const gone = await service.call('DELETE', `/v1/links/${revoked.id}`, { key })
  assert.equal(gone.json.state, 'revoked')
  assert.deepEqual((await service.call('DELETE', `/v1/links/${revoked.id}`, { key })).json, gone.json)
  const ended = await makeLink({ ...AGE, ends_at: iso(service.clock.now() + 3_600_000) })
  service.clock.advance(3_600_000)
  const cases = [
    ['scheduled', scheduled.path, 403],
    ['used_up', used.path, 410],
    ['revoked', revoked.path, 410],
    ['ended', ended.path, 410],
    ['unknown', `/l/${'A'.repeat(43)}`, 404],
    ['unknown', '/l/short', 404],
  ] as const
  for (const [stop, path, status] of cases)
    for (const language of LANGUAGES) {
      const shown = await visit('GET', `${path}?lang=${language}`)
      assert.equal(shown.status, status, stop)
      assert.equal(pageTitle(shown.text), WORDS[language].stops[stop].title)
      const pressed = await visit('POST', `${path}?lang=${language}`, { headers: BUTTON })
      assert.equal(pressed.status, status, stop)
      assert.equal(pageTitle(pressed.text), WORDS[language].stops[stop].title)
    }
  const unknown = await Promise.all(['B', 'C'].map((letter) => visit('GET', `/l/${letter.repeat(43)}`)))
  assert.equal(unknown[0]?.text, unknown[1]?.text)
  assert.equal((await readLink(scheduled.id)).state, 'scheduled')
  assert.equal((await readLink(ended.id)).state, 'ended')
  service.clock.advance(DAY)
  verificationOf(await open(scheduled.path))
})

test('links of a revoked key stop working, but not links of an expired key', async () => {
  const shop = await service.tenant()
  const [first, second] = [await service.key(shop), await service.key(shop, { expiresInDays: 1 })]
  const [stopped, runs] = [await makeLink({ ...AGE, uses: null }, first), await makeLink(AGE, second)]
  verificationOf(await open(stopped.path))
  const [row] = await deps.db.query<{ id: string }>(
    { name: 'test_key_by_hash', text: 'select id from api_keys where hash = $1' },
    [createHash('sha256').update(first).digest()],
  )
  await revokeKey(deps, { tenantId: shop, keyId: row?.id ?? '', actor: OPERATOR })
  service.clock.advance(2 * DAY)
  for (const answer of [await visit('GET', stopped.path), await open(stopped.path)]) {
    assert.equal(answer.status, 409)
    assert.equal(pageTitle(answer.text), WORDS.en.stops.unavailable.title)
  }
  verificationOf(await open(runs.path))
  assert.equal(await createdIn(shop), 2)
  const { data } = (await (await person(service, shop, 'viewer')).call('GET', '@/links')).json
  assert.deepEqual(
    data.map(({ state }: { state: string }) => state),
    ['used_up', 'unavailable'],
  )
})

test('staff create, see and revoke links; a link remains when the person who created it leaves', async () => {
  const shop = await service.tenant()
  const [owner, admin] = [await person(service, shop, 'owner'), await person(service, shop, 'admin')]
  const draft = { ...AGE, reference: 'Poster 4711', uses: 2, idempotency_key: 'p'.repeat(16) }
  const { id, url } = (await admin.call('POST', '@/links', { body: draft })).json
  assert.equal((await admin.call('POST', '@/links', { body: draft })).json.url, url, 'a second click creates no link')
  const path = new URL(url).pathname
  const first = verificationOf(await open(path))
  const rowOf = async () => (await owner.call('GET', '@/links')).json.data.find((row: { id: string }) => row.id === id)
  const { state, opened, uses, reference } = await rowOf()
  assert.deepEqual([state, opened, uses, reference.value], ['open', 1, 2, 'Poster 4711'])
  const { actor } = (await owner.call('GET', `@/verifications/${first}`)).json
  assert.deepEqual([actor.type, actor.id], ['user', admin.id])

  assert.equal((await owner.call('POST', `@/team/${admin.id}/remove`)).status, 200)
  verificationOf(await open(path, {}, '203.0.113.8'))
  assert.equal((await rowOf()).state, 'used_up')
  const next = (await owner.call('POST', '@/links', { body: { ...draft, idempotency_key: 'q'.repeat(16) } })).json
  assert.equal((await owner.call('POST', `@/links/${next.id}/revoke`)).status, 200)
  assert.equal((await open(new URL(next.url).pathname)).status, 410)
  assert.equal(await createdIn(shop), 2)
})

test('after the template is deleted or the quota is used up, an opening shows a page and uses nothing', async () => {
  const shop = await service.tenant({ dailyQuota: 1 })
  const realm = { tenantId: shop, environment: 'test' } as const
  const own = await service.key(shop)
  const document = {
    title: 'Mine',
    query: {
      credentials: [
        {
          id: 'pid',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:1'] },
          claims: [{ path: ['given_name'] }],
        },
      ],
    },
  }
  const saved = await saveTemplate(deps, { realm, key: 'mine', document, actor: OPERATOR })
  assert.equal(saved.outcome, 'created', JSON.stringify(saved))
  assertRefused(
    await service.call('POST', '/v1/links', { key: own, body: { template: 'none' } }),
    422,
    'unknown_template',
  )
  const { id, path } = await makeLink({ template: 'mine', uses: 2 }, own)
  verificationOf(await open(path))
  const spent = await open(path)
  assert.equal(spent.status, 429)
  assert.equal(pageTitle(spent.text), WORDS.en.stops.busy.title)
  assert.ok(Number(spent.headers['retry-after']) > 0)
  await removeTemplate(deps, { realm, key: 'mine', actor: OPERATOR })
  service.clock.advance(DAY)
  const stopped = await open(path)
  assert.equal(stopped.status, 409, stopped.text)
  assert.equal((await readLink(id, own)).opened, 1)
  assert.equal(await createdIn(shop), 1)
})

test('links for several uses leave half of the daily quota to the merchant', async () => {
  const shop = await service.tenant({ dailyQuota: 4 })
  const own = await service.key(shop)
  const poster = await makeLink({ template: 'age_over_18', uses: null }, own)
  const invoice = await makeLink({ template: 'age_over_18' }, own)
  for (let opened = 0; opened < 2; opened += 1) verificationOf(await open(poster.path))
  const spent = await open(poster.path)
  assert.equal(spent.status, 429)
  assert.equal(pageTitle(spent.text), WORDS.en.stops.busy.title)
  assert.ok(Number(spent.headers['retry-after']) > 0)
  assert.equal((await readLink(poster.id, own)).opened, 2)
  const body = { template: 'age_over_18' }
  assert.equal((await service.call('POST', '/v1/verifications', { key: own, body })).status, 201)
  verificationOf(await open(invoice.path))
  service.clock.advance(DAY)
  verificationOf(await open(poster.path))
})

test('openings are limited per network, link, tenant and in total; other openings continue', async () => {
  const narrow = await makeLink({ ...AGE, uses: null })
  const other = await makeLink({ ...AGE, uses: null })
  const counts = async (paths: readonly string[], from: (at: number) => string) => {
    const found: number[] = []
    for (const [at, path] of paths.entries()) found.push((await open(path, {}, from(at))).status)
    return found
  }
  // Uses up the burst of one network (/48).
  const network = await counts(
    Array.from({ length: 61 }, () => narrow.path),
    (at) => `2001:db8:77:${at.toString(16)}::1`,
  )
  assert.deepEqual([network.filter((status) => status === 303).length, network.at(-1)], [60, 429])
  // Uses up the 40 openings that are left of the link's burst, each from another network.
  const link = await counts(
    Array.from({ length: 41 }, () => narrow.path),
    (at) => `198.51.100.${at + 1}`,
  )
  assert.deepEqual([link.filter((status) => status === 303).length, link.at(-1)], [40, 429])
  assert.equal((await open(other.path, {}, '198.51.100.1')).status, 303)
  // Opens links of a tenant without advancing the clock, each less often than its own burst.
  const openMany = async (by: string, net: number) => {
    const many = await Promise.all(Array.from({ length: 3 }, () => makeLink({ ...AGE, uses: null }, by)))
    const paths = Array.from({ length: 251 }, (_, at) => many[at % many.length]?.path ?? '')
    return counts(paths, (at) => `198.${net}.0.${at}`)
  }
  assert.equal((await openMany(key, 18)).at(-1), 429)
  const others = await Promise.all(Array.from({ length: 3 }, async () => service.key(await service.tenant())))
  const [second = '', third = '', fourth = ''] = others
  const elsewhere = await openMany(second, 19)
  assert.deepEqual([elsewhere.at(0), elsewhere.at(-1)], [303, 429])
  // Two tenants have used up the total. Every other tenant has a part of the reserve, and no more.
  const { path } = await makeLink({ ...AGE, uses: null }, third)
  const reserved = await counts(
    Array.from({ length: 21 }, () => path),
    (at) => `198.51.100.${at + 100}`,
  )
  assert.deepEqual([reserved.filter((status) => status === 303).length, reserved.at(-1)], [20, 429])
  assert.equal((await open((await makeLink(AGE, fourth)).path, {}, '198.51.100.200')).status, 303)
  service.clock.advance(DAY)
  assert.equal((await open(other.path, {}, '198.51.100.1')).status, 303)
})

test('links that the quota or the rate of their key stops use up no rate of other links', async () => {
  const own = await testService()
  const rate = own.deps.config.rates.key
  const linksOf = async (tenantId: string, uses: number | null) => {
    const by = await own.key(tenantId)
    const links = Array.from({ length: 3 }, () =>
      own.call('POST', '/v1/links', { key: by, body: { ...AGE, uses } }).then(({ json }) => new URL(json.url).pathname),
    )
    return { paths: await Promise.all(links), hash: createHash('sha256').update(by).digest() }
  }
  const press = async (url: string, net: number, at: number) =>
    (await pressLink(own, url, `198.${net}.0.${at}`)).statusCode
  const stopped = [
    await linksOf(await own.tenant({ dailyQuota: 0 }), null),
    await linksOf(await own.tenant({ dailyQuota: 0 }), 1),
  ]
  for (let tenants = 0; tenants < 2; tenants += 1) {
    const limited = await linksOf(await own.tenant(), null)
    const [row] = await own.deps.db.query<{ id: string }>(
      { name: 'test_key_by_hash', text: 'select id from api_keys where hash = $1' },
      [limited.hash],
    )
    // Its three links have cost the rest.
    await own.deps.budgets.spend(`key:${row?.id}`, rate, own.clock.now(), rate.burst - 3)
    stopped.push(limited)
  }
  // Each uses up the burst of its tenant, and two of them that of all links.
  for (const [net, { paths }] of stopped.entries())
    for (let at = 0; at < 250; at += 1) assert.equal(await press(paths[at % 3] ?? '', 18 + net, at), 429)
  const free = await linksOf(await own.tenant(), null)
  for (let at = 0; at < 40; at += 1) assert.equal(await press(free.paths[0] ?? '', 51, at), 303, `${at}`)
})

test('an opening spends the rate budget of its key', async () => {
  const strict = deps.config.rates.key
  const shop = await service.tenant()
  const own = await service.key(shop)
  const { path } = await makeLink({ ...AGE, uses: null }, own)
  const [row] = await deps.db.query<{ id: string }>(
    { name: 'test_key_by_hash', text: 'select id from api_keys where hash = $1' },
    [createHash('sha256').update(own).digest()],
  )
  // The key itself has used up its rate.
  await deps.budgets.spend(`key:${row?.id}`, strict, deps.clock.now(), strict.burst - 1)
  assert.equal((await open(path)).status, 429)
  assert.equal(await createdIn(shop), 0)
})

test('strangers who press the button of a link leave its key half of its rate', async () => {
  const rates = { ...deps.config.rates, key: { perSecond: 4, burst: 8 } }
  const small = await testService({ rates })
  const own = await small.key(await small.tenant({ plan: 'business' }))
  const { json } = await small.call('POST', '/v1/links', { key: own, body: { ...AGE, uses: null } })
  const url = new URL(json.url).pathname
  const pressed: number[] = []
  const called: number[] = []
  for (let second = 0; second < 20; second += 1) {
    for (let at = 0; at < 5; at += 1) {
      pressed.push((await pressLink(small, url, `198.51.100.${at}`)).statusCode)
    }
    for (let call = 0; call < 2; call += 1) called.push((await small.call('GET', '/v1/usage', { key: own })).status)
    small.clock.advance(1_000)
  }
  assert.ok(pressed.includes(429))
  assert.deepEqual(
    [...new Set(called.slice(-20))],
    [200],
    'the key has its half after the burst of the strangers is spent',
  )
})

test('a repeated Idempotency-Key answers with the same link, and another body is refused', async () => {
  const headers = { 'idempotency-key': 'link-1' }
  const first = await service.call('POST', '/v1/links', { key, body: AGE, headers })
  const again = await service.call('POST', '/v1/links', { key, body: AGE, headers })
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  const other = await service.call('POST', '/v1/links', { key, body: { ...AGE, uses: 2 }, headers })
  assertRefused(other, 422, 'idempotency_key_reused')
  // Links and verifications share idempotency keys, so no link is returned for a verification.
  const verification = await service.call('POST', '/v1/verifications', { key, body: AGE, headers })
  assertRefused(verification, 422, 'idempotency_key_reused')
})

test('times and uses have limits, and members that a link does not support are refused', async () => {
  const now = service.clock.now()
  for (const body of [
    { ...AGE, ends_at: iso(now) },
    { ...AGE, ends_at: iso(now + 30 * DAY + 1000) },
    { ...AGE, starts_at: iso(now + 31 * DAY) },
    { ...AGE, starts_at: iso(now + 2 * DAY), ends_at: iso(now + DAY) },
    { ...AGE, starts_at: 'tomorrow' },
    { ...AGE, uses: 0 },
    { ...AGE, uses: 100_001 },
    { ...AGE, ttl_seconds: 3601 },
    { ...AGE, origin: 'https://shop.example' },
    { ...AGE, browser_binding: 'none' },
    { ...AGE, redirect_url: 'javascript:alert(1)' },
    {},
  ])
    assertRefused(await service.call('POST', '/v1/links', { key, body }), 400, 'invalid_request')
  await makeLink({ ...AGE, ends_at: iso(now + 30 * DAY), uses: 100_000 })
})

test('another tenant, the other environment and a device find no link; reading needs its scope', async () => {
  const { id } = await makeLink()
  const foreign = await service.key(await service.tenant())
  const live = await service.key(tenant, { environment: 'live' })
  for (const other of [foreign, live]) {
    assertRefused(await service.call('GET', `/v1/links/${id}`, { key: other }), 404, 'link_not_found')
    assertRefused(await service.call('DELETE', `/v1/links/${id}`, { key: other }), 404, 'link_not_found')
    assert.deepEqual((await service.call('GET', '/v1/links', { key: other })).json.data, [])
  }
  assertRefused(await service.call('GET', `/v1/links/${newLinkId(deps.random)}`, { key }), 404, 'link_not_found')
  const { accessToken } = await pairDevice(service, key)
  const calls = [
    ['POST', '/v1/links', { body: AGE }],
    ['GET', '/v1/links', {}],
    ['GET', `/v1/links/${id}`, {}],
    ['DELETE', `/v1/links/${id}`, {}],
  ] as const
  for (const [method, path, call] of calls)
    assertRefused(await service.call(method, path, { key: accessToken, ...call }), 403, 'insufficient_scope')
  const reader = await service.key(tenant, { scopes: ['verifications:read'] })
  assertRefused(await service.call('POST', '/v1/links', { key: reader, body: AGE }), 403, 'insufficient_scope')
  assert.equal((await readLink(id)).state, 'open')
})

test('a realm has at most 20,000 links', async () => {
  const shop = await service.tenant()
  const own = await service.key(shop)
  await makeLink(AGE, own)
  const copies = `insert into links (id, tenant_id, environment, key_id, secret_hash, request, created_at, starts_at, ends_at)
    select 'lnk_' || lpad(i::text, 24, '0'), tenant_id, environment, key_id, sha256(i::text::bytea), request,
           created_at - make_interval(secs => i), starts_at, ends_at
    from links, generate_series(1, 19998) i where tenant_id = $1`
  await deps.db.query({ name: 'test_many_links', text: copies }, [shop])
  await makeLink(AGE, own)
  const refused = await service.call('POST', '/v1/links', { key: own, body: AGE })
  assertRefused(refused, 409, 'link_limit_reached')
  await makeLink()
})

test('creating and revoking are on the audit trail, without the metadata', async () => {
  const { id } = await makeLink({ ...AGE, metadata: { order: 'canary-audit' } })
  await service.call('DELETE', `/v1/links/${id}`, { key })
  await service.call('DELETE', `/v1/links/${id}`, { key })
  const rows = await deps.db.query<{ entry: string; details: string }>(
    {
      name: 'test_audit_of',
      text: `select convert_from(e.bytes, 'UTF8') as entry, coalesce(d::text, '') as details
             from audit_entries e left join audit_details d using (tenant_id, environment, seq)
             where e.object_id = $1 order by e.seq`,
    },
    [id],
  )
  assert.deepEqual(
    rows.map(({ entry }) => JSON.parse(entry).action),
    ['link.created', 'link.revoked'],
  )
  assert.ok(rows.every(({ entry, details }) => !`${entry}${details}`.includes('canary')))
})

test('counts remain after the verifications are erased; a use that a dead process took is returned', async () => {
  const { id, path } = await makeLink({ ...AGE, uses: 4 })
  const created = [verificationOf(await open(path)), verificationOf(await open(path)), verificationOf(await open(path))]
  const [first = '', second = ''] = created
  for (const one of [first, second]) await wallet.present((await read(service, key, one)).wallet_uri)
  await service.call('DELETE', `/v1/verifications/${first}`, { key })
  assert.deepEqual([(await readLink(id)).opened, (await readLink(id)).completed], [3, 2])
  await runJob(deps, 'count-link-openings')
  await service.call('DELETE', `/v1/verifications/${second}`, { key })
  assert.deepEqual([(await readLink(id)).opened, (await readLink(id)).completed], [3, 2])

  const lost = { name: 'test_lose_opening', text: LOST_OPENING }
  await deps.db.query(lost, [id, new Date(service.clock.now()).toISOString()])
  assert.equal((await readLink(id)).state, 'used_up')
  await runJob(deps, 'count-link-openings')
  assert.equal((await readLink(id)).opened, 4, 'the opening may still be in progress')
  service.clock.advance(11 * 60_000)
  await runJob(deps, 'count-link-openings')
  assert.equal((await readLink(id)).opened, 3)
  verificationOf(await open(path))
})

const LOST_OPENING = `with used as (update links set opened = opened + 1 where id = $1 returning id, tenant_id, environment)
  insert into link_openings (verification_id, link_id, tenant_id, environment, opened_at)
  select 'ver_lost', id, tenant_id, environment, $2 from used`

test('a link is deleted a week after its end, or with the shorter retention of its tenant', async () => {
  const shop = await service.tenant()
  const own = await service.key(shop)
  await deps.db.query({ name: 'test_retention', text: 'update tenants set retention_days = 2 where id = $1' }, [shop])
  const soon = { ...AGE, ends_at: iso(service.clock.now() + 3_600_000) }
  const [kept, short] = [await makeLink(soon), await makeLink(soon, own)]
  const statusOf = async (path: string) => (await visit('GET', path)).status
  const jobs = async () => {
    await runJob(deps, 'count-link-openings')
    await runJob(deps, 'forget-links')
    return [await statusOf(kept.path), await statusOf(short.path)]
  }
  service.clock.advance(3_600_000 + DAY)
  assert.deepEqual(await jobs(), [410, 410])
  service.clock.advance(DAY)
  assert.deepEqual(await jobs(), [410, 404])
  service.clock.advance(5 * DAY)
  assert.deepEqual(await jobs(), [404, 404])
  assertRefused(await service.call('GET', `/v1/links/${kept.id}`, { key }), 404, 'link_not_found')
})

test('a replaced link has a new address with the remaining uses of the old one', async () => {
  const admin = await person(service, tenant, 'admin')
  const replace = (id: string) => admin.call('POST', `@/links/${id}/replace`)
  const old = await makeLink({ ...AGE, uses: 3, purpose: 'To sell you wine', metadata: { reference: 'Poster 9' } })
  verificationOf(await open(old.path))
  const answer = await replace(old.id)
  assert.equal(answer.status, 201, answer.text)
  const { id, url, ...replaced } = answer.json
  const { id: _id, opened: _opened, revoked_at, ...before } = await readLink(old.id)
  assert.ok(revoked_at !== undefined)
  assert.deepEqual(replaced, { ...before, state: 'open', uses: 2, opened: 0, created_at: replaced.created_at })
  assert.equal((await visit('GET', old.path)).status, 410)
  const path = new URL(url).pathname
  for (const from of ['203.0.113.8', '203.0.113.9']) verificationOf(await open(path, {}, from))
  assert.equal((await open(path, {}, '203.0.113.10')).status, 410, 'the new link has the remaining uses of the old one')
  const poster = await makeLink({ ...AGE, uses: null })
  assert.equal((await replace(poster.id)).json.uses, null)

  // An expired or revoked link is not replaced.
  for (const over of [old.id, id, poster.id]) assertRefused(await replace(over), 400, 'invalid_request')
  const leaked = await service.key(tenant)
  const theirs = await makeLink(AGE, leaked)
  const [row] = await deps.db.query<{ key_id: string }>(
    { name: 'test_link_key', text: 'select key_id from links where tenant_id = $1 and id = $2' },
    [tenant, theirs.id],
  )
  await revokeKey(deps, { tenantId: tenant, keyId: row?.key_id ?? '', actor: OPERATOR })
  assertRefused(await replace(theirs.id), 400, 'invalid_request')
  assertRefused(await replace(newLinkId(deps.random)), 404, 'link_not_found')
})
