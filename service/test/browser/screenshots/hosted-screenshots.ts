// npm run screenshots: the hosted page in each of its states, payment, sign-in, test wallet and element, in two languages and both themes, wide and on a phone.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { LANGUAGES } from '../../../../labels/catalogue.ts'
import { readHostedPage } from '../../../src/features/pages/usecases/read-hosted-page.ts'
import { listeningService } from '../../harness/listening.ts'
import { asking, relyingParty, testClient } from '../../harness/openid-client.ts'
import { dress } from '../../harness/pages/brands.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { startShopPage } from '../../harness/pages/shop-page.ts'
import { testWallet } from '../../harness/wallet.ts'
import { CARD, PAYMENT } from '../../transactions/asking.ts'
import { type Created, create } from '../../wallet/verifications.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOCALES = ['en-GB', 'de-DE']
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }

const service = await listeningService()
const wallet = await testWallet(service)
const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })

const tenant = await service.tenant({ name: 'Grünhof Versand GmbH' })
const key = await service.key(tenant)
await dress(service, tenant, { name: 'Grünhof' })
const plain = await service.key(await service.tenant({ name: 'Weinhandlung Beispiel' }))

const shop = await startShopPage(service.base)
const rp = await relyingParty()
const config = await (await testClient(service, tenant, { redirectUris: [rp.callback] })).configure()

const BODY = {
  template: 'age_over_18',
  purpose: 'You are buying alcohol.',
  redirect_url: 'https://shop.example/back',
}

/** What is done once the page is open, and what then shows. */
const STATES: Record<string, { does(made: Created, page: Page): Promise<unknown>; shows: string }> = {
  waiting: { does: async () => undefined, shows: 'waiting' },
  fetched: { does: (made) => wallet.request(made.wallet_uri), shows: 'fetched' },
  checking: {
    async does(made, page) {
      // The page follows by then.
      await wallet.request(made.wallet_uri)
      await page.waitForSelector('[data-show=fetched]:visible')
      service.deps.progress.noteChecking(made.id)
    },
    shows: 'checking',
  },
  done: { does: (made) => wallet.present(made.wallet_uri), shows: 'completed' },
  declined: { does: (made) => wallet.present(made.wallet_uri, 'declined'), shows: 'declined' },
  failed: { does: (made) => wallet.present(made.wallet_uri, 'revoked'), shows: 'failed' },
  expired: { does: async () => service.clock.advance(24 * 3_600_000), shows: 'expired' },
}

interface Scene {
  readonly context: BrowserContext
  readonly page: Page
  readonly locale: string
  shoot(state: string, fullPage?: boolean, of?: Page): Promise<unknown>
}

const walletPage = ({ wallet_uri }: Created) => `${service.base}/sandbox/wallet?uri=${encodeURIComponent(wallet_uri)}`

/** By surface, so that one can be taken alone: `--test-name-pattern payment`. */
const SURFACES: Record<string, (scene: Scene) => Promise<void>> = {
  async hosted({ context, page, shoot }) {
    for (const [state, { does, shows }] of Object.entries(STATES)) {
      const own = await context.newPage()
      const made = await create(service, key, BODY)
      await own.goto(`${service.base}/verify/${made.id}`)
      await does(made, own)
      await own.waitForSelector(`[data-show=${shows}]:visible`)
      await shoot(state, false, own)
      await own.close()
    }
    const made = await create(service, plain, { template: 'driving_licence' })
    await page.goto(`${service.base}/verify/${made.id}`)
    await page.waitForSelector('[data-show=waiting]:visible')
    await shoot('plain', true)
    await context.setOffline(true)
    await page.waitForSelector('[data-offline] span:visible')
    await shoot('offline')
    await context.setOffline(false)
    await page.goto(`${service.base}/verify/ver_${'0'.repeat(32)}`)
    await shoot('unknown')
  },
  async payment({ page, shoot }) {
    const made = await create(service, key, { query: { credentials: [CARD] }, transaction: [PAYMENT] })
    await page.goto(`${service.base}/verify/${made.id}`)
    await page.waitForSelector('[data-show=waiting]:visible')
    await shoot('pay')
    await wallet.request(made.wallet_uri)
    await page.waitForSelector('[data-show=fetched]:visible')
    await shoot('pay-fetched')
  },
  async 'sign-in'({ page, shoot }) {
    await page.goto(`${service.base}/oidc/${tenant}/test/authorize?client_id=nobody`)
    await shoot('sign-in-stopped')
    const begin = async () => {
      await page.goto((await asking(config, rp)).url.href)
      await page.waitForSelector('[data-show=waiting]:visible')
    }
    await begin()
    await shoot('sign-in')
    const { walletUri } = await readHostedPage(service.deps, /ver_\w+/.exec(page.url())?.[0] ?? '')
    const { redirectUri } = await wallet.present(walletUri)
    await page.waitForSelector('input[name=code]')
    await shoot('sign-in-confirm')
    await page.fill('input[name=code]', '00000000')
    await page.click('button[type=submit]')
    await page.waitForSelector('[role=alert]')
    await shoot('sign-in-wrong-code')
    const phone = await browser.newPage({ viewport: SIZES.phone })
    await phone.goto(redirectUri ?? '')
    await phone.waitForSelector('[data-code]')
    await shoot('sign-in-code', false, phone)
    await phone.close()
  },
  async 'test wallet'({ page, shoot }) {
    await page.goto(`${service.base}/sandbox/wallet`)
    await shoot('test-wallet')
    const open = await create(service, key, BODY)
    await page.goto(walletPage(open))
    await shoot('test-wallet-asked', true)
    await page.click('.trial > summary')
    await page.click('.technical summary')
    await shoot('test-wallet-trials', true)
    await page.check('input[value=revoked]')
    await page.click('button[value=consent]')
    await page.waitForSelector('.state')
    await shoot('test-wallet-failed', true)
    const shared = await create(service, key, { template: 'identity', purpose: 'To open an account' })
    await page.goto(walletPage(shared))
    await page.click('button[value=consent]')
    await page.waitForSelector('.state')
    await shoot('test-wallet-done', true)
    await page.goto(walletPage(shared))
    await shoot('test-wallet-refused')
    const paying = await create(service, key, { query: { credentials: [CARD] }, transaction: [PAYMENT] })
    await page.goto(walletPage(paying))
    await shoot('test-wallet-pay', true)
  },
  async element({ page, locale, shoot }) {
    for (const [title, scenario] of [
      ['element', null],
      ['element-done', 'good'],
      ['element-failed', 'declined'],
    ] as const) {
      const shown = await create(service, key, { template: 'age_over_18' })
      await page.goto(`${shop.urlOf(shown)}&lang=${locale}`)
      await page.locator('vidimus-verify h2').waitFor()
      if (scenario !== null) {
        await wallet.present(shown.wallet_uri, scenario)
        await page.locator('vidimus-verify [data-ended]').waitFor()
      }
      await shoot(title)
    }
    const paying = await create(service, key, { query: { credentials: [CARD] }, transaction: [PAYMENT] })
    await page.goto(`${shop.urlOf(paying)}&lang=${locale}`)
    await page.locator('vidimus-verify h2').waitFor()
    await shoot('element-pay')
    await wallet.request(paying.wallet_uri)
    await page.locator('vidimus-verify [data-step=fetched]').waitFor()
    await shoot('element-fetched')
  },
}

for (const [surface, take] of Object.entries(SURFACES))
  for (const [size, viewport] of Object.entries(SIZES))
    for (const locale of LOCALES)
      for (const colorScheme of ['light', 'dark'] as const)
        test(`${surface}: ${size} ${locale} ${colorScheme}`, async () => {
          const onPhone = size === 'phone'
          const context = await browser.newContext({
            locale,
            colorScheme,
            viewport,
            hasTouch: onPhone,
            isMobile: onPhone,
          })
          // As most browsers are: without an API that asks wallets.
          await context.addInitScript('delete globalThis.DigitalCredential')
          const look = `hosted-${size}-${locale.slice(0, 2)}-${colorScheme}`
          const page = await context.newPage()
          const shoot = (state: string, fullPage = false, of = page) =>
            of.screenshot({ path: join(FOLDER, `${look}-${state}.png`), fullPage })
          await take({ context, page, locale, shoot })
          await context.close()
        })

/** Every language, and every end in it: by the words that are longest. */
for (const language of LANGUAGES)
  test(`in ${language}`, async () => {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const page = await browser.newPage({ viewport })
      await page.addInitScript('delete globalThis.DigitalCredential')
      for (const [state, { does, shows }] of Object.entries(STATES)) {
        const made = await create(service, key, { ...BODY, template: 'identity' })
        await page.goto(`${service.base}/verify/${made.id}?lang=${language}`)
        await does(made, page)
        await page.waitForSelector(`[data-show=${shows}]:visible`)
        await page.screenshot({ path: join(FOLDER, `hosted-in-${language}-${size}-${state}.png`), fullPage: true })
      }
      await page.close()
    }
  })

test('from right to left', async () => {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const page = await browser.newPage({ viewport })
    await page.addInitScript('delete globalThis.DigitalCredential')
    for (const [state, { does, shows }] of Object.entries(STATES)) {
      const made = await create(service, key, BODY)
      await page.goto(`${service.base}/verify/${made.id}`)
      await page.evaluate(() => {
        document.documentElement.dir = 'rtl'
      })
      await does(made, page)
      await page.waitForSelector(`[data-show=${shows}]:visible`)
      await page.screenshot({ path: join(FOLDER, `hosted-rtl-${size}-${state}.png`), fullPage: true })
    }
    await page.close()
  }
})

test('where the browser asks wallets', async () => {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const page = await browser.newPage({ viewport, locale: 'en-GB' })
    const made = await create(service, key, BODY)
    await page.goto(`${service.base}/verify/${made.id}`)
    await page.waitForSelector('[data-ask]:enabled')
    await page.screenshot({ path: join(FOLDER, `hosted-${size}-asks.png`) })
    await page.close()
  }
})
