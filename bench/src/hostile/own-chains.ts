// Builds genuine documents of an issuer that a merchant installed, with expensive chains or status lists.

import { generateKeyPairSync } from 'node:crypto'
import {
  type Anchor,
  type Budget,
  createChainCache,
  LIMITS,
  type ListContent,
  newBudget,
  readList,
  readResponse,
  type StatusAnswer,
  type StatusSource,
  type Trust,
  verifyPresentation,
} from '@vidimus/engine'
import { date, expected, MDL, MDL_SPACE, mintMdoc, NOW } from '../../../engine/test/mdoc/mint-mdoc.ts'
import { crlNumber, mintCrl, mintCwt } from '../../../engine/test/status/mint-status.ts'
import {
  extension,
  extensionOf,
  keyUsage,
  type Minted,
  mintCertificate,
  name,
  tlv,
} from '../../../engine/test/trust/mint-certificate.ts'
import { mintSigner } from '../../../engine/test/trust/mint-pki.ts'
import { escaped } from './combined.ts'
import { authority, query, signer } from './merchants-issuer.ts'
import type { Hostile } from './world.ts'

const URI = 'https://issuer.example/lists/1'
const DOCUMENTS = 20
const terms = { kind: 'ca', types: [`mso_mdoc:${MDL}`], profile: 'generic' } as const

const each = <Made>(count: number, make: (at: number) => Made) => Array.from({ length: count }, (_, at) => make(at))

type Key = ReturnType<typeof newKey>
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ownName = name({ CN: 'Own authority', C: 'UT' })
const ownKey = newKey()

function numbered(at: number): { readonly serial: Buffer; readonly id: Buffer } {
  const serial = Buffer.alloc(5, 1)
  serial.writeUInt32BE(at, 1)
  const id = Buffer.alloc(20, 3)
  id.writeUInt32BE(at)
  return { serial, id }
}

const ofAuthority = (at: number) => [
  extension.authority(),
  extension.keyUsage(keyUsage.authority),
  extension.subjectKeyId(numbered(at).id),
]
const root = mintCertificate({ subjectName: ownName, key: ownKey, extensions: ofAuthority(1) })

/** A chain, signer first: the signer and `above` authorities with the same name. */
function chainBelow(
  above: number,
  first: number,
  { key, crl, same }: { key: () => Key; crl: boolean; same?: Buffer },
): Minted[] {
  const chain: Minted[] = []
  const naming = crl ? [extension.crlAt(URI)] : []
  let [by, byNumber] = [root, 1]
  for (let at = first; at < first + above; at++) {
    const extensions = [...ofAuthority(at), extension.authorityKeyId(numbered(byNumber).id), ...naming]
    by = mintCertificate({ subjectName: ownName, key: key(), serial: same ?? numbered(at).serial, extensions }, by)
    byNumber = at
    chain.unshift(by)
  }
  const use = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
  const extensions = [...use, extension.authorityKeyId(numbered(byNumber).id), ...naming]
  const { serial } = numbered(first + above)
  return [
    mintCertificate({ subject: { CN: 'Signer', C: 'UT' }, serial: same ?? serial, key: ownKey, extensions }, by),
    ...chain,
  ]
}

function documentBy(chain: readonly Minted[], at: number): string {
  const validityInfo = { signed: date(NOW - 3600 - at), validFrom: date(NOW - 3600), validUntil: date(NOW + 86_400) }
  return mintMdoc({
    signer: chain[0] ?? signer,
    mso: (members) => ({ ...members, validityInfo }),
    issuerAuth: ({ unprotected }) => {
      unprotected.set(
        33,
        chain.map(({ der }) => der),
      )
    },
  })
}

const outcomeOf = (verdict: Awaited<ReturnType<typeof verifyPresentation>>) =>
  verdict.outcome === 'accepted' ? 'accepted' : verdict.code

/** Judges each document once before, so that its certificates are cached. */
function remembering(kind: string, licence: readonly string[], trust: Trust): Hostile {
  const expectedAnswer = { ...expected, query }
  const before = Promise.all(
    licence.map((one) => verifyPresentation({ licence: [one] }, expectedAnswer, trust, newBudget())),
  )
  const judge = async (body: Uint8Array, budget: Budget) => {
    await before
    const vpToken = JSON.parse(Buffer.from(body).toString()) as { licence: string[] }
    return outcomeOf(await verifyPresentation(vpToken, expectedAnswer, trust, budget))
  }
  return { kind, body: Buffer.from(JSON.stringify({ licence })), judge }
}

const trustIn = (anchors: readonly Anchor[], fetchStatus: Trust['fetchStatus']): Trust => ({
  anchors,
  statusPolicy: 'prefer',
  haip: false,
  cache: createChainCache(5_000),
  fetchStatus,
})

const nothing = async (): Promise<StatusAnswer> => ({ outcome: 'unavailable', reason: 'nothing is served here' })

function answering(bytes: Uint8Array, kind: StatusSource['kind'], contentType: string): StatusAnswer {
  const content: ListContent | null = readList(bytes, kind)
  if (content === null) throw new Error('bug: the list cannot be read')
  return { outcome: 'fetched', bytes, content, contentType, stale: false }
}

function revocationLists(kind: string, bytes: number, key: () => Key): Hostile {
  const entries = each(Math.ceil(bytes / 30_100), (at) => ({
    serial: Buffer.of(2, at >> 8, at & 255),
    extensions: [extensionOf('2a0304', false, tlv(4, Buffer.alloc(30_000)))],
  }))
  const crl = mintCrl({ by: root, issuer: ownName, revoked: entries, extensions: [crlNumber] })
  const answer = answering(crl, 'crl', 'application/pkix-crl')
  const licence = each(DOCUMENTS, (at) => documentBy(chainBelow(5, 10 + at * 10, { key, crl: true }), at))
  return remembering(
    `lists: ${kind}`,
    licence,
    trustIn([{ ...terms, certificate: root.der }], async () => answer),
  )
}

/** All certificates have one serial number, and the list repeats it. */
function repeatedEntries(kind: string, count: number): Hostile {
  const entry = { serial: Buffer.of(5), extensions: [extensionOf('551d15', false, tlv(0x0a, Buffer.of(6)))] }
  const crl = mintCrl({ by: root, issuer: ownName, revoked: Array(count).fill(entry), extensions: [crlNumber] })
  const answer = answering(crl, 'crl', 'application/pkix-crl')
  const licence = each(DOCUMENTS, (at) =>
    documentBy(chainBelow(5, 10 + at * 10, { key: () => ownKey, crl: true, same: Buffer.of(5) }), at),
  )
  return remembering(
    `lists: ${kind}`,
    licence,
    trustIn([{ ...terms, certificate: root.der }], async () => answer),
  )
}

function namesakesOf(kind: string, above: number): Hostile {
  const certificates = each(2_499, (at) => {
    const { serial } = numbered(100_000 + at)
    return mintCertificate({ subjectName: ownName, key: ownKey, serial, extensions: ofAuthority(100_000 + at) })
  })
  const anchors = [...certificates, root].map(({ der }) => ({ ...terms, certificate: der }))
  const plan = { key: () => ownKey, crl: false }
  const licence = each(DOCUMENTS, (at) => documentBy(chainBelow(above, 10 + at * 10, plan), at))
  return remembering(`2,500 anchors of one name: ${kind}`, licence, trustIn(anchors, nothing))
}

const LISTS = [
  ['status_list_cwt', 'application/statuslist+cwt'],
  ['identifier_list_cwt', 'application/identifierlist+cwt'],
] as const

/** Documents of thirty elements and 20 kB that name two lists each, in a form with the maximum number of escapes. */
function besideLists(kind: string, chain: readonly Minted[] | null, bytes: number, isFresh: boolean): Hostile {
  const served = new Map<StatusSource['kind'], StatusAnswer>(
    LISTS.map(([list, contentType]) => {
      const claims = new Map<number, unknown>([
        [2, URI],
        ...(list === 'identifier_list_cwt' ? ([[65533, undefined]] as const) : []),
        ...(list === 'identifier_list_cwt' ? ([[65530, { identifiers: {} }]] as const) : []),
        [70_000, Buffer.alloc(bytes)],
      ])
      const headers = new Map([[33, chain?.map(({ der }) => der)]])
      return [
        list,
        answering(mintCwt({ by: chain?.[0] ?? signer, headers, type: contentType, claims }), list, contentType),
      ]
    }),
  )
  const more = Object.fromEntries(each(30, (at) => [`e${at}`, 'x']))
  const elements = { [MDL_SPACE]: { given_name: 'a', portrait: Buffer.alloc(20_000), ...more } }
  const licence = each(DOCUMENTS, (at) => {
    const validityInfo = { signed: date(NOW - 3600 - at), validFrom: date(NOW - 3600), validUntil: date(NOW + 86_400) }
    const status = { status_list: { idx: 5, uri: URI }, identifier_list: { id: Buffer.of(7), uri: URI } }
    return mintMdoc({ signer, elements, mso: (members) => ({ ...members, validityInfo, status }) })
  })
  const trust = trustIn(
    [{ ...terms, certificate: authority.der }],
    async ({ kind: list }) => served.get(list) ?? nothing(),
  )
  const judge = async (body: Uint8Array, budget: Budget) => {
    const response = readResponse(body, { encryption: null, state: null }, budget)
    if (response.kind !== 'presentation') return response.kind
    const now = isFresh ? { ...trust, cache: createChainCache(100) } : trust
    return outcomeOf(await verifyPresentation(response.vpToken, { ...expected, query }, now, budget))
  }
  return { kind: `lists: ${kind}`, body: Buffer.from(`vp_token=${escaped(JSON.stringify({ licence }))}`), judge }
}

function longChain(): Minted[] {
  const padding = extensionOf('2a0304', false, tlv(0x04, Buffer.alloc(LIMITS.certificateBytes - 1_000)))
  const chain: Minted[] = []
  for (let at = 0; at < 5; at++) {
    const extensions = [extension.authority(), extension.keyUsage(keyUsage.authority), padding]
    chain.unshift(mintCertificate({ subject: { CN: `Above ${at}`, C: 'UT' }, extensions }, chain[0] ?? authority))
  }
  const extensions = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature), padding]
  return [mintSigner(chain[0] ?? authority, { extensions }), ...chain]
}

export function ownChains(): readonly Hostile[] {
  return [
    revocationLists('one revocation list for 120 certificates of one authority', 1_000, () => ownKey),
    revocationLists('one revocation list of 5 MB for 120 certificates of one authority', 4_800_000, () => ownKey),
    revocationLists('one revocation list of 5 MB for 120 authorities', 4_800_000, newKey),
    repeatedEntries('one revocation list with one number on hold 130,000 times for 120 certificates', 130_000),
    namesakesOf('20 genuine documents', 0),
    namesakesOf('20 genuine documents, chains of six', 5),
    besideLists('20 documents of 20 kB beside two lists with six certificates of 32 kB', longChain(), 10, false),
    besideLists('20 documents of 20 kB beside two lists of 4 MB for a new signer', null, 4_000_000, true),
    besideLists('20 documents of 20 kB beside two lists of 1 MB for a new signer', null, 1_000_000, true),
  ]
}
