// Adds a setting to a copy of the service, by table entry and migration, and finds it everywhere.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { testBrowser } from '../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../harness/pages/dashboard.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

const ENTRY = `
  greeting: {
    group: 'data',
    kind: 'choice',
    choices: [
      { value: 'plain', en: 'Plainly', de: 'Schlicht' },
      { value: 'warm', en: 'Warmly', de: 'Herzlich' },
    ],
    fallback: 'plain',
    label: { en: 'How holders are greeted', de: 'Wie Inhaber begrüßt werden' },
    explanation: { en: 'On the page with the code.', de: 'Auf der Seite mit dem Code.' },
  },`
const MIGRATION = `alter table tenants add greeting text not null default 'plain' check (greeting in ('plain', 'warm'));\n`

await builtDashboard()
const copy = await mkdtemp(join(tmpdir(), 'vidimus-new-setting-'))
after(() => rm(copy, { recursive: true }))
await copyService()
await addSetting()
const load = async (path: string) => import(pathToFileURL(join(copy, path)).href)
const { listeningService }: typeof import('../harness/listening.ts') = await load('service/test/harness/listening.ts')
const { person }: typeof import('../harness/staff.ts') = await load('service/test/harness/staff.ts')
const service = await listeningService()
const tenant = await service.tenant()
const owner = await person(service, tenant, 'owner')

/** The service and its tests are copied; links point to the rest of the project. */
async function copyService(): Promise<void> {
  const copied = ['service/src', 'service/test/harness', 'tools/generate-settings-page.ts']
  for (const path of copied) await cp(join(ROOT, path), join(copy, path), { recursive: true })
  for (const folder of ['.', 'service']) {
    const there = await readdir(join(copy, folder))
    for (const name of await readdir(join(ROOT, folder))) {
      if (!there.includes(name)) await symlink(join(ROOT, folder, name), join(copy, folder, name))
    }
  }
  // One server for the test files of all folders.
  const cluster = JSON.stringify(join(ROOT, 'service/test/harness/servers/cluster.ts'))
  await writeFile(join(copy, 'service/test/harness/servers/cluster.ts'), `export { testCluster } from ${cluster}\n`)
}

/** Adds the table entry and the migration to the copy. */
async function addSetting(): Promise<void> {
  const table = join(copy, 'service/src/core/tenants/domain/settings.ts')
  const before = await readFile(table, 'utf8')
  const start = 'export const TENANT_SETTINGS = {'
  assert.ok(before.includes(start))
  await writeFile(table, before.replace(start, start + ENTRY))
  const migrations = join(copy, 'service/src/platform/postgres/migrations')
  const next = (await readdir(migrations)).length
  await writeFile(join(migrations, `${String(next).padStart(4, '0')}_greeting.sql`), MIGRATION)
}

async function vidimus(...args: string[]) {
  return promisify(execFile)(process.execPath, [join(copy, 'service/src/main.ts'), 'settings', ...args], {
    env: {
      ...BARE_ENVIRONMENT,
      DATABASE_URL: service.url,
      VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
    },
  })
}

test('the command line shows it, explains it, changes it, and refuses a wrong value', async () => {
  const help = await vidimus('--help')
  assert.match(help.stdout, /--greeting <value>\s+How holders are greeted: plain or\s+warm/)
  assert.equal(JSON.parse((await vidimus(tenant, '--json')).stdout).greeting, 'plain')
  const { stdout } = await vidimus(tenant, '--greeting', 'warm', '--json')
  const { greeting, in_effect } = JSON.parse(stdout)
  assert.deepEqual([greeting, in_effect.greeting], ['warm', 'warm'])
  await assert.rejects(vidimus(tenant, '--greeting', 'cold'), /--greeting must be plain or warm, not 'cold'/)
})

test("the wallet's side loads it with the verification", async () => {
  const {
    loadWalletVerificationsAcrossTenants,
  }: typeof import('../../src/core/verifications/store/wallet-verifications.ts') = await load(
    'service/src/core/verifications/store/wallet-verifications.ts',
  )
  const body = { template: 'age_over_18' }
  const { json } = await service.call('POST', '/v1/verifications', { key: await service.key(tenant), body })
  const [found] = await loadWalletVerificationsAcrossTenants(service.deps.db, [json.id])
  const { settings } = found?.read() ?? assert.fail('the setting is not there')
  assert.equal(Object.entries(settings).find(([name]) => name === 'greeting')?.[1], 'warm')
})

test("the dashboard's route answers it with its words, and accepts only its values", async () => {
  const read = async () => (await owner.call('GET', '@/settings')).json.settings
  const before: { name: string; kind: string; value: unknown }[] = await read()
  const { value, ...documented } = before.find(({ name }) => name === 'greeting') ?? assert.fail('it is not listed')
  assert.deepEqual(documented, {
    name: 'greeting',
    group: 'data',
    kind: 'choice',
    label: { en: 'How holders are greeted', de: 'Wie Inhaber begrüßt werden' },
    explanation: { en: 'On the page with the code.', de: 'Auf der Seite mit dem Code.' },
    under_haip: null,
    forced: null,
    holder: null,
    choices: [
      { value: 'plain', label: { en: 'Plainly', de: 'Schlicht' } },
      { value: 'warm', label: { en: 'Warmly', de: 'Herzlich' } },
    ],
  })
  // Another route changes text settings.
  const changeable = before.filter(({ kind }) => kind !== 'text')
  const whole = Object.fromEntries(changeable.map((setting) => [setting.name, setting.value]))
  const change = (body: object) => owner.call('POST', '@/settings', { body })
  const { greeting, ...without } = whole
  assert.deepEqual([value, greeting], ['warm', 'warm'])
  assert.equal((await change({ ...whole, greeting: 'cold' })).status, 400)
  assert.equal((await change(without)).status, 400)
  assert.deepEqual(await read(), before)
  assert.equal((await change({ ...whole, greeting: 'plain' })).status, 200)
  assert.deepEqual(
    await read(),
    before.map((setting) => (setting.name === 'greeting' ? { ...setting, value: 'plain' } : setting)),
  )
})

test("the dashboard's page has a field for it, in both languages", async () => {
  const { page, complaints } = await openPage(await testBrowser(), { service }, { locale: 'de-DE' })
  await signInAt(page, service.base, owner.email)
  const address = `${service.base}/dashboard/${tenant}/test/settings`
  await page.goto(address)
  await settled(page)
  const field = page.getByRole('radiogroup', { name: 'Wie Inhaber begrüßt werden' })
  assert.equal(await field.locator('input:checked').inputValue(), 'plain')
  await field.getByLabel('Herzlich').check()
  await page.getByRole('button', { name: 'Speichern' }).click()
  await page.getByRole('status').getByText('Gespeichert').waitFor()
  await page.evaluate(() => localStorage.setItem('vidimus-language', 'en'))
  await page.goto(address)
  await settled(page)
  assert.ok(await page.getByLabel('Warmly', { exact: true }).isChecked())
  await page.getByText('On the page with the code.').waitFor()
  assert.deepEqual(complaints, [])
})

test('the page of docs/settings.md has a line for it', async () => {
  const { renderSettingsPage } = await load('tools/generate-settings-page.ts')
  const row =
    '| `greeting` | `plain` (Plainly), `warm` (Warmly) | `plain` | How holders are greeted. On the page with the code. |'
  assert.ok(renderSettingsPage().split('\n').includes(row))
})
