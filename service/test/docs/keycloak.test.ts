// Tests examples/keycloak in Keycloak itself: the realm is imported, and a person signs in with a wallet.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { endOf, waitUntil } from '../harness/wait.ts'
import { npmStart, ROOT, runShell, stopGroup } from './blocks.ts'

const installed = process.env.VIDIMUS_TEST_KEYCLOAK
if (installed === undefined)
  console.log('skipped: no Keycloak on this machine (VIDIMUS_TEST_KEYCLOAK names its folder)')
else test('a person signs in at Keycloak with a wallet, and Keycloak knows the name', () => signInAt(installed))

/** Keycloak's first start builds it. */
const START_MS_MAX = 600_000

async function signInAt(keycloak: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-keycloak-'))
  const reader = { PATH: process.env.PATH, HOME: process.env.HOME, VIDIMUS_DATA_DIR: join(folder, 'data') }
  await mkdir(reader.VIDIMUS_DATA_DIR)
  // Keycloak uses the real clock, so the service does, too.
  const service = await npmStart({ ...reader, PORT: '0' })
  const env = { ...reader, PORT: String(service.port) }
  const reserved = await reservePort('127.0.0.1')
  const site = `http://localhost:${reserved.port}`
  const tenant = JSON.parse(await runShell('npm run -s vidimus -- tenant list --json', env)).data[0].id
  const created = JSON.parse(
    await runShell(
      `npm run -s vidimus -- client create --tenant ${tenant} --name Keycloak --template identity --json \
       --redirect-uri ${site}/realms/shop/broker/vidimus/endpoint --subject derived --subject-claim given_name \
       --subject-claim family_name --subject-claim birth_date`,
      env,
    ),
  )
  await cp(keycloak, join(folder, 'keycloak'), { recursive: true })
  await mkdir(join(folder, 'keycloak', 'data', 'import'), { recursive: true })
  await cp(join(ROOT, 'examples/keycloak/vidimus-realm.json'), join(folder, 'keycloak/data/import/shop.json'))
  await reserved.release()
  const server = spawn(
    join(folder, 'keycloak/bin/kc.sh'),
    ['start-dev', '--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${reserved.port}`, '--import-realm'],
    {
      env: {
        ...{ PATH: process.env.PATH, HOME: folder, JAVA_HOME: process.env.JAVA_HOME },
        ...{
          VIDIMUS_ISSUER: created.issuer,
          VIDIMUS_CLIENT_ID: created.id,
          VIDIMUS_CLIENT_SECRET: created.client_secret,
        },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
  let printed = ''
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
  const ended = endOf(server, 'close')
  after(async () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM')
    await ended
    await stopGroup(service)
    await rm(folder, { recursive: true, force: true })
  })
  await waitUntil(
    'Keycloak listens',
    () => {
      if (server.exitCode !== null) assert.fail(printed)
      return /Listening on/.test(printed)
    },
    START_MS_MAX,
  )
  const { testBrowser } = await import('../harness/pages/browser.ts')
  const page = await (await (await testBrowser()).newContext({ locale: 'en-GB' })).newPage()
  await page.goto(`${site}/realms/shop/account/`)
  await page.click('#social-vidimus')
  await page.click('a[href^="/sandbox/wallet"]')
  await page.click('button[name="answer"][value="consent"]')
  await page.click('a[href*="/return/"]')
  // Keycloak asks for the email address, which the sign-in did not request.
  await page.waitForSelector('#firstName')
  assert.deepEqual([await page.inputValue('#firstName'), await page.inputValue('#lastName')], ['Vida', 'Specimen'])
  await page.fill('#email', 'vida@example.com')
  if ((await page.locator('#username').count()) > 0 && (await page.inputValue('#username')) === '')
    await page.fill('#username', 'vida')
  await page.click('[type="submit"]')
  await page.waitForURL((url) => url.pathname.startsWith('/realms/shop/account'))
  await page.waitForSelector('text=Vida Specimen')
}
