// Tests how staff create verifications in the dashboard: panel, page with link and code, answer, cancelling.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { PASSWORD, person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const admin = await person(service, tenant, 'admin')
const viewer = await person(service, tenant, 'viewer')

const WORDS = {
  en: {
    create: 'New verification',
    purpose: 'Purpose (optional)',
    reference: 'Reference (optional)',
    submit: 'Start verification',
    mail: 'E-mail text',
    cancel: 'Cancel verification',
    cancelled: 'Cancelled before an answer arrived',
    answered: 'The wallet answered',
    again: 'Confirm that it is you',
    signIn: 'Sign in',
    newLink: 'New link',
    anyone: 'Anyone',
    link: 'Create link',
    copy: 'Copy link',
    svg: 'SVG for print',
    png: 'PNG image',
    done: 'Done',
    discard: 'Discard',
    keep: 'Keep editing',
    ends: 'Ends',
    tooLate: /^Choose a time before/,
    revoke: 'Revoke',
    name: 'Name',
    replace: 'Replace link',
    saveNow: 'Save it now',
    qrCode: 'QR code',
    more: /^More actions/,
    revoked: 'Revoked',
  },
  de: {
    create: 'Neue Prüfung',
    purpose: 'Zweck (optional)',
    reference: 'Referenz (optional)',
    submit: 'Prüfung starten',
    mail: 'E-Mail-Text',
    cancel: 'Prüfung abbrechen',
    cancelled: 'Vor der Antwort abgebrochen',
    answered: 'Die Wallet hat geantwortet',
    again: 'Bestätigen Sie, dass Sie es sind',
    signIn: 'Anmelden',
    newLink: 'Neuer Link',
    anyone: 'Alle',
    link: 'Link erstellen',
    copy: 'Link kopieren',
    svg: 'SVG für den Druck',
    png: 'PNG-Bild',
    done: 'Fertig',
    discard: 'Verwerfen',
    keep: 'Weiter bearbeiten',
    ends: 'Ende',
    tooLate: /^Wählen Sie eine Zeit vor/,
    revoke: 'Widerrufen',
    name: 'Name',
    replace: 'Link ersetzen',
    saveNow: 'Jetzt sichern',
    qrCode: 'QR-Code',
    more: /^Weitere Aktionen/,
    revoked: 'Widerrufen',
  },
} as const

for (const [language, look] of [
  ['en', { locale: 'en-GB', width: 1440 }],
  ['de', { locale: 'de-DE', dark: true, width: 390 }],
] as const) {
  test(`a verification is created and answered, another one is created in live and cancelled (${language})`, async () => {
    const words = WORDS[language]
    const { page, complaints } = await openPage(browser, { service }, look)
    await signInAt(page, base, admin.email)
    complaints.splice(0)
    const dialog = page.locator('dialog[open]').last()
    const ask = async (environment: string) => {
      await page.goto(`${base}/dashboard/${tenant}/${environment}/verifications`)
      await settled(page)
      await page.getByRole('link', { name: words.create }).click()
      await dialog.getByLabel(words.purpose).fill('To sell you <wine>')
      await dialog.getByLabel(words.reference).fill('Order 1024')
      await assertAccessible(page)
      await dialog.getByRole('button', { name: words.submit }).dblclick()
    }
    const idOf = async () => {
      await page.waitForURL(/\/verifications\/ver_/)
      return page.url().split('/').at(-1) ?? ''
    }

    await ask('test')
    const id = await idOf()
    await page.getByText(`${base}/verify/${id}`, { exact: true }).waitFor()
    await page.getByText(words.mail).click()
    const mail = await page.locator('details p').innerText()
    for (const part of [`${base}/verify/${id}`, 'Weinhandlung Sonnenhof', 'To sell you <wine>']) {
      assert.ok(mail.includes(part), mail)
    }
    await assertAccessible(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
    const { data } = (await admin.call('GET', '@/verifications', { headers: { 'vidimus-search': 'Order%201024' } }))
      .json
    assert.equal(data.filter((row: { status: string }) => row.status === 'pending').length, 1)
    const { open } = (await admin.call('GET', `@/verifications/${id}`)).json
    await (await testWallet(service)).present(open.wallet_uri)
    await page.getByText(words.answered).waitFor()
    await assertCount(page.getByRole('button', { name: words.cancel }), 0)

    await createLink(page, words)

    service.clock.advance(11 * 60_000)
    await page.context().clock.setFixedTime(service.clock.now())
    await ask('live')
    await page.getByRole('heading', { name: words.again }).waitFor()
    await dialog.locator('input[name=password]').fill(PASSWORD)
    await dialog.getByRole('button', { name: words.signIn, exact: true }).click()
    assert.notEqual(await idOf(), id)
    await page.getByRole('button', { name: words.cancel }).click()
    await dialog.getByRole('button', { name: words.cancel }).click()
    await page.getByText(words.cancelled).waitFor()
    assert.deepEqual(
      complaints.filter((text) => !text.includes('403')),
      [],
    )
    await page.context().close()
  })
}

/** Creates a link for a poster: checks its address, its code as files that a camera can read, and its end. */
async function createLink(page: Page, words: (typeof WORDS)[keyof typeof WORDS]): Promise<void> {
  const dialog = page.locator('dialog[open]').last()
  await page.goto(`${base}/dashboard/${tenant}/test/links`)
  await settled(page)
  await page.getByRole('link', { name: words.newLink }).click()
  await dialog.getByLabel(words.anyone).check()
  await dialog.getByLabel(words.name, { exact: true }).fill('Poster 17')
  const ends = dialog.getByLabel(words.ends, { exact: true })
  const usual = await ends.inputValue()
  await ends.fill('2099-01-01T10:00')
  await dialog.getByRole('button', { name: words.link }).click()
  await dialog.getByText(words.tooLate).waitFor()
  await assertAccessible(page)
  await ends.fill(usual)
  await dialog.getByRole('button', { name: words.link }).dblclick()
  const address = dialog.getByText(/\/l\/[\w-]{43}$/)
  await address.waitFor()
  await assertAccessible(page)
  const url = await address.innerText()
  // The address is shown once, so closing asks first.
  assert.ok(await dialog.getByRole('button', { name: words.done }).isDisabled())
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: words.keep }).click()
  const fileOf = async (name: string) => {
    const saving = page.waitForEvent('download')
    await dialog.getByRole('button', { name }).click()
    return readFile(await (await saving).path())
  }
  assert.equal(decodeQR(await imageOf(page, await fileOf(words.svg), 'image/svg+xml')), url)
  assert.equal(decodeQR(await imageOf(page, await fileOf(words.png), 'image/png')), url)
  await dialog.getByRole('button', { name: words.done }).click()

  const answer = await page.request.get(url)
  assert.equal(answer.status(), 200)
  const row = page.getByRole('row', { name: /Poster 17/ }).first()
  // The page that created it can copy it and show its code again.
  await row.getByRole('button', { name: words.qrCode }).click()
  await dialog.getByText(url).waitFor()
  await dialog.getByRole('button', { name: words.done }).click()
  const replaced = await replaceLink(page, words)
  assert.equal((await page.request.get(url)).status(), 410)
  assert.equal((await page.request.get(replaced)).status(), 200)
  await row.getByRole('button', { name: words.more }).press('ArrowDown')
  await page.getByRole('menu').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await assertCount(page.getByRole('menu'), 0)
  await row.getByRole('button', { name: words.more }).click()
  await page.getByRole('menuitem', { name: words.revoke }).click()
  await dialog.getByRole('button', { name: words.revoke }).click()
  await assertCount(page.locator('dialog[open]'), 0)
  await assertCount(row.getByRole('button', { name: words.qrCode }), 0)
  assert.equal((await page.request.get(replaced)).status(), 410)
  const { data } = (await admin.call('GET', '@/links')).json
  assert.equal(
    new Set(data.map(({ id }: { id: string }) => id)).size,
    words === WORDS.en ? 2 : 4,
    'two clicks created one link, which was replaced',
  )
}

/** The address is lost with the page that created it, so the row offers a new one. */
async function replaceLink(page: Page, words: (typeof WORDS)[keyof typeof WORDS]): Promise<string> {
  const dialog = page.locator('dialog[open]').last()
  await page.reload()
  await settled(page)
  const row = page.getByRole('row', { name: /Poster 17/ }).first()
  await assertCount(row.getByRole('button', { name: words.qrCode }), 0)
  await row.getByRole('button', { name: words.more }).click()
  await page.getByRole('menuitem', { name: words.replace }).click()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: words.replace }).click()
  await dialog.getByText(words.saveNow).waitFor()
  const url = await dialog.getByText(/\/l\/[\w-]{43}$/).innerText()
  const mail = await dialog.locator('a[href^="mailto:"]').getAttribute('href')
  assert.ok(decodeURIComponent(mail ?? '').includes(url))
  const saving = page.waitForEvent('download')
  await dialog.getByRole('button', { name: words.png }).click()
  await saving
  await dialog.getByRole('button', { name: words.done }).click()
  return url
}

/**
 * Returns the picture as a camera sees it. Another page draws it, because the dashboard may not load such a picture.
 */
async function imageOf(page: Page, file: Buffer, type: string) {
  const other = await page.context().newPage()
  const pixels = await other.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = 400
      canvas.height = 400
      const pen = canvas.getContext('2d')
      if (pen === null) throw new Error('no canvas')
      pen.drawImage(image, 0, 0, 400, 400)
      return [...pen.getImageData(0, 0, 400, 400).data].filter((_, at) => at % 4 === 0)
    },
    `data:${type};base64,${file.toString('base64')}`,
  )
  await other.close()
  const data = Uint8Array.from(pixels.flatMap((grey) => [grey, grey, grey, 255]))
  return { width: 400, height: 400, data }
}

test('a viewer gets neither the panel nor the link', async () => {
  const { page } = await openPage(browser, { service })
  await signInAt(page, base, viewer.email)
  const body = { template: 'age_over_18', idempotency_key: 'for-the-viewer-to-see' }
  const created = (await admin.call('POST', '@/verifications', { body })).json
  await page.goto(`${base}/dashboard/${tenant}/test/verifications?new=`)
  await settled(page)
  await assertCount(page.locator('dialog[open]'), 0)
  await assertCount(page.getByRole('link', { name: WORDS.en.create }), 0)
  await page.goto(`${base}/dashboard/${tenant}/test/links?new=`)
  await settled(page)
  await page.getByText('Poster 17').first().waitFor()
  await assertCount(page.locator('#main button, dialog[open]'), 0)
  await page.goto(`${base}/dashboard/${tenant}/test/verifications/${created.id}`)
  await settled(page)
  assert.ok(!(await page.innerText('#main')).includes('/verify/'))
  await page.context().close()
})
