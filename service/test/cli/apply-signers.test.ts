// Tests that a set-up file brings no older issue of a list back when the terms change under which its signer is trusted.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { TYPE, toPem } from '@vidimus/wallet'
import { extension, keyUsage, type Minted } from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintIaca, mintSigner } from '../../../engine/test/trust/mint-pki.ts'
import { certificateIdentity, isoTime, mintTrustedList } from '../../../engine/test/trust/mint-trusted-list.ts'
import { type CborValue, encodeCbor, mapOf, Tagged } from '../../../wallet/src/encoding/cbor.ts'
import { coseSign1, LABEL, x5chain } from '../../../wallet/src/encoding/cose.ts'
import { removeTrustList, showTrustLists } from '../../src/features/trust/usecases/import-trust-list.ts'
import { listAnchors } from '../../src/features/trust/usecases/manage-anchors.ts'
import { runJob } from '../harness/jobs.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { deps } = service
const { run: vidimus } = commandLine(service)
const now = Math.floor(service.clock.now() / 1000)
const folder = await mkdtemp(join(tmpdir(), 'vidimus-signers-'))
after(() => rm(folder, { recursive: true }))

let served: Uint8Array | string = ''
const server = createServer((_request, response) => response.end(served))
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
after(() => server.close())
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const renewal = { serial: Buffer.from('4d2b', 'hex'), notAfter: '20400101000000Z' }
const [authorityKey, signerKey] = [keyPair(), keyPair()]
const LISTS = { CN: 'List authority', C: 'UT' }
const authority = mintAuthority({ subject: LISTS, key: authorityKey })
const renewedAuthority = mintAuthority({ subject: LISTS, key: authorityKey, ...renewal })
const forVicals = [
  extension.noAuthority(),
  extension.keyUsage(keyUsage.digitalSignature),
  extension.purposes(['28818c5d050108']),
]
const signer = mintSigner(authority, { key: signerKey, extensions: forVicals })
const renewed = mintSigner(authority, { key: signerKey, extensions: forVicals, ...renewal })
const otherSigner = mintSigner(authority, { key: keyPair(), extensions: forVicals })

const good = mintIaca({}, { subject: { CN: 'Good', C: 'UT' } })
/** Named by the first issue alone. */
const dropped = mintIaca({}, { subject: { CN: 'Dropped', C: 'UT' } })
const namedIn = (issue: number) => (issue === 1 ? [good, dropped] : [good])
const issuedAt = (issue: number) => isoTime(now - 10_000 + issue * 100)

/** `chain`: the certificates beside the signature, which does not cover them. */
function vical(issue: number, by: Minted = signer, chain: readonly Minted[] = [by]): Uint8Array {
  const content = mapOf({
    version: '1.0',
    vicalProvider: 'Provider',
    date: new Tagged(0, issuedAt(issue)),
    vicalIssueID: issue,
    nextUpdate: new Tagged(0, isoTime(now + 86_400)),
    certificateInfos: namedIn(issue).map(({ der }) =>
      mapOf({
        certificate: new Uint8Array(der),
        serialNumber: new Tagged(2, Uint8Array.of(1)),
        ski: Uint8Array.of(1),
        docType: [TYPE.mdl],
      }),
    ),
  })
  const [header, , payload, signature] = coseSign1({
    protectedHeader: new Map<CborValue, CborValue>([[LABEL.algorithm, -7]]),
    payload: encodeCbor(content),
    key: by.privateKey.export({ format: 'jwk' }) as never,
  })
  const certificates = x5chain(chain.map(({ der }) => new Uint8Array(der)))
  const unprotected = new Map<CborValue, CborValue>([[LABEL.x5chain, certificates]])
  return encodeCbor([header ?? null, unprotected, payload ?? null, signature ?? null])
}

const trustedList = (issue: number, by: Minted = signer) =>
  mintTrustedList(by, {
    now,
    sequence: String(issue),
    issued: issuedAt(issue),
    services: namedIn(issue).map(({ der }) => ({ identity: certificateIdentity(der) })),
  })

interface Entry {
  readonly kind?: 'vical' | 'tsl'
  readonly by: Minted
  readonly path?: string
  readonly types?: readonly string[]
}

async function apply({ kind = 'vical', by, path = '/list', types }: Entry, ...options: string[]) {
  const granted = types ?? [`mso_mdoc:${kind === 'tsl' ? TYPE.ageProof : TYPE.mdl}`]
  const list = { kind, source: base + path, types: granted, signer: toPem(Buffer.from(by.der), 'CERTIFICATE') }
  const file = join(folder, 'setup.json')
  await writeFile(file, JSON.stringify({ vidimus: 1, service: { test: { trust_lists: [list] } }, tenants: [] }))
  return vidimus('apply', '-f', file, ...options)
}

async function applied(entry: Entry, ...options: string[]) {
  const { code, err } = await apply(entry, ...options)
  assert.equal(code, 0, err)
}

/** Imports the first issue, then loads the second, which no longer names one authority. */
async function loadedTwice(entry: Entry, issue: (number: number) => Uint8Array | string, second = issue(2)) {
  served = issue(1)
  await applied(entry)
  assert.deepEqual(await trusted(), ['Dropped', 'Good'])
  served = second
  await runJob(deps, 'refresh-trust-lists')
  assert.deepEqual(await trusted(), ['Good'])
}

const trusted = async () =>
  (await listAnchors(deps)).map(({ subject }) => subject.match(/CN=(\w+)/)?.[1] ?? subject).sort()

async function assertRefusedAsOlder(entry: Entry, ...options: string[]) {
  const { code, err } = await apply(entry, ...options)
  assert.match(err, /the address serves an older list than the one loaded/)
  assert.equal(code, 1)
  await runJob(deps, 'refresh-trust-lists')
  assert.ok(!(await trusted()).includes('Dropped'))
}

afterEach(async () => {
  for (const { id } of await showTrustLists(deps)) await removeTrustList(deps, id)
})

test('an older list in XML is a replay if the certificate of its signer was renewed', async () => {
  await loadedTwice({ kind: 'tsl', by: signer }, trustedList)
  served = trustedList(1)
  await assertRefusedAsOlder({ kind: 'tsl', by: renewed })
  served = trustedList(2)
  await applied({ kind: 'tsl', by: renewed })
  assert.deepEqual(await trusted(), ['Good'])
})

for (const [title, before, then] of [
  ['the file names the authority of its signer instead', signer, authority],
  ['the file names its signer instead of the authority', authority, signer],
] as const)
  test(`an older VICAL is a replay if ${title}`, async () => {
    await loadedTwice({ by: before }, vical)
    served = vical(1)
    await assertRefusedAsOlder({ by: then })
    served = vical(2)
    await applied({ by: then })
    assert.deepEqual(await trusted(), ['Good'])
  })

test('an older VICAL is a replay if the certificate of its signer was renewed, also below an exchanged certificate', async () => {
  await loadedTwice({ by: signer }, vical)
  served = vical(1, signer, [renewed])
  await assertRefusedAsOlder({ by: renewed })
  served = vical(1, signer, [renewed, authority])
  await assertRefusedAsOlder({ by: authority })
})

test('an older VICAL of an earlier signer is a replay under the same authority, also if that was renewed', async () => {
  await loadedTwice({ by: authority }, vical, vical(2, otherSigner))
  served = vical(1)
  await assertRefusedAsOlder({ by: authority, types: [`mso_mdoc:${TYPE.mdl}`, `mso_mdoc:${TYPE.pidMdoc}`] })
  await assertRefusedAsOlder({ by: renewedAuthority })
})

test('a signer with another key is not blocked by the numbers of the one before', async () => {
  for (const kind of ['vical', 'tsl'] as const) {
    const issue = kind === 'tsl' ? trustedList : vical
    served = issue(50, otherSigner)
    await applied({ kind, by: otherSigner })
    served = issue(1)
    await applied({ kind, by: signer })
    assert.deepEqual(await trusted(), ['Dropped', 'Good'])
    for (const { id } of await showTrustLists(deps)) await removeTrustList(deps, id)
  }
})

test('an older list is a replay at a new address, too, if the same change removes the old address', async () => {
  await loadedTwice({ by: signer }, vical)
  served = vical(1)
  await assertRefusedAsOlder({ by: authority, path: '/moved' }, '--prune', '--yes')
  assert.deepEqual(
    (await showTrustLists(deps)).map(({ source }) => source),
    [`${base}/list`],
    'a list that cannot be read at its new address keeps the old one',
  )
  served = vical(2)
  await applied({ by: authority, path: '/moved' }, '--prune', '--yes')
  assert.deepEqual(
    (await showTrustLists(deps)).map(({ source, sequence }) => [source, sequence]),
    [[`${base}/moved`, 2]],
  )
})

test('a list of another publisher at a new address counts on its own', async () => {
  await loadedTwice({ by: signer }, vical)
  served = vical(1, otherSigner)
  await applied({ by: otherSigner, path: '/other' }, '--prune', '--yes')
  assert.deepEqual(await trusted(), ['Dropped', 'Good'])
})

test('another list of the publisher with a smaller number is imported first, and the old address is removed later', async () => {
  await loadedTwice({ by: signer }, vical)
  served = vical(1)
  await applied({ by: signer, path: '/other' })
  await applied({ by: signer, path: '/other' }, '--prune', '--yes')
  assert.deepEqual(
    (await showTrustLists(deps)).map(({ source, sequence }) => [source, sequence]),
    [[`${base}/other`, 1]],
  )
})

test('of two imports of a list whose numbers start again, the file keeps the one that is read', async () => {
  served = vical(50)
  await applied({ by: signer })
  served = vical(2)
  await runJob(deps, 'refresh-trust-lists')
  const [old] = await showTrustLists(deps)
  assert.match(old?.failure ?? '', /older list/)
  service.clock.advance(1_000)
  const certificate = join(folder, 'signer.pem')
  await writeFile(certificate, toPem(Buffer.from(signer.der), 'CERTIFICATE'))
  const options = [
    '--environment',
    'test',
    '--kind',
    'vical',
    '--type',
    `mso_mdoc:${TYPE.mdl}`,
    '--signer',
    certificate,
  ]
  const imported = await vidimus('anchor', 'import', `${base}/list`, ...options)
  assert.equal(imported.code, 0, imported.err)
  // The address serves nothing that is a list for a while.
  served = 'Back soon'
  await runJob(deps, 'refresh-trust-lists')
  await applied({ by: signer })
  served = vical(3)
  await runJob(deps, 'refresh-trust-lists')
  const lists = await showTrustLists(deps)
  assert.deepEqual(
    lists.map(({ sequence, failure }) => [sequence, failure]),
    [[3, null]],
  )
})
