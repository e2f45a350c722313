// Tests the pages without a browser: policy, caching, and what the test wallet refuses.

import assert from 'node:assert/strict'
import test from 'node:test'
import { REGISTRATION_WARNINGS } from '@vidimus/wallet'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import { WALLET_WORDS } from '../../src/features/sandbox/http/wallet-words/languages.ts'
import { GENEROUS, testService } from '../harness/service.ts'
import { create, FORM, read } from '../wallet/verifications.ts'

const service = await testService()
const tenant = await service.tenant({ name: 'Merchant' })
const key = await service.key(tenant)

test('a page has nothing inline and names no other host', async () => {
  const created = await create(service, key)
  const { headers, text } = await service.call('GET', `/verify/${created.id}`)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe|\*/)
  assert.doesNotMatch(text, /<style|<script(?! src=)|\son\w+=|style=/)
  assert.doesNotMatch(text, /(?:src|href)="(?!\/|\?lang=|openid4vp:)/)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
})

test('the page itself may ask a wallet through the browser, a frame may not; without a script the page works as before', async () => {
  const created = await create(service, key)
  const { headers, text } = await service.call('GET', `/verify/${created.id}`)
  assert.match(String(headers['permissions-policy']), /digital-credentials-get=\(self\)/)
  assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
  assert.match(text, /<div data-browser hidden>/)
  assert.match(text, /<details class="ways" data-ways open><summary>.*Use another device.*<\/summary>/)
  const phone = { 'user-agent': 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36' }
  const onPhone = (await service.app.inject({ url: `/verify/${created.id}`, headers: phone })).payload
  assert.match(onPhone, /<details class="ways" data-ways><summary>/)
})

test('a person who is asked for an age reads that a birth date may be shown, and that it is not passed on', async () => {
  const note = /by your date of birth, it sends us that date for the check\. We do not keep it or pass it on/
  const page = async (body: object) =>
    (await service.call('GET', `/verify/${(await create(service, key, body)).id}`)).text
  const age = await page({ template: 'age_over_18' })
  assert.match(age, /<li>Whether you are 18 or older \(yes\sor\sno\sonly\)<\/li>/)
  assert.match(age, note)
  assert.doesNotMatch(age, /not your birth date/)
  assert.doesNotMatch(await page({ template: 'identity' }), note)
  const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
  const own = await page({ query: { credentials: [{ ...pid, claims: [{ path: ['age_equal_or_over', '18'] }] }] } })
  assert.match(own, /<li>18 or older \(yes or no\)<\/li>/)
  const german = await service.call(
    'GET',
    `/verify/${(await create(service, key, { template: 'age_over_16' })).id}?lang=de`,
  )
  assert.match(german.text, /Wir speichern es nicht und geben es nicht weiter/)
})

test('every page says that the merchant also sees the type of ID and its issuer', async () => {
  const query = { credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }] }
  for (const body of [{ template: 'age_over_18' }, { query }]) {
    const created = await create(service, key, body)
    const { text } = await service.call('GET', `/verify/${created.id}`)
    assert.match(text, /also sees what type of ID you used and who issued it/)
  }
})

test('after too many attempts a person gets a page in their language, and a program gets the error', async () => {
  const strict = await testService({ rates: { ...GENEROUS.rates, verification: { perSecond: 0.01, burst: 1 } } })
  const created = await create(strict, await strict.key(await strict.tenant()))
  const get = (accept: string) =>
    strict.app.inject({ url: `/verify/${created.id}?lang=de`, headers: { accept, 'accept-encoding': 'gzip' } })
  assert.equal((await get('text/html')).statusCode, 200)
  const page = await get('text/html,*/*;q=0.8')
  assert.equal(page.statusCode, 429)
  assert.match(String(page.headers['content-type']), /text\/html/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  assert.ok(Number(page.headers['retry-after']) > 0)
  assert.match(page.payload, /<h1[^>]*>Zu viele Versuche<\/h1>/)
  assert.match(page.payload, /<a class="button" href="">Noch einmal versuchen<\/a>/)
  assert.equal((await get('application/json')).json().error.code, 'rate_limit_exceeded')
})

test('assets are named by their content and may be cached for ever', async () => {
  const created = await create(service, key)
  const { text } = await service.call('GET', `/verify/${created.id}`)
  const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  assert.equal(paths.length, 4)
  for (const path of paths) {
    assert.match(path, /^\/assets\/[0-9a-f]{16}\/[a-z-]+\.(css|js)$/)
    assert.match(String((await service.call('GET', path)).headers['cache-control']), /immutable/)
  }
})

test('the hosted page never has a claim', async () => {
  const created = await create(service, key, { template: 'identity', metadata: { order: 'secret-order' } })
  const { testWallet } = await import('../harness/wallet.ts')
  await (await testWallet(service)).present(created.wallet_uri)
  const { text } = await service.call('GET', `/verify/${created.id}`)
  assert.doesNotMatch(text, /Specimen|Vida|1990|secret-order/)
})

test('the test wallet refuses live verifications and other hosts', async () => {
  const liveKey = await service.key(tenant, { environment: 'live' })
  const live = await create(service, liveKey)
  const links = [
    live.wallet_uri,
    'openid4vp://?client_id=x509_hash%3Ax&request_uri=http%3A%2F%2F169.254.169.254%2Flatest&request_uri_method=post',
    `openid4vp://?client_id=x&request_uri=${encodeURIComponent('https://verify.example.com/wallet/request/../../v1/usage')}`,
    'nonsense',
  ]
  for (const uri of links) {
    const looked = await service.app.inject(`/sandbox/wallet?uri=${encodeURIComponent(uri)}`)
    assert.equal(looked.statusCode, 422, uri)
    const payload = new URLSearchParams({ uri, scenario: 'good', answer: 'consent' }).toString()
    const posted = await service.app.inject({ method: 'POST', url: '/sandbox/wallet', headers: FORM, payload })
    assert.equal(posted.statusCode, 422, uri)
  }
  assert.equal((await read(service, liveKey, live.id)).status, 'pending')
})

test('the test wallet has all its words in every language, and uses the requested one', async () => {
  const { sandbox } = service.deps
  assert.ok(sandbox !== null)
  for (const language of LANGUAGES) {
    const { scenarios, warnings } = WALLET_WORDS[language]
    assert.deepEqual(
      Object.keys(scenarios),
      sandbox.scenarios.map(({ name }) => name),
    )
    const known = Object.keys(REGISTRATION_WARNINGS)
    // The wallet's own texts are English, and the page translates single sentences.
    if (language === 'en') assert.ok(Object.keys(warnings ?? {}).every((code) => known.includes(code)))
    else assert.deepEqual(Object.keys(warnings ?? {}), known)
  }
  const page = async (query: string, accepted: string) =>
    (await service.app.inject({ url: `/sandbox/wallet${query}`, headers: { 'accept-language': accepted } })).payload
  assert.match(await page('', 'nl-BE, de;q=0.5'), /<html lang="nl" dir="ltr">/)
  assert.match(await page('?lang=it', 'de'), /<html lang="it" dir="ltr">/)
  assert.match(await page('?uri=nonsense', 'de'), /Ein Wallet-Link beginnt mit openid4vp:/)
  const foreign = encodeURIComponent('openid4vp://?client_id=x&request_uri=https://other.example/wallet/request/1')
  assert.match(await page(`?uri=${foreign}`, 'de'), /Dieser Link gehört zu keiner Prüfung dieses Dienstes/)
})

test('hosted page and test wallet describe the query, and the page says what the merchant receives', async () => {
  const claims = [
    { id: 'name', path: ['given_name'] },
    { id: 'age', path: ['age_equal_or_over', '18'] },
    { id: 'born', path: ['birthdate'] },
  ]
  const sets = [
    ['name', 'age'],
    ['name', 'born'],
  ]
  const pid = { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
  const licence = { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
  const portrait = [{ path: ['org.iso.18013.5.1', 'portrait'] }]
  const credentials = [
    { id: 'a', ...pid, claims, claim_sets: sets },
    { id: 'b', ...licence, claims: portrait },
  ]
  const shown = async (query: object) => {
    const created = await create(service, key, { query })
    const wallet = `/sandbox/wallet?lang=en&uri=${encodeURIComponent(created.wallet_uri)}`
    const pages = [`/verify/${created.id}?lang=en`, wallet].map(async (url) => (await service.app.inject(url)).payload)
    return Promise.all(pages)
  }
  const lines = (page: string) => [...page.matchAll(/<ul class="asked[^>]*>(.*?)<\/ul>/g)].map(([, items]) => items)
  const age = '<li>Given name; 18 or older (yes or no), or else date of birth'
  const both = [
    `${age} <small>from Personal ID (PID)</small></li><li>Portrait <small>from Mobile driving licence</small></li>`,
  ]
  for (const page of await shown({ credentials })) {
    assert.deepEqual(lines(page), both)
    assert.match(page, /<p>All of these:<\/p>/)
    assert.doesNotMatch(page, /Personal ID \(PID\) or mobile driving licence/, 'both are needed')
  }
  const either = { credentials, credential_sets: [{ options: [['a'], ['b']] }] }
  for (const page of await shown(either)) {
    assert.deepEqual(lines(page), both)
    assert.match(page, /<p>One of these:<\/p>/)
  }
  const optional = { credentials, credential_sets: [{ options: [['a']] }, { options: [['b']], required: false }] }
  for (const page of await shown(optional)) {
    assert.deepEqual(lines(page), [
      `${age} <small>from Personal ID (PID)</small></li>`,
      '<li>Portrait <small>from Mobile driving licence</small></li>',
    ])
    assert.match(page, /<p>Needed in any case:<\/p>.*<p>Optional:<\/p>/s)
  }
  const [single = ''] = await shown({ credentials: credentials.slice(0, 1) })
  assert.deepEqual(lines(single), ['<li>Given name</li><li>18 or older (yes or no), or else date of birth</li>'])
  assert.match(single, /<h1>Share your details with /, 'the heading names nothing that depends on the ID')
  const verification = await create(service, key, { template: 'age_over_18' })
  const template = (await service.app.inject(`/verify/${verification.id}?lang=en`)).payload
  assert.deepEqual(lines(template), ['<li>Whether you are 18 or older (yes\u00a0or\u00a0no\u00a0only)</li>'])
  assert.match(template, /What your wallet sends for this check/)
  assert.match(
    template,
    /<ul class="presented">.*18 or older \(yes or no\), or else date of birth <small>from Personal ID/,
  )
})

test('the sandbox serves its lists; if it is off, they do not exist', async () => {
  for (const name of ['status-list.jwt', 'status-list.cwt', 'iaca.crl']) {
    assert.equal((await service.call('GET', `/sandbox/${name}`)).status, 200, name)
  }
  const off = await testService({ sandbox: false })
  for (const path of ['/sandbox/wallet', '/sandbox/status-list.jwt']) {
    assert.equal((await off.call('GET', path)).status, 404)
  }
  const created = await create(off, await off.key(await off.tenant()))
  assert.doesNotMatch((await off.call('GET', `/verify/${created.id}`)).text, /sandbox/)
})
