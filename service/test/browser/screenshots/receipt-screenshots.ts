// npm run screenshots: result keys with keys in them, a verified receipt, and the form for a forgotten password.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { generateResultKey } from '../../../../sdk/typescript/src/result.ts'
import { receiptAddress } from '../../../src/features/certificates/domain/receipt-address.ts'
import { createReceipts } from '../../evidence/receipt-cases.ts'
import { listeningService } from '../../harness/listening.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, type Look, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { person } from '../../harness/staff.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOOKS: Record<string, Look> = {
  'en-light': { width: 1440 },
  'de-dark': { locale: 'de-DE', dark: true, width: 1440 },
  'en-phone-dark': { width: 390, dark: true },
  'de-phone': { locale: 'de-DE', width: 390 },
}

await builtDashboard()
await mkdir(FOLDER, { recursive: true })
const service = await listeningService()
const { base } = service
const browser = await testBrowser()
const { one } = await createReceipts(service)
const index = Number(/^index (\d+)$/m.exec(one.proof)?.[1])

for (const [name, look] of Object.entries(LOOKS)) {
  const shot = (title: string, fullPage = true) => ({ path: join(FOLDER, `${name}-${title}.png`), fullPage })

  test(`receipt: ${name}`, async () => {
    const { page } = await openPage(browser, { service }, look)
    await page.goto(`${base}/verify-receipt`)
    await page.waitForSelector('#file')
    await page.screenshot(shot('verify-receipt-empty'))
    await page.goto(receiptAddress(base, one.receipt, { index, salt: null }))
    await page.waitForSelector('[data-part=verified]:visible')
    await page.screenshot(shot('verify-receipt-verified'))
    const files = { name: 'receipt.jws', mimeType: 'application/octet-stream', buffer: Buffer.from(one.receipt) }
    await page.setInputFiles('#file', [files])
    await page.waitForSelector('body[data-shown=no_proof]')
    await page.screenshot(shot('verify-receipt-no-proof'))
    await page.context().close()
  })

  test(`result keys: ${name}`, async () => {
    const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
    const admin = await person(service, tenant, 'admin')
    const { page } = await openPage(browser, { service }, look)
    await signInAt(page, base, admin.email)
    await page.goto(`${base}/dashboard/${tenant}/test/settings`)
    await settled(page)
    const dialog = page.locator('dialog[open]')
    const add = page.getByRole('button', { name: /^(Add a key|Schlüssel hinzufügen)$/ })
    await add.click()
    await page.screenshot(shot('dialog-add a result key', false))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: /^(Create a key pair|Schlüsselpaar erstellen)$/ }).click(),
    ])
    await dialog.getByLabel(/^(Private key file|Datei mit dem privaten Schlüssel)/).setInputFiles(await download.path())
    await page.screenshot(shot('dialog-confirm a result key', false))
    await dialog.getByRole('button', { name: /^(Confirm|Bestätigen)$/ }).click()
    await dialog.getByText(/^(Confirmed|Bestätigt)\./).waitFor()
    await dialog.getByRole('button', { name: /^(Close|Schließen)$/ }).click()
    await add.click()
    await dialog.getByText(/^(Use a key pair of your own|Eigenes Schlüsselpaar verwenden)$/).click()
    await dialog.locator('textarea').fill(JSON.stringify((await generateResultKey()).publicKey))
    await page.screenshot(shot('dialog-add an own result key', false))
    await dialog.getByRole('button', { name: /^(Add this key|Diesen Schlüssel hinzufügen)$/ }).click()
    await dialog.getByLabel(/^(Private key file|Datei mit dem privaten Schlüssel)/).waitFor()
    await dialog.getByRole('button', { name: /^(Cancel|Abbrechen)$/ }).click()
    await page.locator('tbody tr').nth(1).waitFor()
    await page.screenshot(shot('result keys'))
    await page.context().close()
  })

  test(`forgotten password: ${name}`, async () => {
    const { page } = await openPage(browser, { service }, look)
    await page.goto(`${base}/dashboard`)
    await page.getByText(/^(Forgot password\?|Passwort vergessen\?)$/).click()
    await page.waitForSelector('h1')
    await settled(page)
    await page.screenshot(shot('door-forgotten'))
    await page.context().close()
  })
}
