// npm run screenshots: the till's screens and the guest's, in two languages and both themes, on a tablet, a desktop and a phone.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { generateKey, issueAll, PERSON } from '@vidimus/wallet'
import type { Page } from 'playwright-core'
import { saveTemplate } from '../../../src/core/templates/usecases/manage-templates.ts'
import { listeningService } from '../../harness/listening.ts'
import { dress } from '../../harness/pages/brands.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { outcome, readCode, type TillOptions, tillsOf } from '../../harness/pages/till.ts'
import { OPERATOR } from '../../harness/service.ts'
import { testWallet } from '../../harness/wallet.ts'
import { CARD, PAYMENT_TO_FILL_IN } from '../../transactions/asking.ts'
import { respond, validBody } from '../../wallet/verifications.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOOKS: Readonly<Record<string, TillOptions>> = {
  'en-tablet': {},
  'de-dark-tablet': { locale: 'de-DE', dark: true },
  'en-dark-desktop': { width: 1440, dark: true },
  'de-phone': { locale: 'de-DE', width: 390 },
}

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Grünhof' })
const key = await service.key(tenant)
await dress(service, tenant, { name: 'Grünhof' })
const tills = tillsOf(service, await testBrowser(), key)
await mkdir(FOLDER, { recursive: true })

const PAY = { en: 'Pay by card', de: 'Mit Karte zahlen' } as const
for (const [language, title] of Object.entries(PAY))
  await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment: 'test' },
    key: `pay_card_${language}`,
    document: { title, query: { credentials: [CARD] }, transaction: PAYMENT_TO_FILL_IN },
    actor: OPERATOR,
  })
const MANY = ['age_over_18', 'age_over_16', 'identity', 'portrait', 'driving_licence']

async function enterPin(page: Page, digits: string): Promise<void> {
  for (const digit of digits) await page.click(`.pad button:text-is("${digit}")`)
  await page.click('#pin-done')
}

/** Ten years old. */
async function answerAsChild(walletUri: string): Promise<void> {
  const { issuer, now } = wallet.options
  const born = new Date((now - 10 * 365 * 86_400) * 1000).toISOString().slice(0, 10)
  const credentials = issueAll(issuer, { holderKey: generateKey(), now, person: { ...PERSON, birthDate: born } })
  const id = /ver_[A-Za-z0-9]{32}/.exec(decodeURIComponent(walletUri))?.[0] ?? ''
  await respond(service, id, await validBody(wallet, await wallet.request(walletUri), { credentials }))
}

for (const [name, look] of Object.entries(LOOKS)) {
  test(name, async () => {
    const { page: unpaired, context: apart } = await tills.open(look)
    await unpaired.screenshot({ path: join(FOLDER, `till-${name}-pairing.png`) })
    await apart.close()
    const { page, context } = await tills.paired(look)
    const take = (title: string, of = page) => of.screenshot({ path: join(FOLDER, `till-${name}-${title}.png`) })
    for (const [title, template, scenario] of [
      ['yes', 'age_over_18', 'good'],
      ['facts', 'identity', 'good'],
      ['unproven', 'age_over_18', 'declined'],
      ['no', 'age_over_18', 'child'],
    ] as const) {
      await page.tap(`[data-template=${template}]`)
      const walletUri = await readCode(page)
      if (title === 'yes') await take('code')
      if (scenario === 'child') await answerAsChild(walletUri)
      else await wallet.present(walletUri, scenario)
      await outcome(page)
      await take(title)
      await page.click('main > button')
    }
    await take('choices')
    const away = /\/(v1|healthz)/
    await page.route(away, (route) => route.abort())
    await page.tap('[data-template=age_over_18]')
    await page.waitForSelector('.notice')
    await page.locator('#connection').waitFor({ state: 'visible' })
    await take('offline')
    await page.unroute(away)
    await page.locator('#connection').waitFor({ state: 'hidden' })
    await page.click('.recent summary')
    await take('recent')
    await page.click('#settings')
    await take('settings')
    const display = await context.newPage()
    await display.goto(`${service.base}/till#display`)
    await display.waitForSelector('.display-code')
    await take('display-pairing', display)
    await page.fill('#display-code', await display.innerText('.display-code'))
    await page.click('.inline button')
    await page.click('#back')
    await page.tap('[data-template=age_over_18]')
    await readCode(display)
    await take('display-code', display)
    await take('asking')
    await page.locator('main > button').last().click()
    await display.waitForSelector('body[data-scene=done]')
    await take('display-done', display)
    await page.waitForSelector('.choices')
    await page.click('#settings')
    await page.click('#lock')
    await take('pin')
    const choosing = await page.innerText('h1')
    await enterPin(page, '4711')
    await page.waitForFunction((before) => document.querySelector('h1')?.innerText !== before, choosing)
    await enterPin(page, '4711')
    await page.waitForSelector('#settings[data-locked=true]')
    await take('locked')
    await page.click('#settings')
    await enterPin(page, '0000')
    await page.waitForSelector('.notice')
    for (const digit of '471') await page.click(`.pad button:text-is("${digit}")`)
    await take('pin-wrong')
    await page.click('.pad button:text-is("1")')
    await page.click('#pin-done')
    await page.waitForSelector('#unpair')
    await display.close()
    await page.click('#unpair')
    await page.locator('#unpair').scrollIntoViewIfNeeded()
    await take('unpair-sure')
    await context.setOffline(true)
    await page.click('#unpair')
    await page.waitForSelector('#code')
    await take('unpaired-offline')
    await context.close()
  })

  test(`${name}, with many templates`, async () => {
    const pay = `pay_card_${look.locale === 'de-DE' ? 'de' : 'en'}`
    const { page, context } = await tills.paired({ ...look, templates: [...MANY, pay] })
    const take = (title: string) => page.screenshot({ path: join(FOLDER, `till-${name}-${title}.png`) })
    await take('many')
    await page.tap(`[data-template=${pay}]`)
    await page.waitForSelector('#field-amount')
    await page.click('button[type=submit]')
    await take('amount')
    await page.fill('#field-amount', '42,50')
    await page.click('button[type=submit]')
    const paying = await readCode(page)
    await take('pay')
    await wallet.present(paying)
    await outcome(page)
    await take('paid')
    await page.click('main > button')
    for (const template of ['portrait', 'driving_licence']) {
      await page.tap(`[data-template=${template}]`)
      await wallet.present(await readCode(page))
      await outcome(page)
      await take(template)
      await page.click('main > button')
    }
    await context.close()
  })
}
