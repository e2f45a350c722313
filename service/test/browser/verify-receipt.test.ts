// Tests /verify-receipt: a certificate, a QR code, forged files, no connection; and that nothing leaves the browser.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import { receiptAddress } from '../../src/features/certificates/domain/receipt-address.ts'
import { createReceipts, receiptCases } from '../evidence/receipt-cases.ts'
import { treeForgeries } from '../evidence/tree-receipts.ts'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../harness/pages/dashboard.ts'
import { person } from '../harness/staff.ts'

await builtDashboard()
const service = await listeningService()
const { one, two, tenant } = await createReceipts(service)
const together = await createReceipts(service, 'together')
const browser = await testBrowser()
const ADDRESS = `${service.base}/verify-receipt`
const indexOf = (proof: string) => Number(/^index (\d+)$/m.exec(proof)?.[1])
const leafIndex = indexOf(one.proof)
const scanned = receiptAddress(service.base, one.receipt, { index: leafIndex, salt: null })

async function open(options: BrowserContextOptions = { locale: 'en-GB' }): Promise<{ page: Page; sent: Request[] }> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.on('pageerror', (error) => assert.fail(error))
  const sent: Request[] = []
  page.on('request', (request) => sent.push(request))
  return { page, sent }
}

/** Waits for the verdict of the page; returns which part it shows. */
async function judged(page: Page): Promise<string> {
  await page.waitForSelector('body[data-shown]:not([data-shown=checking])')
  return (await page.getAttribute('body', 'data-shown')) ?? ''
}

async function choose(page: Page, files: Readonly<Record<string, string>>): Promise<string> {
  await page.evaluate(() => {
    document.body.dataset.shown = 'checking'
  })
  const chosen = Object.entries(files).map(([name, content]) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(content, name.endsWith('.pdf') ? 'latin1' : 'utf8'),
  }))
  await page.setInputFiles('#file', chosen)
  return judged(page)
}

test('every case of the command line has the same verdict here, also without a connection', async () => {
  const { page, sent } = await open()
  await page.goto(ADDRESS, { waitUntil: 'networkidle' })
  await page.context().setOffline(true)
  sent.length = 0
  const cases = [...receiptCases(one, two), ...receiptCases(together.one, together.two)]
  for (const { name, files, isGenuine } of cases) {
    const part = await choose(page, files)
    assert.equal(part === 'verified', isGenuine, `${name}: ${part}`)
    assert.equal(await page.isVisible('[data-part=verified]'), isGenuine, name)
    assert.equal(await page.isVisible('#facts'), isGenuine, name)
  }
  assert.equal(await choose(page, { 'receipt.jws': one.receipt }), 'no_proof')
  assert.equal(await choose(page, { 'receipt.tlog-proof': one.proof }), 'malformed')
  const forgeries = treeForgeries(together.one.receipt, together.two.receipt, together.foreign.receipt)
  for (const { name, jws, code } of forgeries)
    assert.equal(await choose(page, { 'receipt.jws': jws, 'receipt.tlog-proof': together.one.proof }), code, name)
  assert.deepEqual(sent, [], 'nothing is sent')
  await page.context().close()
})

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['wide, light, en', { locale: 'en-GB' }],
  ['phone, dark, de', { locale: 'de-DE', viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
]
for (const [name, look] of LOOKS)
  test(`a scanned code is verified with the public log, and its receipt is not sent: ${name}`, async () => {
    const { page, sent } = await open(look)
    await page.goto(ADDRESS)
    await assertAccessible(page)
    await page.goto(scanned)
    await page.waitForSelector('[data-part=verified]:visible')
    await assertAccessible(page)
    assert.equal(await page.innerText('#fact-verification'), one.id)
    assert.match(await page.innerText('#test'), /Test/)
    const paths = sent.map((request) => new URL(request.url()).pathname)
    assert.ok(paths.some((path) => path.startsWith('/log/tile/')))
    const [header = '', payload = '', signature = ''] = one.receipt.split('.')
    const [, packed = ''] = scanned.split('#')
    for (const request of sent) {
      assert.equal(request.method(), 'GET')
      const whole = `${request.url().split('#')[0]} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`
      for (const secret of [header, payload, signature, packed, one.id])
        assert.ok(!whole.includes(secret), request.url())
    }
    // Another language shows the same receipt.
    await page.click(`footer a[lang=${look.locale === 'de-DE' ? 'fr' : 'nl'}]`)
    await page.waitForSelector('[data-part=verified]:visible')
    await page.context().close()
  })

test('the code of a receipt with a shared signature is verified, and another form of it is refused', async () => {
  const { page } = await open()
  await page.goto(ADDRESS, { waitUntil: 'networkidle' })
  const own =
    receiptAddress(service.base, together.one.receipt, {
      index: indexOf(together.one.proof),
      salt: null,
    }).split('#')[1] ?? ''
  const swapped = own.replace(/[^.]*$/, together.two.receipt.split('.')[2] ?? '')
  const cases: readonly (readonly [string, string])[] = [
    ['verified', own],
    ['bad_signature', swapped],
    ['malformed', own.replace(/^2/, '1')],
    ['malformed', own.replace(/^2/, '3')],
    ['malformed', own.slice(0, -4)],
    ['malformed', `${own}AAAA`],
  ]
  for (const [expected, fragment] of cases) {
    await page.evaluate((hash) => {
      document.body.dataset.shown = 'checking'
      location.hash = hash
    }, fragment)
    assert.equal(await judged(page), expected, fragment.slice(0, 20))
  }
  await page.context().close()
})

test('a forged, foreign or unreadable code is not verified, and no code is while the log is unavailable', async () => {
  const { page } = await open()
  await page.goto(ADDRESS, { waitUntil: 'networkidle' })
  const [, version, kid = '', packed = '', signature = ''] =
    /#(1\.\d+)\.([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(scanned) ?? []
  const other = receiptAddress(service.base, two.receipt, { index: leafIndex, salt: null }).split('#')[1] ?? ''
  const cases: readonly (readonly [string, string])[] = [
    ['not_in_log', other],
    ['not_in_log', `1.9999999.${kid}.${packed}.${signature}`],
    ['unknown_key', `${version}.${'A'.repeat(43)}.${packed}.${signature}`],
    ['bad_signature', `${version}.${kid}.${packed}.${'A'.repeat(86)}`],
    ['malformed', `${version}.${kid}.${packed.slice(0, 200)}.${signature}`],
    ['malformed', `${version}.${kid}.${packed}`],
    ['malformed', '<img src=x onerror=alert(1)>'],
    ['malformed', `2${(version ?? '').slice(1)}.${kid}.${packed}.${signature}`],
  ]
  const goTo = (fragment: string) =>
    page.evaluate((hash) => {
      document.body.dataset.shown = 'checking'
      location.hash = hash
    }, fragment)
  for (const [expected, fragment] of cases) {
    await goTo(fragment)
    assert.equal(await judged(page), expected, fragment.slice(0, 60))
  }
  // Not by going offline, because the browser may have cached files of the log.
  await page.route('**/log/checkpoint', (route) => route.abort())
  await goTo(scanned.split('#')[1] ?? '')
  assert.equal(await judged(page), 'no_log')
  await page.context().close()
})

test('without the keys nothing is verified; the page is accessible in every language', async () => {
  const { page } = await open()
  await page.route('**/log/receipt-keys', (route) => route.abort())
  await page.goto(scanned)
  assert.equal(await judged(page), 'no_keys')
  for (const language of LANGUAGES) {
    await page.goto(`${ADDRESS}?lang=${language}`)
    assert.equal(await page.getAttribute('html', 'lang'), language)
    await assertAccessible(page)
  }
  await page.context().close()
})

test('staff download a certificate of a verification, in their language, and it verifies', async () => {
  const viewer = await person(service, tenant, 'viewer')
  const { page } = await openPage(browser, { service }, { locale: 'de-DE' })
  await signInAt(page, service.base, viewer.email)
  await page.goto(`${service.base}/dashboard/${tenant}/test/verifications/${one.id}`)
  await settled(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Bescheinigung (PDF)' }).click(),
  ])
  assert.equal(download.suggestedFilename(), `certificate-${one.id}.pdf`)
  const pdf = await readFile(await download.path(), 'latin1')
  assert.match(pdf, /\/Lang \(de\)/)
  await page.goto(ADDRESS)
  assert.equal(await choose(page, { 'certificate.pdf': pdf }), 'verified')
  await page.context().close()
})
