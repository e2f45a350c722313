// Plays the conformance suite's browser: the tasks of `vidimus conformance prepare` sign in on our pages.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import { Script } from 'node:vm'
import type { Page } from 'playwright-core'
import { issueAuthority, issueLeaf, toPem } from '../../src/features/trust/index.ts'
import { listeningService } from '../harness/listening.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { commandLine } from '../harness/servers/command-line.ts'

const service = await listeningService()
const SUITE = await startSuite()
const browser = await testBrowser()
const cli = commandLine(service)

interface Task {
  readonly task: string
  readonly match: string
  readonly optional?: boolean
  readonly commands: readonly (readonly [string, string, string, ...(string | number)[]])[]
}
type Block = { readonly match: string; readonly tasks: readonly Task[] }

/** Matches an address as the suite's patterns do: `*` matches any text. */
const matches = (pattern: string, url: string) =>
  new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`).test(url)

const selectorOf = (kind: string, value: string) => (kind === 'id' ? `#${value}` : `${kind}=${value}`)

/** Works like the suite's WebRunner. Returns the tasks that ran and the pictures that it took. */
async function play(page: Page, url: string, blocks: readonly Block[]) {
  const block = blocks.find(({ match }) => matches(match, url))
  assert.ok(block !== undefined, 'no block of the configuration fits the address')
  await page.goto(url)
  const ran: string[] = []
  const pictures: string[] = []
  for (const { task, match, optional, commands } of block.tasks) {
    if (!matches(match, page.url())) {
      assert.ok(optional === true, `${task} expects ${match}, and the page is ${page.url()}`)
      continue
    }
    ran.push(task)
    for (const [command, kind, target, ...more] of commands) {
      if (command === 'click') {
        const found = page.locator(selectorOf(kind, target))
        if (more[0] === 'optional' && (await found.count()) === 0) continue
        const isNavigation = kind === 'css'
        await Promise.all([isNavigation ? page.waitForEvent('load') : null, found.first().click()])
      } else if (kind === 'contains') await page.waitForURL((now) => now.href.includes(target))
      else {
        await page.waitForSelector(selectorOf(kind, target))
        if (String(more[2] ?? '').startsWith('update-image-placeholder')) pictures.push(await page.innerText('body'))
      }
    }
  }
  return { ran, pictures }
}

/** Serves the suite's callback page over TLS. */
async function startSuite(): Promise<string> {
  const subject = { commonName: 'localhost', organization: 'Test' }
  const period = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 }
  const authority = { ...issueAuthority(subject, period, randomBytes), subject }
  const leaf = { subject, host: 'localhost', purpose: 'openid4vp', period } as const
  const { certificate, privateKey } = issueLeaf(authority, leaf, randomBytes)
  const tls = { cert: toPem('CERTIFICATE', certificate), key: privateKey.export({ format: 'pem', type: 'pkcs8' }) }
  const server = createServer(tls, (request, response) => {
    request.resume()
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Suite</title><p id="submission_complete">Done</p>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  after(() => server.close())
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

/** The suite's browser (HtmlUnit) runs no modules, so this one gets none. */
async function open(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true })
  await context.route('**/*.js', async (route) =>
    isClassic(await (await fetch(route.request().url())).text()) ? route.continue() : route.abort(),
  )
  return context.newPage()
}

function isClassic(script: string): boolean {
  try {
    return new Script(script) instanceof Script
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error))
    return false
  }
}

async function prepared(plan: string) {
  const { configuration } = await cli.json('conformance', 'prepare', plan, '--suite', SUITE, '--alias', 'run')
  const { authorization_endpoint: endpoint } = await (await fetch(configuration.server.discoveryUrl)).json()
  const authorize = (parameters: Record<string, string> = {}) =>
    `${endpoint}?${new URLSearchParams({
      client_id: configuration.client.client_id,
      redirect_uri: `${SUITE}/test/a/run/callback`,
      response_type: 'code',
      scope: 'openid',
      state: 's',
      nonce: 'n',
      ...parameters,
    })}`
  return { configuration, authorize }
}

const SIGN_IN = ['Open the test wallet', 'Answer', 'Return to the browser', 'Verify complete']

test('the suite signs in, signs in again without a page (prompt=none), and takes a picture with prompt=login', async () => {
  const { configuration, authorize } = await prepared('op-basic')
  const page = await open()
  const first = await play(page, authorize(), configuration.browser)
  assert.deepEqual(first.ran, SIGN_IN)
  assert.match(page.url(), /\/test\/a\/run\/callback\?code=/)
  assert.deepEqual((await play(page, authorize({ prompt: 'none' }), configuration.browser)).ran, ['Verify complete'])
  assert.match(page.url(), /callback\?code=/)
  const again = await play(page, authorize({ prompt: 'login' }), configuration.override['oidcc-prompt-login'].browser)
  assert.deepEqual(again.ran, SIGN_IN)
  assert.deepEqual([first.pictures.length, again.pictures.length], [0, 1])
  const rejects = configuration.override['fapi2-security-profile-final-user-rejects-authentication'].browser
  assert.deepEqual((await play(page, authorize({ prompt: 'login' }), rejects)).ran, SIGN_IN)
  assert.match(page.url(), /callback\?error=access_denied/)
  await page.context().close()
})

test('form_post returns to the suite, too; an unregistered redirect address ends on our page', async () => {
  const { configuration, authorize } = await prepared('op-form-post')
  const page = await open()
  assert.deepEqual((await play(page, authorize({ response_mode: 'form_post' }), configuration.browser)).ran, SIGN_IN)
  assert.equal(page.url(), `${SUITE}/test/a/run/callback`)
  const unregistered = authorize({ redirect_uri: `${SUITE}/other` })
  const { ran, pictures } = await play(page, unregistered, configuration.browser)
  assert.deepEqual([ran, pictures.length], [['Error page'], 1])
  assert.match(pictures[0] ?? '', /\w/)
  await page.context().close()
})
