// Tests fields of the dashboard: settings, outputs of a template, copy buttons, and a search that continues.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer, generateKey, issue, issuerAnchors } from '@vidimus/wallet'
import type { Locator } from 'playwright-core'
import { applyRetention } from '../../../src/features/retention/usecases/apply-retention.ts'
import { addAnchor } from '../../../src/features/trust/usecases/manage-anchors.ts'
import { type Environment, instantOf } from '../../../src/platform/world.ts'
import { listeningService } from '../../harness/listening.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { OPERATOR } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { create, read, respond, validBody } from '../../wallet/verifications.ts'

await builtDashboard()
const service = await listeningService()
const { base, clock, deps } = service
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const keys = { test: await service.key(tenant), live: await service.key(tenant, { environment: 'live' }) }
const { email } = await person(service, tenant, 'owner', 'mia.muster@example.com')
const cellar = await service.tenant({ name: 'Kellerei Mond' })
await person(service, cellar, 'viewer', email)
const wallet = await testWallet(service)
const { page, complaints } = await openPage(await testBrowser(), { service })
await signInAt(page, base, email)
const dialog = page.locator('dialog[open]').last()

const goto = async (path: string, of = tenant) => {
  await page.goto(`${base}/dashboard/${of}/test${path}`)
  await settled(page)
}
const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
const gone = () => page.waitForFunction(() => document.querySelector('dialog[open]') === null)

/** A trusted issuer whose status lists cannot be fetched. */
const mute = createIssuer({ base: 'http://127.0.0.1:9', now: wallet.options.now, name: 'Mute' })
for (const environment of ['test', 'live'] as const) {
  for (const anchor of issuerAnchors(mute)) {
    await addAnchor(deps, { ...anchor, owner: { tenantId: tenant, environment }, actor: OPERATOR })
  }
}

async function answered(environment: Environment) {
  const key = keys[environment]
  const { id, wallet_uri } = await create(service, key)
  const request = await wallet.request(wallet_uri)
  const credentials = [issue(mute, 'pid_sd_jwt', { holderKey: generateKey(), now: wallet.options.now, statusIndex: 0 })]
  const reply = await respond(service, id, await validBody(wallet, request, { credentials }))
  const { status, error } = await read(service, key, id)
  return { id, request, end: [reply.status, error?.code ?? status] }
}

async function keptFor(days: number, id: string): Promise<boolean> {
  // Retention deletes rows of day 0 one by one, at their own time.
  const text = `with result as (update verification_results set day = 0 where verification_id = $1)
                update verifications set day = 0, created_at = created_at - make_interval(days => $2) where id = $1`
  await deps.db.query({ name: 'test_age', text }, [id, days])
  await applyRetention(deps)
  return (await service.call('GET', `/v1/verifications/${id}`, { key: keys.test })).status === 200
}

/** Returns the effect of each setting, as visible from outside. */
async function effects() {
  const inTest = await answered('test')
  const inLive = await answered('live')
  return {
    name: inTest.request.clientId.split(':')[0],
    mode: inTest.request.responseMode,
    test: inTest.end,
    live: inLive.end,
    keptThreeDays: await keptFor(3, inTest.id),
  }
}

test('every saved setting is shown again and has its effect; the strict profile overrules two of them and keeps their values', async () => {
  const retention = page.getByLabel('Keep verifications for')
  const haip = page.getByLabel('Use the High Assurance profile (HAIP 1.0)')
  const choices = [
    ['HTTP status for a failed presentation', '200', '400'],
    ['If revocation cannot be checked (test)', 'prefer', 'require'],
    ['If revocation cannot be checked (live)', 'require', 'prefer'],
    ['How wallets identify you', 'x509_hash', 'x509_san_dns'],
    ['How wallets answer', 'direct_post.jwt', 'direct_post'],
  ] as const
  const optionsOf = (label: string) => page.getByRole('radiogroup', { name: label, exact: true })
  const chosenIn = (label: string) => optionsOf(label).locator('input:checked').inputValue()
  const chosen = () => Promise.all(choices.map(([label]) => chosenIn(label)))
  const saveAndReload = async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Saved').waitFor()
    await page.reload()
    await settled(page)
    await page.getByText('Advanced', { exact: true }).click()
  }
  await goto('/settings')
  assert.equal(await haip.isVisible(), false)
  await page.getByText('Advanced', { exact: true }).click()
  assert.deepEqual([await retention.inputValue(), await haip.isChecked()], ['30', false])
  assert.deepEqual(
    await chosen(),
    choices.map(([, before]) => before),
  )
  const byDefault = {
    name: 'x509_hash',
    mode: 'direct_post.jwt',
    test: [200, 'completed'],
    live: [200, 'status_unavailable'],
    keptThreeDays: true,
  }
  assert.deepEqual(await effects(), byDefault)

  await retention.fill('2')
  for (const [label, , after] of choices) await optionsOf(label).locator(`input[value="${after}"]`).check()
  await saveAndReload()
  assert.deepEqual([await retention.inputValue(), await haip.isChecked()], ['2', false])
  assert.deepEqual(
    await chosen(),
    choices.map(([, , after]) => after),
  )
  const changed = {
    name: 'x509_san_dns',
    mode: 'direct_post',
    test: [400, 'status_unavailable'],
    live: [200, 'completed'],
    keptThreeDays: false,
  }
  assert.deepEqual(await effects(), changed)

  await haip.check()
  assert.ok(await optionsOf('How wallets answer').locator('input').first().isDisabled())
  // The page shows the effective value, not the stored one that applies again later.
  assert.equal(await chosenIn('How wallets answer'), 'direct_post.jwt')
  assert.equal(await chosenIn('How wallets identify you'), 'x509_hash')
  await saveAndReload()
  assert.ok(await haip.isChecked())
  assert.deepEqual(await effects(), { ...changed, name: byDefault.name, mode: byDefault.mode })
  await haip.uncheck()
  await saveAndReload()
  assert.deepEqual(
    await chosen(),
    choices.map(([, , after]) => after),
  )
  assert.deepEqual(await effects(), changed)
})

test('a copy button copies the complete value next to it', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
  const copies = async (button: Locator, text: string) => {
    // The label changes for two seconds, so every frame is checked from before the click on.
    await Promise.all([
      page.waitForFunction((one) => one.textContent?.includes('Copied'), await button.elementHandle()),
      button.click(),
    ])
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text)
  }
  const { id } = await create(service, keys.test)
  await goto(`/verifications/${id}`)
  await copies(page.getByRole('button', { name: 'Copy ID' }), id)

  await goto('/keys')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByLabel('Name').fill('Shop')
  await press('Create a key')
  const key = await dialog.locator('output').innerText()
  assert.match(key, /^vk_test_/)
  await copies(dialog.getByRole('button', { name: 'Copy' }), key)

  await goto('/devices')
  await page.getByRole('button', { name: 'Add a device' }).click()
  await dialog.getByLabel('Name').fill('Kasse 4')
  // The page ticks the templates when they have loaded.
  await dialog.getByLabel('18 or older').waitFor()
  await press('Add a device')
  const code = await dialog.locator('output').innerText()
  assert.match(code, /^VD-/)
  await copies(dialog.getByRole('button', { name: 'Copy' }), code)
})

test('outputs are checked while they are written; valid outputs name the answer, and without outputs the claims keep their names', async () => {
  const question = dialog.getByLabel('Query (JSON)')
  const from = (claim: string) => ({ guest: { value: [{ credential: 'pid', path: [claim] }] } })
  const pid = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
  const query = { credentials: [{ ...pid, claims: [{ path: ['given_name'] }] }] }
  const write = (outputs?: object) => question.fill(JSON.stringify({ query, ...(outputs && { outputs }) }))
  const claims = async () => {
    const { id, wallet_uri } = await create(service, keys.test, { template: 'guest_name' })
    await wallet.present(wallet_uri)
    return (await read(service, keys.test, id)).claims
  }
  await goto('/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog.getByLabel('Key', { exact: true }).fill('guest_name')
  await dialog.getByLabel('Title').fill('Name of a guest')
  await dialog.getByRole('button', { name: 'JSON' }).click()
  await question.fill('{"outputs"')
  await dialog.getByText('the text ends too early').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled())
  await write(from('family_name'))
  const problem = 'outputs.guest.value[0].path: is not a claim that the query asks this credential for'
  await dialog.getByRole('status').getByText(problem).waitFor()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  const refusal = await dialog.getByRole('alert').innerText()
  assert.ok(refusal.includes('outputs.guest.value[0].path: ') && !/req_/.test(refusal), refusal)
  await write(from('given_name'))
  await dialog.getByRole('listitem').getByText('Given name').waitFor()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await gone()
  assert.deepEqual(await claims(), { guest: 'Vida' })

  await page.getByRole('button', { name: 'Edit: guest_name' }).click()
  assert.deepEqual(JSON.parse(await question.inputValue()).outputs, from('given_name'))
  await write()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await gone()
  assert.deepEqual(await claims(), { given_name: 'Vida' })
})

test('a search that stopped before the oldest row says how far it got, and continues from there', async () => {
  const idOf = (secondsAgo: number) => `ver_${String(secondsAgo).padStart(32, '0')}`
  const [recent, distant, completed] = [5, 10_010, 10_020]
  await deps.db.query(
    {
      name: 'test_many_verifications',
      text: `insert into verifications (id, tenant_id, environment, created_at, expires_at, status, template, actor_type,
               actor_id, nonce, state, client_id, response_mode, responded_at)
             select 'ver_' || lpad(n::text, 32, '0'), $1, 'test', at, at + interval '5 minutes', status, 'age_over_18',
               'api_key', 'key_none', 'n', 's', 'c', 'direct_post.jwt', case when status <> 'pending' then at end
             from generate_series(1, 10050) n, lateral (select $2::timestamptz - n * interval '1 second' as at,
               case when n in ($3, $4) then 'failed' when n = $5 then 'completed' else 'pending' end as status) row`,
    },
    [cellar, instantOf(clock.now()), recent, distant, completed],
  )
  const row = (secondsAgo: number) => page.locator(`tbody a[href$="${idOf(secondsAgo)}"]`)
  const further = page.getByRole('link', { name: 'Search further back' })
  const rowCount = () => page.locator('tbody tr').count()

  await goto('/verifications?status=failed', cellar)
  await row(recent).waitFor()
  assert.equal(await rowCount(), 1)
  const searchedTo = page.getByRole('navigation', { name: 'Older' }).locator('time')
  assert.equal(await searchedTo.getAttribute('datetime'), instantOf(clock.now() - 10_000_000))
  await further.click()
  await row(distant).waitFor()
  assert.match(page.url(), /status=failed&before=/)
  assert.deepEqual([await rowCount(), await further.count(), await searchedTo.count()], [1, 0, 0])
  await page.getByRole('link', { name: 'Newest' }).click()
  await row(recent).waitFor()

  await page.getByLabel('Status', { exact: true }).selectOption('completed')
  await page.getByText('No verifications match your filters').waitFor()
  await further.click()
  await row(completed).waitFor()
  await page.getByLabel('Status', { exact: true }).selectOption('')
  await row(1).waitFor()
  assert.deepEqual([await rowCount(), await further.count()], [50, 0])
})

test('no page reported an error', () => {
  // Browsers report a refusal as an error.
  assert.deepEqual(
    complaints.filter((text) => !/status of 400/.test(text)),
    [],
  )
})
