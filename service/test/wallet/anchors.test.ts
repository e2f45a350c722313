// Tests anchors by hand and from published lists: who is trusted, since when, and until when.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { after, test } from 'node:test'
import { createIssuer, generateKey, issue, mintAuthority, mintSigner, TYPE } from '@vidimus/wallet'
import { keySha256 } from '../../../engine/src/trust/anchors.ts'
import { mintIaca } from '../../../engine/test/trust/mint-pki.ts'
import type { CborValue } from '../../../wallet/src/encoding/cbor.ts'
import { encodeCbor, mapOf, Tagged } from '../../../wallet/src/encoding/cbor.ts'
import { coseSign1, LABEL, x5chain } from '../../../wallet/src/encoding/cose.ts'
import { basicConstraints, keyUsage, permittedDnsNames } from '../../../wallet/src/pki.ts'
import { signJws } from '../../../wallet/src/sdjwt.ts'
import { withoutContradictedMarks } from '../../src/features/trust/domain/sole-type.ts'
import { loadAnchors } from '../../src/features/trust/store/anchors.ts'
import { listContradictedMarks, listUnreadLists, noteListedKeys } from '../../src/features/trust/store/listed-keys.ts'
import {
  importTrustList,
  removeTrustList,
  showTrustLists,
} from '../../src/features/trust/usecases/import-trust-list.ts'
import { addAnchor, listAnchors, removeAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from './verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const wallet = await testWallet(service)
const now = () => Math.floor(service.clock.now() / 1000)
const issuer = createIssuer({ base: 'https://issuer.example', now: now(), name: 'Another issuer' })
const der = ({ certificate }: { certificate: string }) => new Uint8Array(Buffer.from(certificate, 'base64'))
const tenant = await service.tenant()
const key = await service.key(tenant)
const liveKey = await service.key(tenant, { environment: 'live' })
const PID = { sdJwt: `dc+sd-jwt:${TYPE.pidSdJwt}`, mdoc: `mso_mdoc:${TYPE.pidMdoc}` } as const

/** Answers a verification with a credential of the other issuer, and returns how it ends. */
async function outcome(
  owner: string,
  kind: 'pid_sd_jwt' | 'pid_mdoc' | 'age_proof' = 'pid_sd_jwt',
  by = issuer,
): Promise<string> {
  const created = await create(service, owner, { template: kind === 'age_proof' ? 'age_over_18' : 'identity' })
  const credentials = [issue(by, kind, { holderKey: generateKey(), now: now(), statusIndex: null })]
  await respond(service, created.id, await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }))
  const result = await read(service, owner, created.id)
  return result.error?.code ?? result.status
}

const byHand = (change: object = {}) =>
  addAnchor(service.deps, {
    owner: { tenantId: tenant, environment: 'test' },
    kind: 'ca',
    profile: 'generic',
    types: [PID.sdJwt],
    certificate: der(issuer.sdJwt.authority),
    actor: OPERATOR,
    ...change,
  })

async function added(change: object = {}): Promise<string> {
  const done = await byHand(change)
  assert.ok(done.outcome === 'added', JSON.stringify(done))
  return done.anchor.id
}

const settle = () => service.clock.advance(5_001)

test('an anchor applies to its tenant, environment and types, from its addition until its removal', async () => {
  assert.equal(await outcome(key), 'issuer_untrusted')
  const id = await added()
  settle()
  assert.equal(await outcome(key), 'completed')
  assert.equal(await outcome(key, 'pid_mdoc'), 'issuer_untrusted')
  assert.equal(await outcome(liveKey), 'issuer_untrusted')
  assert.equal(await outcome(await service.key(await service.tenant())), 'issuer_untrusted')
  assert.equal((await removeAnchor(service.deps, { id, actor: OPERATOR }))?.id, id)
  settle()
  assert.equal(await outcome(key), 'issuer_untrusted')
})

test('an anchor for another type does not count here', async () => {
  const id = await added({ types: ['dc+sd-jwt:urn:example:other'] })
  settle()
  assert.equal(await outcome(key), 'issuer_untrusted')
  await removeAnchor(service.deps, { id, actor: OPERATOR })
})

test('an authority that could vouch for no credential is refused; an authority without critical extensions is accepted', async () => {
  test('a mark names the one mdoc type that the anchor vouches for, and is refused otherwise', async () => {
    const MARK = { docType: TYPE.pidMdoc, nameSpace: TYPE.pidMdoc, withoutStatus: false }
    const types = [PID.mdoc]
    const mdoc = { types, certificate: der(issuer.mdoc.authority), profile: 'iso-mdl' }
    for (const change of [
      { sole: { ...MARK, docType: TYPE.mdl } },
      { sole: { ...MARK, nameSpace: '' } },
      { sole: { ...MARK, withoutStatus: true } },
      { sole: { ...MARK, docType: '*' }, types: ['mso_mdoc:*'] },
      { sole: MARK, types: ['mso_mdoc:*'] },
      { sole: MARK, types: [PID.mdoc, `mso_mdoc:${TYPE.mdl}`] },
      { sole: MARK, types: [PID.sdJwt] },
    ]) {
      const done = await byHand({ ...mdoc, ...change })
      assert.ok(done.outcome === 'refused' && done.code === 'sole_type', JSON.stringify(change))
    }
    const id = await added({ ...mdoc, sole: MARK, types: [PID.mdoc, PID.sdJwt] })
    const [marked] = (await listAnchors(service.deps)).filter((one) => one.id === id)
    assert.deepEqual(marked?.sole, MARK)
    const text = `update anchors set sole = '{"doc_type": 1}' where id = $1`
    await service.deps.db.query({ name: 'test_damage_mark', text }, [id])
    const [damaged] = (await listAnchors(service.deps)).filter((one) => one.id === id)
    assert.equal(damaged?.sole, undefined, 'a value that is not exactly a mark is refused')
    await removeAnchor(service.deps, { id, actor: OPERATOR })
    settle()
  })

  const period = { notBefore: now() - 3600, notAfter: now() + 86_400 }
  const name = { country: 'DE', commonName: 'Loose authority' }
  const constraints = { ...basicConstraints(true, 0), critical: false }
  const certificate = der(
    mintAuthority(name, period, { extensions: [constraints, keyUsage('keyCertSign', 'crlSign')] }),
  )
  const useless = der(
    mintAuthority(name, period, { extensions: [basicConstraints(true, 0), permittedDnsNames('issuer.example')] }),
  )
  await removeAnchor(service.deps, { id: await added({ certificate }), actor: OPERATOR })
  for (const [change, problem] of [
    [{ certificate, profile: 'iso-mdl' }, /key identifier/],
    [{ certificate: useless }, /critical extension/],
  ] as const) {
    const done = await byHand(change)
    assert.ok(done.outcome === 'refused')
    assert.match(done.problem, problem)
  }
})

test("the operator's anchor in live applies to every tenant", async () => {
  const id = await added({ owner: { tenantId: null, environment: 'live' } })
  settle()
  assert.equal(await outcome(liveKey), 'completed')
  assert.equal(await outcome(await service.key(await service.tenant(), { environment: 'live' })), 'completed')
  await removeAnchor(service.deps, { id, actor: OPERATOR })
  settle()
})

test('a signer may be pinned only in test; an invalid certificate, a non-authority, and a certificate without a type are refused', async () => {
  const pinned = { kind: 'pinned', certificate: der(issuer.sdJwt.signer) }
  const id = await added(pinned)
  settle()
  assert.equal(await outcome(key), 'completed')
  await removeAnchor(service.deps, { id, actor: OPERATOR })
  const live = { owner: { tenantId: tenant, environment: 'live' } }
  for (const change of [
    { ...pinned, ...live },
    { certificate: new Uint8Array(9) },
    { certificate: der(issuer.sdJwt.signer) },
    { types: [] },
    { types: [TYPE.pidSdJwt] },
    { types: ['*'] },
    { types: ['dc+sd-jwt:'] },
  ]) {
    assert.equal((await byHand(change)).outcome, 'refused', JSON.stringify(change))
  }
})

const period = { notBefore: now() - 1000, notAfter: now() + 10_000_000 }
const publisher = mintAuthority({ commonName: 'List authority' }, period)
const signer = mintSigner(publisher, { commonName: 'List signer' }, period)
const stranger = mintSigner(mintAuthority({ commonName: 'Stranger' }, period), { commonName: 'Stranger' }, period)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

interface LotedService {
  readonly certificates: string[]
  readonly status?: string
}

function lote(
  change: { sequence?: number; nextUpdate?: number; certificates?: string[]; by?: typeof signer; status?: string } = {},
): string {
  const { certificates = [issuer.sdJwt.authority.certificate], status, ...terms } = change
  return loteOf([{ certificates, ...(status === undefined ? {} : { status }) }], terms)
}

function loteOf(
  services: readonly LotedService[],
  { sequence = 1, nextUpdate = now() + 86_400, by = signer } = {},
): string {
  const entities = services.map(({ certificates, status }) => ({
    TrustedEntityServices: [
      {
        ServiceInformation: {
          ServiceTypeIdentifier: 'http://uri.etsi.org/19602/SvcType/PID/Issuance',
          ...(status === undefined ? {} : { ServiceStatus: status }),
          ServiceDigitalIdentity: { X509Certificates: certificates.map((val) => ({ val })) },
        },
      },
    ],
  }))
  const claims = {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
        LoTESequenceNumber: sequence,
        SchemeOperatorName: [{ lang: 'en', value: 'An invented operator' }],
        ListIssueDateTime: iso(now() - 60),
        NextUpdate: iso(nextUpdate),
      },
      TrustedEntitiesList: entities,
    },
  }
  return signJws({ alg: 'ES256', x5c: [by.certificate] }, claims, by.key)
}

function vical(by = signer, ...docTypesOfEntries: string[][]): Uint8Array {
  return vicalOf(
    by,
    (docTypesOfEntries.length === 0 ? [[TYPE.pidMdoc]] : docTypesOfEntries).map((docTypes) => ({ docTypes })),
  )
}

interface VicalEntry {
  readonly docTypes: string[]
  /** Absent: of the issuer's authority. */
  readonly certificate?: Uint8Array
}

function vicalOf(by: typeof signer, entries: readonly VicalEntry[]): Uint8Array {
  const entryOf = ({ docTypes, certificate = der(issuer.mdoc.authority) }: VicalEntry) =>
    mapOf({
      certificate,
      serialNumber: new Tagged(2, Uint8Array.of(1)),
      ski: Uint8Array.of(1),
      docType: docTypes,
    })
  const content = mapOf({
    version: '1.0',
    vicalProvider: 'An invented provider',
    date: new Tagged(0, iso(now() - 60)),
    vicalIssueID: 7,
    nextUpdate: new Tagged(0, iso(now() + 86_400)),
    certificateInfos: entries.map(entryOf),
  })
  const protectedHeader = new Map<CborValue, CborValue>([[LABEL.algorithm, -7]])
  const [header, , payload, signature] = coseSign1({ protectedHeader, payload: encodeCbor(content), key: by.key })
  const unprotected = new Map<CborValue, CborValue>([[LABEL.x5chain, x5chain([der(by)])]])
  return encodeCbor([header ?? null, unprotected, payload ?? null, signature ?? null])
}

const fromFile = (change: object) =>
  importTrustList(service.deps, {
    owner: { tenantId: null, environment: 'test' },
    kind: 'lote',
    providers: 'pid',
    source: 'list.jwt',
    file: Buffer.from(lote()),
    signer: der(signer),
    signerAuthority: null,
    types: [PID.sdJwt],
    ...change,
  })

test('the authorities of a signed LoTE are trusted, until it is removed', async () => {
  const done = await fromFile({})
  assert.ok(done.outcome === 'loaded' && done.anchors === 1, JSON.stringify(done))
  settle()
  assert.equal(await outcome(key), 'completed')
  const [list] = await showTrustLists(service.deps)
  assert.equal(list?.issuer, 'An invented operator')
  assert.equal(await removeTrustList(service.deps, done.id), true)
  settle()
  assert.equal(await outcome(key), 'issuer_untrusted')
})

test("the operator, not a list, sets sole types: for all its issuers, and only for the list's types", async () => {
  const MARK = { docType: TYPE.ageProof, nameSpace: TYPE.ageProof, withoutStatus: true }
  const terms = {
    file: Buffer.from(lote({ certificates: [issuer.mdoc.authority.certificate] })),
    types: [`mso_mdoc:${TYPE.ageProof}`],
  }
  const markOf = async (change: object) => {
    const done = await fromFile({ ...terms, ...change })
    assert.ok(done.outcome === 'loaded', JSON.stringify(done))
    const anchors = (await listAnchors(service.deps)).filter(({ listId }) => listId === done.id)
    const [list] = (await showTrustLists(service.deps)).filter(({ id }) => id === done.id)
    await removeTrustList(service.deps, done.id)
    return [list?.sole, ...anchors.map(({ sole }) => sole)]
  }
  assert.deepEqual(await markOf({}), [undefined, undefined])
  assert.deepEqual(await markOf({ sole: MARK }), [MARK, MARK])
  const wide = await fromFile({ ...terms, sole: MARK, types: ['mso_mdoc:*'] })
  assert.ok(wide.outcome === 'refused' && wide.code === 'sole_type')
  settle()
})

test('a VICAL that names an authority for a second type leaves it without the mark, whatever the list was granted', async () => {
  const MARK = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
  const marksOf = async (...docTypesOfEntries: string[][]) => {
    const file = vical(signer, ...docTypesOfEntries)
    const types = [`mso_mdoc:${TYPE.mdl}`]
    const done = await fromFile({ kind: 'vical', providers: 'mdoc', file, types, sole: MARK })
    assert.ok(done.outcome === 'loaded', JSON.stringify(done))
    const anchors = (await listAnchors(service.deps)).filter(({ listId }) => listId === done.id)
    await removeTrustList(service.deps, done.id)
    return anchors.map(({ sole }) => sole ?? null)
  }
  assert.deepEqual(await marksOf([TYPE.mdl]), [MARK])
  assert.deepEqual(await marksOf([TYPE.mdl, 'org.example.club']), [null])
  assert.deepEqual(
    await marksOf([TYPE.mdl], ['org.example.club']),
    [null],
    'also if another entry names the second type',
  )
  settle()
})

test('two certificates of one key count as one key, even if one of them has its point compressed', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = createPublicKey(privateKey)
  const [long, short] = [publicKey, compressed(publicKey)].map((one) =>
    mintIaca({}, { key: { publicKey: one, privateKey } }),
  )
  assert.ok(long !== undefined && short !== undefined && short.der.length < long.der.length)
  const MARK = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
  const file = vicalOf(signer, [
    { docTypes: [TYPE.mdl], certificate: long.der },
    { docTypes: ['org.example.club'], certificate: short.der },
  ])
  const terms = { kind: 'vical', providers: 'mdoc', file, types: [`mso_mdoc:${TYPE.mdl}`], sole: MARK }
  const done = await fromFile(terms)
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  const own = (await listAnchors(service.deps)).filter(({ listId }) => listId === done.id)
  await removeTrustList(service.deps, done.id)
  assert.deepEqual(
    own.map(({ sole }) => sole ?? null),
    [null],
  )
  settle()
})

test('hashes that an earlier release stored of compressed keys do not hide what an expired list says about a key', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = createPublicKey(privateKey)
  const [long, short] = [publicKey, compressed(publicKey)].map((one) =>
    mintIaca({}, { key: { publicKey: one, privateKey } }),
  )
  assert.ok(long !== undefined && short !== undefined)
  const sole = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
  const id = await added({ types: [`mso_mdoc:${TYPE.mdl}`], profile: 'iso-mdl', certificate: long.der, sole })
  const file = vicalOf(signer, [{ docTypes: ['org.example.club'], certificate: short.der }])
  const done = await fromFile({ kind: 'vical', providers: 'mdoc', file, types: ['mso_mdoc:org.example.club'] })
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  service.clock.advance(86_401_000)
  const { db } = service.deps
  const realm = { tenantId: tenant, environment: 'test' } as const
  const markOf = async () => {
    const anchors = await loadAnchors(db, realm, instantOf(service.clock.now()))
    return anchors.find((one) => one.id === id)?.sole
  }
  assert.equal(await markOf(), undefined)
  // The release before stored the hash of the key as its certificate encodes it.
  const asStored = createHash('sha256')
    .update(compressed(publicKey).export({ type: 'spki', format: 'der' }))
    .digest()
  const text = 'update anchors set key_sha256 = $2, public_key_sha256 = null where list_id = $1'
  await db.query({ name: 'test_store_facts_as_before', text }, [done.id, asStored])
  assert.equal(await markOf(), undefined)
  await runJob(service.deps, 'refresh-trust-lists')
  const unfilled = { name: 'test_unfilled', text: 'select id from anchors where public_key_sha256 is null' }
  assert.deepEqual(await db.query(unfilled), [])
  assert.equal(await markOf(), undefined)
  await removeTrustList(service.deps, done.id)
  assert.deepEqual(await markOf(), sole, 'without the list nothing contradicts the mark')
  await removeAnchor(service.deps, { id, actor: OPERATOR })
  settle()
})

/** Returns the same key on P-256 with the short encoding of its point (SEC 1 §2.3.3). */
function compressed(key: KeyObject): KeyObject {
  const spki = key.export({ type: 'spki', format: 'der' })
  const [point, algorithm] = [spki.subarray(-65), spki.subarray(2, spki.length - 68)]
  const short = Buffer.concat([Buffer.of(2 + ((point.at(-1) ?? 0) & 1)), point.subarray(1, 33)])
  const bits = Buffer.concat([Buffer.of(3, short.length + 1, 0), short])
  const der = Buffer.concat([Buffer.of(0x30, algorithm.length + bits.length), algorithm, bits])
  return createPublicKey({ key: der, format: 'der', type: 'spki' })
}

test('an expired list vouches for no issuer', async () => {
  const done = await fromFile({})
  assert.ok(done.outcome === 'loaded')
  service.clock.advance(86_401_000)
  assert.equal(await outcome(key), 'issuer_untrusted')
  await removeTrustList(service.deps, done.id)
})

test('the authorities of a VICAL are trusted for their docTypes, if the operator granted these', async () => {
  for (const types of [
    [PID.mdoc, PID.sdJwt],
    ['mso_mdoc:*', 'dc+sd-jwt:*'],
  ]) {
    const done = await fromFile({ kind: 'vical', providers: 'mdoc', file: vical(), types })
    assert.ok(done.outcome === 'loaded', JSON.stringify(done))
    settle()
    assert.equal(await outcome(key, 'pid_mdoc'), 'completed')
    assert.equal(await outcome(key), 'issuer_untrusted')
    const own = (await listAnchors(service.deps)).filter(({ listId }) => listId === done.id)
    assert.deepEqual(
      own.map(({ types }) => types),
      [[PID.mdoc]],
    )
    await removeTrustList(service.deps, done.id)
    settle()
  }
})

test('a list of issuers of age attestations, signed by its publisher, counts only for ages', async () => {
  const types = [`mso_mdoc:${TYPE.ageProof}`]
  const file = Buffer.from(lote({ certificates: [issuer.mdoc.authority.certificate] }))
  assert.equal(await outcome(key, 'age_proof'), 'issuer_untrusted')
  const strange = Buffer.from(lote({ certificates: [issuer.mdoc.authority.certificate], by: stranger }))
  assert.equal((await fromFile({ file: strange, types })).outcome, 'refused')
  const done = await fromFile({ file, types })
  assert.ok(done.outcome === 'loaded' && done.anchors === 1, JSON.stringify(done))
  settle()
  assert.equal(await outcome(key, 'age_proof'), 'completed')
  assert.equal(
    await outcome(key, 'pid_mdoc'),
    'issuer_untrusted',
    'the list of this authority vouches for no other type',
  )
  assert.equal(await outcome(liveKey, 'age_proof'), 'issuer_untrusted', 'nor elsewhere')
  service.clock.advance(86_401_000)
  assert.equal(await outcome(key, 'age_proof'), 'issuer_untrusted', 'it vouches for nothing when the next list is due')
  await removeTrustList(service.deps, done.id)
  settle()
})

test('a VICAL vouches for no type that the operator did not grant, for no vct, and not for every type', async () => {
  const licences = [`mso_mdoc:${TYPE.mdl}`]
  const cases: [string[], string[]][] = [
    [[TYPE.pidMdoc], licences],
    [['*'], licences],
    [['*'], ['mso_mdoc:*']],
    [[TYPE.pidSdJwt], [PID.sdJwt]],
    [[TYPE.mdl], []],
  ]
  for (const [docTypes, types] of cases) {
    const done = await fromFile({ kind: 'vical', providers: 'mdoc', file: vical(signer, docTypes), types })
    assert.equal(done.outcome, 'refused', JSON.stringify([docTypes, types]))
  }
  const done = await fromFile({
    kind: 'vical',
    providers: 'mdoc',
    file: vical(signer, [TYPE.mdl, TYPE.pidMdoc]),
    types: licences,
  })
  assert.ok(done.outcome === 'loaded')
  settle()
  assert.equal(await outcome(key, 'pid_mdoc'), 'issuer_untrusted')
  await removeTrustList(service.deps, done.id)
})

test('a list without a known end vouches for no issuer', async () => {
  const done = await fromFile({})
  assert.ok(done.outcome === 'loaded')
  const forget = { name: 'test_forget_end', text: 'update trust_lists set next_update_at = null' }
  await service.deps.db.query(forget)
  settle()
  assert.equal(await outcome(key), 'issuer_untrusted')
  await removeTrustList(service.deps, done.id)
})

test('an exact certificate counts in test; in live it can neither be added nor count', async () => {
  const signerKey = generateKey()
  const odd = mintAuthority({ commonName: 'Signs itself' }, period, {
    subjectKey: signerKey,
    extensions: [basicConstraints(true, 0), keyUsage('keyCertSign')],
  })
  const oddIssuer = { ...issuer, sdJwt: { authority: odd, signer: odd } }
  const answered = (owner: string) => outcome(owner, 'pid_sd_jwt', oddIssuer)
  assert.equal(await answered(key), 'issuer_untrusted')
  const certificate = der(odd)
  const id = await added({ kind: 'exact', certificate })
  settle()
  assert.equal(await answered(key), 'completed')
  await removeAnchor(service.deps, { id, actor: OPERATOR })
  const live = { kind: 'exact', certificate, owner: { tenantId: tenant, environment: 'live' } }
  const refused = { outcome: 'refused', code: 'pinned_in_test_only', problem: 'a signer may be pinned in test only' }
  assert.deepEqual(await byHand(live), refused)
  // No interface can write such a row; one that is written into the database is not trusted.
  const { db } = service.deps
  await db.query({ name: 'test_open_anchors', text: 'alter table anchors drop constraint anchors_check' })
  const slipped = {
    name: 'test_slip_anchor',
    text: `insert into anchors (id, environment, kind, profile, types, certificate, created_at)
           values ('anc_slipped', 'live', 'exact', 'generic', $1, $2, now())`,
  }
  await db.query(slipped, [[PID.sdJwt], certificate])
  settle()
  assert.equal(await answered(liveKey), 'issuer_untrusted')
})

test('a list that another party signed, or that is changed, expired, withdrawn, unreadable or without types, is refused', async () => {
  const changed = Buffer.from(lote().replace(/\.([\w-])/, (_, first) => `.${first === 'e' ? 'f' : 'e'}`))
  const cases = [
    { file: Buffer.from(lote({ by: stranger })) },
    { file: changed },
    { file: Buffer.from(lote({ nextUpdate: now() - 1 })) },
    { file: Buffer.from(lote({ status: 'http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/withdrawn' })) },
    { file: Buffer.from(lote({ certificates: ['!!!'] })) },
    { file: Buffer.from('{}') },
    { types: [] },
    { signer: der(publisher) },
    { kind: 'vical', providers: 'mdoc', file: vical(), signer: der(publisher) },
    { kind: 'vical', providers: 'mdoc', file: vical(stranger) },
    { kind: 'vical', providers: 'mdoc', file: Buffer.from(lote()) },
    { kind: 'vical', providers: 'mdoc', file: vical(), signer: null },
  ]
  for (const [index, change] of cases.entries())
    assert.equal((await fromFile(change)).outcome, 'refused', String(index))
  assert.deepEqual(await showTrustLists(service.deps), [])
})

test('a file that an operator vouches for may be plain JSON; an address may not', async () => {
  const claims = Buffer.from(lote().split('.')[1] ?? '', 'base64url')
  const done = await fromFile({ file: claims, signer: null })
  assert.equal(done.outcome, 'loaded')
  if (done.outcome === 'loaded') await removeTrustList(service.deps, done.id)
  assert.equal((await fromFile({ source: 'http://127.0.0.1:1/', file: null, signer: null })).outcome, 'refused')
})

test('a list at an address is read again; a failure keeps the last issue and is reported; an older issue is refused', async () => {
  let served: string | null = lote({ sequence: 5 })
  const server = createServer((_request, response) => {
    response.statusCode = served === null ? 500 : 200
    response.end(served ?? '')
  })
  const source = await address(server)
  const done = await fromFile({ source, file: null })
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  served = null
  await runJob(service.deps, 'refresh-trust-lists')
  settle()
  assert.equal((await showTrustLists(service.deps))[0]?.failure, 'the list could not be fetched')
  assert.equal(await outcome(key), 'completed')
  served = lote({ sequence: 4 })
  await runJob(service.deps, 'refresh-trust-lists')
  assert.match((await showTrustLists(service.deps))[0]?.failure ?? '', /older list/)
  served = lote({ sequence: 6, certificates: [publisher.certificate] })
  await runJob(service.deps, 'refresh-trust-lists')
  settle()
  assert.equal((await showTrustLists(service.deps))[0]?.failure, null)
  assert.equal(await outcome(key), 'issuer_untrusted')
  await removeTrustList(service.deps, done.id)
})

test('a list that cannot be imported is reported, and the lists after it are still read', async () => {
  const server = createServer((_request, response) => response.end(lote({ sequence: 5 })))
  const source = await address(server)
  const first = await fromFile({ source, file: null })
  service.clock.advance(1_000)
  const second = await fromFile({ source, file: null })
  assert.ok(first.outcome === 'loaded' && second.outcome === 'loaded')
  // No interface can import a VICAL without a signer.
  const damage = {
    name: 'test_damage_list',
    text: "update trust_lists set kind = 'vical', signer = null where id = $1",
  }
  await service.deps.db.query(damage, [first.id])
  service.clock.advance(1_000)
  await runJob(service.deps, 'refresh-trust-lists')
  const [damaged, sound] = await showTrustLists(service.deps)
  assert.match(damaged?.failure ?? '', /could not be loaded/)
  assert.equal(sound?.failure, null)
  assert.equal(Date.parse(sound?.loadedAt ?? ''), service.clock.now())
  for (const { id } of [first, second]) await removeTrustList(service.deps, id)
})

test('marks are compared with ended anchors by key, and the key of each is computed once', () => {
  const sole = { docType: TYPE.pidMdoc, nameSpace: TYPE.pidMdoc, withoutStatus: false }
  const marked = Array.from({ length: 20 }, (_, at) => ({ key: `${at}`, types: [PID.mdoc], sole }))
  const ended = Array.from({ length: 30 }, (_, at) => ({ key: `${at + 19}`, types: ['mso_mdoc:*' as const] }))
  let requestCount = 0
  const left = withoutContradictedMarks<(typeof marked | typeof ended)[number]>(marked, ended, ({ key }) => {
    requestCount += 1
    return key
  })
  assert.deepEqual(
    left.map((anchor) => 'sole' in anchor),
    marked.map(({ key }) => key !== '19'),
  )
  assert.equal(requestCount, marked.length + ended.length)
})

const LICENCES = { docType: TYPE.mdl, nameSpace: 'org.iso.18013.5.1', withoutStatus: false }
const CLUB = 'org.example.club'

/** An anchor of one key with the mark for licences, and whether the mark counts. */
async function markLicences() {
  const { der: certificate } = mintIaca()
  const id = await added({ types: [`mso_mdoc:${TYPE.mdl}`], profile: 'iso-mdl', certificate, sole: LICENCES })
  const realm = { tenantId: tenant, environment: 'test' } as const
  const anchorOf = async () =>
    (await loadAnchors(service.deps.db, realm, instantOf(service.clock.now()))).find((one) => one.id === id)
  return {
    certificate,
    holds: async () => (await anchorOf())?.sole !== undefined,
    listedKeys: async () => (await anchorOf())?.listedKeys,
    remove: () => removeAnchor(service.deps, { id, actor: OPERATOR }),
  }
}

const keyOfIaca = ({ der }: { der: Uint8Array }) => keySha256(new X509Certificate(der).publicKey)

/** Grants the list only PIDs, of which it always has an authority. */
const pidVical = (...entries: VicalEntry[]) => ({
  kind: 'vical',
  providers: 'mdoc',
  types: [PID.mdoc],
  file: vicalOf(signer, [{ docTypes: [TYPE.pidMdoc] }, ...entries]),
})

async function imported(terms: object): Promise<string> {
  const done = await fromFile(terms)
  assert.ok(done.outcome === 'loaded', JSON.stringify(done))
  return done.id
}

test('a mark does not count for a key that a list names for another type, even if the list was not granted that type', async () => {
  const { certificate, ...marked } = await markLicences()
  assert.equal(await marked.holds(), true)
  for (const docTypes of [[CLUB], [TYPE.mdl, CLUB]]) {
    const id = await imported(pidVical({ certificate, docTypes }))
    assert.equal(await marked.holds(), false, docTypes.join())
    assert.equal((await listContradictedMarks(service.deps.db))[0]?.source, 'list.jwt')
    service.clock.advance(86_401_000)
    assert.equal(await marked.holds(), false, 'also when the list has expired')
    await removeTrustList(service.deps, id)
    assert.equal(await marked.holds(), true, 'without the list nothing contradicts the mark')
  }
  const same = await imported(pidVical({ certificate, docTypes: [TYPE.mdl] }))
  assert.equal(await marked.holds(), true, 'a list that names the key for the same type does not contradict')
  assert.deepEqual(await listContradictedMarks(service.deps.db), [])
  await removeTrustList(service.deps, same)
  const below = mintIaca()
  const id = await imported(pidVical({ certificate: below.der, docTypes: [CLUB] }))
  assert.equal(await marked.holds(), true)
  assert.equal(
    (await marked.listedKeys())?.get(keyOfIaca(below)),
    CLUB,
    'the mark does not count for that key below the anchor either',
  )
  await removeTrustList(service.deps, id)
  const owner = { tenantId: await service.tenant(), environment: 'test' }
  const foreign = await imported({ ...pidVical({ certificate, docTypes: [CLUB] }), owner })
  assert.equal(await marked.holds(), true, "another tenant's list has no effect here")
  await removeTrustList(service.deps, foreign)
  await marked.remove()
  settle()
})

test('a mark does not count for a key whose service is withdrawn', async () => {
  const { certificate, ...marked } = await markLicences()
  const withdrawn = Buffer.from(certificate).toString('base64')
  const file = loteOf([
    { certificates: [issuer.mdoc.authority.certificate] },
    { certificates: [withdrawn], status: 'http://uri.etsi.org/19602/SvcStatus/withdrawn' },
  ])
  const id = await imported({ types: [PID.mdoc], file: Buffer.from(file) })
  assert.equal(await marked.holds(), false)
  await removeTrustList(service.deps, id)
  assert.equal(await marked.holds(), true)
  await marked.remove()
  settle()
})

test('what an earlier issue named for a key counts until the list is removed, up to a limit', async () => {
  const { certificate, ...marked } = await markLicences()
  let served = pidVical({ certificate, docTypes: [CLUB] }).file
  const source = await address(createServer((_request, response) => response.end(served)))
  const id = await imported({ ...pidVical(), file: null, source })
  assert.equal(await marked.holds(), false)
  served = pidVical({ certificate, docTypes: [TYPE.mdl] }).file
  await runJob(service.deps, 'refresh-trust-lists')
  assert.equal((await showTrustLists(service.deps))[0]?.failure, null)
  assert.equal(await marked.holds(), false, 'also if the present issue names another type')
  const { db } = service.deps
  const count = { name: 'test_count_listed', text: 'select count(*)::int as count from listed_keys where list_id = $1' }
  const hex = (at: number) => at.toString(16).padStart(64, '0')
  for (let round = 0; round < 5; round += 1) {
    service.clock.advance(1_000)
    const keys = [0, 1].map((at) => ({ keySha256: hex(2 * round + at), docType: CLUB }))
    await noteListedKeys(db, { id, tenantId: null }, { keys, at: instantOf(service.clock.now()), most: 4 })
  }
  assert.deepEqual(await db.query(count, [id]), [{ count: 4 }])
  await removeTrustList(service.deps, id)
  assert.deepEqual(await db.query(count, [id]), [{ count: 0 }])
  await marked.remove()
  settle()
})

test('while the keys of one list are unknown, because an earlier release read it, no mark counts', async () => {
  const { certificate, ...marked } = await markLicences()
  const served = pidVical().file
  const source = await address(createServer((_request, response) => response.end(served)))
  const id = await imported({ ...pidVical(), file: null, source })
  assert.equal(await marked.holds(), true)
  const { db } = service.deps
  for (const change of ['keys_sha256 = null', 'keys_sha256 = null, sha256 = null', String.raw`sha256 = '\\x00'`]) {
    await db.query({ name: `test_unread_${change.length}`, text: `update trust_lists set ${change} where id = $1` }, [
      id,
    ])
    assert.equal(await marked.holds(), false, change)
    assert.deepEqual(await listUnreadLists(db), [source])
    await runJob(service.deps, 'refresh-trust-lists')
    assert.equal(await marked.holds(), true, change)
    assert.deepEqual(await listUnreadLists(db), [])
  }
  await removeTrustList(service.deps, id)
  await marked.remove()
  settle()
})

async function address(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}/list`
}
