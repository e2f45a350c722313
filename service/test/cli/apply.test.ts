// Tests set-up files: planned, applied, exported and applied elsewhere; refused as a whole if anything is wrong.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPrivateKey, randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createIssuer, generateKey, mintAuthority, mintCertificate, toPem } from '@vidimus/wallet'
import { authorityKeyId, basicConstraints, keyUsage, subjectAltName } from '../../../wallet/src/pki.ts'
import { blocksOf } from '../docs/blocks.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const { run: vidimus, json } = commandLine(service)
const folder = await mkdtemp(join(tmpdir(), 'vidimus-apply-'))
after(() => rm(folder, { recursive: true }))

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const setup = (text: string) => file(`setup-${randomUUID()}.yaml`, text)
const apply = async (text: string, ...options: string[]) => vidimus('apply', '-f', await setup(text), ...options)
const applied = async (text: string, ...options: string[]) => json('apply', '-f', await setup(text), ...options)
const plan = async (text: string, ...options: string[]) => applied(text, '--plan', ...options)
const exported = async () => JSON.parse((await vidimus('export', '--json')).out)
const tenantOf = async (name: string) =>
  (await exported()).tenants.find((tenant: { name: string }) => tenant.name === name)

const now = Math.floor(service.clock.now() / 1000)
const period = { notBefore: now - 1000, notAfter: now + 40_000_000 }
const issuer = createIssuer({ base: 'https://issuer.example', now })
const anchorPem = toPem(Buffer.from(issuer.sdJwt.authority.certificate, 'base64'), 'CERTIFICATE')
const accessKey = generateKey()
const accessPem = (() => {
  const authority = mintAuthority({ commonName: 'Access CA' }, period)
  const extensions = [
    basicConstraints(false),
    keyUsage('digitalSignature'),
    authorityKeyId(authority.key),
    subjectAltName({ dns: ['verify.example.com'] }),
  ]
  const fields = { subjectKey: accessKey, issuer: authority.name, signingKey: authority.key, ...period, extensions }
  return toPem(mintCertificate({ ...fields, subject: { commonName: 'Corner shop' } }), 'CERTIFICATE')
})()
const accessKeyPem = createPrivateKey({ key: { ...accessKey }, format: 'jwk' })
  .export({ format: 'pem', type: 'pkcs8' })
  .toString()

/** Returns the guide's two files, with real certificates in place of the dots. */
async function guideFiles(): Promise<[string, string]> {
  const [main = '', trust = ''] = (await blocksOf('docs/setup.md'))
    .filter(({ language }) => language === 'yaml')
    .map(({ code }) => code)
  const pems = [anchorPem, accessPem]
  const filled = trust.replace(/^( +)-----BEGIN CERTIFICATE-----\n.*\n +-----END CERTIFICATE-----$/gm, (_, indent) =>
    (pems.shift() ?? '').trim().replace(/^/gm, indent),
  )
  return [main, filled]
}

test('the files of the guide are planned and applied; after that there is nothing to change', async () => {
  const [main, trust] = await guideFiles()
  const shown = await apply(main, '--plan')
  assert.match(shown.out, /Corner shop \(new\)\n {2}\+ tenant: starter, 500 a day/)
  assert.match(shown.out, /\+ test key bookkeeping: verifications:read; 365 days/)
  assert.ok(!shown.out.includes('https://shop.example.com/vidimus'), 'addresses are not shown')
  assert.deepEqual((await exported()).tenants, [], 'a plan changes nothing')

  const secrets = join(folder, 'keys.jsonl')
  const done = await applied(main, '--secrets-file', secrets)
  assert.deepEqual([done.add, done.change, done.remove, done.keys], [8, 1, 0, []])
  assert.equal((await stat(secrets)).mode & 0o777, 0o600)
  const lines = (await readFile(secrets, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(lines.map(({ tenant, environment, name }) => [tenant, environment, name]).sort(), [
    ['Corner shop', 'live', 'shop'],
    ['Corner shop', 'test', 'bookkeeping'],
    ['Corner shop', 'test', 'till'],
  ])
  const till = lines.find(({ name }) => name === 'till')
  const usage = await service.call('GET', '/v1/usage', { key: till.key })
  assert.equal(usage.json.daily_quota, 500)
  const created = await service.call('POST', '/v1/verifications', { key: till.key, body: { template: 'member_card' } })
  assert.equal(created.status, 201)
  const logged = service.logged.join('\n')
  for (const { key } of lines) assert.ok(!logged.includes(key), 'addresses are not in the log')

  await file('corner-shop.key', accessKeyPem)
  assert.deepEqual((await applied(trust)).add, 2)
  await rm(join(folder, 'corner-shop.key'))
  for (const text of [main, trust]) {
    const { add, change, remove, changes } = await plan(text, '--prune')
    assert.deepEqual([add, change, remove, changes], [0, 0, 0, []])
  }
  const trail = (await vidimus('audit', 'export', '--tenant', till.tenant_id, '--environment', 'test')).out
  for (const action of ['tenant.created', 'settings.changed', 'key.created', 'template.saved', 'endpoint.saved'])
    assert.ok(trail.includes(action), action)
})

test('an export contains no secret; applied to an empty installation, it gives an equal export', async () => {
  await json(
    'template',
    'put',
    'agrees',
    '--tenant',
    await tenantId('Other shop'),
    '--file',
    await file('t.json', JSON.stringify(QUESTION)),
  )
  const yaml = (await vidimus('export')).out
  const text = JSON.stringify(await exported())
  assert.ok(!/vk_(test|live)_|whsec_|PRIVATE|ten_/.test(yaml + text))

  const empty = commandLine(await testService())
  assert.match((await empty.run('apply', '-f', await setup(yaml))).err, /certificates\[0\]: no key waits/)
  assert.deepEqual(JSON.parse((await empty.run('export', '--json')).out).tenants, [], 'nothing was changed')
  await file('access.key', accessKeyPem)
  const withKey = yaml.replace(/^( +)- purpose: openid4vp$/m, '$&\n$1  key_file: access.key')
  assert.equal((await empty.run('apply', '-f', await setup(withKey))).code, 0)
  assert.equal((await empty.run('export')).out, yaml)
  // Set-up files may be JSON, also with tabs.
  const asJson = await file('export.json', JSON.stringify(await exported(), null, '\t'))
  const again = await empty.json('apply', '-f', asJson, '--prune')
  assert.deepEqual([again.add, again.change, again.remove], [0, 0, 0])
  const out = join(folder, 'export.yaml')
  assert.equal((await vidimus('export', '-o', out)).code, 0)
  assert.equal((await stat(out)).mode & 0o777, 0o600)
  assert.match((await vidimus('export', '-o', out)).err, /EEXIST/, 'an existing file is not overwritten')
})

test('apply changes what changed in the file, and leaves what the file does not name', async () => {
  const before = await tenantOf('Corner shop')
  const shown = await apply(CHANGED, '--plan')
  assert.match(shown.out, /~ tenant: plan: starter → business, daily_quota: 500 → the plan's/)
  assert.match(shown.out, /~ settings: retention_days: 14 → 30/)
  assert.match(shown.out, /~ test endpoint shop: address/)
  assert.match(shown.out, /~ test template member_card: Your card/)
  await applied(CHANGED)
  const after = await tenantOf('Corner shop')
  assert.deepEqual([after.plan, after.daily_quota, after.settings.retention_days], ['business', null, 30])
  assert.equal(after.settings.haip, true)
  assert.deepEqual(after.test.keys, before.test.keys)
  assert.deepEqual(after.test.endpoints, [{ name: 'shop', url: 'https://shop.example.com/v2', default: true }])
  assert.deepEqual(after.live, before.live)
})

test('pruning removes what the file does not name, of kinds that it lists, and asks first', async () => {
  const text = `vidimus: 1\ntenants:\n  - name: Corner shop\n    test:\n      keys: [{ name: till }]\n      templates: {}\n`
  const { tenants: before } = await exported()
  const planned = await apply(text, '--prune')
  assert.equal(planned.code, 1)
  assert.match(
    planned.err,
    /Nothing was changed\. This would be removed:\n.*\n.*- test key bookkeeping.*\n.*- test template member_card/,
  )
  assert.deepEqual((await exported()).tenants, before)
  const pruned = await applied(text, '--prune', '--yes')
  assert.deepEqual([pruned.add, pruned.change, pruned.remove], [0, 0, 2])
  const { test: realm, live } = await tenantOf('Corner shop')
  assert.deepEqual([realm.keys.length, realm.templates, realm.endpoints.length], [1, undefined, 1])
  assert.equal(live.certificates.length, 1)
})

test('apply stops at a key with other scopes; with pruning the old key ends and another is created', async () => {
  const text = `vidimus: 1\ntenants:\n  - name: Corner shop\n    test:\n      keys: [{ name: till, scopes: [verifications:read] }]\n`
  assert.match(
    (await apply(text)).err,
    /:5: tenants\[0\]\.test\.keys\[0\]\.scopes: the key of this name has other scopes/,
  )
  const done = await applied(text, '--prune', '--yes')
  assert.deepEqual([done.add, done.remove, done.keys.length], [1, 1, 1])
  assert.equal((await applied(text)).add, 0)
})

test('an anchor that the file narrows vouches only for what the file says', async () => {
  const [, trust] = await guideFiles()
  const narrowed = trust.replace('dc+sd-jwt:urn:eudi:pid:1', 'dc+sd-jwt:urn:eudi:pid:de:1')
  assert.match((await apply(narrowed, '--plan')).out, /the service\n {2}- live anchor .*\n {2}\+ live anchor /)
  await applied(narrowed)
  const { data } = await json('anchor', 'list')
  assert.deepEqual(
    data.map(({ types }: { types: string[] }) => types),
    [['dc+sd-jwt:urn:eudi:pid:de:1']],
  )
})

test('one mistake prevents all changes, and every mistake is reported with its line', async () => {
  const before = await exported()
  const { code, err } = await apply(WRONG)
  assert.equal(code, 1)
  for (const wrong of WRONGS) assert.ok(err.includes(wrong), `${wrong}\n${err}`)
  assert.deepEqual(await exported(), before)
})

test('limits of the installation are checked before anything is changed', async () => {
  const before = await exported()
  const keys = Array.from({ length: 101 }, (_, at) => `{ name: key ${at} }`).join(', ')
  const many = `vidimus: 1\ntenants:\n  - name: New shop\n    test: { keys: [${keys}] }\n`
  assert.match((await apply(many)).err, /tenants\[0\]\.test\.keys: there would be 101; the limit is 100/)
  const closed = `vidimus: 1\ntenants:\n  - name: New shop\n    settings: { live_webhooks_https_only: true }\n    live: { endpoints: [{ name: a, url: "http://shop.example.com/" }] }\n`
  assert.match((await apply(closed)).err, /:5: .*\.url: must be https/)
  const inside = `vidimus: 1\ntenants:\n  - name: New shop\n    test: { endpoints: [{ name: a, url: "http://127.0.0.1/" }] }\n`
  assert.match((await apply(inside)).err, /public http or https address/)
  const registered = `vidimus: 1\ntenants:\n  - name: New shop\n    live: { templates: { asks: ${JSON.stringify({ ...QUESTION, intended_use: 'sales' })} } }\n`
  assert.match((await apply(registered)).err, /live\.templates\.asks: /)
  assert.deepEqual(await exported(), before)
})

test('a document that expands without end is refused', async () => {
  const laughs = Array.from(
    { length: 12 },
    (_, at) =>
      `  - &l${at} [${
        at === 0
          ? 'x'
          : Array(9)
              .fill(`*l${at - 1}`)
              .join(', ')
      }]`,
  )
  const began = await apply(`vidimus: 1\ntenants:\n${laughs.join('\n')}\n`)
  assert.match(began.err, /Excessive alias count|more than 2000000 values/)
  const deep = `vidimus: 1\ntenants: ${'['.repeat(70)}${']'.repeat(70)}\n`
  assert.match((await apply(deep)).err, /64 levels/)
  const references = `vidimus: 1\ntenants: [&a x${', *a'.repeat(20_001)}]\n`
  assert.match((await apply(references)).err, /more than 20000 references/)
  assert.match((await apply('vidimus: 1\nvidimus: 1\n')).err, /:2: Map keys must be unique/)
  assert.match((await apply('vidimus: 1\n---\nvidimus: 1\n')).err, /multiple documents/)
  assert.match((await apply('vidimus: 1\ntenants: [{ name: "a\\0b" }]\n')).err, /invalid characters/)
  const large = await file('large.yaml', '')
  await truncate(large, 32 * 1024 * 1024 + 1)
  assert.match((await vidimus('apply', '-f', large)).err, /larger than 32 MiB/)
})

test('a run that fails halfway reports what was done, and a second run finishes the rest', async () => {
  const secrets = await file('open.jsonl', '')
  await chmod(secrets, 0o644)
  const text = `vidimus: 1\ntenants:\n  - name: Half\n    test: { keys: [{ name: one }], templates: { asks: ${JSON.stringify(QUESTION)} } }\n`
  assert.match((await apply(text, '--secrets-file', secrets)).err, /others may read .*; nothing was changed/)
  assert.equal(await tenantOf('Half'), undefined)

  // An anchor for registrations must not also issue credentials. Here two anchors of one key conflict only in the store.
  const cert = anchorPem.trim().replace(/^/gm, '            ')
  const mixed = `vidimus: 1
service:
  test:
    anchors:
      - types: ["rc-wrp+jwt:*"]
        certificate: |\n${cert}
tenants:
  - name: Half
    test:
      keys: [{ name: one }]
      anchors:
        - types: ["dc+sd-jwt:*"]
          certificate: |\n${cert}
`
  const stopped = await apply(mixed)
  assert.equal(stopped.code, 1)
  assert.match(stopped.out, /"key":"vk_test_/, 'a key that was created is printed anyway')
  assert.match(
    stopped.err,
    /^Done before it stopped:\nthe service\n {2}\+ test anchor .*\nHalf \(ten_\w+\)\n {2}\+ tenant: free\n {2}\+ test key one/,
  )
  assert.match(
    stopped.err,
    /Stopped at anchor .* of Half\. Earlier changes remain; run the command again for the rest\.\n.* has the same key/,
  )
  assert.match(
    (await apply(mixed)).err,
    /^Nothing was changed:\n.*:\d+: tenants\[0\]\.test\.anchors\[0\]: anc_\w+ has the same key/,
  )
  const { data } = await json('anchor', 'list')
  const [wrong] = data.filter(({ environment }: { environment: string }) => environment === 'test')
  await json('anchor', 'remove', wrong.id)
  const mended = mixed.replace(/^service:\n(?: .*\n)+/m, '')
  assert.deepEqual(
    (await plan(mended)).changes.map(({ what }: { what: string }) => what),
    ['anchor'],
  )
  assert.equal((await applied(mended)).add, 1)
})

test('a name that two tenants have identifies neither; ids do', async () => {
  for (const _ of [1, 2]) await json('tenant', 'create', '--name', 'Twin')
  const twins = (await json('tenant', 'list')).data.filter(({ name }: { name: string }) => name === 'Twin')
  assert.match(
    (await apply('vidimus: 1\ntenants: [{ name: Twin }]\n')).err,
    /2 tenants have this name; say which with id: ten_/,
  )
  assert.match((await vidimus('export')).err, /two tenants are called 'Twin'/)
  const renamed = `vidimus: 1\ntenants:\n  - { id: ${twins[1].id}, name: Second twin }\n`
  assert.match((await apply(renamed, '--plan')).out, /~ tenant: name: Twin → Second twin/)
  await applied(renamed)
  assert.equal((await applied(renamed)).change, 0)
  assert.match((await apply(`vidimus: 1\ntenants: [{ id: ten_none, name: X }]\n`)).err, /no tenant of this id/)
  assert.match(
    (await apply(`vidimus: 1\ntenants: [{ id: ${twins[0].id}, name: Half }]\n`)).err,
    /another tenant has this name/,
  )
})

test('all problems of a file are reported at once, in order: of its form and of the store', async () => {
  const text = `vidimus: 1
tenants:
  - name: Fine
  - name: Wrong
    plan: gold
    colour: red
  - id: ten_doesnotexist
    name: Nobody
`
  const { code, err } = await apply(text)
  assert.equal(code, 1)
  const lines = err.trim().split('\n')
  assert.equal(lines[0], 'Nothing was changed:')
  const positions = lines.slice(1).map((line) => /:(\d+): (tenants\[\d\](?:\.\w+)?)/.exec(line)?.slice(1).join(' '))
  assert.deepEqual(positions, ['5 tenants[1].plan', '6 tenants[1].colour', '7 tenants[2].id'], err)
  assert.equal(await tenantOf('Wrong'), undefined)
  const twice = await apply('vidimus: 1\nvidimus: 1\ntenants: []\ntenants: []\n')
  assert.deepEqual(twice.err.match(/:\d+: Map keys must be unique/g), [
    ':2: Map keys must be unique',
    ':4: Map keys must be unique',
  ])
})

test('if two runs create a tenant at once, one of them does', async () => {
  const text = 'vidimus: 1\ntenants: [{ name: Raced }]\n'
  const ends = await Promise.all([apply(text), apply(text), apply(text)])
  assert.ok(ends.some(({ code }) => code === 0))
  const created = (await json('tenant', 'list')).data.filter(({ name }: { name: string }) => name === 'Raced')
  assert.equal(created.length, 1)
})

test('a thousand tenants take one process, and a second run changes nothing', async (t) => {
  const many = await testService()
  const tenants = Array.from({ length: 1_000 }, (_, at) => ({
    name: `Shop ${at}`,
    ...(at % 10 === 0 ? { test: { keys: [{ name: 'shop' }] } } : {}),
  }))
  const path = await file('many.json', JSON.stringify({ vidimus: 1, tenants }))
  const env = { ...BARE_ENVIRONMENT, DATABASE_URL: many.url, VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
  const args = [MAIN, 'apply', '--json', '-f', path, '--secrets-file', join(folder, 'many.jsonl')]
  const [first, second] = [
    JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout),
    JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout),
  ]
  assert.deepEqual([first.tenants, first.add, first.change], [1_000, 1_100, 0])
  assert.deepEqual([second.tenants, second.add, second.change, second.remove], [1_000, 0, 0, 0])
  assert.equal((await readFile(join(folder, 'many.jsonl'), 'utf8')).trim().split('\n').length, 100)
  t.diagnostic(`first run: ${first.add} added; second: ${second.add} added, ${second.change} changed`)
})

const tenantId = async (name: string): Promise<string> =>
  (await json('tenant', 'list')).data.find((tenant: { name: string }) => tenant.name === name).id

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

const QUESTION = {
  title: 'What is your level?',
  query: {
    credentials: [
      { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: ['urn:card'] }, claims: [{ path: ['level'] }] },
    ],
  },
  outputs: { level: { value: [{ credential: 'card', path: ['level'] }] } },
}

const CHANGED = `vidimus: 1
tenants:
  - name: Corner shop
    plan: business
    daily_quota: null
    settings: { retention_days: 30 }
    test:
      endpoints: [{ name: shop, url: "https://shop.example.com/v2" }]
      templates:
        member_card: ${JSON.stringify({ ...QUESTION, title: 'Your card' })}
`

const WRONG = `vidimus: 1
tenants:
  - name: New shop
    plan: golden
  - name: New shop
    daily_quota: -1
    setings: {}
    settings:
      retention_days: 0
      evidence_basis: law
    test:
      keys:
        - name: ""
        - { name: a, scopes: [everything] }
        - { name: b, expires_in_days: 31 }
      templates:
        asks: { query: { credentials: [] } }
      endpoints: [{ url: x }]
      anchors: [{ types: [pid], certificate: none }]
`

const WRONGS = [
  ':4: tenants[0].plan: must be one of free, starter, business, enterprise',
  ':6: tenants[1].daily_quota: must be a whole number from 0 to 999999999',
  ':7: tenants[1].setings: is not known here; did you mean settings?',
  ':9: tenants[1].settings.retention_days: must be 1 to 3650 days',
  ':10: tenants[1].settings.evidence_basis: is not known here',
  ':13: tenants[1].test.keys[0].name: must be a line',
  ':14: tenants[1].test.keys[1].scopes[0]: must be one of verifications:create',
  ':15: tenants[1].test.keys[2].expires_in_days: must be one of 30, 90, 365',
  ':17: tenants[1].test.templates.asks.query',
  ':18: tenants[1].test.endpoints[0]: name is missing',
  ':19: tenants[1].test.anchors[0].types[0]: must name a type',
  ':19: tenants[1].test.anchors[0].certificate: must be PEM',
]

test('the mark of a sole type is applied, changed, exported, and refused if it contradicts the types', async () => {
  const licences = createIssuer({ base: 'https://licences.example', now })
  const certificate = toPem(Buffer.from(licences.mdoc.authority.certificate, 'base64'), 'CERTIFICATE')
  const [docType, namespace] = ['org.iso.18013.5.1.mDL', 'org.iso.18013.5.1']
  const marked = (sole: object | null, types = [`mso_mdoc:${docType}`]) =>
    JSON.stringify({
      vidimus: 1,
      service: { test: { anchors: [{ profile: 'iso-mdl', types, certificate, ...(sole && { sole_type: sole }) }] } },
      tenants: [],
    })
  const sole = { doc_type: docType, namespace, without_status: false }
  const exportedMarks = async () =>
    (await exported()).service.test.anchors.map((one: { sole_type?: object }) => one.sole_type)
  const counts = async (text: string) => {
    const { add, remove } = await applied(text, '--yes')
    return [add, remove]
  }
  assert.deepEqual(await counts(marked(null)), [1, 0])
  assert.deepEqual(await exportedMarks(), [undefined])
  assert.deepEqual(await counts(marked({ doc_type: docType, namespace })), [1, 1])
  assert.deepEqual(await exportedMarks(), [sole])
  assert.deepEqual(await counts(marked(sole)), [0, 0])
  for (const [text, problem] of [
    [marked({ ...sole, doc_type: 'club.card.1' }), /may vouch for mso_mdoc:club\.card\.1 and no other/],
    [marked(sole, [`mso_mdoc:${docType}`, 'mso_mdoc:club.card.1']), /and no other mdoc/],
    [marked({ ...sole, without_status: true }), /may have a status/],
    [marked({ namespace }), /must have doc_type and namespace/],
    [marked({ ...sole, name_space: 'x' }), /is not known here/],
  ] as const) {
    const done = await apply(text)
    assert.notEqual(done.code, 0)
    assert.match(done.err, problem)
  }
  assert.deepEqual(await counts(marked(null)), [1, 1])
  const path = await file('licences.pem', certificate)
  const add = (...options: string[]) =>
    vidimus(
      'anchor',
      'add',
      path,
      '--environment',
      'test',
      '--type',
      `mso_mdoc:${docType}`,
      '--profile',
      'iso-mdl',
      ...options,
    )
  assert.match((await add('--sole-type', docType)).err, /need each other/)
  assert.match((await add('--without-status')).err, /need each other|needs both/)
  assert.equal((await add('--sole-type', docType, '--sole-namespace', namespace)).code, 0)
  const { data } = await json('anchor', 'list')
  assert.ok(data.some((one: { sole_type: object | null }) => JSON.stringify(one.sole_type) === JSON.stringify(sole)))
})
