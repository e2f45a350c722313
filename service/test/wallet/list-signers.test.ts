// Tests that a list's anchors are removed when its signer is revoked, and lists in set-up files.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createIssuer, mintAuthority, mintCrl, mintSigner, TYPE, toPem } from '@vidimus/wallet'
import { signJws } from '../../../wallet/src/sdjwt.ts'
import {
  importTrustList,
  removeTrustList,
  showTrustLists,
} from '../../src/features/trust/usecases/import-trust-list.ts'
import { listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { refreshList, refreshTrustLists } from '../../src/features/trust/usecases/refresh-trust-lists.ts'
import { blocksOf } from '../docs/blocks.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { deps } = service
const now = () => Math.floor(service.clock.now() / 1000)
const issuer = createIssuer({ base: 'https://issuer.example', now: now(), name: 'A listed issuer' })
const der = ({ certificate }: { certificate: string }) => new Uint8Array(Buffer.from(certificate, 'base64'))
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
const period = { notBefore: now() - 1000, notAfter: now() + 10_000_000 }
const publisher = mintAuthority({ commonName: 'List authority' }, period)

let revoked: { serial: Uint8Array; at: number }[] = []
let isServed = true
let sequence = 1
const server = createServer((request, response) => {
  const crl = {
    issuer: { commonName: 'List authority' },
    signingKey: publisher.key,
    thisUpdate: now() - 60,
    nextUpdate: now() + 86_400,
    revoked,
  }
  if (request.url === '/crl') return response.end(mintCrl(crl))
  response.statusCode = isServed ? 200 : 404
  return response.end(isServed ? lote() : '')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const address = server.address()
assert.ok(typeof address === 'object' && address !== null)
const base = `http://127.0.0.1:${address.port}`
const signer = mintSigner(publisher, { commonName: 'Revocable' }, { ...period, crl: `${base}/crl` })

function lote(): string {
  const information = {
    ServiceTypeIdentifier: 'http://uri.etsi.org/19602/SvcType/PID/Issuance',
    ServiceDigitalIdentity: { X509Certificates: [{ val: issuer.sdJwt.authority.certificate }] },
  }
  const claims = {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
        LoTESequenceNumber: sequence,
        SchemeOperatorName: [{ lang: 'en', value: 'An invented operator' }],
        ListIssueDateTime: iso(now() - 60),
        NextUpdate: iso(now() + 100 * 86_400),
      },
      TrustedEntitiesList: [{ TrustedEntityServices: [{ ServiceInformation: information }] }],
    },
  }
  return signJws({ alg: 'ES256', x5c: [signer.certificate] }, claims, signer.key)
}

const load = (change: object = {}) =>
  importTrustList(deps, {
    owner: { tenantId: null, environment: 'test' },
    kind: 'lote',
    providers: 'pid',
    source: `${base}/list`,
    file: null,
    signer: der(signer),
    signerAuthority: der(publisher),
    types: [`dc+sd-jwt:${TYPE.pidSdJwt}`],
    ...change,
  })
const anchorsOf = async (id: string) => (await listAnchors(deps)).filter(({ listId }) => listId === id).length

test('only the authority of a signer says whether it was revoked: without that authority a list is refused', async () => {
  assert.deepEqual(await load({ signerAuthority: null }), {
    outcome: 'refused',
    code: 'list_unfit',
    problem: "could not establish whether the list's signer has been revoked",
  })
})

const served: [string, boolean, object][] = [
  ['still serves the list', true, {}],
  ['serves nothing any more', false, {}],
  ['is none, the list being from a file', true, { source: 'list.jwt', file: () => Buffer.from(lote()) }],
]
for (const [title, stays, change] of served) {
  test(`the anchors of a list are removed once its signer was revoked, if its address ${title}`, async () => {
    revoked = []
    isServed = true
    // Lists fetched for the case before have expired.
    service.clock.advance(86_400_000)
    const { file = null } = change as { file?: () => Uint8Array }
    const done = await load({ ...change, file: file?.() ?? null })
    assert.ok(done.outcome === 'loaded', JSON.stringify(done))
    isServed = stays
    await refreshTrustLists(deps)
    assert.equal(await anchorsOf(done.id), 1, 'the anchors stay while the signer is not revoked')
    const serial = new Uint8Array(Buffer.from(new X509Certificate(der(signer)).serialNumber, 'hex'))
    revoked = [{ serial, at: now() - 60 }]
    service.clock.advance(86_000_000)
    await refreshTrustLists(deps)
    const [list] = await showTrustLists(deps)
    assert.match(list?.failure ?? '', /revoked/)
    assert.equal(list?.mismatched, true, 'the alert is raised')
    const { code, out } = await commandLine(service).run('doctor', '--json')
    const found = JSON.parse(out).findings.find((one: { finding: string }) => one.finding.includes('been revoked'))
    assert.equal(code, 2)
    assert.equal(found?.status, 'problem')
    assert.match(found.finding, /no longer trusted/)
    assert.equal(await anchorsOf(done.id), 0)
    await removeTrustList(deps, done.id)
  })
}

test('lists in a set-up file are planned, imported, exported, changed and pruned; an unreadable list removes nothing', async (t) => {
  revoked = []
  isServed = true
  service.clock.advance(86_400_000)
  for (const { id } of await showTrustLists(deps)) await removeTrustList(deps, id)
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-lists-'))
  t.after(() => rm(folder, { recursive: true }))
  const { run, json } = commandLine(service)
  const path = join(folder, 'setup.yaml')
  const apply = async (text: string, ...options: string[]) => {
    await writeFile(path, text)
    return run('apply', '-f', path, ...options)
  }
  const [, , block = ''] = (await blocksOf('docs/setup.md'))
    .filter(({ language }) => language === 'yaml')
    .map(({ code }) => code)
  const pem = [signer, publisher].map((one) => toPem(der(one))).join('')
  const text = block
    .replace('https://lists.example.com/pid.jwt', `${base}/list`)
    .replace(/^( +)-----BEGIN CERTIFICATE-----\n.*\n +-----END CERTIFICATE-----$/m, (_, indent) =>
      pem.trim().replace(/^/gm, indent),
    )

  const line = `+ live trust list ${base}/list: lote of pid: dc+sd-jwt:${TYPE.pidSdJwt}`
  assert.ok((await apply(text, '--plan')).out.includes(line))
  assert.deepEqual(await showTrustLists(deps), [], 'a plan changes nothing')
  assert.equal((await apply(text)).code, 0)
  const [imported, ...more] = await showTrustLists(deps)
  assert.ok(imported !== undefined && more.length === 0)
  assert.deepEqual([imported.environment, imported.tenantId, imported.failure], ['live', null, null])
  assert.equal(await anchorsOf(imported.id), 1)
  assert.match((await apply(text, '--prune')).out, /Nothing to change/)
  await writeFile(path, (await run('export')).out)
  assert.match((await run('apply', '-f', path, '--prune')).out, /Nothing to change/)
  assert.match((await run('export')).out, /trust_lists:\n +- kind: lote\n +providers: pid\n +source: http:/)

  // Neither an owner's list nor one from a file belongs to the set-up file.
  const tenantId = await service.tenant({ name: 'Corner shop' })
  const owned = { owner: { tenantId, environment: 'live' }, byOwner: true }
  assert.equal((await load(owned)).outcome, 'loaded')
  const fromFile = { source: 'list.jwt', file: Buffer.from(lote()), owner: { tenantId: null, environment: 'live' } }
  assert.equal((await load(fromFile)).outcome, 'loaded')

  const wider = text.replace('types: [', 'types: ["dc+sd-jwt:urn:eudi:pid:de:1", ')
  isServed = false
  assert.match((await apply(wider)).err, /Stopped at trust list [\s\S]*the list could not be fetched/)
  assert.equal(await anchorsOf(imported.id), 1)
  isServed = true
  assert.equal((await apply(wider)).code, 0)
  const typesOf = async () => (await showTrustLists(deps)).map(({ types }) => types.length).sort()
  assert.deepEqual(await typesOf(), [1, 1, 2])
  // A signer that would vouch for more than the file says vouches for nothing, even if the list cannot be fetched later.
  isServed = false
  assert.match((await apply(text)).err, /could not be fetched; the earlier import with other terms is no longer used/)
  assert.deepEqual(await typesOf(), [0, 1, 1])
  const [withoutGrant] = (await showTrustLists(deps)).filter(({ types }) => types.length === 0)
  assert.ok(withoutGrant !== undefined)
  assert.equal(await anchorsOf(withoutGrant.id), 0)
  assert.doesNotMatch((await run('export')).out, /trust_lists/)
  isServed = true
  // Neither the job nor a read that began before the change adds anchors again.
  await refreshTrustLists(deps)
  await refreshList(deps, { ...withoutGrant, types: [`dc+sd-jwt:${TYPE.pidSdJwt}`] })
  assert.equal(await anchorsOf(withoutGrant.id), 0)
  assert.deepEqual(await typesOf(), [0, 1, 1])
  sequence = 7
  assert.equal((await apply(text)).code, 0)
  // An older issue does not circumvent the newer one's terms.
  sequence = 6
  assert.match((await apply(wider)).err, /an older list than the one loaded/)
  assert.deepEqual(await typesOf(), [1, 1, 1])
  sequence = 7
  assert.equal((await apply(wider)).code, 0)
  // A list that is unreadable at its new address is still read at its former one.
  const moved = wider.replace(`${base}/list`, `${base}/moved`)
  isServed = false
  assert.match((await apply(moved, '--prune', '--yes')).err, /could not be fetched/)
  assert.deepEqual(await typesOf(), [1, 1, 2])
  isServed = true
  assert.equal((await apply(moved, '--prune', '--yes')).code, 0)
  assert.equal((await apply(wider, '--prune', '--yes')).code, 0)
  assert.deepEqual(await typesOf(), [1, 1, 2])
  const none = text.replace(/trust_lists:[\s\S]*(?=^tenants)/m, 'trust_lists: []\n')
  assert.match((await apply(none)).out, /Nothing to change/)
  assert.equal((await apply(none, '--prune', '--yes')).code, 0)
  assert.deepEqual(await typesOf(), [1, 1])
  const { data } = await json('anchor', 'lists')
  assert.deepEqual(data.map(({ source }: { source: string }) => source).sort(), [`${base}/list`, 'list.jwt'])

  assert.match((await apply(text.replace(/ +providers: .*\n/, ''))).err, /trust_lists\[0\]: providers is missing/)
  assert.match(
    (await apply(text.replace('providers: pid', 'providers: wallet'))).err,
    /providers: must be one of pid, /,
  )
  assert.match((await apply(text.replace('providers: pid', 'providers: mdoc'))).err, /is of the kind vical, not lote/)
  // If the file states another kind, it is refused, and the earlier import vouches for nothing.
  const otherwise = text.replace('providers: pid', 'providers: mdl')
  assert.equal((await apply(text)).code, 0)
  assert.match(
    (await apply(otherwise)).err,
    /names PID providers, and was imported as one that names mDL providers; the earlier import .* is no longer used/,
  )
  assert.deepEqual(await typesOf(), [0, 1, 1])
  const mixed = text.replace('types: [', 'types: ["rc-wrp+jwt:*", ')
  assert.match((await apply(mixed, '--plan')).err, /providers: a list of providers 'pid' cannot vouch for .*rc-wrp/)
  const { err } = await apply(text.replace(/source: .*/, 'source: /etc/list.jwt').replace('lote', 'pdf'))
  assert.match(err, /trust_lists\[0\]\.kind: must be one of vical, lote, tsl/)
  assert.match(
    (await apply(text.replace(/source: .*/, 'source: list.jwt'))).err,
    /\.source: must be an http or https address/,
  )
  assert.match(
    (await apply(text.replace(/ +signer: [\s\S]*(?=^tenants)/m, ''))).err,
    /trust_lists\[0\]: signer is missing/,
  )
})
