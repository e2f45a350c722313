// Tests the signer of a status list: "valid" counts only while no certificate of its chain is revoked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { Examination, StatusReference } from '../../src/examination.ts'
import type { StatusAnswer, Trust } from '../../src/expected.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { fingerprintOf, parseCertificate } from '../../src/trust/certificate.ts'
import { judgeChain } from '../../src/trust/chain.ts'
import { verifyPresentation } from '../../src/verify.ts'
import * as sdJwt from '../sdjwt/mint-presentation.ts'
import { extension, extensionOf, keyUsage, type Minted } from '../trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../trust/mint-pki.ts'
import { anchor, authority, establish, issuer, mintCrl, mintCwt, mintJwt, NOW, pack, TYPE, URI } from './mint-status.ts'

const CRL = 'http://authority.example/list-signers.crl'
const SERIAL = Buffer.of(0x31)
const signing = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
const subject = { CN: 'Invented List Signer', C: 'UT' }
const listed = mintSigner(authority, { subject, serial: SERIAL, extensions: [...signing, extension.crlAt(CRL)] })
const onHold = extensionOf('551d15', false, Buffer.of(0x0a, 0x01, 6))

const FORMS = {
  status_list_jwt: {
    mint: (by: Minted, status: number) =>
      mintJwt({ by, list: { bits: 1, lst: deflateSync(pack({ 3: status })).toString('base64url') } }),
    contentType: 'application/statuslist+jwt',
  },
  status_list_cwt: {
    mint: (by: Minted, status: number) =>
      mintCwt({ by, claims: new Map([[65533, { bits: 1, lst: deflateSync(pack({ 3: status })) }]]) }),
    contentType: 'application/statuslist+cwt',
  },
  identifier_list_cwt: {
    mint: (by: Minted, status: number) => {
      const identifiers = new Map(status === 0 ? [] : [[Buffer.of(7), new Map()]])
      const type = 'application/identifierlist+cwt'
      return mintCwt({ by, type, claims: new Map<number, unknown>([[65530, { identifiers }]]) })
    },
    contentType: 'application/identifierlist+cwt',
  },
} as const
type Form = keyof typeof FORMS

function referenceIn(form: Form, certificate: Uint8Array | null = null): StatusReference {
  const source = { uri: URI, kind: form, format: form === 'status_list_jwt' ? 'dc+sd-jwt' : 'mso_mdoc' } as const
  return form === 'identifier_list_cwt'
    ? { kind: 'identifier', source, id: Buffer.of(7), certificate }
    : { kind: 'list', source, index: 3, certificate }
}

interface Case {
  readonly by?: Minted
  /** The list's status for the credential. */
  readonly status?: number
  /** Served at the address of the CRL; null if nothing is. */
  readonly crl?: Uint8Array | null
  readonly stale?: boolean
  readonly certificate?: Uint8Array
  readonly list?: Uint8Array
  readonly examination?: Partial<Examination>
  readonly trust?: Partial<Trust>
}

async function revocationStatusOf(form: Form, { by = listed, status = 0, crl = mintCrl(), ...more }: Case = {}) {
  const { mint, contentType } = FORMS[form]
  const list = more.list ?? mint(by, status)
  const requests: string[] = []
  const reference = referenceIn(form, more.certificate ?? null)
  const fetchStatus = async ({ uri }: { uri: string }): Promise<StatusAnswer> => {
    requests.push(uri)
    if (uri === URI) return { outcome: 'fetched', bytes: list, contentType, stale: false }
    if (crl === null) return { outcome: 'unavailable', reason: 'nothing is served there' }
    return { outcome: 'fetched', bytes: crl, contentType: 'application/pkix-crl', stale: more.stale === true }
  }
  const references = [reference, ...(more.examination?.status ?? [])]
  const examination = { ...more.examination, status: references }
  const trust = { ...more.trust, fetchStatus }
  const [own, signer] = await establish({ references, answer: list, examination, trust })
  return { outcome: own?.outcome, detail: own?.detail ?? '', signer: signer?.outcome, requests }
}

for (const form of Object.keys(FORMS) as Form[]) {
  test(`${form}: a signer that names no revocation list is accepted`, async () => {
    const { outcome, requests } = await revocationStatusOf(form, { by: issuer, crl: null })
    assert.deepEqual([outcome, requests], ['valid', [URI]])
  })

  test(`${form}: checks once whether a signer that names a revocation list was revoked`, async () => {
    const { outcome, requests } = await revocationStatusOf(form)
    assert.deepEqual([outcome, requests], ['valid', [URI, CRL]])
  })

  test(`${form}: "valid" from a revoked or suspended signer is not established`, async () => {
    for (const extensions of [undefined, [onHold]]) {
      const entry = extensions === undefined ? { serial: SERIAL } : { serial: SERIAL, extensions }
      const { outcome, detail } = await revocationStatusOf(form, { crl: mintCrl({ revoked: [entry] }) })
      assert.equal(outcome, 'unknown')
      assert.match(detail, /status list's signer has been revoked or is on hold/)
    }
  })

  test(`${form}: the status is unknown if the signer's revocation list is missing, old or of another authority`, async () => {
    const cases: Case[] = [
      { crl: null },
      { stale: true },
      { crl: mintCrl({ by: mintAuthority({ subject: { CN: 'Invented Root' } }) }) },
      { crl: mintCrl({ nextUpdate: '20260202000000Z' }) },
      { crl: Buffer.of(0x30, 0x00) },
    ]
    for (const input of cases) {
      const { outcome, detail } = await revocationStatusOf(form, input)
      assert.equal(outcome, 'unknown')
      assert.match(detail, /could not establish whether the status list's signer has been revoked/)
    }
  })

  test(`${form}: a credential that the list revokes stays revoked, even if the list's signer is revoked`, async () => {
    for (const crl of [null, mintCrl({ revoked: [{ serial: SERIAL }] })]) {
      const { outcome, requests } = await revocationStatusOf(form, { status: 1, crl })
      assert.deepEqual([outcome, requests], ['revoked', [URI]])
    }
  })

  test(`${form}: the credential's own signer is looked up once, also if it signed the list`, async () => {
    const own: StatusReference = {
      kind: 'crl',
      source: { uri: CRL, kind: 'crl', format: 'mso_mdoc' },
      serial: SERIAL,
      authority: parseCertificate(authority.der),
    }
    const signer = { certificate: listed.der, anchor: authority.der, fingerprint: 'l', anchorFingerprint: 'a' }
    const examination = { status: [own], signer }
    const fine = await revocationStatusOf(form, { examination })
    assert.deepEqual([fine.outcome, fine.signer, fine.requests.sort()], ['valid', 'valid', [CRL, URI]])
    const revoked = await revocationStatusOf(form, { examination, crl: mintCrl({ revoked: [{ serial: SERIAL }] }) })
    assert.deepEqual([revoked.outcome, revoked.signer, revoked.requests.sort()], ['unknown', 'revoked', [CRL, URI]])
    const missing = await revocationStatusOf(form, { examination, crl: null })
    assert.deepEqual([missing.outcome, missing.signer, missing.requests.sort()], ['unknown', 'unknown', [CRL, URI]])
    // References with different serial numbers or authorities are different, even at the same address.
    const crl = mintCrl({ revoked: [{ serial: SERIAL }] })
    for (const change of [
      { serial: Buffer.of(0x32) },
      { authority: parseCertificate(issuer.der) },
      { authority: null },
    ]) {
      const other: Partial<Examination> = { ...examination, status: [{ ...own, ...change }] }
      assert.equal((await revocationStatusOf(form, { examination: other, crl })).outcome, 'unknown')
    }
  })
}

test('an intermediate above the signer of a list may be revoked, too', async () => {
  const serial = Buffer.of(0x41)
  const extensions = [extension.authority(), extension.keyUsage(keyUsage.authority), extension.crlAt(CRL)]
  const intermediate = mintAuthority({ subject: { CN: 'Invented Intermediate' }, serial, extensions }, authority)
  const by = mintSigner(intermediate)
  const x5c = [by, intermediate].map(({ der }) => Buffer.from(der).toString('base64'))
  const list = mintJwt({ by, header: { x5c } })
  assert.equal((await revocationStatusOf('status_list_jwt', { list })).outcome, 'valid')
  const crl = mintCrl({ revoked: [{ serial }] })
  assert.equal((await revocationStatusOf('status_list_jwt', { list, crl })).outcome, 'unknown')
})

test("only the authority above the credential's signer can confirm the certificate that the credential names for its list", async () => {
  const crl = mintCrl({ revoked: [{ serial: SERIAL }] })
  assert.equal((await revocationStatusOf('status_list_cwt', { certificate: listed.der })).outcome, 'valid')
  assert.equal((await revocationStatusOf('status_list_cwt', { certificate: listed.der, crl })).outcome, 'unknown')
  const stranger = mintAuthority({ subject: { CN: 'Another Root' } })
  const by = mintSigner(stranger, { subject, serial: SERIAL, extensions: [...signing, extension.crlAt(CRL)] })
  const foreign = await revocationStatusOf('status_list_cwt', {
    by,
    certificate: by.der,
    crl: mintCrl({ by: stranger }),
  })
  assert.deepEqual([foreign.outcome, foreign.requests], ['unknown', [URI]])
  // The issuer of the credential's own signer is known, so that signer's revocation list can be judged.
  const known = { kind: 'crl', source: { uri: CRL, kind: 'crl', format: 'mso_mdoc' }, serial: SERIAL } as const
  const examination = { status: [{ ...known, authority: parseCertificate(stranger.der) }] }
  const own = { by, certificate: by.der, crl: mintCrl({ by: stranger }), examination }
  assert.equal((await revocationStatusOf('status_list_cwt', own)).outcome, 'valid')
  assert.equal((await revocationStatusOf('status_list_cwt', { ...own, crl: null })).outcome, 'unknown')
  // That authority vouches only for signers that the credential names.
  assert.equal((await revocationStatusOf('status_list_cwt', { certificate: by.der })).outcome, 'unknown')
})

test('certificates that a credential names for its lists cost work, each once, and are never cached with anchors', async () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, at) => mintSigner(authority, { subject, serial: Buffer.of(0x51, at) }))
  const settle = async (certificates: readonly Minted[]) => {
    const cache = createChainCache(100)
    // The credential's own signer is known from its examination.
    const question = {
      chain: [issuer.der],
      format: 'dc+sd-jwt',
      type: TYPE,
      at: NOW,
      use: 'credential',
    } as const
    assert.equal(judgeChain(question, { anchors: [anchor], cache, haip: false }).outcome, 'trusted')
    const references = certificates.map(({ der }) => referenceIn('status_list_cwt', der))
    const answer = mintCwt({ by: issuer, headers: new Map([[33, undefined]]) })
    const contentType = FORMS.status_list_cwt.contentType
    const [own] = await establish({ references, answer, contentType, trust: { cache } })
    const kept = certificates.filter(({ der }) => cache.anchorSets.certificates.get(fingerprintOf(der)) !== undefined)
    return { outcome: own?.outcome, kept: kept.length }
  }
  assert.deepEqual(await settle(named(40)), { outcome: 'unknown', kept: 0 })
  assert.deepEqual(await settle(named(140)), { outcome: 'exceeded', kept: 0 })
  // An honest holder presents many credentials that name one certificate.
  const one = named(1)
  assert.equal((await settle(Array.from({ length: 20 }, () => one).flat())).outcome, 'unknown')
})

for (const [policy, expectedCode] of [
  ['require', 'status_unavailable'],
  ['prefer', 'accepted'],
] as const) {
  test(`the policy ${policy} decides about a list whose signer was revoked: ${expectedCode}`, async () => {
    const status = { status_list: { idx: 3, uri: URI } }
    const presented = sdJwt.mintPresentation({ payload: (payload) => ({ ...payload, status }) })
    const extensions = [...signing, extension.crlAt(CRL)]
    const by = mintSigner(sdJwt.authority, { subject, serial: SERIAL, extensions })
    const served = new Map<string, Uint8Array>([
      [URI, FORMS.status_list_jwt.mint(by, 0)],
      [CRL, mintCrl({ by: sdJwt.authority, revoked: [{ serial: SERIAL }] })],
    ])
    const fetchStatus = async ({ uri }: { uri: string }): Promise<StatusAnswer> => {
      const contentType = uri === URI ? 'application/statuslist+jwt' : 'application/pkix-crl'
      return { outcome: 'fetched', bytes: served.get(uri) ?? Buffer.alloc(0), contentType, stale: false }
    }
    const trust = { ...sdJwt.trust, statusPolicy: policy, fetchStatus }
    const verdict = await verifyPresentation({ identity: [presented] }, sdJwt.expected, trust)
    assert.equal(verdict.outcome === 'rejected' ? verdict.code : 'accepted', expectedCode)
    const check = verdict.credentials[0]?.checks.find((entry) => entry.check === 'not_revoked')
    assert.equal(check?.status, policy === 'prefer' ? 'warning' : 'fail')
    assert.match(check?.detail ?? '', /status list's signer/)
  })
}

const OWN_CRLS = {
  good: mintCrl({ by: sdJwt.authority }),
  missing: null,
  revoked: mintCrl({ by: sdJwt.authority, revoked: [{ serial: SERIAL }] }),
}
for (const [policy, crl, outcome, check] of [
  ['require', 'good', 'accepted', 'pass'],
  ['prefer', 'good', 'accepted', 'pass'],
  ['require', 'missing', 'status_unavailable', 'fail'],
  ['prefer', 'missing', 'accepted', 'warning'],
  ['require', 'revoked', 'issuer_untrusted', 'fail'],
  ['prefer', 'revoked', 'issuer_untrusted', 'warning'],
] as const) {
  test(`the policy ${policy} decides about a list of the credential's own signer, whose CRL is ${crl}: ${outcome}`, async () => {
    const extensions = [...signing, extension.crlAt(CRL)]
    const by = mintSigner(sdJwt.authority, { subject, serial: SERIAL, extensions })
    const presented = sdJwt.mintPresentation({
      payload: (payload) => ({ ...payload, status: { status_list: { idx: 3, uri: URI } } }),
      header: (header) => ({ ...header, x5c: [sdJwt.base64(by.der)] }),
      signWith: by.privateKey,
    })
    const fetchStatus = async ({ uri }: { uri: string }): Promise<StatusAnswer> => {
      const bytes = uri === URI ? FORMS.status_list_jwt.mint(by, 0) : OWN_CRLS[crl]
      if (bytes === null) return { outcome: 'unavailable', reason: 'nothing is served there' }
      const contentType = uri === URI ? 'application/statuslist+jwt' : 'application/pkix-crl'
      return { outcome: 'fetched', bytes, contentType, stale: false }
    }
    const trust = { ...sdJwt.trust, statusPolicy: policy, fetchStatus }
    const verdict = await verifyPresentation({ identity: [presented] }, sdJwt.expected, trust)
    assert.equal(verdict.outcome === 'rejected' ? verdict.code : 'accepted', outcome)
    const [credential] = verdict.credentials
    assert.equal(credential?.checks.find((entry) => entry.check === 'not_revoked')?.status, check)
    if (verdict.outcome === 'accepted')
      assert.equal(credential?.trustEvidence.status?.outcome, crl === 'good' ? 'valid' : 'unknown')
  })
}
