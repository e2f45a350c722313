// Tests which certificates may sign a published list: the configured certificate, and few others.

import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import type { StatusAnswer } from '../../src/expected.ts'
import { TYPE_LENGTH_MAX, TYPES_MAX } from '../../src/formats/query-limits.ts'
import { cbor, Tagged } from '../mdoc/mint-mdoc.ts'
import { base64, es256, signJwt } from '../sdjwt/mint-presentation.ts'
import { mintCrl } from '../status/mint-status.ts'
import { extension, keyUsage, type Minted, oids } from './mint-certificate.ts'
import { mintAuthority, mintDocumentSigner, mintIaca, mintSigner, NOW } from './mint-pki.ts'
import { mintTrustedList } from './mint-trusted-list.ts'
import { readLote, readTrustedList, readVical } from './read-list.ts'

const VICAL_SIGNER = '28818c5d050108'
const iaca = mintIaca()
const instant = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

interface LotePlan {
  readonly nextUpdate?: number
  readonly typ?: string
  readonly entities?: number
  /** undefined: the member is absent. */
  readonly listType?: unknown
  readonly operator?: string
  /** Instead of the entities; undefined: the member is absent. */
  readonly entitiesAs?: unknown
  /** The services of each entity, with their type and status. */
  readonly services?: readonly { readonly type?: unknown; readonly status?: string; readonly since?: unknown }[]
}

const ETSI = 'http://uri.etsi.org/19602'
const PID_LIST = `${ETSI}/LoTEType/EUPIDProvidersList`
const PID_ISSUANCE = `${ETSI}/SvcType/PID/Issuance`
const PID_REVOCATION = `${ETSI}/SvcType/PID/Revocation`

function lote(by: Minted, plan: LotePlan = {}): Uint8Array {
  const { typ, entities = 1, nextUpdate = NOW + 3600, services = [{ type: PID_ISSUANCE }] } = plan
  const listType = 'listType' in plan ? plan.listType : PID_LIST
  const claims = {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEType: listType,
        SchemeOperatorName: [{ lang: 'en', value: plan.operator ?? 'An invented operator' }],
        ListIssueDateTime: instant(NOW - 60),
        NextUpdate: instant(nextUpdate),
        LoTESequenceNumber: 1,
      },
      TrustedEntitiesList: Array(entities).fill({
        TrustedEntityInformation: { TEName: Array(20).fill({ lang: 'en', value: 'An invented entity' }) },
        TrustedEntityServices: services.map(({ type, status, since }) => ({
          ServiceInformation: {
            ServiceTypeIdentifier: type,
            ServiceStatus: status,
            StatusStartingTime: since,
            ServiceDigitalIdentity: { X509Certificates: [{ val: base64(iaca.der) }] },
          },
        })),
      }),
      ...('entitiesAs' in plan ? { TrustedEntitiesList: plan.entitiesAs } : {}),
    },
  }
  return signedJson(by, claims, typ)
}

function signedJson(by: Minted, claims: unknown, typ?: string): Uint8Array {
  const header = { alg: 'ES256', x5c: [base64(by.der)], ...(typ === undefined ? {} : { typ }) }
  return Buffer.from(signJwt(header, claims, es256(by.privateKey)))
}

/** Signs content that need not be JSON. */
function signedJws(by: Minted, content: string | Uint8Array): Uint8Array {
  const header = { alg: 'ES256', x5c: [base64(by.der)] }
  const data = [JSON.stringify(header), content].map((part) => Buffer.from(part).toString('base64url')).join('.')
  const signature = sign('sha256', Buffer.from(data), { key: by.privateKey, dsaEncoding: 'ieee-p1363' })
  return Buffer.from(`${data}.${signature.toString('base64url')}`)
}

interface VicalPlan {
  readonly above?: readonly Minted[]
  readonly ballast?: number
  readonly provider?: string
  readonly docTypes?: readonly string[]
  readonly date?: number
  readonly nextUpdate?: number
}

function vical(by: Minted, plan: VicalPlan = {}): Uint8Array {
  const { docTypes = ['org.iso.18013.5.1.mDL'], date = NOW - 60, nextUpdate } = plan
  const payload = cbor({
    version: '1.0',
    vicalProvider: plan.provider ?? 'An invented provider',
    date: new Tagged(0, instant(date)),
    ...(nextUpdate === undefined ? {} : { nextUpdate: new Tagged(0, instant(nextUpdate)) }),
    certificateInfos: [{ certificate: iaca.der, docType: docTypes }],
  })
  return signedCbor(by, payload, plan)
}

function signedCbor(by: Minted, payload: Uint8Array, { above = [], ballast = 0 }: VicalPlan = {}): Uint8Array {
  const header = cbor(new Map([[1, -7]]))
  const covered = cbor(['Signature1', header, Buffer.alloc(0), payload])
  const signature = sign('sha256', covered, { key: by.privateKey, dsaEncoding: 'ieee-p1363' })
  const chain = [by, ...above].map(({ der }) => der)
  const unprotected = new Map<unknown, unknown>([
    [33, chain.length === 1 ? chain[0] : chain],
    ['ballast', Array(ballast).fill(0)],
  ])
  return cbor([header, unprotected, payload, signature])
}

function withPurposes(by: Minted, ...purposes: readonly string[]): Minted {
  const extensions = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
  return mintSigner(by, {
    extensions: purposes.length === 0 ? extensions : [...extensions, extension.purposes(purposes)],
  })
}

const fetchNothing = async (): Promise<StatusAnswer> => ({ outcome: 'unavailable', reason: 'nothing is served' })
const terms = (minted: Minted) => ({ signer: minted.der, authority: null, now: NOW, fetchStatus: fetchNothing })
const ofPid = { providers: 'pid' } as const
const ofMdocs = { providers: 'mdoc' } as const

const outcomes = async (by: Minted, minted: Minted, above: readonly Minted[] = []) => ({
  lote: (await readLote(lote(by), { ...terms(minted), ...ofPid })).outcome,
  vical: (await readVical(vical(by, { above }), { ...terms(minted), ...ofMdocs })).outcome,
})

const authority = mintAuthority({ subject: { CN: 'List Authority' } })

test('the configured certificate signs both kinds of list', async () => {
  for (const signer of [withPurposes(authority), withPurposes(authority, VICAL_SIGNER)]) {
    assert.deepEqual(await outcomes(signer, signer), { lote: 'read', vical: 'read' })
  }
})

test('below a configured authority, a signer of VICALs signs VICALs and no LoTEs', async () => {
  assert.deepEqual(await outcomes(withPurposes(authority, VICAL_SIGNER), authority), { lote: 'refused', vical: 'read' })
})

const others: [string, readonly string[]][] = [
  ['of no purpose', []],
  ['of licences', [oids.mdlSigner]],
  ['of documents', [oids.mdocSigner]],
  ['of VICALs and licences', [VICAL_SIGNER, oids.mdlSigner]],
  ['of VICALs and anything', [VICAL_SIGNER, '551d2500']],
  ['of anything', ['551d2500']],
  ['of web servers', [oids.serverAuth]],
  ['of an unknown purpose', ['2b060104018237140202']],
]
for (const [title, purposes] of others) {
  test(`below a configured authority, a signer ${title} signs no list`, async () => {
    const signer = withPurposes(authority, ...purposes)
    assert.deepEqual(await outcomes(signer, authority), { lote: 'refused', vical: 'refused' })
  })
}

test('a document signer signs no list under its own IACA', async () => {
  assert.deepEqual(await outcomes(mintDocumentSigner(iaca), iaca), { lote: 'refused', vical: 'refused' })
})

test('an authority for other purposes cannot issue a certificate that signs VICALs', async () => {
  const limited = (...purposes: readonly string[]) =>
    mintAuthority(
      {
        subject: { CN: 'Limited' },
        extensions: [extension.authority(), extension.keyUsage(keyUsage.authority), extension.purposes(purposes)],
      },
      authority,
    )
  const documents = limited(oids.mdlSigner)
  assert.equal((await outcomes(withPurposes(documents, VICAL_SIGNER), authority, [documents])).vical, 'refused')
  const lists = limited(VICAL_SIGNER)
  assert.equal((await outcomes(withPurposes(lists, VICAL_SIGNER), authority, [lists])).vical, 'read')
})

test('a certificate that was not configured signs nothing', async () => {
  const stranger = withPurposes(mintAuthority({ subject: { CN: 'List Authority' } }), VICAL_SIGNER)
  assert.deepEqual(await outcomes(stranger, authority), { lote: 'refused', vical: 'refused' })
})

test('the size of the unsigned part of a VICAL is limited', async () => {
  const signer = withPurposes(authority, VICAL_SIGNER)
  const read = async (ballast: number) =>
    (await readVical(vical(signer, { ballast }), { ...terms(signer), ...ofMdocs })).outcome
  assert.equal(await read(19_000), 'read')
  assert.equal(await read(20_000), 'refused')
})

const signer = withPurposes(authority, VICAL_SIGNER)

test('an entry of a VICAL for every type makes it unreadable', async () => {
  for (const docTypes of [['*'], ['org.iso.18013.5.1.mDL', '*']]) {
    assert.deepEqual(await readVical(vical(signer, { docTypes }), { ...terms(signer), ...ofMdocs }), {
      outcome: 'refused',
      detail: 'the VICAL has an entry that cannot be read',
    })
  }
})

test('an entry of a VICAL may have as many types as a query, of the same length', async () => {
  const outcomeOf = async (docTypes: readonly string[]) =>
    (await readVical(vical(signer, { docTypes }), { ...terms(signer), ...ofMdocs })).outcome
  const types = Array.from({ length: TYPES_MAX + 1 }, (_, at) => `org.example.${at}`)
  assert.equal(await outcomeOf(types.slice(1)), 'read')
  assert.equal(await outcomeOf(types), 'refused')
  assert.equal(await outcomeOf(['x'.repeat(TYPE_LENGTH_MAX)]), 'read')
  assert.equal(await outcomeOf(['x'.repeat(TYPE_LENGTH_MAX + 1)]), 'refused')
})

test('a VICAL without a next update expires 90 days after it was issued', async () => {
  const AGE = 90 * 86_400
  const read = (plan: VicalPlan) => readVical(vical(signer, plan), { ...terms(signer), ...ofMdocs })
  const young = await read({ date: NOW - AGE + 1 })
  assert.ok(young.outcome === 'read')
  assert.equal(young.list.endsAt, NOW + 1)
  assert.deepEqual(await read({ date: NOW - AGE }), { outcome: 'refused', detail: 'the list has expired' })
  const stated = await read({ date: NOW - AGE, nextUpdate: NOW + 60 })
  assert.ok(stated.outcome === 'read')
  assert.equal(stated.list.endsAt, NOW + 60)
})

test('no list is valid for longer than six months, whatever its next update', async () => {
  const far = NOW + 20 * 365 * 86_400
  const readings = [
    await readLote(lote(signer, { nextUpdate: far }), { ...terms(signer), ...ofPid }),
    await readVical(vical(signer, { nextUpdate: far }), { ...terms(signer), ...ofMdocs }),
  ]
  for (const reading of readings) {
    assert.ok(reading.outcome === 'read')
    assert.equal(reading.list.endsAt, NOW - 60 + 184 * 86_400)
  }
  const old = await readVical(vical(signer, { date: NOW - 184 * 86_400, nextUpdate: far }), {
    ...terms(signer),
    ...ofMdocs,
  })
  assert.deepEqual(old, { outcome: 'refused', detail: 'the list has expired' })
})

test('accepts a LoTE with the type of any JOSE object, and refuses the types of other tokens', async () => {
  const read = async (typ: string) => (await readLote(lote(signer, { typ }), { ...terms(signer), ...ofPid })).outcome
  for (const typ of ['JWT', 'jose', 'application/jose']) assert.equal(await read(typ), 'read', typ)
  for (const typ of ['statuslist+jwt', 'dc+sd-jwt', 'oauth-authz-req+jwt', ''])
    assert.equal(await read(typ), 'refused', typ)
})

test('reads a LoTE of 2,000 entities, and refuses 20,000', async () => {
  const read = async (entities: number) => {
    const reading = await readLote(lote(signer, { entities }), { ...terms(signer), ...ofPid })
    return reading.outcome === 'read' ? reading.list.entries.length : reading.outcome
  }
  assert.equal(await read(2_000), 2_000)
  assert.equal(await read(20_000), 'refused')
})

const CRL = 'https://lists.example/crl'
const SERIAL = Buffer.of(0x33)
const withCrl = mintSigner(authority, {
  serial: SERIAL,
  extensions: [
    extension.noAuthority(),
    extension.keyUsage(keyUsage.digitalSignature),
    extension.purposes([VICAL_SIGNER]),
    extension.crlAt(CRL),
  ],
})

async function underCrl(crl: Uint8Array | null, input = { signer: withCrl, authority: authority as Minted | null }) {
  const fetchStatus = async ({ uri }: { uri: string }): Promise<StatusAnswer> => {
    assert.equal(uri, CRL)
    if (crl === null) return { outcome: 'unavailable', reason: 'nothing is served there' }
    return { outcome: 'fetched', bytes: crl, contentType: 'application/pkix-crl', stale: false }
  }
  const terms = { signer: input.signer.der, authority: input.authority?.der ?? null, now: NOW, fetchStatus }
  const readings = [
    await readLote(lote(withCrl), { ...terms, ...ofPid }),
    await readVical(vical(withCrl), { ...terms, ...ofMdocs }),
  ]
  return readings.map((reading) => (reading.outcome === 'read' ? 'read' : (reading.signerRevoked ?? reading.detail)))
}

test("reads a list only if its signer's revocation can be checked and the signer is not revoked", async () => {
  const unknown = "could not establish whether the list's signer has been revoked"
  const good = mintCrl({ by: authority })
  assert.deepEqual(await underCrl(good), ['read', 'read'])
  assert.deepEqual(await underCrl(mintCrl({ by: authority, revoked: [{ serial: SERIAL }] })), [true, true])
  assert.deepEqual(await underCrl(null), [unknown, unknown])
  assert.deepEqual(await underCrl(mintCrl({ by: iaca })), [unknown, unknown])
  // Only the issuer can revoke the signer, so its certificate is needed for the check.
  assert.deepEqual(await underCrl(good, { signer: withCrl, authority: null }), [unknown, unknown])
  // A configured certificate that names no revocation list needs no check.
  assert.equal((await underCrl(good, { signer: authority, authority: null }))[1], 'read')
})

const MISMATCH = { outcome: 'refused', mismatch: true } as const
const OTHER_SERVICE = 'the list was imported as one that names PID providers, and has a service of another kind'

test('a list counts only as the kind that it states', async () => {
  const PROFILES = [
    ['pid', 'EUPIDProvidersList', 'PID/Issuance'],
    ['wallet', 'EUWalletProvidersList', 'WalletSolution/Issuance'],
    ['access-certificate', 'EUWRPACProvidersList', 'WRPAC/Issuance'],
    ['registration-certificate', 'EUWRPRCProvidersList', 'WRPRC/Issuance'],
    ['public-attestation', 'EUPubEAAProvidersList', 'PubEAA/Issuance'],
    ['register', 'EURegistrarsAndRegistersList', 'Register'],
    ['attestation', 'EUEAAProvidersList', 'EAA/Issuance'],
  ] as const
  const status = `${ETSI}/PubEAAProvidersList/SvcStatus/notified`
  for (const [own, listName, service] of PROFILES) {
    const bytes = lote(signer, {
      listType: `${ETSI}/LoTEType/${listName}`,
      services: [{ type: `${ETSI}/SvcType/${service}`, status }],
    })
    for (const [providers] of PROFILES) {
      const read = await readLote(bytes, { ...terms(signer), providers })
      assert.equal(read.outcome, own === providers ? 'read' : 'refused', `${own} as ${providers}`)
      if (read.outcome === 'refused') assert.equal(read.mismatch, true, `${own} as ${providers}`)
    }
    for (const providers of ['mdoc', 'age-attestation', 'mdl'] as const)
      assert.equal((await readLote(bytes, { ...terms(signer), providers })).outcome, 'refused')
  }
  assert.deepEqual(
    await readLote(lote(signer, { listType: `${ETSI}/LoTEType/EUWalletProvidersList` }), {
      ...terms(signer),
      ...ofPid,
    }),
    {
      ...MISMATCH,
      detail: 'the list names wallet providers, and was imported as one that names PID providers',
    },
  )
})

test('a list without a kind, or with an unknown one, is refused', async () => {
  const types = [
    undefined,
    '',
    null,
    7,
    [PID_LIST],
    PID_LIST.toLowerCase(),
    `${PID_LIST}/`,
    ` ${PID_LIST}`,
    'EUPIDProvidersList',
  ]
  for (const listType of types)
    assert.deepEqual(await readLote(lote(signer, { listType }), { ...terms(signer), ...ofPid }), {
      ...MISMATCH,
      detail: 'the list does not say that it names PID providers',
    })
})

test('a list without the member for entities names no entity, if it is of the right kind', async () => {
  const read = (plan: LotePlan) => readLote(lote(signer, plan), { ...terms(signer), ...ofPid })
  const withoutEntities = await read({ entitiesAs: undefined })
  assert.deepEqual(withoutEntities.outcome === 'read' && [withoutEntities.list.entries, withoutEntities.list.ended], [
    [],
    [],
  ])
  for (const entitiesAs of [undefined, [], null, {}]) {
    const other = await read({ listType: `${ETSI}/LoTEType/EUWRPACProvidersList`, entitiesAs })
    assert.ok(other.outcome === 'refused' && other.mismatch === true, JSON.stringify(other))
  }
  for (const entitiesAs of [null, {}, 'none']) {
    const refused = { outcome: 'refused', detail: 'the list has entities that cannot be read' }
    assert.deepEqual(await read({ entitiesAs }), refused)
  }
})

test('other data of the configured signer is of another kind, and the same data of another signer is not', async () => {
  const stranger = withPurposes(mintAuthority({ subject: { CN: 'List Authority' } }), VICAL_SIGNER)
  const jwts = (by: Minted) => [
    ...[{}, [], { LoTE: [] }, { ListAndSchemeInformation: [] }, { status_list: { bits: 1 } }].map((claims) =>
      signedJson(by, claims),
    ),
    lote(by, { typ: 'statuslist+jwt' }),
    ...['', 'Back soon', '{"LoTE": ', Buffer.of(0xff, 0xfe)].map((content) => signedJws(by, content)),
  ]
  const cwts = (by: Minted) =>
    [{}, [], 7, new Map([[2, 'https://lists.example']]), { vicalProvider: 'Some' }, { certificateInfos: [] }]
      .map((content) => signedCbor(by, cbor(content)))
      .concat(['', 'Back soon', Buffer.of(0xff)].map((content) => signedCbor(by, Buffer.from(content))))
  for (const by of [signer, stranger]) {
    const readings = [
      ...(await Promise.all(jwts(by).map((bytes) => readLote(bytes, { ...terms(signer), ...ofPid })))),
      ...(await Promise.all(cwts(by).map((bytes) => readVical(bytes, { ...terms(signer), ...ofMdocs })))),
    ]
    for (const read of readings)
      assert.equal(read.outcome === 'refused' && read.mismatch === true, by === signer, JSON.stringify(read))
  }
})

test('a list with more content than may be read is not of another kind', async () => {
  const unread = [
    [lote(signer, { entities: 20_000 }), 'the list cannot be read', readLote, ofPid],
    [vical(signer, { docTypes: Array(200_000).fill('a') }), 'the VICAL cannot be read', readVical, ofMdocs],
  ] as const
  for (const [bytes, detail, read, kind] of unread)
    assert.deepEqual(await read(bytes, { ...terms(signer), ...kind } as never), { outcome: 'refused', detail })
})

test("ignores revocation services of the list's kind, and refuses a list with a service of another kind", async () => {
  const read = (services: NonNullable<LotePlan['services']>) =>
    readLote(lote(signer, { services }), { ...terms(signer), ...ofPid })
  const honest = await read([{ type: PID_ISSUANCE }, { type: PID_REVOCATION }])
  assert.equal(honest.outcome === 'read' ? honest.list.entries.length : honest.detail, 1)
  const foreign = [
    `${ETSI}/SvcType/WRPAC/Issuance`,
    `${ETSI}/SvcType/PID`,
    `${PID_ISSUANCE}/x`,
    PID_ISSUANCE.toLowerCase(),
    undefined,
    null,
  ]
  for (const type of foreign) {
    assert.deepEqual(await read([{ type: PID_ISSUANCE }, { type }]), { ...MISMATCH, detail: OTHER_SERVICE })
    // The list is refused even if the service is withdrawn and would vouch for nothing.
    assert.deepEqual(await read([{ type: PID_ISSUANCE }, { type, status: 'https://status.example/withdrawn' }]), {
      ...MISMATCH,
      detail: OTHER_SERVICE,
    })
  }
})

test("a public body's service without a status vouches for nothing", async () => {
  const listType = `${ETSI}/LoTEType/EUPubEAAProvidersList`
  const type = `${ETSI}/SvcType/PubEAA/Issuance`
  const states = ['notified', 'withdrawn'].map((name) => `${ETSI}/PubEAAProvidersList/SvcStatus/${name}`)
  const count = async (status: string | undefined) => {
    const services = [status === undefined ? { type } : { type, status }]
    const read = await readLote(lote(signer, { listType, services }), {
      ...terms(signer),
      providers: 'public-attestation',
    })
    return read.outcome === 'read' ? [read.list.entries.length, read.list.ended.length] : read.detail
  }
  assert.deepEqual(await Promise.all([...states, undefined].map(count)), [
    [1, 0],
    [0, 1],
    [0, 1],
  ])
})

test('a service vouches for nothing before its status begins, or if that time cannot be read', async () => {
  const count = async (since: unknown) => {
    const read = await readLote(lote(signer, { services: [{ type: PID_ISSUANCE, since }] }), {
      ...terms(signer),
      ...ofPid,
    })
    return read.outcome === 'read' ? [read.list.entries.length, read.list.ended.length] : read.detail
  }
  // A clock may differ, as for the time of issue.
  for (const since of [undefined, instant(NOW - 60), instant(NOW + 300)]) assert.deepEqual(await count(since), [1, 0])
  for (const since of [instant(NOW + 301), 'once', 7, null]) assert.deepEqual(await count(since), [0, 1], String(since))
})

test("the Commission's list of mDL providers vouches only for driving licences", async () => {
  const mdl = 'http://trust.ec.europa.eu/lists/mDL'
  for (const type of [`${mdl}/SvcType/Issuance`, `${ETSI}/SvcType/mDL/Issuance`]) {
    const bytes = lote(signer, { listType: `${mdl}/mDLProvidersListType`, services: [{ type }] })
    const read = await readLote(bytes, { ...terms(signer), providers: 'mdl' })
    assert.deepEqual(read.outcome === 'read' && read.list.entries.map(({ docTypes }) => docTypes), [
      ['org.iso.18013.5.1.mDL'],
    ])
  }
})

test('no list writes control characters to a terminal', async () => {
  const signer = withPurposes(authority, VICAL_SIGNER)
  const nameOf = async (name: string) => {
    const inLote = await readLote(lote(signer, { operator: name }), { ...terms(signer), ...ofPid })
    const inVical = await readVical(vical(signer, { provider: name }), { ...terms(signer), ...ofMdocs })
    return [inLote, inVical].map((reading) => (reading.outcome === 'read' ? reading.list.issuer : reading.detail))
  }
  assert.deepEqual(await nameOf('Ministry\nof the Interior'), Array(2).fill('Ministry of the Interior'))
  assert.deepEqual(await nameOf('\u001b]0;ok\u0007\u001b[2J'), Array(2).fill('unnamed'))
  const types = vical(signer, { docTypes: ['org.example.\u001b[2J'] })
  assert.equal((await readVical(types, { ...terms(signer), ...ofMdocs })).outcome, 'refused')
})

test('a VICAL names only mdoc issuers', async () => {
  for (const providers of ['pid', 'mdl', 'age-attestation'] as const)
    assert.equal((await readVical(vical(signer), { ...terms(signer), providers })).outcome, 'refused', providers)
})

test('a list of another format than imported is recognized as another list, and a page or an error is not', async () => {
  const signer = withPurposes(authority)
  const minted = { ...terms(signer), now: NOW }
  const json = Buffer.from(Buffer.from(lote(signer)).toString().split('.')[1] ?? '', 'base64url')
  const formats = {
    lote: [lote(signer), json, Buffer.concat([Buffer.from('\ufeff \n'), json])],
    tsl: [mintTrustedList(signer, { now: NOW }), Buffer.from('\n<tsl:TrustServiceStatusList/>')],
    vical: [vical(signer), Buffer.concat([Buffer.of(0xd2), vical(signer)])],
  }
  const readers = {
    lote: (bytes: Uint8Array) => readLote(bytes, { ...minted, ...ofPid }),
    tsl: (bytes: Uint8Array) => readTrustedList(bytes, { ...minted, providers: 'age-attestation' }),
    vical: (bytes: Uint8Array) => readVical(bytes, { ...minted, ...ofMdocs }),
  }
  for (const kind of ['lote', 'tsl', 'vical'] as const) {
    for (const other of ['lote', 'tsl', 'vical'] as const) {
      for (const bytes of formats[other]) {
        const read = await readers[kind](bytes)
        const isMismatch = read.outcome === 'refused' && read.mismatch === true
        assert.equal(isMismatch, kind !== other, `${other} read as ${kind}: ${JSON.stringify(read).slice(0, 200)}`)
      }
    }
    for (const text of ['<!doctype html><p>Back soon', '{"error":"unavailable"}', '', 'a.b.c', 'vicalProvider']) {
      const read = await readers[kind](Buffer.from(text))
      assert.ok(read.outcome === 'refused' && read.mismatch === undefined, `${text} read as ${kind}`)
    }
  }
})
