// Tests that the page verifies files itself: it explains valid ones, refuses changed ones, and sends nothing.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { exportAudit } from '../../../src/features/audit/usecases/read-audit.ts'
import { growLog } from '../../../src/features/transparency/usecases/grow-log.ts'
import { runJob } from '../../harness/jobs.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { startWitness } from '../../harness/servers/witness.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { create } from '../../wallet/verifications.ts'

await builtDashboard()
const folder = await mkdtemp(join(tmpdir(), 'vidimus-proof-page-'))
const witness = await startWitness(join(folder, 'w'))
after(async () => {
  await witness.kill('SIGTERM')
  await rm(folder, { recursive: true })
})
const service = await listeningService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8', VIDIMUS_WITNESSES: witness.setting })
const { base } = service
const browser = await testBrowser()
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const viewer = await person(service, tenant, 'viewer')
const key = await service.key(tenant)
const wallet = await testWallet(service)
const created = await create(service, key)
await wallet.present(created.wallet_uri)
for (let i = 0; i < 3; i += 1) await wallet.present((await create(service, key)).wallet_uri, 'declined')
// The witness stores the log's name and accepts only that one from now on.
await growLog({ ...service.deps, config: { ...service.deps.config, baseUrl: 'https://verify.example.com' } })
await runJob(service.deps, 'keep-log')
const get = async (path: string) => (await service.call('GET', path, { key })).text
const receipt = await get(`/v1/verifications/${created.id}/receipt`)
const proof = await get(`/v1/verifications/${created.id}/receipt.tlog-proof`)
const exported = `${(await Array.fromAsync(exportAudit(service.deps, { tenantId: tenant, environment: 'test' }))).join('\n')}\n`

const WORDS = {
  en: {
    locale: 'en-GB',
    link: 'Verify the receipt',
    advanced: 'Advanced: keys and public log',
    holds: 'Genuine and unchanged',
    broken: 'Not genuine, or changed',
    about: 'What was checked: Identity.',
    outcome: 'Outcome: completed. Test mode.',
    signed: /The receipt was signed by this service on/,
    seen: /The witness witness\.example\/w confirmed by/,
    chain: /The chain is complete: \d+ entries/,
    unknown: /is not a receipt and not an export/,
    behind: 'has cosigned the newest checkpoint',
  },
  de: {
    locale: 'de-DE',
    link: 'Quittung prüfen',
    advanced: 'Erweitert: Schlüssel und öffentliches Log',
    holds: 'Echt und unverändert',
    broken: 'Nicht echt oder verändert',
    about: 'Was geprüft wurde: Identität.',
    outcome: 'Ergebnis: abgeschlossen. Testmodus.',
    signed: /Die Quittung wurde am .* von diesem Dienst signiert/,
    seen: /Der Zeuge witness\.example\/w hat spätestens/,
    chain: /Die Kette ist vollständig: \d+ Einträge/,
    unknown: /ist weder eine Quittung noch ein Export/,
    behind: 'hat den neuesten Prüfpunkt mitsigniert',
  },
} as const

const asFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
const flipped = (text: string, at: number) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`

/** Drops files as a browser passes them. */
async function drop(page: Page, files: readonly { name: string; text: string }[]): Promise<void> {
  const transfer = await page.evaluateHandle((input) => {
    const dropped = new DataTransfer()
    for (const { name, text } of input) dropped.items.add(new File([text], name))
    return dropped
  }, files)
  await page.dispatchEvent('input[type=file]', 'drop', { dataTransfer: transfer })
}

for (const [language, scheme] of [
  ['en', 'light'],
  ['de', 'dark'],
] as const) {
  test(`the page distinguishes good and tampered files (${language}, ${scheme}, 390 px)`, async () => {
    const words = WORDS[language]
    const { page } = await openPage(browser, { service }, { locale: words.locale, dark: scheme === 'dark', width: 390 })
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    await signInAt(page, base, viewer.email)
    await page.goto(`${base}/dashboard/${tenant}/test/verifications/${created.id}`)
    await page.getByRole('link', { name: words.link, exact: true }).click()
    await page.getByText(words.signed).waitFor()
    for (const text of [words.about, words.outcome, created.id]) await page.getByText(text, { exact: true }).waitFor()
    await page.getByText(words.seen).waitFor()
    await page.locator('summary', { hasText: words.advanced }).click()
    await page.getByText(words.behind).waitFor()
    assert.ok((await page.locator('figure svg circle').count()) >= 3, 'the path is drawn')
    await settled(page)
    await assertAccessible(page)
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
      'nothing is wider than 390 px',
    )

    await page.goto(`${base}/dashboard/${tenant}/test/proof`)
    const input = page.locator('input[type=file]')
    const both = (jws: string, file: string) => [asFile('receipt.jws', jws), asFile('receipt.tlog-proof', file)]
    await input.setInputFiles(both(receipt, proof))
    await page.getByRole('heading', { name: words.holds, exact: true }).waitFor()
    await page.getByText(words.seen).waitFor()
    const lines = proof.split('\n')
    const tampered: [jws: string, file: string][] = [
      [flipped(receipt, 200), proof],
      [receipt, lines.with(2, flipped(lines[2] ?? '', 4)).join('\n')],
      // A leaf may have any position in its batch, even the first.
      [receipt, lines.with(1, lines[1] === 'index 0' ? 'index 1' : 'index 0').join('\n')],
    ]
    for (const [jws, file] of tampered) {
      await input.setInputFiles(both(jws, file))
      await page.getByText(words.broken, { exact: true }).waitFor()
      await assertCount(page.getByRole('heading', { name: words.holds, exact: true }), 0)
      await input.setInputFiles(both(receipt, proof))
      await page.getByRole('heading', { name: words.holds, exact: true }).waitFor()
    }
    await drop(page, [{ name: 'export.ndjson', text: exported }])
    await page.getByText(words.chain).waitFor()
    await settled(page)
    await assertAccessible(page)
    const cut = exported.replace('verification.completed', 'verification.failed00')
    await drop(page, [{ name: 'export.ndjson', text: cut }])
    await page.getByText(words.broken, { exact: true }).waitFor()
    await assertAccessible(page)
    await drop(page, [{ name: 'photo.png', text: 'not one of ours' }])
    await page.getByText(words.unknown).waitFor()
    assert.equal(sent.filter((body) => body.includes(receipt.slice(0, 60)) || body.includes('tlog-proof')).length, 0)
    await page.close()
  })
}
