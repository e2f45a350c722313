// Tests every action of the dashboard in a browser.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { virtualAuthenticator } from '../../harness/pages/authenticator.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, chooseInAccountMenu, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount, assertText } from '../../harness/pages/shown.ts'
import { assertRefused } from '../../harness/service.ts'
import { FROM_PAGE, PASSWORD, person } from '../../harness/staff.ts'

const busy = await busyTenant()
const browser = await testBrowser()
const { base } = busy.service
const { page, complaints } = await openPage(browser, busy)
const dialog = page.locator('dialog[open]').last()

const goto = async (path: string, environment = 'test') => {
  await page.goto(`${base}/dashboard/${busy.tenant}/${environment}${path}`)
  await settled(page)
}
const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
const gone = () => page.waitForFunction(() => document.querySelector('dialog[open]') === null)
const forgetFreshness = async () => {
  busy.service.clock.advance(11 * 60_000)
  await page.context().clock.setFixedTime(busy.service.clock.now())
}

async function confirmAgain(): Promise<void> {
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await assertAccessible(page)
  await dialog.locator('input[name=password]').fill(PASSWORD)
  await press('Sign in')
}

async function storeSecret(): Promise<string> {
  const secret = await dialog.locator('output').innerText()
  assert.ok(await dialog.getByRole('button', { name: 'Close' }).isDisabled())
  await assertAccessible(page)
  await dialog.getByLabel('I have stored it safely').check()
  await press('Close')
  await gone()
  return secret
}

test('a wrong password is reported at its field; the right one leads to the requested page', async () => {
  await page.goto(`${base}/dashboard/${busy.tenant}/test/keys`)
  await page.fill('input[name=email]', busy.owner.email)
  await page.fill('input[name=password]', 'wrong')
  await page.click('button[type=submit]')
  await assertText(page.getByRole('alert'), /^E-mail or password is wrong\.$/)
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button[type=submit]')
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
})

test('a test verification from the start page, answered with the test wallet, shows its result', async () => {
  const fresh = await busy.service.tenant({ name: 'Kellerei Neubeginn' })
  const { email } = await person(busy.service, fresh, 'owner')
  const { page } = await openPage(browser, busy)
  await signInAt(page, base, email)
  await page.goto(`${base}/dashboard/${fresh}/test`)
  await page.getByRole('button', { name: 'Run a test verification' }).click()
  const [wallet] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Answer with the test wallet' }).click(),
  ])
  await wallet.click('button[value=consent]')
  await wallet.waitForSelector('text=Age check complete')
  await wallet.close()
  await page.getByRole('link', { name: 'View result' }).click()
  await page.getByRole('heading', { level: 1, name: '18 or older' }).waitFor()
  await assertText(page.locator('#main').first(), /Completed[\s\S]*Trusted issuer[\s\S]*The wallet answered/)
  await page.context().close()
})

test('filters are part of the address; an id opens its verification', async () => {
  await goto('/verifications')
  await page.getByLabel('Status', { exact: true }).selectOption('failed')
  await page.waitForURL(/status=failed/)
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  await page.getByLabel('Template', { exact: true }).selectOption('nationality')
  await page.waitForSelector('text=No verifications match')
  await page.getByLabel('Search', { exact: true }).fill(busy.failed)
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('wallet_declined').first().waitFor({ state: 'attached' })
})

test('deleting a verification takes a confirmation and a fresh sign-in', async () => {
  await forgetFreshness()
  await goto(`/verifications/${busy.failed}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await assertAccessible(page)
  await page.getByRole('menuitem', { name: 'Delete the whole verification' }).click()
  await assertAccessible(page)
  await press('Delete the whole verification')
  await confirmAgain()
  await page.waitForURL(/\/verifications$/)
  await gone()
  await goto(`/verifications/${busy.failed}`)
  await page.getByText('Verification not found').waitFor()
})

test('a key may delete verifications only if its box is ticked; the key is shown once, used and revoked', async () => {
  await goto('/keys')
  await page.getByRole('button', { name: 'Create a key' }).click()
  assert.equal(await dialog.getByLabel('Delete verifications (cannot be undone)').isChecked(), false)
  await assertAccessible(page)
  await dialog.getByLabel('Name').fill('Shop <b>backend</b>')
  await dialog.getByLabel('Expires').selectOption('90')
  await press('Create a key')
  const key = await storeSecret()
  assert.match(key, /^vk_test_/)
  assert.equal((await busy.service.call('GET', '/v1/usage', { key })).status, 200)
  const row = page.getByRole('row', { name: /Shop <b>backend<\/b>/ })
  await row.getByText('Verifications: create, read', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More actions: Shop <b>backend</b>' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await press('Revoke')
  await gone()
  assert.ok(!(await page.content()).includes(key))
  busy.service.clock.advance(2_000)
  assert.equal((await busy.service.call('GET', '/v1/usage', { key })).status, 401)
})

test('a live key needs a fresh sign-in', async () => {
  await forgetFreshness()
  await goto('/keys', 'live')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByLabel('Name').fill('Live')
  await press('Create a key')
  await confirmAgain()
  await dialog.locator('output').waitFor()
  assert.match(await storeSecret(), /^vk_live_/)
})

test('a template is checked while it is written, warned about, saved, edited and removed', async () => {
  await goto('/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog.getByLabel('Title').fill('Age for a tasting')
  await dialog.getByLabel('Key', { exact: true }).fill('over_21_tasting')
  await dialog.getByRole('button', { name: 'JSON' }).click()
  const question = dialog.getByLabel('Query (JSON)')
  await question.fill('{')
  await dialog.getByText('the text ends too early').waitFor()
  await question.fill('{"query":{"credentials":[]}}')
  await dialog.getByText(/query\.credentials/).waitFor()
  const claims = [{ path: ['birthdate'] }]
  const query = { credentials: [{ id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims }] }
  await question.fill(JSON.stringify({ query }))
  await dialog.getByText(/asks for a date of birth where an age check/).waitFor()
  await assertAccessible(page)
  await press('Save')
  await gone()
  await page.getByRole('button', { name: 'Edit: over_21_tasting' }).click()
  await dialog.getByLabel('Title').fill('Another title')
  await press('Save')
  await gone()
  await page.getByRole('heading', { name: 'Another title' }).waitFor()
  await page.getByRole('button', { name: 'More actions: over_21_tasting' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await press('Remove')
  await gone()
  await assertCount(page.getByRole('button', { name: 'Edit: over_21_tasting' }), 0)
})

test('a device is registered with a code that counts down, and revoked', async () => {
  await goto('/devices')
  await page.getByRole('button', { name: 'Add a device' }).click()
  await dialog.getByLabel('Name').fill('Kasse 7')
  // The page ticks the templates when they have loaded.
  await dialog.getByLabel('18 or older').waitFor()
  await press('Add a device')
  await dialog.locator('svg[role=img]').waitFor()
  await assertText(dialog, /VD-[0-9A-Z]{4}-[0-9A-Z]{4}[\s\S]*Valid for another 1[0-9] min/)
  await assertAccessible(page)
  await press('Close')
  await page.getByRole('button', { name: 'Edit: Kasse 7' }).click()
  await dialog.getByLabel('Name').fill('Kasse 8')
  await dialog.getByLabel('Identity', { exact: true }).check()
  await assertAccessible(page)
  await press('Save')
  await gone()
  await assertText(page.getByRole('row', { name: /Kasse 8/ }), /18 or older, Identity/)
  await page.getByRole('button', { name: 'More actions: Kasse 8' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await press('Remove')
  await gone()
  await assertCount(page.getByRole('button', { name: 'More actions: Kasse 8' }), 0)
})

test('the webhook secret is shown and rotated after a fresh sign-in; a delivery is resent', async () => {
  await forgetFreshness()
  await goto('/webhooks')
  await page.getByRole('button', { name: 'Show secret' }).click()
  await confirmAgain()
  await dialog.locator('output').waitFor()
  const before = await storeSecret()
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  await press('Rotate')
  await dialog.locator('output').waitFor()
  assert.notEqual(await storeSecret(), before)
  await page.getByText(/Otherwise, it ends automatically in 2[34] h/).waitFor()
  await page
    .getByRole('link', { name: /^Details/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Resent: Accepted (200).').waitFor()
})

test('the trail is verified and exported', async () => {
  await goto('/audit')
  await page.getByRole('button', { name: 'Check integrity' }).click()
  await page.getByText(/Genuine and complete up to #\d+/).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^vidimus-audit-test-.*\.ndjson$/)
})

test('settings are saved', async () => {
  await goto('/settings')
  await page.getByLabel('Keep verifications for').fill('14')
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByLabel('Use the High Assurance profile (HAIP 1.0)').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Saved').waitFor()
  await goto('/settings')
  assert.equal(await page.getByLabel('Keep verifications for').inputValue(), '14')
})

test('a person is invited, joins by the link in another browser, gets a role and is removed', async () => {
  await goto('/team')
  await page.getByRole('button', { name: 'Invite a team member' }).click()
  await dialog.getByLabel('E-mail').fill('uwe.unbekannt@example.com')
  await press('Create invitation link')
  await dialog.locator('output').waitFor()
  const link = await storeSecret()
  const guest = (await openPage(browser, busy, { locale: 'de-DE' })).page
  await guest.goto(link)
  await guest.getByLabel('Passwort wählen').fill(PASSWORD)
  await assertAccessible(guest)
  await guest.getByRole('button', { name: 'Weiter' }).click()
  await guest.waitForSelector('#main h1')
  await goto('/team')
  await page.getByLabel('Role: uwe.unbekannt@example.com').selectOption('admin')
  await page.getByRole('button', { name: 'Remove: uwe.unbekannt@example.com' }).click()
  await press('Remove')
  await gone()
  await guest.reload()
  await guest.getByText('Sie gehören noch zu keinem Unternehmen').or(guest.getByText('Seite nicht gefunden')).waitFor()
  await guest.goto(link)
  await guest.getByText('Dieser Link funktioniert nicht mehr').waitFor()
  await guest.context().close()
})

test('a passkey is added and signs in', async () => {
  const authenticator = await virtualAuthenticator(page)
  await goto('/account')
  await page.getByLabel('Name of the passkey').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Remove: Laptop' }).waitFor()
  await chooseInAccountMenu(page, 'Account menu', 'Sign out')
  const answered = page.waitForRequest(/\/sign-in\/passkey$/)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  const body = (await answered).postDataJSON()
  await page.waitForSelector('#main h1')
  await authenticator.remove()
  // The same answer is refused the second time, because its challenge was used.
  const again = await busy.service.call('POST', '/dashboard/api/sign-in/passkey', { body, headers: FROM_PAGE })
  assertRefused(again, 401, 'sign_in_failed')
})

test('language and colours are stored; the content can be reached by keyboard', async () => {
  await goto('')
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await page.getByRole('button', { name: 'Account menu' }).focus()
  await press('ArrowDown')
  await page.getByRole('menu').waitFor()
  assert.equal(await focused(), 'Your account')
  await press('ArrowUp')
  assert.equal(await focused(), 'Sign out', 'the arrow key wraps around')
  await press('Home', 'ArrowDown', 'ArrowDown')
  assert.equal(await focused(), 'Deutsch')
  await press('Enter')
  await page.getByRole('menuitemradio', { name: 'Deutsch', checked: true }).waitFor()
  await page.getByRole('menuitemradio', { name: 'Dunkel' }).click()
  await assertAccessible(page)
  await press('Escape')
  await assertCount(page.getByRole('menu'), 0)
  assert.match(await focused(), /Kontomenü/, 'the focus is back at the button')
  await page.reload()
  await settled(page)
  assert.equal(await page.getAttribute('html', 'lang'), 'de')
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Zum Inhalt springen')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'main')
  await chooseInAccountMenu(page, 'Kontomenü', 'English')
})

test('no page reported an error', () => {
  // Browsers report a refusal as an error.
  assert.deepEqual(
    complaints.filter((text) => !/status of (400|401|403|404)/.test(text)),
    [],
  )
})
