// Tests a merchant's brand on its hosted page: of one realm, checked, from our own origin, audited, and small.

import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { readTrail } from '../../src/features/audit/usecases/read-audit.ts'
import { changeBranding } from '../../src/features/pages/usecases/manage-branding.ts'
import { dress, LOGO } from '../harness/pages/brands.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const FIRST_LOAD_MAX = 15 * 1024

const service = await testService()
const tenant = await service.tenant({ name: 'Grünhof Versand GmbH' })
const key = await service.key(tenant)
await dress(service, tenant, { name: 'Grünhof <b>' })

const pageOf = async (id: string, query = '') => (await service.call('GET', `/verify/${id}${query}`)).text

test('the page has name, logo, colour and links, and names their owner', async () => {
  const created = await create(service, key)
  const text = await pageOf(created.id)
  assert.match(text, /Share your given name, family name and date of birth with Grünhof &#60;b&#62;/)
  assert.match(text, /<small>Grünhof Versand GmbH<\/small>/)
  assert.doesNotMatch(text, /behalf/)
  assert.match(text, /href="https:\/\/shop\.example\/help" rel="noopener noreferrer"/)
  assert.match(text, /href="https:\/\/shop\.example\/privacy"/)
  const path = '/assets/brand/0b6b4f-x-large-inter/page.css'
  assert.ok(text.includes(`<link rel="stylesheet" href="${path}">`))
  const style = await service.call('GET', path)
  assert.match(
    style.text,
    /--brand:light-dark\(#0b6b4f,#0b6b4f\);--on-brand:light-dark\(#ffffff,#ffffff\);--edge:light-dark\(#0b6b4f,#[0-9a-f]{6}\)/,
  )
  assert.doesNotMatch(style.text, /font-face/)
  for (const look of ['red;}', 'x-x-large-comic', '0b6b4f-x-12px-system'])
    assertRefused(await service.call('GET', `/assets/brand/${look}/page.css`), 400, 'invalid_request')
})

test('the logo is a picture from our own origin, and runs nothing even if opened directly', async () => {
  const created = await create(service, key)
  const [, path = ''] = /<img class="logo" src="([^"]+)" alt="">/.exec(await pageOf(created.id)) ?? []
  assert.match(path, new RegExp(`^/verify/${created.id}/logo\\?v=[0-9a-f]{32}$`))
  const { headers, status } = await service.call('GET', path)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'image/svg+xml')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['content-security-policy']), /default-src 'none'; sandbox/)
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
})

test('background, corners, font, dark logo and text are from closed lists or our own origin, and on every final page', async () => {
  const owner = await service.tenant({ name: 'Whole look' })
  const look = { background: '#f4efe6', radius: 'small', font: 'source_serif', helpText: 'Call <us>.' } as const
  await dress(service, owner, { ...look, logoDark: Buffer.from(LOGO.replace('#0b6b4f', '#ffffff')) })
  const created = await create(service, await service.key(owner))
  const text = await pageOf(created.id)
  const [, stylePath = ''] = /href="(\/assets\/brand\/[^"]+)"/.exec(text) ?? []
  assert.equal(stylePath, '/assets/brand/0b6b4f-f4efe6-small-source_serif/page.css')
  const style = (await service.call('GET', stylePath)).text
  assert.match(style, /--ground:light-dark\(#f4efe6,/)
  assert.match(style, /--r-card:6px/)
  assert.match(style, /--font:'Source Serif 4', serif/)
  assert.match(style, /font-display:swap/)
  const fonts = [...style.matchAll(/url\(([^)]+)\)/g)].map(([, path = '']) => path)
  assert.equal(fonts.length, 2)
  for (const path of fonts) {
    const font = await service.call('GET', path)
    assert.equal(font.headers['content-type'], 'font/woff2')
    assert.match(String(font.headers['cache-control']), /immutable/)
    assert.equal(font.headers['access-control-allow-origin'], '*')
  }
  for (const path of ['inter/latin/0000000000000000.woff2', 'inter/greek/x.woff2', 'comic/latin/x.woff2'])
    assertRefused(await service.call('GET', `/assets/fonts/${path}`), 404, 'not_found')
  const till = (await service.call('GET', stylePath.replace('page.css', 'till.css'))).text
  assert.match(till, /prefers-color-scheme: dark/)
  assert.doesNotMatch(till, /light-dark|--ground/)
  const logos = [...text.matchAll(/(?:srcset|src)="(\/verify\/[^"]+\/logo[^"]+)"/g)].map(([, path = '']) => path)
  const pictures = await Promise.all(logos.map(async (path) => (await service.call('GET', path)).text))
  assert.deepEqual(
    pictures.map((picture) => /fill="(#[0-9a-f]{6})"/.exec(picture)?.[1]),
    ['#ffffff', '#0b6b4f'],
  )
  await service.call('POST', `/wallet/response/${created.id}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    raw: 'error=access_denied',
  })
  assert.match(await pageOf(created.id), /<p class="help">Call &#60;us&#62;\.<\/p>/)
})

test('a brand belongs to one environment of one tenant', async () => {
  const live = await create(service, await service.key(tenant, { environment: 'live' }))
  const foreign = await create(service, await service.key(await service.tenant({ name: 'Other' })))
  for (const { id } of [live, foreign]) {
    assert.doesNotMatch(await pageOf(id), /shop\.example|0b6b4f|<img/)
    assertRefused(await service.call('GET', `/verify/${id}/logo`), 404, 'not_found')
  }
  for (const id of [`ver_${'x'.repeat(32)}`, 'nonsense'])
    assertRefused(await service.call('GET', `/verify/${id}/logo`), 404, 'not_found')
})

test('a change keeps what it does not name, and is on the audit trail of its realm', async () => {
  const realm = { tenantId: tenant, environment: 'test' } as const
  const change = { realm, actor: OPERATOR }
  const changed = await changeBranding(service.deps, {
    ...change,
    draft: (now) => ({ ...now, name: 'Grünhof', logo: 'keep', logoDark: 'keep' }),
  })
  assert.ok(changed.outcome === 'changed' && changed.branding.logo !== null)
  const refused = await changeBranding(service.deps, {
    ...change,
    draft: (now) => ({ ...now, supportUrl: 'http://shop.example', logo: null, logoDark: null }),
  })
  assert.equal(refused.outcome, 'refused')
  assert.match(await pageOf((await create(service, key)).id), /<img class="logo"/)
  const entries = async (environment: 'test' | 'live') =>
    JSON.stringify(
      (await readTrail(service.deps, { tenantId: tenant, environment }, { before: null, limit: 50 })).entries,
    )
  assert.equal((await entries('test')).match(/branding\.changed/g)?.length, 2)
  assert.doesNotMatch(await entries('live'), /branding\.changed/)
})

test('the page never shows the redirect address: at the end it shows the site, and nothing for an app', async () => {
  const redirect = 'https://shop.example/orders/4711?session=secret#there'
  const created = await create(service, key, { template: 'identity', redirect_url: redirect })
  await service.call('POST', `/wallet/response/${created.id}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    raw: 'error=access_denied',
  })
  const text = await pageOf(created.id)
  assert.doesNotMatch(text, /4711|secret/)
  assert.match(text, /<a class="button" href="https:\/\/shop\.example\/" rel="noreferrer">Try again at Grünhof<\/a>/)
  const app = await create(service, key, { template: 'identity', redirect_url: 'com.example.app://back' })
  assert.doesNotMatch(await pageOf(app.id), /com\.example\.app/)
})

test('the page has six languages, by the browser or by choice, each with its direction', async () => {
  const created = await create(service, key)
  for (const [language, says] of [
    ['en', /Share your given name, family name and date of birth with Grünhof/],
    ['de', /Vorname, Nachname und Geburtsdatum an Grünhof übermitteln/],
    ['fr', /Transmettre à Grünhof/],
    ['it', /Condividi con Grünhof/],
    ['es', /Compartir con Grünhof/],
    ['nl', /Deel met Grünhof/],
  ] as const) {
    const headers = { 'accept-language': `xx, ${language}-ZZ;q=0.9, en;q=0.1` }
    const preferred = (await service.app.inject({ url: `/verify/${created.id}`, headers })).payload
    for (const text of [preferred, await pageOf(created.id, `?lang=${language}`)]) {
      assert.match(text, says)
      assert.match(text, new RegExp(`<html lang="${language}" dir="ltr">`))
      assert.equal([...text.matchAll(/<a href="\?lang=/g)].length, 6)
    }
  }
  assert.match(await pageOf(created.id, '?lang=tlh'), /Share your given name/)
})

test('right to left depends only on `dir`: no style has left or right', async () => {
  const [, path = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(await pageOf((await create(service, key)).id)) ?? []
  const { text } = await service.call('GET', path)
  const sided =
    /(?:margin|padding|border)-(?:left|right)\b|[{;\s](?:left|right)\s*:|text-align:\s*(?:left|right)|float:\s*(?:left|right)/
  assert.doesNotMatch(text, sided)
})

test('the first load weighs at most 15 KiB, without the logo, in every language', async (context) => {
  const created = await create(service, key, { template: 'driving_licence', purpose: 'To rent you a car' })
  const zipped = { 'accept-encoding': 'gzip' }
  const weights: number[] = []
  for (const language of ['en', 'de', 'fr', 'it', 'es', 'nl']) {
    const page = await service.app.inject({ url: `/verify/${created.id}?lang=${language}`, headers: zipped })
    assert.equal(page.headers['content-encoding'], 'gzip')
    const html = await pageOf(created.id, `?lang=${language}`)
    assert.match(html, /<svg role="img"/, 'the code to scan is in it')
    const paths = [...new Set([...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? ''))]
    assert.equal(paths.length, 5)
    let weight = page.rawPayload.length
    for (const url of paths) {
      const asset = await service.app.inject({ url, headers: zipped })
      assert.equal(asset.statusCode, 200)
      weight +=
        asset.headers['content-encoding'] === 'gzip' ? asset.rawPayload.length : gzipSync(asset.rawPayload).length
    }
    assert.ok(weight <= FIRST_LOAD_MAX, `${language}: ${weight} bytes`)
    weights.push(weight)
  }
  context.diagnostic(`${Math.max(...weights)} bytes`)
})
