// Tests that a proof is accepted only if it answers our request and its issuer is trusted. tools/zk uses real proofs.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { decodeCbor, isCborMap } from '../../src/cbor/cbor.ts'
import { encodeQuestions } from '../../src/channels/annex-c/device-request.ts'
import { isoQueryOf } from '../../src/channels/annex-c/iso-query.ts'
import { readDeviceDocuments } from '../../src/formats/mdoc/device-response.ts'
import { flatMembers, ZK_CIRCUITS } from '../../src/formats/mdoc-zk/circuits.ts'
import {
  type Json,
  offerProofs,
  parseQuery,
  readTransaction,
  type Trust,
  type Verdict,
  verifyPresentation,
  type ZkStatement,
} from '../../src/index.ts'
import { LIMITS, newBudget } from '../../src/limits.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql.ts'
import { wireQuery } from '../../src/openid4vp/wire-query.ts'
import type { Anchor } from '../../src/trust/anchor.ts'
import { keySha256 } from '../../src/trust/anchors.ts'
import { mintDocumentSigner, mintIaca } from '../trust/mint-pki.ts'
import {
  anchor,
  cbor,
  date,
  iaca,
  MDL,
  MDL_SPACE,
  mintMdoc,
  NOW,
  Raw,
  signer,
  Tagged,
  transcriptOf,
} from './mint-mdoc.ts'
import { CIRCUIT, mintZk, soleAnchor, type ZkPlan, zkDocument, zkExpected, zkQuery, zkTrust } from './mint-zk.ts'

const judge = (plan: ZkPlan, id = 'licence_zk', trusted = zkTrust()): Promise<Verdict> =>
  verifyPresentation({ [id]: [mintZk(plan).toString('base64url')] }, zkExpected, trusted)

async function refused(verdict: Promise<Verdict>, code: string, detail: RegExp): Promise<void> {
  const judged = await verdict
  assert.ok(judged.outcome === 'rejected', 'it was accepted')
  assert.equal(judged.code, code)
  assert.match(judged.message, detail)
}

test('accepts a proof, and returns format, claim and issuer', async () => {
  const statements: ZkStatement[] = []
  const verdict = await judge({}, 'licence_zk', zkTrust(statements))
  assert.ok(verdict.outcome === 'accepted', JSON.stringify(verdict))
  const [credential] = verdict.credentials
  const { checks, claims, trustEvidence, ...rest } = credential ?? { checks: [] }
  assert.deepEqual(JSON.parse(JSON.stringify(claims)), { [MDL_SPACE]: { age_over_18: true } })
  assert.deepEqual(rest, {
    queryId: 'licence',
    format: 'mso_mdoc_zk',
    doctypeOrVct: MDL,
    issuer: { common_name: 'Invented Document Signer', country: 'UT' },
    trusted: true,
    signatureValid: true,
    holderBindingValid: true,
    claimSet: null,
  })
  assert.deepEqual([trustEvidence?.status, trustEvidence?.lists], [null, []])
  assert.equal(trustEvidence?.signer?.fingerprint, createHash('sha256').update(signer.der).digest('base64url'))
  // A proof does not show whether its mdoc names a status.
  assert.equal(checks.find(({ check }) => check === 'not_revoked')?.status, 'not_provable')
  assert.deepEqual(
    statements.map(({ transcript, circuitHash }) => [Buffer.from(transcript).equals(transcriptOf({})), circuitHash]),
    [[true, CIRCUIT.hash]],
  )
})

test('accepts no proof without a proof checker', () => {
  const { verifyZk: _, ...unable } = zkTrust()
  return refused(judge({}, 'licence_zk', unable), 'proof_unavailable', /could not be checked/)
})

test('rejects a proof if the checker is unavailable', () =>
  refused(judge({}, 'licence_zk', { ...zkTrust(), verifyZk: async () => 'unavailable' }), 'proof_unavailable', /./))

const data = (change: Record<string, unknown>): ZkPlan => ({ data: (statement) => ({ ...statement, ...change }) })
const without = (name: string): ZkPlan => ({
  data: (statement) => Object.fromEntries(Object.entries(statement).filter(([member]) => member !== name)),
})
const items = (elements: readonly Record<string, unknown>[]) => data({ issuerSigned: { [MDL_SPACE]: elements } })
const item = (elementIdentifier: string, elementValue: unknown) => ({ elementIdentifier, elementValue })
const stranger = mintDocumentSigner(mintIaca())

const CASES: Readonly<Record<string, readonly [ZkPlan, string, RegExp]>> = {
  'Z01 a proof that was altered': [
    { proof: (proof) => Buffer.from(proof.map((byte, at) => (at === 0 ? byte ^ 1 : byte))) },
    'credential_invalid',
    /does not hold/,
  ],
  'Z02 a proof for another request': [
    { transcript: transcriptOf({ nonce: 'another' }) },
    'credential_invalid',
    /does not hold/,
  ],
  'Z03 another value than the proved value': [
    items([item('age_over_18', false)]),
    'credential_invalid',
    /does not hold/,
  ],
  'Z04 another element than the proved element': [
    items([item('age_over_21', true)]),
    'query_not_satisfied',
    /every requested claim/,
  ],
  'Z05 another type': [data({ docType: 'eu.europa.ec.av.1' }), 'query_not_satisfied', /type/],
  'Z06 a circuit that was not asked for': [data({ zkSystemId: 'zkp-1' }), 'query_not_satisfied', /circuit/],
  'Z07 a circuit for another number of elements': [
    data({ zkSystemId: ZK_CIRCUITS.find(({ attributes }) => attributes === 2)?.id }),
    'query_not_satisfied',
    /circuit/,
  ],
  'Z08 more elements than the circuit has': [
    items([item('age_over_18', true), item('age_over_21', true)]),
    'credential_invalid',
    /number of elements/,
  ],
  'Z09 a proof of the other circuit asked for': [
    { statement: { circuitHash: '00'.repeat(32) } },
    'credential_invalid',
    /does not hold/,
  ],
  'Z10 made before the request': [{ statement: { timestamp: NOW - 121 } }, 'credential_invalid', /older/],
  'Z11 made in the future': [{ statement: { timestamp: NOW + 61 } }, 'credential_invalid', /future/],
  'Z12 no time': [without('timestamp'), 'credential_invalid', /no time/],
  'Z13 a day in place of a time': [
    data({ timestamp: new Tagged(1004, '2026-03-01') }),
    'credential_invalid',
    /no time/,
  ],
  'Z14 a time with a fraction': [
    data({ timestamp: new Tagged(0, '2026-03-01T12:00:00.5Z') }),
    'credential_invalid',
    /no time/,
  ],
  'Z15 a time as plain text': [data({ timestamp: date(NOW).value }), 'credential_invalid', /no time/],
  'Z16 no certificates': [without('msoX5chain'), 'issuer_untrusted', /certificates/],
  'Z17 certificates of a stranger': [data({ msoX5chain: stranger.der }), 'issuer_untrusted', /./],
  'Z18 an empty list of certificates': [data({ msoX5chain: [] }), 'issuer_untrusted', /certificates/],
  'Z19 elements the device signed': [
    data({ deviceSigned: { [MDL_SPACE]: [item('nym', 'x')] } }),
    'credential_invalid',
    /device signed/,
  ],
  'Z20 no elements': [without('issuerSigned'), 'credential_invalid', /name spaces/],
  'Z21 too many elements': [
    items(Array.from({ length: LIMITS.zkClaims + 1 }, (_, at) => item(`e${at}`, true))),
    'credential_invalid',
    /too many/,
  ],
  'Z22 an element twice': [
    items([item('age_over_18', true), item('age_over_18', true)]),
    'credential_invalid',
    /twice/,
  ],
  'Z23 a value that is too long': [items([item('age_over_18', 'x'.repeat(64))]), 'credential_invalid', /too long/],
  'Z24 a value of another kind': [items([item('age_over_18', { a: 1 })]), 'credential_invalid', /kind/],
  'Z41 a value under a tag that takes eight bytes': [
    items([item('age_over_18', new Raw(Buffer.concat([Buffer.from('db0000000100000000', 'hex'), cbor('x')])))]),
    'credential_invalid',
    /kind/,
  ],
  'Z25 a proof that is too large': [
    { proof: () => Buffer.alloc(LIMITS.zkProofBytes + 1) },
    'credential_invalid',
    /too large/,
  ],
  'Z26 no proof': [{ proof: () => Buffer.alloc(0) }, 'credential_invalid', /no proof/],
  'Z27 two proofs where one was asked for': [
    { response: (whole) => ({ ...whole, zkDocuments: [zkDocument(), zkDocument()] }) },
    'credential_invalid',
    /exactly one/,
  ],
  'Z28 a document beside the proof': [
    { response: (whole) => ({ ...whole, documents: [{}] }) },
    'credential_invalid',
    /exactly one/,
  ],
  'Z29 a status that is not OK': [{ response: (whole) => ({ ...whole, status: 10 }) }, 'credential_invalid', /OK/],
}
for (const [title, [plan, code, detail]] of Object.entries(CASES)) {
  test(title, async () => {
    const statements: ZkStatement[] = []
    await refused(judge(plan, 'licence_zk', zkTrust(statements)), code, detail)
    // A proof that was already refused is not checked.
    assert.equal(statements.length, detail.source.includes('does not hold') ? 1 : 0)
  })
}

for (const member of ['docType', 'zkSystemId', 'timestamp', 'issuerSigned', 'msoX5chain'])
  test(`Z33 refuses a ZkDocument without ${member} before it calls a checker`, async () => {
    const statements: ZkStatement[] = []
    assert.equal((await judge(without(member), 'licence_zk', zkTrust(statements))).outcome, 'rejected')
    assert.deepEqual(statements, [])
  })

for (const member of ['documentData', 'proof'])
  test(`Z34 refuses a ZkDocument without ${member}`, () => {
    const { [member]: _, ...rest } = zkDocument()
    const plan: ZkPlan = { response: (whole) => ({ ...whole, zkDocuments: [rest] }) }
    return refused(judge(plan), 'credential_invalid', member === 'proof' ? /no proof/ : /documentData/)
  })

test('Z35 an anchor for other types does not vouch for this one, and an expired certificate for none', async () => {
  const statements: ZkStatement[] = []
  const anchors = [{ ...anchor, types: ['mso_mdoc:another', 'dc+sd-jwt:*'] }] as const
  await refused(judge({}, 'licence_zk', { ...zkTrust(statements), anchors }), 'issuer_untrusted', /./)
  const ended = mintDocumentSigner(iaca, {}, { notAfter: '20260228000000Z' })
  await refused(judge(data({ msoX5chain: ended.der }), 'licence_zk', zkTrust(statements)), 'credential_expired', /./)
  assert.deepEqual(statements, [])
})

const CLUB = 'club.card.1'
const MARK = { docType: MDL, nameSpace: MDL_SPACE, withoutStatus: false }
const bySame = (change: Partial<Anchor>): Anchor => ({ ...soleAnchor, ...change })
const unmarked = (types: Anchor['types']): Anchor => ({ ...anchor, types })
const renewed = mintIaca({}, { key: { publicKey: createPublicKey(iaca.privateKey), privateKey: iaca.privateKey } })
const signerItself = (types: Anchor['types']): Anchor => ({
  kind: 'pinned',
  certificate: signer.der,
  types,
  profile: 'generic',
})

const hashOf = ({ certificate }: Anchor) => keySha256(new X509Certificate(certificate).publicKey)

/** Like the circuits, this double's proofs cover the key, and neither type nor name space. */
const UNVOUCHED: Readonly<Record<string, readonly Anchor[]>> = {
  'an anchor without the mark': [anchor],
  'an anchor that is marked for another type': [bySame({ sole: { ...MARK, docType: CLUB } })],
  'a mark that contradicts its types': [bySame({ types: [`mso_mdoc:${MDL}`, `mso_mdoc:${CLUB}`] })],
  'a mark beside every type': [bySame({ types: ['mso_mdoc:*'] })],
  'a second anchor of the same certificate, without the mark': [soleAnchor, unmarked([`mso_mdoc:${CLUB}`])],
  'a second anchor of the same certificate, without the mark, in the other order': [
    unmarked([`mso_mdoc:${CLUB}`]),
    soleAnchor,
  ],
  'two anchors of one key, marked for different types': [
    soleAnchor,
    bySame({ types: [`mso_mdoc:${CLUB}`], sole: { ...MARK, docType: CLUB } }),
  ],
  'two anchors whose marks differ in the name space': [soleAnchor, bySame({ sole: { ...MARK, nameSpace: CLUB } })],
  'two anchors whose marks differ in the status': [soleAnchor, bySame({ sole: { ...MARK, withoutStatus: true } })],
  'another certificate of the same key, for club cards': [
    soleAnchor,
    { ...unmarked([`mso_mdoc:${CLUB}`]), certificate: renewed.der },
  ],
  'the signer itself trusted for club cards': [soleAnchor, signerItself([`mso_mdoc:${CLUB}`])],
  'an anchor whose key a list names for club cards': [bySame({ listedKeys: new Map([[hashOf(soleAnchor), CLUB]]) })],
  'the signer named by a list for club cards': [bySame({ listedKeys: new Map([[hashOf(signerItself([])), CLUB]]) })],
  'the signer named by a list for a type that is not known': [
    bySame({ listedKeys: new Map([[hashOf(signerItself([])), null]]) }),
  ],
  'the signer itself trusted for club cards in the past': [
    soleAnchor,
    { ...signerItself([]), ended: [`mso_mdoc:${CLUB}`] },
  ],
}
for (const [title, anchors] of Object.entries(UNVOUCHED))
  test(`Z37 ${title}: a proof does not prove a type, and no checker is called`, async () => {
    const statements: ZkStatement[] = []
    const verdict = judge({}, 'licence_zk', { ...zkTrust(statements), anchors })
    await refused(verdict, 'issuer_untrusted', /issues only this type of document/)
    assert.deepEqual(statements, [])
  })

test('Z37 an expired anchor vouches for no issuer, with the mark or without', async () => {
  const statements: ZkStatement[] = []
  const types = [`mso_mdoc:${MDL}`] as const
  for (const anchors of [[bySame({ ended: types })], [{ ...signerItself([...types]), sole: MARK, ended: types }]])
    await refused(
      judge({}, 'licence_zk', { ...zkTrust(statements), anchors }),
      'issuer_untrusted',
      /no trust anchor for/,
    )
  assert.deepEqual(statements, [])
})

test('Z37 neither an anchor for another format nor another mark for the same type voids a mark', async () => {
  for (const anchors of [
    [soleAnchor, unmarked(['dc+sd-jwt:*'])],
    [bySame({ listedKeys: new Map([['another key', CLUB]]) })],
    [bySame({ listedKeys: new Map([[hashOf(soleAnchor), MDL]]) })],
    [bySame({ types: [`mso_mdoc:${MDL}`, 'dc+sd-jwt:urn:a'] })],
    [soleAnchor, bySame({ certificate: renewed.der })],
  ])
    assert.equal((await judge({}, 'licence_zk', { ...zkTrust(), anchors })).outcome, 'accepted')
})

test('Z38 rejects an element of another name space than the mark names', async () => {
  const statements: ZkStatement[] = []
  const anchors = [bySame({ sole: { ...MARK, nameSpace: CLUB } })]
  await refused(judge({}, 'licence_zk', { ...zkTrust(statements), anchors }), 'issuer_untrusted', /name space/)
  assert.deepEqual(statements, [])
})

/** A certificate of the same key that names no revocation list. */
const unlisted = mintDocumentSigner(
  iaca,
  { crl: null },
  { key: { publicKey: createPublicKey(signer.privateKey), privateKey: signer.privateKey } },
)

const statusOf = ({ credentials }: Verdict) =>
  credentials[0]?.checks.find(({ check }) => check === 'not_revoked')?.status

test('Z39 if a status is required, accepts only age attestations whose anchor says that they have no status', async () => {
  const proved = (docType: string, withoutStatus: boolean, statements: ZkStatement[]) => {
    const [licence] = zkQuery.credentials
    assert.ok(licence?.format === 'mso_mdoc')
    const query = { credentials: [{ ...licence, meta: { doctype_value: docType } }] }
    const sole = { ...MARK, docType, withoutStatus }
    const anchors = [bySame({ types: [`mso_mdoc:${docType}`], profile: 'generic', sole })]
    const trusted = { ...zkTrust(statements), anchors, statusPolicy: 'require' } as const
    const plan = { statement: { docType }, ...data({ msoX5chain: unlisted.der }) }
    const token = { licence_zk: [mintZk(plan).toString('base64url')] }
    return verifyPresentation(token, { ...zkExpected, query }, trusted)
  }
  for (const [docType, withoutStatus] of [
    [MDL, false],
    [MDL, true],
    ['eu.europa.ec.av.1', false],
  ] as const) {
    const statements: ZkStatement[] = []
    const verdict = await proved(docType, withoutStatus, statements)
    await refused(Promise.resolve(verdict), 'status_unavailable', /cannot show whether/)
    assert.equal(statusOf(verdict), 'not_provable')
    assert.deepEqual(statements, [])
  }
  const verdict = await proved('eu.europa.ec.av.1', true, [])
  assert.ok(verdict.outcome === 'accepted', verdict.outcome === 'rejected' ? verdict.message : '')
  assert.equal(statusOf(verdict), 'not_provable')
})

test('Z40 rejects a response with a proof that does not count, even if a document beside it counts', async () => {
  const other = {
    id: 'shown',
    format: 'mso_mdoc',
    meta: { doctype_value: MDL },
    claims: [{ path: [MDL_SPACE, 'age_over_18'] }],
  } as const
  const query = { credentials: [...zkQuery.credentials, other] }
  const shown = mintMdoc({ elements: { [MDL_SPACE]: { age_over_18: true } } })
  const token = { shown: [shown], licence_zk: [mintZk().toString('base64url')] }
  const of = (anchors: readonly Anchor[], statements: ZkStatement[]) =>
    verifyPresentation(token, { ...zkExpected, query }, { ...zkTrust(statements), anchors })
  const checked: ZkStatement[] = []
  await refused(of([anchor], checked), 'issuer_untrusted', /only this type/)
  assert.deepEqual(checked, [])
  assert.equal((await of([soleAnchor], checked)).outcome, 'accepted')
})

test('Z36 a proof cannot confirm a transaction', async () => {
  const [text = ''] = [Buffer.from(JSON.stringify({ type: 'a', credential_ids: ['licence'] })).toString('base64url')]
  const expected = { ...zkExpected, transaction: readTransaction([text]) }
  const token = { licence_zk: [mintZk().toString('base64url')] }
  const statements: ZkStatement[] = []
  await refused(verifyPresentation(token, expected, zkTrust(statements)), 'transaction_not_confirmed', /./)
  assert.deepEqual(statements, [])
})

test('Z30 rejects an issuer with a key that circuits do not support', async () => {
  const authority = mintIaca()
  const other = mintDocumentSigner(authority, {}, { key: generateKeyPairSync('ec', { namedCurve: 'P-384' }) })
  const anchors = [{ ...soleAnchor, certificate: authority.der }] as const
  await refused(
    judge(data({ msoX5chain: other.der }), 'licence_zk', { ...zkTrust(), anchors }),
    'credential_invalid',
    /key/,
  )
})

test("Z31 rejects a proof under the document's query id, a document under the proof's query id, and both at once", async () => {
  const proof = mintZk().toString('base64url')
  const shown = mintMdoc({ elements: { [MDL_SPACE]: { age_over_18: true } } })
  const of = (token: Json) => verifyPresentation(token, zkExpected, zkTrust())
  await refused(of({ licence: [proof] }), 'credential_invalid', /document/)
  await refused(of({ licence_zk: [shown] }), 'credential_invalid', /exactly one/)
  await refused(of({ licence: [shown], licence_zk: [proof] }), 'query_not_satisfied', /several/)
  assert.equal((await of({ licence: [shown] })).outcome, 'accepted')
})

test('Z32 rejects a proof if none was requested', async () => {
  const [plain] = zkQuery.credentials.map(({ id, format, meta, claims }) => ({ id, format, meta, claims }))
  const query = parseQuery({ credentials: [plain] })
  const token = { licence_zk: [mintZk().toString('base64url')] }
  await refused(verifyPresentation(token, { ...zkExpected, query }, zkTrust()), 'query_not_satisfied', /was not asked/)
})

test('at most two proofs of a response are checked', async () => {
  const statements: ZkStatement[] = []
  const origins = ['https://a.example', 'https://b.example', 'https://c.example']
  const expected = { ...zkExpected, channel: { kind: 'dc_api', origins } } as const
  const verdict = await verifyPresentation(
    { licence_zk: [mintZk().toString('base64url')] },
    expected,
    zkTrust(statements),
    newBudget(),
  )
  await refused(Promise.resolve(verdict), 'proof_unavailable', /more checks of proofs/)
  assert.equal(statements.length, LIMITS.proofs)
})

const TYPES = ['org.a.1', 'org.b.1', 'org.c.1'] as const
const queryOf = (type: string) =>
  ({
    id: type.replaceAll('.', '_'),
    format: 'mso_mdoc',
    meta: { doctype_value: type },
    claims: [{ path: [type, 'age_over_18'] }],
  }) as const
const IDS = TYPES.map((type) => queryOf(type).id)

const soleAnchorOf = (certificate: Uint8Array, sole: NonNullable<Anchor['sole']>): Anchor => ({
  kind: 'ca',
  certificate,
  profile: 'generic',
  types: [`mso_mdoc:${sole.docType}`],
  sole,
})

const presentersOf = () =>
  TYPES.map((type) => {
    const authority = mintIaca()
    const { der } = mintDocumentSigner(authority, { crl: null })
    const issuerSigned = { [type]: [{ elementIdentifier: 'age_over_18', elementValue: true }] }
    const plan = { statement: { docType: type }, ...data({ issuerSigned, msoX5chain: der }) }
    const sole = { docType: type, nameSpace: type, withoutStatus: false }
    const proof = mintZk(plan).toString('base64url')
    return { type, document: zkDocument(plan), proof, anchor: soleAnchorOf(authority.der, sole) }
  })

test('a request offers no more proofs than are checked, and documents for the rest', async () => {
  const presenters = presentersOf()
  const present = async ({ credentials }: DcqlQuery) => {
    let calls = 0
    const verifyZk = async () => {
      calls += 1
      return 'valid' as const
    }
    const trusted = { ...zkTrust(), anchors: presenters.map(({ anchor }) => anchor), verifyZk }
    const presented = presenters.slice(0, credentials.length)
    const token = Object.fromEntries(presented.map(({ type, proof }) => [`${queryOf(type).id}_zk`, [proof]]))
    const verdict = await verifyPresentation(token, { ...zkExpected, query: { credentials } }, trusted)
    return { verdict, calls }
  }
  const { credentials } = offerProofs({ credentials: TYPES.map(queryOf) }, (docType) => docType)
  const two = await present({ credentials: credentials.slice(0, 2) })
  assert.equal(two.verdict.outcome, 'accepted', two.verdict.outcome === 'rejected' ? two.verdict.message : '')
  const three = await present({ credentials })
  await refused(Promise.resolve(three.verdict), 'query_not_satisfied', /was not asked/)
  const unlimited = TYPES.flatMap((type) => offerProofs({ credentials: [queryOf(type)] }, () => type).credentials)
  const overspent = await present({ credentials: unlimited })
  await refused(Promise.resolve(overspent.verdict), 'proof_unavailable', /more checks of proofs/)
  assert.deepEqual([two.calls, three.calls, overspent.calls], [2, 0, LIMITS.proofs])
})

for (const protocol of ['OpenID4VP', 'Annex C'])
  test(`${protocol}: of proofs for alternatives as many are checked as of one response, and the others count for nothing`, async () => {
    const presenters = presentersOf()
    const info = { kind: 'annex_c', origins: ['https://a.example'], encryptionInfo: 'encryption-info' } as const
    const channel = protocol === 'Annex C' ? info : zkExpected.channel
    const token = Object.fromEntries(presenters.map(({ type, proof }) => [`${queryOf(type).id}_zk`, [proof]]))
    const zkDocuments = presenters.map(({ document }) => document)
    const device = mintZk({ response: (whole) => ({ ...whole, zkDocuments }) })
    const present = async (options: readonly (readonly string[])[], invalid = '') => {
      const query = { credentials: TYPES.map(queryOf), credential_sets: [{ options }] }
      const expected = { ...zkExpected, encryption: null, channel, alternatives: 'every' } as const
      const checked: string[] = []
      const trusted: Trust = {
        ...zkTrust(),
        anchors: presenters.map(({ anchor }) => anchor),
        verifyZk: async ({ docType }) => {
          checked.push(docType)
          return docType === invalid ? 'invalid' : 'valid'
        },
      }
      const answer = protocol === 'Annex C' ? readDeviceDocuments(device, newBudget()) : token
      const verdict = await verifyPresentation(
        answer,
        { ...expected, query: offerProofs(query, (one) => one) },
        trusted,
      )
      const counted = verdict.outcome === 'accepted' ? verdict.credentials.map(({ queryId }) => queryId) : verdict.code
      return { counted, checked }
    }
    const [a = '', b = '', c = ''] = IDS
    const [typeA, typeB, typeC] = TYPES
    assert.deepEqual(await present([[a], [b], [c]]), { counted: [a, b], checked: [typeA, typeB] })
    assert.deepEqual(await present([[c], [b], [a]]), { counted: [a, c], checked: [typeA, typeC] })
    assert.deepEqual(await present([[b, c], [a]]), { counted: [b, c], checked: [typeB, typeC] })
    assert.deepEqual(await present([[a], [b], [c]], typeC), { counted: [a, b], checked: [typeA, typeB] })
    const failed = { counted: 'credential_invalid', checked: [typeA, typeB] }
    assert.deepEqual(await present([[a], [b], [c]], typeB), failed)
  })

test('each credential set counts with the option that takes the most proofs', () => {
  const offeredOf = (sets: DcqlQuery['credential_sets'], canCheck?: (hash: string) => boolean) =>
    offerProofs({ credentials: TYPES.map(queryOf), ...(sets && { credential_sets: sets }) }, (type) => type, canCheck)
      .credentials.filter((one) => one.format === 'mso_mdoc' && one.circuits !== undefined)
      .map(({ id }) => id)
  const [a = '', b = '', c = ''] = IDS
  assert.deepEqual(offeredOf(undefined), [a, b])
  assert.deepEqual(offeredOf([{ options: [[a], [b], [c]] }]), [a, b, c])
  assert.deepEqual(offeredOf([{ options: [[a, b], [c]] }]), [a, b, c])
  assert.deepEqual(offeredOf([{ options: [[c], [a, b, c]] }]), [a, b])
  assert.deepEqual(offeredOf([{ options: [[a], [b]] }, { options: [[c]], required: false }]), [a, b, c])
  assert.deepEqual(offeredOf([{ options: [[a, b]] }, { options: [[c]], required: false }]), [a, b])
  // If its circuits cannot be checked now, no other query takes its place: answers are judged against the same choice.
  const circuits = ZK_CIRCUITS.filter(({ attributes }) => attributes === 1)
  let calls = 0
  assert.deepEqual(
    offeredOf(undefined, () => ++calls > circuits.length),
    [b],
  )
})

test('Annex C: a response may have proofs beside documents, and each answers the query of its type', async () => {
  const info = 'encryption-info'
  const channel = { kind: 'annex_c', origins: ['https://a.example'], encryptionInfo: info } as const
  const { sessionTranscripts } = await import('../../src/channels/table.ts')
  const expected = { ...zkExpected, channel, encryption: null }
  const [transcript = new Uint8Array()] = sessionTranscripts(expected)
  const of = (bytes: Uint8Array, query = zkQuery) =>
    verifyPresentation(readDeviceDocuments(bytes, newBudget()), { ...expected, query }, zkTrust())
  assert.equal((await of(mintZk({ transcript }))).outcome, 'accepted')
  await refused(of(mintZk()), 'credential_invalid', /does not hold/)
  const twice = mintZk({ response: (whole) => ({ ...whole, zkDocuments: [zkDocument(), zkDocument()] }) })
  await refused(of(twice), 'query_not_satisfied', /two documents/)
  for (const anchors of Object.values(UNVOUCHED)) {
    const statements: ZkStatement[] = []
    const documents = readDeviceDocuments(mintZk({ transcript }), newBudget())
    await refused(
      verifyPresentation(documents, expected, { ...zkTrust(statements), anchors }),
      'issuer_untrusted',
      /issues only this type of document/,
    )
    assert.deepEqual(statements, [])
  }
  const unasked = { credentials: zkQuery.credentials.map((one) => ({ ...one, circuits: undefined })) }
  await refused(
    of(mintZk({ transcript }), parseQuery(JSON.parse(JSON.stringify(unasked)))),
    'query_not_satisfied',
    /proof/,
  )
  const tooMany = Array.from({ length: LIMITS.presentations + 1 }, () => zkDocument())
  for (const zkDocuments of [tooMany, [], [1], [{ documentData: cbor({}) }], 'x'])
    assert.throws(() => readDeviceDocuments(mintZk({ response: (whole) => ({ ...whole, zkDocuments }) }), newBudget()))
  const failed = readDeviceDocuments(mintZk({ response: (whole) => ({ ...whole, status: 10 }) }), newBudget())
  assert.equal(failed.proved.length, 0)
})

test('requests provable claims as document and as proof, and nothing only as proof', () => {
  const claims = [{ id: 'age', path: [MDL_SPACE, 'age_over_18'] }]
  const systems = ZK_CIRCUITS.filter(({ attributes }) => attributes === 1).map((circuit) => ({
    zkSystemId: circuit.id,
    system: 'longfellow-libzk-v1',
    params: { circuit_hash: circuit.hash },
    id: circuit.id,
    ...flatMembers(circuit),
  }))
  assert.deepEqual(JSON.parse(JSON.stringify(wireQuery(zkQuery))), {
    credentials: [
      {
        id: 'licence_zk',
        format: 'mso_mdoc_zk',
        meta: { doctype_value: MDL, zk_system_type: systems },
        claims,
      },
      { id: 'licence', format: 'mso_mdoc', meta: { doctype_value: MDL }, claims },
    ],
    credential_sets: [{ options: [['licence_zk'], ['licence']] }],
  })
  const iso = isoQueryOf(zkQuery)
  assert.ok(iso.outcome === 'expressible')
  const [request = new Uint8Array()] = encodeQuestions(iso.queries, iso.sets).items
  assert.match(Buffer.from(request).toString('latin1'), /zkRequest.*zkRequired\xf4|zkRequired\xf4.*systemSpecs/s)
  // Wallets of EU TS13 read the bytes; Google Wallet and Multipaz read the text and the flat members.
  const written = Buffer.from(request)
  assert.ok(
    written.includes(
      Buffer.concat([Buffer.from('circuitHash'), Buffer.of(0x58, 32), Buffer.from(CIRCUIT.hash, 'hex')]),
    ),
  )
  assert.ok(
    written.includes(Buffer.concat([Buffer.from('circuit_hash'), Buffer.of(0x78, 64), Buffer.from(CIRCUIT.hash)])),
  )
  for (const name of ['num_attributes', 'version', 'block_enc_hash', 'block_enc_sig'])
    assert.ok(written.includes(name), name)
  assert.ok(!isCborMap(decodeCbor(request)))
})

test('a query that no proof could answer has no proof request', () => {
  const base = { id: 'a', format: 'mso_mdoc', meta: { doctype_value: MDL } } as const
  const path = (element: string) => ({ path: [MDL_SPACE, element] })
  const many = Array.from({ length: LIMITS.zkClaims + 1 }, (_, at) => path(`e${at}`))
  for (const credential of [
    base,
    { ...base, claims: many },
    { ...base, claims: [path('x')], multiple: true },
    { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['x'] }, claims: [{ path: ['a'] }] } as const,
  ]) {
    const query = { credentials: [credential] }
    assert.deepEqual(wireQuery(offerProofs(query, () => MDL_SPACE)), query)
  }
  const taken = {
    credentials: [
      { ...base, claims: [path('x')] },
      { ...base, id: 'a_zk' },
    ],
  }
  assert.deepEqual(wireQuery(offerProofs(taken, () => MDL_SPACE)), taken)
  const elsewhere = { credentials: [{ ...base, claims: [path('x'), { path: ['another.space', 'y'] }] }] }
  assert.deepEqual(wireQuery(offerProofs(elsewhere, () => MDL_SPACE)), elsewhere)
  const hidden = { credentials: [{ ...base, claims: [path('x')] }] }
  assert.deepEqual(wireQuery(offerProofs(hidden, () => null)), hidden)
  for (const change of [{ format: 'mso_mdoc_zk' }, { circuits: ZK_CIRCUITS }])
    assert.throws(() => parseQuery({ credentials: [{ ...base, claims: [path('x')], ...change }] }))
})
