// Tests the sandbox registrar on the command line and over HTTP, and how the test wallet shows registrations.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { INTERMEDIARY, intermediaryJson, MERCHANT, merchantJson } from '../../../wallet/test/merchant.ts'
import { listeningService } from '../harness/listening.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await listeningService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const folder = await mkdtemp(join(tmpdir(), 'vidimus-registrar-'))
after(() => rm(folder, { recursive: true }))

const { run: vidimus, json } = commandLine(service)

async function refused(...args: string[]): Promise<string> {
  const { code, err } = await vidimus(...args)
  assert.equal(code, 2, err)
  return err
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const SHOP = ['--identifier', MERCHANT, '--service', 'shop']
const IDENTITY = [...SHOP, '--intended-use', 'identity']

test('a party is registered, and an invalid party is refused', async () => {
  const merchant = await file('merchant.json', JSON.stringify(merchantJson))
  const intermediary = await file('intermediary.json', JSON.stringify(intermediaryJson))
  assert.deepEqual(await json('registrar', 'register', merchant), { identifier: MERCHANT })
  assert.deepEqual(await json('registrar', 'register', intermediary), { identifier: INTERMEDIARY })
  assert.match(await refused('registrar', 'register', await file('none.json', '{}')), /the registrar refuses/)
  assert.match(await refused('registrar', 'register', await file('text.json', 'hello')), /not JSON/)
  const { out } = await vidimus('registrar', 'list')
  assert.match(out, new RegExp(`${MERCHANT} .*shop .*identity`))
})

test('a signing request becomes an access certificate that the service installs', async () => {
  const use = ['--tenant', tenant, '--environment', 'test']
  const { csr } = await json('certificate', 'csr', ...use, '--common-name', 'Muster online shop')
  const path = await file('shop.csr', csr)
  const { chain } = await json('registrar', 'certify', ...SHOP, '--intermediary', INTERMEDIARY, '--csr', path)
  assert.match(new X509Certificate(chain).subject, /organizationIdentifier=VATDE-DE987654321/)
  await json('certificate', 'install', ...use, '--chain', await file('shop.pem', chain))
  assert.match(await refused('registrar', 'certify', ...SHOP, '--csr', path, '--days', '0'), /valid for/)
  assert.match(await refused('registrar', 'certify', ...SHOP, '--csr', path, '--purpose', 'tls'), /--purpose must be/)
})

test('the register, its keys, its lists and the status list are served', async () => {
  const base = `${service.base}/sandbox/registrar`
  const keys = createLocalJWKSet(await (await fetch(`${base}/jwks.json`)).json())
  const found = await fetch(`${base}/wrp/${MERCHANT}`)
  assert.equal(found.headers.get('content-type'), 'application/jwt')
  assert.equal(found.headers.get('x-jku-url'), `${base}/jwks.json`)
  const currentDate = new Date(service.clock.now())
  const { payload } = await jwtVerify(await found.text(), keys, { currentDate })
  assert.equal((payload.data as { tradeName: string }).tradeName, 'Weinhandlung Muster')
  const listed = await fetch(`${base}/wrp?isintermediary=true&limit=1`)
  assert.equal(((await jwtVerify(await listed.text(), keys, { currentDate })).payload.data as object[]).length, 1)
  const checked = await fetch(`${base}/wrp/check-intended-use?rpidentifier=${MERCHANT}&claimpath=birthdate`)
  assert.deepEqual(decodeJwt(await checked.text()).data, { isRegistered: false })
  assert.equal((await fetch(`${base}/wrp/VATDE-UNKNOWN`)).status, 404)
  assert.equal((await fetch(`${base}/wrp?limit=99`)).status, 400)
  for (const path of ['status-list.jwt?x=y', 'access.crl', 'access.crt', 'lists/registration-providers.jwt'])
    assert.equal((await fetch(`${base}/${path}`)).status, 200, path)
  const off = await testService({ sandbox: false })
  assert.equal((await off.call('GET', '/sandbox/registrar/wrp')).status, 404)
})

test('registration certificates are issued in both versions of the format, and revoked', async () => {
  const { jwt, index } = await json('registrar', 'issue', ...IDENTITY)
  assert.equal(decodeJwt(jwt).sub, MERCHANT)
  const old = await json('registrar', 'issue', ...IDENTITY, '--shape', '1.1.1')
  assert.equal(typeof decodeJwt(old.jwt).sub, 'object')
  assert.notEqual(old.index, index)
  await json('registrar', 'revoke', String(index))
  const { issued } = await json('registrar', 'list')
  assert.deepEqual(
    issued.map((one: { revoked: boolean }) => one.revoked),
    [true, false],
  )
  const { scenarios } = await json('registrar', 'issue', ...IDENTITY, '--scenario', 'list')
  assert.equal(scenarios.length, 5)
  assert.match(await refused('registrar', 'issue', ...IDENTITY, '--scenario', 'bad'), /a scenario is one of/)
  assert.match(await refused('registrar', 'issue', ...IDENTITY, '--shape', '2'), /--shape must be/)
  assert.match(await refused('registrar', 'revoke', '999'), /no registration certificate/)
})

test('the test wallet warns of a verifier without a registration, and declines on request', async () => {
  const first = await create(service, key)
  const shown = await json('wallet', 'present', first.id)
  assert.deepEqual(
    shown.registration.warnings.map(({ code }: { code: string }) => code),
    ['unregistered'],
  )
  assert.equal(shown.verification.status, 'completed')
  const second = await create(service, key)
  const declined = await json('wallet', 'present', second.id, '--decline-on-warning')
  assert.equal(declined.verification.error.code, 'wallet_declined')
  const third = await create(service, key)
  const { out } = await vidimus('wallet', 'present', third.id)
  assert.match(out, /Warning \(unregistered\): This verifier shows no registration\./)
  const fourth = await create(service, key)
  const page = await fetch(`${service.base}/sandbox/wallet?uri=${encodeURIComponent(fourth.wallet_uri)}`)
  assert.match(
    await page.text(),
    /Your wallet warns you:<\/strong> This provider has not shown that it is registered to ask for this\./,
  )
})

test('the steps of the guide lead to a request without a warning; a request for more than is registered has one', async () => {
  const shop = await service.tenant()
  const use = ['--tenant', shop, '--environment', 'test']
  const { csr } = await json('certificate', 'csr', ...use, '--common-name', 'Muster online shop')
  const request = await file('guide.csr', csr)
  const { chain } = await json('registrar', 'certify', ...SHOP, '--intermediary', INTERMEDIARY, '--csr', request)
  await json('certificate', 'install', ...use, '--chain', await file('guide.pem', chain))
  const operator = ['--environment', 'test', '--identifier', INTERMEDIARY, '--trade-name', 'We', '--intermediary']
  await json('registration', 'identity', ...operator)
  await json('registration', 'identity', ...use, '--identifier', MERCHANT, '--trade-name', 'Muster')
  const { jwt } = await json('registrar', 'issue', ...IDENTITY)
  const added = await json('registration', 'add', await file('guide.jwt', jwt), ...use)
  assert.deepEqual(added.warnings, [], JSON.stringify(added))
  const shopKey = await service.key(shop)
  const createAskingFor = (...names: string[]) => {
    const claims = names.map((name) => ({ path: [name] }))
    const credential = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims }
    return create(service, shopKey, { query: { credentials: [credential] } })
  }
  const within = await json('wallet', 'present', (await createAskingFor('family_name')).id)
  assert.deepEqual(within.registration, {
    party: 'Muster Weine GmbH',
    service: 'Muster online shop',
    purposes: [{ lang: 'en', text: 'To know who buys' }],
    privacy_policy: 'https://shop.example/privacy',
    warnings: [],
  })
  assert.equal(within.verification.status, 'completed')
  const beyond = await createAskingFor('family_name', 'birthdate')
  const page = await fetch(`${service.base}/sandbox/wallet?uri=${encodeURIComponent(beyond.wallet_uri)}`)
  assert.match(await page.text(), /asks for more than it registered. \(pid: birthdate\).*Muster Weine GmbH/)
  // Asked through the browser, the wallet checks the registration in that request, too.
  const body = new URLSearchParams({
    uri: beyond.wallet_uri,
    way: 'openid4vp-v1-signed',
    scenario: 'good',
    answer: 'consent',
  })
  const outcome = await (await fetch(`${service.base}/sandbox/wallet`, { method: 'POST', body })).text()
  assert.match(outcome, /Details shared/)
  assert.match(outcome, /asks for more than it registered. \(pid: birthdate\)/)
  const again = await createAskingFor('family_name', 'birthdate')
  const warned = await json('wallet', 'present', again.id)
  assert.deepEqual(
    warned.registration.warnings.map(({ code }: { code: string }) => code),
    ['over_asking'],
  )
})

test('a merchant is imported from the register, looked up there, and differences are listed', async () => {
  const done = await json('register', 'import', '--identifier', MERCHANT, '--environment', 'test')
  assert.deepEqual([done.tenant.name, done.templates], ['Weinhandlung Muster', ['use-identity', 'use-age']])
  const own = ['--tenant', done.tenant.id, '--environment', 'test']
  assert.equal((await json('register', 'look', ...own)).outcome, 'same')
  assert.match(await refused('register', 'look', '--environment', 'live'), /no identity is set/)
  await json('registrar', 'remove', MERCHANT)
  assert.match((await vidimus('register', 'look', ...own)).out, /^not_registered: /)
  assert.match((await vidimus('register', 'list')).out, new RegExp(`${done.tenant.id} .*not_registered`))
  assert.match(await refused('register', 'import', '--identifier', MERCHANT, '--environment', 'test'), /not imported/)
  const keys = `${service.base}/sandbox/registrar/jwks.json`
  const pin = ['register', 'pin', `${service.base}/sandbox/registrar/`, '--environment', 'test', '--keys']
  assert.match(await refused(...pin, 'https://elsewhere.example/jwks.json'), /on its own origin/)
  const [, thumbprint = ''] = /say which: (\S+)/.exec(await refused(...pin, keys)) ?? []
  assert.deepEqual(await json(...pin, keys, '--thumbprint', thumbprint), { thumbprints: [thumbprint] })
  await json('registrar', 'register', await file('again.json', JSON.stringify(merchantJson)))
})

test('a party that was removed from the register is no longer found there', async () => {
  await json('registrar', 'remove', INTERMEDIARY)
  assert.equal((await fetch(`${service.base}/sandbox/registrar/wrp/${INTERMEDIARY}`)).status, 404)
  assert.match(await refused('registrar', 'remove', INTERMEDIARY), /no party is registered/)
})

test('concurrent changes are all kept', async () => {
  const { registrar } = service.deps.sandbox ?? assert.fail()
  const party = (number: number) => ({ ...merchantJson, identifier: [{ type: 'NTR', identifier: `N${number}` }] })
  const done = await Promise.all([1, 2, 3, 4].map((number) => registrar.registerParty(party(number))))
  assert.deepEqual(new Set(done.map(({ outcome }) => outcome)), new Set(['done']))
  assert.equal((await registrar.list()).parties.length, 5)
})
