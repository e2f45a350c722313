// Tests certificates, anchors and the test wallet on the command line, against a running service.

import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createIssuer, mintAuthority, mintCertificate, mintSigner, type PublicJwk, toPem } from '@vidimus/wallet'
import type { Command } from 'commander'
import { certificateIdentity, mintTrustedList } from '../../../engine/test/trust/mint-trusted-list.ts'
import {
  authorityKeyId,
  basicConstraints,
  type Extension,
  extKeyUsage,
  keyUsage,
  OID,
  subjectAltName,
} from '../../../wallet/src/pki.ts'
import { buildProgram } from '../../src/cli/program.ts'
import type { CliWorld } from '../../src/cli/world.ts'
import { listeningService } from '../harness/listening.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { create, decode, read } from '../wallet/verifications.ts'

const service = await listeningService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const folder = await mkdtemp(join(tmpdir(), 'vidimus-cli-'))
after(() => rm(folder, { recursive: true }))

const { run: vidimus, json } = commandLine(service)

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const now = Math.floor(service.clock.now() / 1000)
const period = { notBefore: now - 1000, notAfter: now + 40_000_000 }
const authority = mintAuthority({ commonName: 'Access CA' }, period)

/** Certifies a signing request as an authority does. Its public key is the last but one element. */
function certify(csr: string, further: readonly Extension[] = []): string {
  const der = Buffer.from(csr.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  const at = der.indexOf(Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107', 'hex'))
  const spki = createPublicKey({ key: der.subarray(at, at + 91), format: 'der', type: 'spki' })
  const subjectKey = spki.export({ format: 'jwk' }) as unknown as PublicJwk
  const extensions = [
    basicConstraints(false),
    keyUsage('digitalSignature'),
    authorityKeyId(authority.key),
    subjectAltName({ dns: ['localhost'] }),
    ...further,
  ]
  const fields = {
    subject: { commonName: 'Corner shop' },
    subjectKey,
    issuer: authority.name,
    signingKey: authority.key,
  }
  return toPem(mintCertificate({ ...fields, ...period, extensions }), 'CERTIFICATE')
}

test('after csr and install, new requests have the new certificate, and open ones keep the old one', async () => {
  const before = await create(service, key)
  const { csr } = await json(
    'certificate',
    'csr',
    '--environment',
    'test',
    '--tenant',
    tenant,
    '--common-name',
    'Corner shop',
  )
  const pem = certify(csr)
  const chain = await file('chain.pem', pem)
  assert.match(
    (await vidimus('certificate', 'install', '--environment', 'live', '--tenant', tenant, '--chain', chain)).err,
    /no key waits/,
  )
  const { id } = await json('certificate', 'install', '--environment', 'test', '--tenant', tenant, '--chain', chain)
  const { data } = await json('certificate', 'show')
  const shown = data.find((row: { id: string }) => row.id === id)
  assert.equal(shown.state, 'current')
  assert.equal(shown.subject, 'CN=Corner shop')
  service.clock.advance(5_001)
  const created = await create(service, key)
  assert.equal(new URL(created.wallet_uri).searchParams.get('client_id'), shown.client_id)
  const { header } = decode(await (await fetch(created.request_uri)).text())
  const [leaf] = header.x5c as string[]
  assert.equal(new X509Certificate(Buffer.from(leaf ?? '', 'base64')).subject, 'CN=Corner shop')
  assert.equal((await fetch(before.request_uri)).status, 200)
  assert.notEqual(new URL(before.wallet_uri).searchParams.get('client_id'), shown.client_id)
})

test('certificate show --pem exports the certificates of requests, and the authority behind generated ones', async () => {
  const live = await create(service, await service.key(tenant, { environment: 'live' }))
  const { out } = await vidimus('certificate', 'show', '--pem', '--environment', 'live')
  const blocks = out.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const [leaf, above, ...more] = blocks.map((pem) => new X509Certificate(pem))
  assert.ok(leaf !== undefined && above !== undefined)
  assert.deepEqual(more, [])
  assert.ok(leaf.checkIssued(above) && above.ca && !leaf.ca)
  assert.ok(!out.includes('PRIVATE'))
  const { header } = decode(await (await fetch(live.request_uri)).text())
  assert.deepEqual(header.x5c, [leaf.raw.toString('base64')])
  const exported = async () => {
    const { data } = await json('certificate', 'show', '--pem', '--tenant', tenant)
    return data.map((one: Record<string, unknown> & { chain: string[] }) => [
      one.id,
      one.origin,
      one.authority,
      one.chain.length,
    ])
  }
  const [[earlier]] = await exported()
  assert.deepEqual(await exported(), [[earlier, 'installed', null, 1]])
  const use = ['--environment', 'test', '--tenant', tenant]
  const { csr } = await json('certificate', 'csr', ...use, '--common-name', 'Corner shop')
  assert.deepEqual(await exported(), [[earlier, 'installed', null, 1]], 'a key that waits is not in use')
  const { id } = await json('certificate', 'install', ...use, '--chain', await file('next.pem', certify(csr)))
  assert.deepEqual(await exported(), [[id, 'installed', null, 1]], 'a replaced certificate is not in use')
  assert.equal((await vidimus('certificate', 'show', '--pem', '--tenant', 'ten_none')).code, 2)
})

test('each use has its own key and certificate: csr, install, list', async () => {
  const use = ['--environment', 'live', '--tenant', tenant, '--purpose', 'iso-reader']
  const { csr } = await json('certificate', 'csr', ...use, '--common-name', 'Corner shop')
  const bare = await file('bare.pem', certify(csr))
  const chain = await file('reader.pem', certify(csr, [extKeyUsage([OID.mdlReaderAuth])]))
  const refusal = async (path: string, purpose: string) => {
    const done = await vidimus('certificate', 'install', ...use.slice(0, 5), purpose, '--chain', path)
    assert.equal(done.code, 2)
    return done.err
  }
  assert.match(await refusal(chain, 'openid4vp'), /no key waits for this certificate for openid4vp/)
  assert.match(await refusal(bare, 'iso-reader'), /not installed: the certificate lacks the extended key usage/)
  assert.match(await refusal(chain, 'samsung'), /--purpose must be one of openid4vp, iso-reader, apple, google/)
  const { id, warnings } = await json('certificate', 'install', ...use, '--chain', chain)
  assert.deepEqual(warnings, [])
  const { data } = await json('certificate', 'list', ...use)
  assert.deepEqual(
    data.map((row: Record<string, unknown>) => [row.id, row.purpose, row.state, row.client_id]),
    [[id, 'iso-reader', 'current', null]],
  )
  assert.match((await vidimus('certificate', 'show', ...use)).out, /PURPOSE[\s\S]+iso-reader/)
  assert.deepEqual((await json('certificate', 'list', ...use.slice(0, 5), 'google')).data, [])
  const exported = await json('certificate', 'show', '--pem', ...use)
  assert.deepEqual([exported.data.length, exported.data[0].purpose], [1, 'iso-reader'])
})

test('a signing request for Apple Wallet has the subject that Apple requires, or is refused', async () => {
  const ask = (...options: string[]) =>
    vidimus('certificate', 'csr', '--environment', 'live', '--tenant', tenant, '--purpose', 'apple', ...options)
  const all = [
    '--common-name',
    'shop.example.com',
    '--organization',
    'Shop',
    '--country',
    'DE',
    '--email',
    'a@example.com',
  ]
  assert.match((await ask('--common-name', 'Corner shop')).err, /common name is the domain/)
  assert.match((await ask(...all.slice(0, 2))).err, /needs: organization, country, state or locality, e-mail address/)
  assert.match((await ask(...all)).err, /needs: state or locality\b/)
  assert.match((await ask(...all, '--locality', 'Ulm', '--email', 'nobody')).err, /e-mail address is not valid/)
  assert.match((await ask(...all, '--locality', 'Ulm', '--country', 'Germany')).err, /two capital letters/)
  const none = ['certificate', 'list', '--purpose', 'apple']
  assert.deepEqual((await json(...none)).data, [])
  assert.match((await ask(...all, '--locality', 'Ulm')).out, /^-----BEGIN CERTIFICATE REQUEST-----/)
  assert.deepEqual(
    (await json(...none)).data.map(({ state }: { state: string }) => state),
    ['waiting'],
  )
  const elsewhere = ['--environment', 'test', '--tenant', 'ten_none', '--common-name', 'Nobody']
  assert.match((await vidimus('certificate', 'csr', ...elsewhere)).err, /there is no tenant ten_none/)
})

test('a chain that contains its anchor is refused with the reason', async () => {
  const anchor = await file('anchor.pem', toPem(Buffer.from(authority.certificate, 'base64'), 'CERTIFICATE'))
  const done = await vidimus('certificate', 'install', '--environment', 'test', '--chain', anchor)
  assert.equal(done.code, 2)
  assert.match(done.err, /not installed/)
})

test('anchors are added, listed and removed', async () => {
  const issuer = createIssuer({ base: 'https://issuer.example', now })
  const path = await file('ca.pem', toPem(Buffer.from(issuer.sdJwt.authority.certificate, 'base64'), 'CERTIFICATE'))
  const { id } = await json(
    'anchor',
    'add',
    path,
    '--environment',
    'live',
    '--tenant',
    tenant,
    '--type',
    'dc+sd-jwt:urn:eudi:pid:1',
  )
  const { data } = await json('anchor', 'list')
  assert.deepEqual(
    data.map((row: { id: string; types: string[] }) => [row.id, row.types]),
    [[id, ['dc+sd-jwt:urn:eudi:pid:1']]],
  )
  const refusal = async (...options: string[]) => (await vidimus('anchor', 'add', path, ...options)).err
  const every = ['--type', 'dc+sd-jwt:*']
  for (const kind of ['--pinned', '--exact'])
    assert.match(await refusal('--environment', 'live', kind, ...every), /test only/)
  assert.match(await refusal('--environment', 'test', '--pinned', '--exact', ...every), /exclude/)
  assert.match(await refusal('--environment', 'live', '--type', 'urn:eudi:pid:1'), /dc\+sd-jwt:urn:eudi:pid:1/)
  assert.match(
    (await vidimus('anchor', 'import', path, '--environment', 'live', '--kind', 'vical', '--signer', path)).err,
    /--type/,
  )
  assert.equal((await json('anchor', 'remove', id)).removed, id)
  assert.equal((await vidimus('anchor', 'remove', id)).code, 2)
  assert.match((await vidimus('anchor', 'lists')).out, /No list/)
})

test('anchor import accepts a trusted list in XML with its signer, and names the possible kinds', async () => {
  const publisher = mintSigner(authority, { commonName: 'List signer' }, period)
  const der = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))
  const signer = {
    der: der(publisher.certificate),
    privateKey: createPrivateKey({ key: publisher.key, format: 'jwk' }),
  }
  const listed = createIssuer({ base: 'https://issuer.example', now, name: 'Attests ages' }).mdoc.authority
  const services = [{ identity: certificateIdentity(der(listed.certificate)) }]
  const list = await file('list.xml', mintTrustedList(signer, { now, services }).toString())
  const certificate = await file('list-signer.pem', toPem(signer.der))
  const type = 'mso_mdoc:eu.europa.ec.av.1'
  const options = ['--environment', 'live', '--type', type, '--kind']
  const { id, anchors } = await json('anchor', 'import', list, ...options, 'tsl', '--signer', certificate)
  assert.equal(anchors, 1)
  const { data } = await json('anchor', 'lists')
  assert.deepEqual([data[0].kind, data[0].types, data[0].sequence], ['tsl', [type], 7])
  assert.match((await vidimus('anchor', 'import', list, ...options, 'tsl')).err, /needs the certificate/)
  assert.match((await vidimus('anchor', 'import', list, ...options, 'xml')).err, /vical, lote or tsl/)
  assert.equal((await json('anchor', 'forget', id)).removed, id)
})

for (const format of ['sdjwt', 'mdoc']) {
  test(`wallet present runs a whole presentation (${format})`, async () => {
    const created = await create(service, key, { template: 'identity', redirect_url: 'https://shop.example.com/' })
    const done = await json('wallet', 'present', created.wallet_uri, '--format', format)
    assert.equal(done.status, 200)
    assert.match(done.redirect_uri, /#response_code=/)
    const { status, claims } = await read(service, key, created.id)
    assert.equal(status, 'completed')
    assert.deepEqual(done.verification.claims, claims)
  })
}

test('wallet present follows a scenario, names all of them, and explains a refusal', async () => {
  const created = await create(service, key)
  const suspended = await json('wallet', 'present', created.wallet_uri, '--scenario', 'suspended')
  assert.deepEqual([suspended.status, suspended.verification.status], [200, 'failed'])
  assert.equal(suspended.verification.error.code, 'credential_suspended')
  assert.equal((await read(service, key, created.id)).error.code, 'credential_suspended')
  assert.match(
    (await vidimus('wallet', 'present', created.wallet_uri)).err,
    /refuses the request: request_unavailable: HTTP 409/,
  )
  const listed = await vidimus('wallet', 'present', '--scenario', 'list')
  assert.equal(listed.code, 0)
  assert.match(listed.out, /over_disclosing/)
  assert.match((await vidimus('wallet', 'present', '--scenario', 'nonsense')).err, /over_disclosing/)
  assert.match((await vidimus('wallet', 'present', 'x:nonsense')).err, /wallet_uri_invalid/)
})

test('wallet present accepts an id or the newest pending verification, and reports the outcome', async () => {
  const [first, second] = [await create(service, key), await create(service, key)]
  const failed = await vidimus('wallet', 'present', first.id, '--scenario', 'expired')
  assert.equal(failed.code, 0, failed.err)
  assert.match(failed.out, new RegExp(`^Verification ${first.id}: failed \\(credential_expired: .+\\)\n`))
  const newest = await vidimus('wallet', 'present', 'latest')
  assert.match(newest.out, new RegExp(`^Verification ${second.id}: completed\nResult:\n  given_name: Vida\n`))
  assert.match((await vidimus('wallet', 'present', first.id)).err, /is failed already/)
  const unnamed = await create(service, key)
  assert.match((await vidimus('wallet', 'present')).out, new RegExp(`^Verification ${unnamed.id}: completed\n`))
  const live = await service.key(tenant, { environment: 'live' })
  const elsewhere = await service.call('POST', '/v1/verifications', { key: live, body: { template: 'age_over_18' } })
  assert.match(
    (await vidimus('wallet', 'present', elsewhere.json.id)).err,
    /no verification .* in the test environment/,
  )
})

test('every command has a description of one line', async () => {
  const all = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...all(one)])
  const world = { out: () => undefined, err: () => undefined } as unknown as CliWorld
  const commands = all(await buildProgram(world))
  assert.ok(commands.length > 40)
  for (const command of commands) assert.match(command.description(), /^\S.{5,140}$/, command.name())
})

test('doctor reports on certificates', async () => {
  const { out } = await vidimus('doctor')
  assert.match(out, /access certificate: service, live, openid4vp: generated here/)
  assert.match(out, new RegExp(`access certificate: ${tenant}, test, openid4vp: valid for \\d+ days`))
})
