// Tests that fields for dates and files use the reader's language, not the browser's, and work by keyboard.

import assert from 'node:assert/strict'
import test from 'node:test'
import { readLocal, writeLocal } from '../../../../dashboard/src/ui/local-time.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible, assertAccessibleInBothThemes } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { person } from '../../harness/staff.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()

const WORDS = {
  en: {
    from: 'From',
    open: 'Open calendar',
    example: 'DD Mon YYYY',
    written: '3 Jul 2027',
    notDate: 'Enter a date, such as 15 Jun 2027.',
    day: 'Sunday, July 4, 2027',
    chosen: '4 Jul 2027',
    next: 'Next month',
    month: 'August 2027',
    choose: 'Choose files',
    remove: 'Remove file',
  },
  de: {
    from: 'Von',
    open: 'Kalender öffnen',
    example: 'TT.MM.JJJJ',
    written: '03.07.2027',
    notDate: 'Geben Sie ein Datum ein, zum Beispiel 15.06.2027.',
    day: 'Sonntag, 4. Juli 2027',
    chosen: '04.07.2027',
    next: 'Nächster Monat',
    month: 'August 2027',
    choose: 'Dateien auswählen',
    remove: 'Datei entfernen',
  },
} as const

/** Returns a browser of the other language, whose own fields would use that. */
async function signedIn(language: 'en' | 'de') {
  const tenant = await service.tenant()
  const { email } = await person(service, tenant, 'owner')
  const { page } = await openPage(browser, { service }, { locale: language === 'de' ? 'en-GB' : 'de-DE' })
  await page.addInitScript((chosen) => localStorage.setItem('vidimus-language', chosen), language)
  await signInAt(page, base, email)
  const goto = async (path: string) => {
    await page.goto(`${base}/dashboard/${tenant}/test${path}`)
    await settled(page)
  }
  return { page, goto }
}

for (const language of ['en', 'de'] as const) {
  const words = WORDS[language]
  test(`a date is typed, or chosen by keyboard (${language})`, async () => {
    const { page, goto } = await signedIn(language)
    await goto('/audit')
    const field = page.getByLabel(words.from, { exact: true })
    const button = page.getByRole('button', { name: words.open }).first()
    assert.equal(await field.getAttribute('placeholder'), words.example)
    await field.fill('31.2.2027')
    await field.press('Tab')
    await page.getByText(words.notDate).waitFor()
    await assertAccessible(page)
    await field.fill('3.7.2027')
    await page.waitForURL(/from=2027-07-03/)
    await assertCount(page.getByText(words.notDate), 0)
    await field.press('Tab')
    assert.equal(await field.inputValue(), words.written)
    assert.equal(await button.evaluate((one) => one === document.activeElement), true)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: words.from }).waitFor()
    await assertAccessibleInBothThemes(page)
    await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: words.day }).and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: words.next }).click()
    await page.getByText(words.month).waitFor()
    await page.keyboard.press('Escape')
    await assertCount(page.getByRole('dialog', { name: words.from }), 0)
    assert.equal(await field.inputValue(), words.written, 'Escape chooses nothing')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=2027-07-04/)
    assert.equal(await field.inputValue(), words.chosen)
    await field.fill('')
    await page.waitForURL((url) => !url.searchParams.has('from'))
    await page.context().close()
  })

  test(`a file field has our words, and a choice can be removed (${language})`, async () => {
    const { page, goto } = await signedIn(language)
    await goto('/proof')
    await page.getByText(words.choose, { exact: true }).waitFor()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.jwt', mimeType: 'text/plain', buffer: Buffer.from('x') })
    await page.getByText('a.jwt', { exact: true }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: words.remove }).click()
    await assertCount(page.getByText('a.jwt', { exact: true }), 0)
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('type'))
    assert.equal(focused, 'file')
    await page.context().close()
  })
}

test('dates are read in the forms that people write, and only if they exist', () => {
  const read: [string, string | null][] = [
    ['2027-06-15', '2027-06-15'],
    ['15.6.2027', '2027-06-15'],
    ['15 June 2027', '2027-06-15'],
    ['3. März 2027', '2027-03-03'],
    ['31/12/2027', '2027-12-31'],
    ['29.2.2028', '2028-02-29'],
    ['29.2.2027', null],
    ['15.6.27', null],
    ['15 Foo 2027', null],
    ['15.6.2027 14:30', null],
    ['', null],
  ]
  for (const [text, day] of read) assert.equal(readLocal(text, false), day, text)
  assert.equal(readLocal('15.6.2027', true), '2027-06-15T00:00')
  assert.equal(readLocal('15 Jun 2027, 9:05', true), '2027-06-15T09:05')
  assert.equal(readLocal('15 Jun 2027, 24:00', true), null)
  for (const language of ['en', 'de']) {
    for (const value of ['2027-03-05T07:09', '2027-12-31', '2028-02-29T23:59']) {
      assert.equal(readLocal(writeLocal(value, language), value.includes('T')), value)
    }
  }
})
