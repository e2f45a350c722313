// Tests that an attacker who relays a sign-in to a victim never gets a code for the client, with two real browsers each.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { listeningService } from '../harness/listening.ts'
import { type Asking, asking, redeem, relyingParty, testClient, typeCode } from '../harness/openid-client.ts'
import { assertAccessibleInBothThemes } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { delayAnswers } from '../harness/pages/slow.ts'
import { answerOffer, offerOf, virtualWallet } from '../harness/pages/virtual-wallet.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const rp = await relyingParty()
const browser = await testBrowser()

async function context(): Promise<BrowserContext> {
  return browser.newContext({ locale: 'en-GB' })
}

async function open(own: BrowserContext): Promise<Page> {
  const page = await own.newPage()
  page.on('pageerror', (error) => assert.fail(error))
  return page
}

const isBack = (url: URL) => url.href.startsWith(rp.callback)
const idOn = async (page: Page) => (await page.getAttribute('[data-verification]', 'data-verification')) ?? ''
const linkOn = async (page: Page) => (await page.getAttribute('a.button[href^="openid4vp:"]', 'href')) ?? ''
/** Returns the code as shown on the screen, but without the mark of the link. */
const scanned = (link: string) => link.replace(encodeURIComponent('?same_device'), '')

for (const haip of [false, true]) {
  const kind = haip ? 'HAIP' : 'without HAIP'
  const tenantNamed = async (name: string) => {
    const id = await service.tenant({ name })
    await service.deps.db.query({ name: 'test_haip', text: 'update tenants set haip = $2 where id = $1' }, [id, haip])
    return id
  }
  const tenant = await tenantNamed('Bank')
  const bank = await testClient(service, tenant, { redirectUris: [rp.callback] })
  const config = await bank.configure()
  const strict = await testClient(service, tenant, { redirectUris: [rp.callback], crossDevice: 'off' })
  const strictConfig = await strict.configure()

  /** Returns the attacker's browser, on the hosted page of the sign-in that it began. */
  const begin = async (at = config) => {
    const [attackers, victims] = [await context(), await context()]
    const [attacker, victim] = [await open(attackers), await open(victims)]
    const signIn = await asking(at, rp)
    await attacker.goto(signIn.url.href)
    const end = () => Promise.all([attackers.close(), victims.close()])
    return { attacker, attackers, victim, victims, signIn, visits: rp.visits.length, id: await idOn(attacker), end }
  }

  const bindingOf = async (signIn: Asking, visits: number) => {
    const visit = rp.visits[visits] ?? assert.fail('the client was not visited')
    return (await redeem(config, visit, signIn)).claims()?.vidimus_binding
  }

  test(`${kind}: the code from the phone, typed where the sign-in began, signs in`, async () => {
    const { attacker: desk, victim: phone, signIn, visits, end } = await begin()
    const presented = await wallet.present(scanned(await linkOn(desk)))
    await phone.goto(String(presented.redirectUri))
    await typeCode(desk, await phone.innerText('[data-code]'))
    await desk.waitForURL(isBack)
    assert.equal(await bindingOf(signIn, visits), 'code')
    await end()
  })

  test(`${kind}: a double click on the button below the typed code signs in`, async () => {
    const { attacker: desk, victim: phone, signIn, visits, end } = await begin()
    const presented = await wallet.present(scanned(await linkOn(desk)))
    await phone.goto(String(presented.redirectUri))
    await desk.fill('input[name=code]', await phone.innerText('[data-code]'))
    await delayAnswers(desk, 300)
    await desk.dblclick('button[type=submit]', { delay: 40, noWaitAfter: true })
    await desk.waitForURL(isBack)
    assert.equal(await bindingOf(signIn, visits), 'code')
    await end()
  })

  test(`${kind}: a wallet that leads back to the browser that began signs in without a code`, async () => {
    const { attacker: page, attackers: own, signIn, visits, end } = await begin()
    const presented = await wallet.present(await linkOn(page))
    const tab = await open(own)
    await tab.goto(String(presented.redirectUri))
    await tab.waitForURL(isBack)
    assert.equal(await bindingOf(signIn, visits), 'response_code')
    await end()
  })

  test(`${kind}: with cross_device off there is no code to scan, and an answer on another device signs in no one`, async () => {
    const { attacker, victim, visits, end } = await begin(strictConfig)
    assert.equal(await attacker.locator('.code svg').count(), 0)
    const presented = await wallet.present(await linkOn(attacker))
    const arrived = victim.waitForResponse((response) => response.request().method() === 'POST')
    await victim.goto(String(presented.redirectUri))
    assert.equal((await arrived).status(), 403)
    assert.equal(await victim.locator('[data-code]').count(), 0)
    await attacker.waitForURL(isBack)
    const parameters = rp.visits[visits]?.url.searchParams
    assert.deepEqual([parameters?.get('code'), parameters?.get('error_description')], [null, 'session_mismatch'])
    await end()
  })

  test(`${kind}: a victim who opens the address of the hosted page gets no way to answer`, async () => {
    const { attacker, victim, id, end } = await begin()
    const answer = await victim.goto(attacker.url())
    assert.equal(answer?.status(), 403)
    await victim.getByText('This sign-in was started in another browser').waitFor()
    await victim.getByText('Nothing was shared.').waitFor()
    assert.equal(await victim.locator('a[href^="openid4vp:"], svg, [data-ask], [data-verification]').count(), 0)
    assert.doesNotMatch((await answer?.text()) ?? '', new RegExp(id))
    await end()
  })

  for (const [method, uriOf] of [
    ['the link for the same device', (link: string) => link],
    ['the code to scan', scanned],
  ] as const)
    test(`${kind}: ${method}, relayed: the victim's browser shows the code, and the attacker's page asks for it`, async () => {
      const { attacker, victim, visits, end } = await begin()
      const presented = await wallet.present(uriOf(await linkOn(attacker)))
      await victim.goto(String(presented.redirectUri))
      const code = await victim.innerText('[data-code]')
      await victim.getByText(/Never tell anyone this code/).waitFor()
      await attacker.waitForSelector('input[name=code]')
      assert.equal(await victim.locator('a[href*="/finish/"], a[href*="/callback"]').count(), 0)
      for (const page of [attacker, victim]) await assertAccessibleInBothThemes(page)
      const guess = code.replaceAll(/\d/g, (digit) => String((Number(digit) + 5) % 10))
      for (const left of ['2 attempts', 'one attempt']) {
        await typeCode(attacker, guess)
        await attacker.getByText(`You have ${left} left`).waitFor()
      }
      await typeCode(attacker, guess)
      await attacker.waitForURL(isBack)
      const parameters = rp.visits[visits]?.url.searchParams
      assert.deepEqual(
        [parameters?.get('code'), parameters?.get('error'), parameters?.get('error_description')],
        [null, 'access_denied', 'confirmation_failed'],
      )
      await end()
    })

  for (const protocol of ['openid4vp-v1-signed', 'org-iso-mdoc'] as const) {
    test(`${kind}: ${protocol} answers only in the browser that began`, async () => {
      const { attacker, victim, victims, visits, id, end } = await begin()
      const address = `${service.base}/wallet/dc-api/${id}`
      const offer = await (await attacker.request.get(address)).json()
      // The best answer that a victim's browser could give: for this origin.
      const answer = await answerOffer(wallet, offer, { origin: service.base, protocols: [protocol] })
      await victim.goto(`${service.base}/verify/${id}`)
      assert.equal((await victims.request.get(address)).status(), 403)
      const { protocol: by, data } = answer
      const posted = await victim.evaluate(
        async ([url, body]) =>
          (
            await fetch(url ?? '', {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: body ?? '',
            })
          ).status,
        [address, JSON.stringify({ protocol: by, data })],
      )
      assert.equal(posted, 403)
      // On the attacker's page the browser names that page, and a wallet refuses, because the request is signed for our origin.
      await assert.rejects(answerOffer(wallet, offer, { origin: 'https://phish.example', protocols: [protocol] }))
      assert.equal(rp.visits.length, visits)
      assert.equal((await service.call('GET', `/v1/verifications/${id}/status`)).json.status, 'pending')
      await end()
    })

    test(`${kind}: ${protocol} in the browser that began signs in`, async () => {
      const own = await context()
      const page = await open(own)
      const platform = await virtualWallet(page)
      const [signIn, visits] = [await asking(config, rp), rp.visits.length]
      const offered = page.waitForResponse((response) => /\/wallet\/dc-api\/ver_/.test(response.url()))
      await page.goto(signIn.url.href)
      const answer = await answerOffer(wallet, await (await offered).json(), {
        origin: service.base,
        protocols: [protocol],
      })
      await platform.respond(answer)
      await page.click('[data-ask]')
      await page.waitForURL(isBack)
      const visit = rp.visits[visits] ?? assert.fail('the client was not visited')
      assert.equal((await redeem(config, visit, signIn)).claims()?.vidimus_binding, 'browser_api')
      await own.close()
    })
  }

  test(`${kind}: a second browser sees that a verification of the API is open elsewhere; the first keeps it after a reload`, async () => {
    const key = await service.key(await tenantNamed('Shop'))
    const created = await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })
    const id: string = created.json.id
    const [first, second] = [await open(await context()), await open(await context())]
    await offerOf(first, id, () => first.goto(`${service.base}/verify/${id}`))
    assert.equal((await second.goto(`${service.base}/verify/${id}`))?.status(), 403)
    await second.getByText('This request is open in another browser').waitFor()
    // It names the merchant, whom the person can ask for a new link.
    assert.equal(await second.locator('.brand').innerText(), 'S\nShop')
    assert.equal((await first.reload())?.status(), 200)
    await first.goto('about:blank')
    await first.goBack()
    assert.equal(await idOn(first), id)
    // The phone that scanned the code is a separate browser, which shows the outcome.
    await wallet.present(scanned(await linkOn(first)))
    await first.locator('[data-show=completed]:visible').waitFor()
    assert.equal((await second.reload())?.status(), 200)
    for (const page of [first, second]) await page.context().close()
  })
}

test('a browser that blocks cookies shows a note, and can still scan', async () => {
  const tenant = await service.tenant({ name: 'Shop' })
  const created = await service.call('POST', '/v1/verifications', {
    key: await service.key(tenant),
    body: { template: 'age_over_18' },
  })
  const page = await open(await context())
  await page.route(/\/hold$/, async (route) => {
    await page.context().clearCookies()
    await route.continue()
  })
  await page.goto(`${service.base}/verify/${created.json.id}`)
  await page.getByText(/Your browser blocks cookies/).waitFor()
  assert.match(await linkOn(page), /^openid4vp:/)
  await page.context().close()
})

test("a stranger's page cannot start sign-ins for its visitors; prompt=none in a frame is answered", async () => {
  const shop = await testClient(service, await service.tenant(), { redirectUris: [rp.callback] })
  const config = await shop.configure()
  let shown = ''
  const stranger = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(`<!doctype html>${shown}`),
  )
  await once(stranger.listen(0, '127.0.0.1'), 'listening')
  after(() => stranger.close())
  const page = await open(await context())
  /** Returns the service's answer from its log, because a browser reports no response to a prefetch. */
  const answers = () =>
    service.logged.map((line) => JSON.parse(line)).filter(({ route }) => String(route).endsWith('/authorize'))
  const load = async (parameters: Record<string, string>, partFor: (address: string) => string) => {
    const address = (await asking(config, rp, parameters)).url.href
    shown = partFor(address)
    const before = answers().length
    await page.goto(`http://localhost:${(stranger.address() as AddressInfo).port}/`)
    await waitUntil(`an answer to ${shown}`, () => answers().length > before)
    return answers().at(-1)?.status
  }
  const attribute = (address: string) => address.replaceAll('&', '&amp;')
  const frame = (address: string) => `<iframe src="${attribute(address)}"></iframe>`
  for (const partFor of [
    frame,
    (address: string) => `<img src="${attribute(address)}">`,
    (address: string) => `<script>fetch(${JSON.stringify(address)}, { mode: 'no-cors' })</script>`,
    (address: string) => `<link rel="prefetch" href="${attribute(address)}">`,
    (address: string) =>
      `<script type="speculationrules">{"prefetch":[{"source":"list","urls":[${JSON.stringify(address)}],"eagerness":"immediate"}]}</script>`,
  ])
    assert.equal(await load({}, partFor), 400, partFor('x'))
  const begun = await service.deps.db.query({
    name: 'test_begun',
    text: `select id from oidc_authorizations where client_id = '${shop.client.id}'`,
  })
  assert.deepEqual(begun, [])
  const visits = rp.visits.length
  assert.equal(await load({ prompt: 'none' }, frame), 303)
  await waitUntil('the client gets the error', () => rp.visits.length > visits)
  assert.equal(rp.visits[visits]?.url.searchParams.get('error'), 'interaction_required')
  // A link on the same page works as usual.
  await load({}, (address) => `<a href="${attribute(address)}">Sign in</a><script>document.links[0].click()</script>`)
  await page.waitForSelector('[data-verification]')
  await page.context().close()
})
