// Tests that a merchant creates, proves and uses its result key in the page, and that the private key never leaves it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { generateResultKey } from '../../../../sdk/typescript/src/result.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { create } from '../../wallet/verifications.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()

const WORDS = {
  en: {
    add: 'Add a key',
    make: 'Create a key pair',
    file: 'Private key file',
    prove: 'Confirm',
    close: 'Close',
    cancel: 'Cancel',
  },
  de: {
    add: 'Schlüssel hinzufügen',
    make: 'Schlüsselpaar erstellen',
    file: 'Datei mit dem privaten Schlüssel',
    prove: 'Bestätigen',
    close: 'Schließen',
    cancel: 'Abbrechen',
  },
} as const
const REST = {
  en: {
    proven: /^Confirmed\./,
    encrypted: /^Encrypted\. Only/,
    open: 'Open with a key file',
    other: /matching key/,
    own: 'Use a key pair of your own',
    addThis: 'Add this key',
    known: /already been added/,
    full: /already have two keys/,
  },
  de: {
    proven: /^Bestätigt\./,
    encrypted: /^Verschlüsselt\. Nur/,
    open: 'Mit einer Schlüsseldatei öffnen',
    other: /den passenden Schlüssel/,
    own: 'Eigenes Schlüsselpaar verwenden',
    addThis: 'Diesen Schlüssel hinzufügen',
    known: /schon hinzugefügt/,
    full: /schon zwei Schlüssel/,
  },
} as const

for (const language of ['en', 'de'] as const) {
  test(`a key is created, proven and used only in the page (${language})`, async () => {
    const words = { ...WORDS[language], ...REST[language] }
    const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
    const admin = await person(service, tenant, 'admin')
    const { page } = await openPage(browser, { service }, { locale: language === 'de' ? 'de-DE' : 'en-GB' })
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await signInAt(page, base, admin.email)
    await page.goto(`${base}/dashboard/${tenant}/test/settings`)
    await settled(page)
    const dialog = page.locator('dialog[open]')
    await page.getByRole('button', { name: words.add }).click()
    await assertAccessible(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: words.make }).click(),
    ])
    const file = {
      name: 'key.jwk',
      mimeType: 'application/json',
      buffer: Buffer.from(await readFile(await download.path())),
    }
    const { d, ...own } = JSON.parse(file.buffer.toString())
    // The merchant closes the dialog before it proves the key. The list then offers another challenge.
    await dialog.getByLabel(words.file).waitFor()
    await dialog.getByRole('button', { name: words.cancel }).click()
    await page.getByRole('row').getByRole('button', { name: words.prove }).click()
    await dialog.getByLabel(words.file).setInputFiles({ ...file, buffer: Buffer.from('{}') })
    await dialog.getByText(words.other).waitFor()
    await dialog.getByLabel(words.file).setInputFiles(file)
    await dialog.getByText(words.other).waitFor({ state: 'detached' })
    await assertAccessible(page)
    await dialog.getByRole('button', { name: words.prove }).click()
    await dialog.getByText(words.proven).waitFor()
    await dialog.getByRole('button', { name: words.close }).click()
    await assertCount(page.getByRole('row').getByRole('button', { name: words.prove }), 0)

    // The merchant pastes a key of its own; with two, a third cannot be added.
    await page.getByRole('button', { name: words.add }).click()
    await dialog.getByText(words.own).click()
    await assertCount(dialog.getByRole('button', { name: words.make }), 0)
    await dialog.locator('textarea').fill(JSON.stringify({ ...own, use: 'enc', alg: 'ECDH-ES' }))
    await dialog.getByRole('button', { name: words.addThis }).click()
    await dialog.getByText(words.known).waitFor()
    const { publicKey } = await generateResultKey()
    await dialog.locator('textarea').fill(JSON.stringify(publicKey))
    await dialog.getByRole('button', { name: words.addThis }).click()
    await dialog.getByLabel(words.file).waitFor()
    await dialog.getByRole('button', { name: words.cancel }).click()
    await assertCount(page.locator('tbody tr'), 2)
    assert.ok(await page.getByRole('button', { name: words.add }).isDisabled())
    await page.getByText(words.full).waitFor()
    await assertAccessible(page)

    const created = await create(service, await service.key(tenant))
    await (await testWallet(service)).present(created.wallet_uri)
    await page.goto(`${base}/dashboard/${tenant}/test/verifications/${created.id}`)
    await page.getByText(words.encrypted).waitFor()
    await assertCount(page.getByText('Specimen'), 0)
    await assertAccessible(page)
    await page.getByLabel(words.open).setInputFiles(file)
    await page.getByText('Specimen').first().waitFor()
    assert.equal(typeof d, 'string')
    assert.equal(sent.filter((request) => request.includes(d)).length, 0, 'the private key left the page')
    await page.close()
  })
}
