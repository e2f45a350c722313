// npm run screenshots: the hosted page in each state, payment, sign-in, test wallet and element, in two languages and both themes.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { LANGUAGES, type Language } from '../../../../labels/catalogue.ts'
import { readHostedPage } from '../../../src/features/pages/usecases/read-hosted-page.ts'
import { listeningService } from '../../harness/listening.ts'
import { asking, relyingParty, testClient } from '../../harness/openid-client.ts'
import { dress } from '../../harness/pages/brands.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { startShopPage } from '../../harness/pages/shop-page.ts'
import { GENEROUS } from '../../harness/service.ts'
import { testWallet } from '../../harness/wallet.ts'
import { CARD, PAYMENT } from '../../transactions/asking.ts'
import { type Created, create } from '../../wallet/verifications.ts'

const FOLDER =
  process.env.SCREENSHOTS_FOLDER ?? join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
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

/** Allows one page load only; the second fails. */
const busy = await listeningService({ rates: { ...GENEROUS.rates, verification: { perSecond: 0.001, burst: 1 } } })
const busyKey = await busy.key(await busy.tenant({ name: 'Grünhof' }))

const shop = await startShopPage(service.base)
const rp = await relyingParty()
const config = await (await testClient(service, tenant, { redirectUris: [rp.callback] })).configure()

const BACK = { redirect_url: 'https://shop.example/back' }
/** As the shop would write it, in the language of its page. */
const PURPOSES: Readonly<Record<Language, readonly [age: string, identity: string]>> = {
  en: ['You are buying wine.', 'You are opening a customer account.'],
  de: ['Sie kaufen Wein.', 'Sie eröffnen ein Kundenkonto.'],
  fr: ['Vous achetez du vin.', 'Vous ouvrez un compte client.'],
  it: ['Stai comprando del vino.', 'Stai aprendo un conto cliente.'],
  es: ['Compra vino.', 'Abre una cuenta de cliente.'],
  nl: ['U koopt wijn.', 'U opent een klantaccount.'],
}
const bodyIn = (language: Language) => ({ template: 'age_over_18', purpose: PURPOSES[language][0], ...BACK })
const payment = (payee: string) => ({
  query: { credentials: [CARD] },
  transaction: [
    {
      ...PAYMENT,
      payload: { ...PAYMENT.payload, transaction_id: 'GH-4711', payee: { ...PAYMENT.payload.payee, name: payee } },
    },
  ],
  ...BACK,
})

const PID = { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
const LICENCE = { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
/** Two documents, of which one is optional. */
const SEVERAL = {
  credentials: [
    { id: 'person', ...PID, claims: [{ path: ['given_name'] }, { path: ['address', 'locality'] }] },
    { id: 'licence', ...LICENCE, claims: [{ path: ['org.iso.18013.5.1', 'driving_privileges'] }] },
  ],
  credential_sets: [{ options: [['person']] }, { options: [['licence']], required: false }],
}
const NOTHING_HELD = {
  credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: ['urn:example:library-card'] } }],
}

type State = { does(created: Created, page: Page): Promise<unknown>; shows: string }

/** What to do once the page is open, and the element that then appears. */
const STATES: Record<string, State> = {
  waiting: { does: async () => undefined, shows: 'waiting' },
  fetched: { does: (created) => wallet.request(created.wallet_uri), shows: 'fetched' },
  checking: {
    async does(created, page) {
      // The open page shows the fetch before the next step.
      await wallet.request(created.wallet_uri)
      await page.waitForSelector('[data-show=fetched]:visible')
      service.deps.progress.noteChecking(created.id)
    },
    shows: 'checking',
  },
  done: { does: (created) => wallet.present(created.wallet_uri), shows: 'completed' },
  declined: { does: (created) => wallet.present(created.wallet_uri, 'declined'), shows: 'declined' },
  failed: { does: (created) => wallet.present(created.wallet_uri, 'revoked'), shows: 'failed' },
  expired: { does: async () => service.clock.advance(24 * 3_600_000), shows: 'expired' },
}

/** The other ends for which the page has words. */
const ENDS: Record<string, State> = {
  'last-minute': {
    // The page counts from the time when it was loaded.
    async does(_, page) {
      service.clock.advance(215_000)
      await page.reload()
      await page.waitForSelector('[data-time]:visible')
    },
    shows: 'waiting',
  },
  'failed-expired': { does: (created) => wallet.present(created.wallet_uri, 'expired'), shows: 'failed' },
  'failed-untrusted': { does: (created) => wallet.present(created.wallet_uri, 'untrusted'), shows: 'failed' },
  'failed-incomplete': { does: (created) => wallet.present(created.wallet_uri, 'missing_claim'), shows: 'failed' },
  'failed-forged': { does: (created) => wallet.present(created.wallet_uri, 'tampered'), shows: 'failed' },
  'failed-wallet': {
    async does(created) {
      const { state } = await wallet.request(created.wallet_uri)
      const error = new URLSearchParams({ error: 'vp_formats_not_supported', state: state ?? '' })
      await fetch(`${service.base}/wallet/response/${created.id}`, { method: 'POST', body: error })
    },
    shows: 'failed',
  },
  cancelled: {
    does: (created) => service.call('POST', `/v1/verifications/${created.id}/cancel`, { key }),
    shows: 'expired',
  },
}

interface Scene {
  readonly context: BrowserContext
  readonly page: Page
  readonly locale: string
  readonly language: Language
  /** Another browser, with the same language and theme. */
  another(viewport?: { width: number; height: number }): Promise<Page>
  shoot(state: string, fullPage?: boolean, of?: Page): Promise<unknown>
}

const walletPage = ({ wallet_uri }: Created) => `${service.base}/sandbox/wallet?uri=${encodeURIComponent(wallet_uri)}`

/** By surface, so that one can be taken separately: `--test-name-pattern payment`. */
const SURFACES: Record<string, (scene: Scene) => Promise<void>> = {
  async hosted({ context, page, language, another, shoot }) {
    for (const [state, { does, shows }] of Object.entries({ ...STATES, ...ENDS })) {
      const own = await context.newPage()
      const created = await create(service, key, bodyIn(language))
      await own.goto(`${service.base}/verify/${created.id}`)
      await own.waitForSelector('[data-waiting]:visible')
      await does(created, own)
      await own.waitForSelector(shows === 'waiting' ? '[data-waiting]:visible' : `[data-show=${shows}]:visible`)
      await shoot(state, true, own)
      if (state === 'waiting') {
        for (const summary of await own.locator('.notes[data-open] summary').all()) await summary.click()
        await shoot('waiting-unfolded', true, own)
        const other = await another()
        await other.goto(`${service.base}/verify/${created.id}`)
        await other.waitForSelector('[data-stopped]')
        await shoot('opened-elsewhere', false, other)
        await other.context().close()
      }
      await own.close()
    }
    const verification = await create(service, plain, { template: 'driving_licence', ...BACK })
    await page.goto(`${service.base}/verify/${verification.id}`)
    await page.waitForSelector('[data-waiting]:visible')
    await shoot('plain', true)
    await context.setOffline(true)
    await page.waitForSelector('[data-offline] span:visible')
    await shoot('offline', true)
    await context.setOffline(false)
    await page.goto(`${service.base}/verify/ver_${'0'.repeat(32)}`)
    await shoot('unknown')
    const tried = await create(busy, busyKey, bodyIn(language))
    for (const _ of [1, 2]) await page.goto(`${busy.base}/verify/${tried.id}`)
    await shoot('too-many-tries')
  },
  async payment({ context, page, shoot }) {
    for (const [state, does, shows] of [
      ['pay', async () => undefined, null],
      ['pay-fetched', (created: Created) => wallet.request(created.wallet_uri), 'fetched'],
      ['pay-done', (created: Created) => wallet.present(created.wallet_uri), 'completed'],
      ['pay-declined', (created: Created) => wallet.present(created.wallet_uri, 'declined'), 'declined'],
      ['pay-failed', (created: Created) => wallet.present(created.wallet_uri, 'revoked'), 'failed'],
    ] as const) {
      const own = await context.newPage()
      const created = await create(service, key, payment('Grünhof'))
      await own.goto(`${service.base}/verify/${created.id}`)
      await own.waitForSelector('[data-waiting]:visible')
      await does(created)
      if (shows !== null) await own.waitForSelector(`[data-show=${shows}]:visible`)
      await shoot(state, true, own)
      await own.close()
    }
    const other = await create(service, key, payment('Weingut Sommer'))
    await page.goto(`${service.base}/verify/${other.id}`)
    await page.waitForSelector('[data-waiting]:visible')
    await shoot('pay-other-payee', true)
  },
  async 'sign-in'({ page, another, shoot }) {
    // Begins on the client's website, as people do.
    await page.goto(rp.callback)
    await page.goto(`${service.base}/oidc/${tenant}/test/authorize?client_id=nobody`)
    await shoot('sign-in-stopped')
    const begin = async () => {
      await page.goto((await asking(config, rp)).url.href)
      await page.waitForSelector('[data-waiting]:visible')
    }
    await begin()
    await shoot('sign-in', true)
    const { walletUri } = await readHostedPage(service.deps, /ver_\w+/.exec(page.url())?.[0] ?? '')
    const { redirectUri } = await wallet.present(walletUri)
    await page.waitForSelector('input[name=code]')
    await shoot('sign-in-confirm', true)
    await page.fill('input[name=code]', '00000000')
    await page.click('button[type=submit]')
    await page.waitForSelector('[role=alert]')
    await shoot('sign-in-wrong-code', true)
    const phone = await another(SIZES.phone)
    await phone.goto(redirectUri ?? '')
    await phone.waitForSelector('[data-code]')
    await shoot('sign-in-code', true, phone)
    await phone.context().close()
  },
  async 'test wallet'({ page, language, shoot }) {
    const age = bodyIn(language)
    const identity = { template: 'identity', purpose: PURPOSES[language][1], ...BACK }
    /** Opens a request, answers it with `scenario`, and returns the result. */
    const answer = async (state: string, body: object, scenario: string | null) => {
      await page.goto(walletPage(await create(service, key, body)))
      if (scenario !== null) await page.selectOption('#scenario', scenario)
      await page.click(`button[value=${scenario === null ? 'decline' : 'consent'}]`)
      await page.waitForSelector('.state')
      await shoot(`test-wallet-${state}`, true)
    }
    await page.goto(`${service.base}/sandbox/wallet`)
    await shoot('test-wallet', true)
    await page.fill('textarea', 'https://shop.example/checkout')
    await page.click('button[type=submit]')
    await page.waitForSelector('.wrong')
    await shoot('test-wallet-wrong-link', true)
    await page.goto(walletPage(await create(service, key, age)))
    await shoot('test-wallet-asked', true)
    for (const summary of await page.locator('summary').all()) await summary.click()
    await page.selectOption('#scenario', 'revoked')
    await shoot('test-wallet-trials', true)
    await page.goto(walletPage(await create(service, key, identity)))
    await page.check('.pick:nth-of-type(2) input')
    await shoot('test-wallet-identity', true)
    await page.goto(walletPage(await create(service, key, { query: SEVERAL, ...BACK })))
    await shoot('test-wallet-several', true)
    await page.goto(walletPage(await create(service, key, { query: NOTHING_HELD, ...BACK })))
    await shoot('test-wallet-no-match', true)
    await page.goto(walletPage(await create(service, key, payment('Grünhof'))))
    await shoot('test-wallet-pay', true)
    await answer('done', age, 'good')
    await answer('done-identity', identity, 'good')
    await answer('pay-done', payment('Grünhof'), 'good')
    await answer('failed', age, 'revoked')
    await answer('failed-tampered', identity, 'tampered')
    await answer('pay-failed', payment('Grünhof'), 'untrusted')
    await answer('declined', age, null)
    const answered = await create(service, key, age)
    await wallet.present(answered.wallet_uri)
    await page.goto(walletPage(answered))
    await shoot('test-wallet-answered', true)
    await page.goto((await asking(config, rp)).url.href)
    await page.click('.try a')
    await page.waitForSelector('button[value=consent]')
    await shoot('test-wallet-sign-in', true)
    const late = await create(service, key, age)
    service.clock.advance(24 * 3_600_000)
    await page.goto(walletPage(late))
    await shoot('test-wallet-expired', true)
  },
  async element({ page, locale, language, shoot }) {
    for (const [title, scenario] of [
      ['element', null],
      ['element-done', 'good'],
      ['element-declined', 'declined'],
      ['element-failed', 'revoked'],
    ] as const) {
      const shown = await create(service, key, { template: 'age_over_18', purpose: PURPOSES[language][0] })
      await page.goto(`${shop.urlOf(shown)}&lang=${locale}`)
      await page.locator('vidimus-verify h2').waitFor()
      if (scenario !== null) {
        await wallet.present(shown.wallet_uri, scenario)
        await page.locator('vidimus-verify [data-ended]').waitFor()
      }
      await shoot(title, true)
    }
    for (const [title, body] of [
      ['element-fetched', { template: 'age_over_18', purpose: PURPOSES[language][0] }],
      ['element-pay-fetched', payment('Grünhof')],
    ] as const) {
      const shown = await create(service, key, body)
      await page.goto(`${shop.urlOf(shown)}&lang=${locale}`)
      await page.locator('vidimus-verify h2').waitFor()
      if (title === 'element-pay-fetched') await shoot('element-pay', true)
      await wallet.request(shown.wallet_uri)
      await page.locator('vidimus-verify [data-step=fetched]').waitFor()
      await shoot(title, true)
    }
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
          // Like most browsers: without an API that asks wallets.
          await context.addInitScript('delete globalThis.DigitalCredential')
          const look = `hosted-${size}-${locale.slice(0, 2)}-${colorScheme}`
          const page = await context.newPage()
          const shoot = async (state: string, fullPage = false, of = page) => {
            await of.evaluate(() => document.fonts.ready.then(() => undefined))
            await of.screenshot({ path: join(FOLDER, `${look}-${state}.png`), fullPage })
          }
          const another = async (size = viewport) =>
            (await browser.newContext({ locale, colorScheme, viewport: size })).newPage()
          const language = locale.startsWith('de') ? 'de' : 'en'
          await take({ context, page, locale, language, another, shoot })
          await context.close()
        })

/** Every language, with every end: the words may be long. */
for (const language of LANGUAGES)
  test(`in ${language}`, async () => {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const page = await browser.newPage({ viewport })
      await page.addInitScript('delete globalThis.DigitalCredential')
      for (const [state, { does, shows }] of Object.entries(STATES)) {
        const body = { ...bodyIn(language), template: 'identity', purpose: PURPOSES[language][1] }
        const created = await create(service, key, body)
        await page.goto(`${service.base}/verify/${created.id}?lang=${language}`)
        await page.waitForSelector('[data-waiting]:visible')
        await does(created, page)
        await page.waitForSelector(shows === 'waiting' ? '[data-waiting]:visible' : `[data-show=${shows}]:visible`)
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
      const created = await create(service, key, bodyIn('en'))
      await page.goto(`${service.base}/verify/${created.id}`)
      await page.evaluate(() => {
        document.documentElement.dir = 'rtl'
      })
      await page.waitForSelector('[data-waiting]:visible')
      await does(created, page)
      await page.waitForSelector(shows === 'waiting' ? '[data-waiting]:visible' : `[data-show=${shows}]:visible`)
      await page.screenshot({ path: join(FOLDER, `hosted-rtl-${size}-${state}.png`), fullPage: true })
    }
    await page.close()
  }
})

test('if the browser asks wallets', async () => {
  for (const [size, viewport] of Object.entries(SIZES))
    for (const [locale, colorScheme] of [
      ['en-GB', 'light'],
      ['de-DE', 'dark'],
    ] as const) {
      const page = await browser.newPage({ viewport, locale, colorScheme })
      const created = await create(service, key, bodyIn('en'))
      await page.goto(`${service.base}/verify/${created.id}`)
      await page.waitForSelector('[data-ask]:enabled')
      const look = `hosted-${size}-${locale.slice(0, 2)}-${colorScheme}`
      await page.screenshot({ path: join(FOLDER, `${look}-asks.png`) })
      await page.close()
    }
})
