// npm run screenshots: the example shop from the products to the end of an order, light and dark, wide and on a phone.

import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { createShop } from '../../../../examples/shop/shop.ts'
import { addOrigin } from '../../../src/features/trust/usecases/origins/manage-origins.ts'
import { startMerchant } from '../../docs/shop-tests.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { OPERATOR } from '../../harness/service.ts'
import { once } from '../../harness/wait.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  'phone-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const

const { service, realm, wallet, apiKey, webhookSecret } = await startMerchant()
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://localhost:${(server.address() as AddressInfo).port}`
assert.equal((await addOrigin(service.deps, { realm, origin: address, actor: OPERATOR })).outcome, 'added')
const options = { address, vidimusUrl: service.base, apiKey, webhookSecret, isPublic: false, origin: address }
server.on('request', await createShop({ ...options, signIn: null }))
after(() => {
  server.close()
  server.closeAllConnections()
})
const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })

for (const [name, look] of Object.entries(LOOKS)) {
  test(name, async () => {
    const context = await browser.newContext(look)
    const page = await context.newPage()
    const shoot = (title: string) => page.screenshot({ path: join(FOLDER, `shop-${name}-${title}.png`) })
    const checkOut = async () => {
      await page.getByRole('button', { name: 'Check out' }).click()
      await page.locator('vidimus-verify h2').waitFor()
      return (await page.locator('a[href^="openid4vp:"]').getAttribute('href')) ?? ''
    }
    for (const [scenario, state] of [
      ['good', 'sold'],
      ['declined', 'refused'],
    ] as const) {
      await page.goto(address)
      await shoot('shelf')
      await page.getByRole('button', { name: 'Add to basket: Riesling 2024' }).click()
      await page.getByRole('link', { name: /Basket/ }).click()
      await shoot('basket')
      const link = await checkOut()
      await shoot('checkout')
      await wallet.present(link, scenario)
      await page.locator(`[data-state=${state}]`).waitFor()
      await shoot(state)
    }
    await context.close()
  })
}
