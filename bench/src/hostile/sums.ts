// Builds responses that are expensive in several steps together: reading, verifying and searching for an anchor.

import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  type Anchor,
  type Budget,
  createChainCache,
  type Expected,
  encodeTransaction,
  parseQuery,
  readResponse,
  readTransaction,
  type Trust,
  verifyPresentation,
} from '@vidimus/engine'
import { LIMITS } from '../../../engine/src/limits.ts'
import { collidingLargeIntegers } from '../../../engine/test/colliding-integers.ts'
import {
  embedded,
  expected,
  anchor as licenceAnchor,
  MDL,
  MDL_SPACE,
  mintMdoc,
} from '../../../engine/test/mdoc/mint-mdoc.ts'
import * as sdJwt from '../../../engine/test/sdjwt/mint-presentation.ts'
import {
  bytes,
  extension,
  extensionOf,
  keyUsage,
  mintCertificate,
  name,
  oid,
  oids,
  sequence,
  time,
  tlv,
} from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../../../engine/test/trust/mint-pki.ts'
import { escaped } from './combined.ts'
import { forged, many } from './identities.ts'
import type { Hostile } from './world.ts'

const query = parseQuery({
  credentials: [
    {
      id: 'licence',
      format: 'mso_mdoc',
      multiple: true,
      meta: { doctype_value: MDL },
      claims: [{ path: [MDL_SPACE, 'given_name'] }],
    },
    {
      id: 'identity',
      format: 'dc+sd-jwt',
      multiple: true,
      meta: { vct_values: [sdJwt.VCT] },
      claims: [{ path: ['given_name'] }],
    },
  ],
  credential_sets: [{ options: [['licence'], ['identity']] }],
})

const trusting = (anchors: readonly Anchor[]): Trust => ({
  anchors,
  statusPolicy: 'prefer',
  haip: true,
  cache: createChainCache(5_000),
  fetchStatus: async () => ({ outcome: 'unavailable', reason: 'nothing is served here' }),
})

function sent(kind: string, token: object, trust: Trust, request: Expected = { ...expected, query }): Hostile {
  const judge = async (body: Uint8Array, budget: Budget) => {
    const response = readResponse(body, { encryption: null, state: null }, budget)
    if (response.kind !== 'presentation') return response.kind
    const verdict = await verifyPresentation(response.vpToken, request, trust, budget)
    return verdict.outcome === 'accepted' ? 'accepted' : verdict.code
  }
  return { kind: `sum: ${kind}`, body: Buffer.from(`vp_token=${escaped(JSON.stringify(token))}`), judge }
}

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const rogue = mintSigner(mintAuthority(), { key: p521 })
const es512 = (input: string) =>
  sign('sha512', Buffer.from(input), { key: p521.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')

/** Two forgeries with the remaining escapes and `length` bytes. `more`: further members. */
const rest = (length: number, more: object = {}) =>
  many(2, () =>
    forged({
      concealed: {},
      header: (header) => ({ ...header, alg: 'ES512', x5c: [sdJwt.base64(rogue.der)] }),
      sign: es512,
      payload: (payload) => ({
        ...payload,
        ...more,
        more: '\n'.repeat(Math.floor((LIMITS.jsonEscapes - 200) / 2)) + 'x'.repeat(length),
      }),
    }),
  )

/** A key with one coordinate. Computing the second takes a square root in the field. */
function compressedKey({ publicKey }: { readonly publicKey: KeyObject }): Uint8Array {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const abscissa = Buffer.from(x, 'base64url')
  const sign = Buffer.of(2 + ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1))
  const point = Buffer.concat([sign, Buffer.alloc(66 - abscissa.length), abscissa])
  return sequence(bytes('301006072a8648ce3d020106052b81040023'), tlv(3, bytes('00'), point))
}

const VALIDITY = sequence(time('20250101000000Z'), time('20350101000000Z'))

function unsigned(spki: Uint8Array, called: Uint8Array): Uint8Array {
  const algorithm = sequence(oid(oids.ecdsaSha256))
  const extensions = tlv(0xa3, sequence(extension.authority()))
  const tbs = sequence(
    bytes('a003020102'),
    tlv(2, bytes('4d2b')),
    algorithm,
    called,
    VALIDITY,
    called,
    spki,
    extensions,
  )
  return sequence(tbs, algorithm, tlv(3, bytes('00'), bytes('3006020101020101')))
}

function appended(kind: string, certificate: Uint8Array | null, count: number): Hostile {
  const own = mintMdoc({
    issuerAuth: ({ unprotected }) => {
      const [signer] = [unprotected.get(33)].flat()
      unprotected.set(33, certificate === null ? signer : [signer, ...Array(5).fill(certificate)])
    },
  })
  const token = { licence: Array(count).fill(own), identity: rest(500_000) }
  return sent(`one genuine mdoc ${count} times ${kind}, then two forgeries`, token, trusting([licenceAnchor]))
}

function elements(count: number, each: number, more: object, kind: string): Hostile {
  const others = Object.fromEntries(many(each - 1, (at) => `e${at}`).map((element) => [element, 'x']))
  const own = mintMdoc({ elements: { [MDL_SPACE]: { given_name: 'a', ...others } } })
  const token = { licence: Array(count).fill(own), identity: rest(400_000, more) }
  return sent(`one genuine mdoc of ${each} elements ${count} times, then ${kind}`, token, trusting([licenceAnchor]))
}

/** A merchant's query whose claims are restricted to `values`, or named again and again by claim sets. */
function restricted(kind: string, present: number, values: readonly (string | number)[], sets: string[][]): Hostile {
  const claims = Array.from({ length: 99 }, (_, at) => ({
    id: idOf(at),
    path: [MDL_SPACE, at === 0 ? 'given_name' : `e${at}`],
    ...(at > 0 && values.length > 0 && { values }),
  }))
  const { credentials, credential_sets } = query
  const restricting = {
    credentials: [{ ...credentials[0], claims, claim_sets: sets }, credentials[1]],
    credential_sets,
  }
  const last = values.at(-1)
  const value = typeof last === 'string' ? last : 1
  const others = Object.fromEntries(many(present, (at) => `e${at + 1}`).map((element) => [element, value]))
  const own = mintMdoc({ elements: { [MDL_SPACE]: { given_name: 'a', ...others } } })
  const token = { licence: Array(18).fill(own), identity: rest(500_000) }
  const request: Expected = { ...expected, query: parseQuery(restricting) }
  return sent(
    `one genuine mdoc of ${present + 1} elements 18 times, 99 claims ${kind}, then two forgeries`,
    token,
    trusting([licenceAnchor]),
    request,
  )
}

const idOf = (at: number) => `${'c'.repeat(30)}${String(at).padStart(3, '0')}`
const allButOne = many(98, idOf)
const longSets = [...Array(29).fill([...allButOne.slice(0, 97), idOf(98)]), allButOne.slice(0, 97)]

const subject = name({ CN: 'Namesake', C: 'UT' })
const by = mintCertificate({ subjectName: subject, key: ec })
const numbered = (at: number) => {
  const serial = Buffer.alloc(5, 1)
  serial.writeUInt32BE(at, 1)
  return serial
}

/** The modulus need not be a product of primes, because the verification may fail. */
function rsaAnchors(bits: number): Anchor[] {
  const n = Buffer.alloc(bits / 8, 0xff).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
  const extensions = [extension.authority(), extension.keyUsage(keyUsage.authority)]
  return Array.from({ length: 40 }, (_, at) => {
    const key = { publicKey, privateKey: ec.privateKey }
    const { der } = mintCertificate({ subjectName: subject, key, serial: numbered(at), extensions }, by)
    return { ...sdJwt.anchor, certificate: der }
  })
}

function certifiedByRsa(bits: number): Uint8Array {
  const algorithm = sequence(oid(oids.rsaSha256), bytes('0500'))
  const spki = ec.publicKey.export({ type: 'spki', format: 'der' })
  const use = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
  const called = name({ CN: 'Rogue', C: 'UT' })
  const extensions = tlv(0xa3, sequence(...use))
  const tbs = sequence(
    bytes('a003020102'),
    tlv(2, bytes('4d2b')),
    algorithm,
    subject,
    VALIDITY,
    called,
    spki,
    extensions,
  )
  return sequence(tbs, algorithm, tlv(3, bytes('00'), Buffer.alloc(bits / 8, 1)))
}

function under(
  kind: string,
  anchors: readonly Anchor[],
  chain: readonly Uint8Array[],
  others: readonly string[],
): Hostile {
  const one = sdJwt.mintPresentation({
    header: (header) => ({ ...header, x5c: chain.map((der) => sdJwt.base64(der)) }),
    signWith: ec.privateKey,
  })
  return sent(kind, { identity: [one, ...others] }, { ...trusting(anchors), haip: false })
}

const junk = (count: number) =>
  many(count, (at) => (4 + at).toString(16).padStart(2, '0')).map((at) =>
    extensionOf(`2a03${at}`, false, tlv(4, Buffer.alloc(0))),
  )

/** A chain, signer first. Each certificate has that many further extensions. */
function chainOf(extensions: number): Uint8Array[] {
  const chain: Uint8Array[] = []
  let above = by
  for (let at = 5; at >= 1; at--) {
    const own = [extension.authority(), extension.keyUsage(keyUsage.authority), ...junk(extensions)]
    above = mintCertificate({ subject: { CN: `Between ${at}` }, key: ec, serial: numbered(at), extensions: own }, above)
    chain.unshift(above.der)
  }
  const own = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature), ...junk(extensions)]
  return [mintCertificate({ subject: { CN: 'Signer', C: 'UT' }, key: ec, extensions: own }, above).der, ...chain]
}

function namesakesOf(pathLength: number | undefined, types: Anchor['types']): Anchor[] {
  const extensions = [extension.authority(pathLength), extension.keyUsage(keyUsage.authority)]
  return Array.from({ length: 2_500 }, (_, at) => {
    const { der } = mintCertificate({ subjectName: subject, key: ec, serial: numbered(at), extensions }, by)
    return { ...sdJwt.anchor, types, certificate: der }
  })
}

/** Genuine documents, then claims that every path of the query searches and keeps. */
function searched(count: number, each: number, value: unknown, more: readonly string[]): Hostile {
  const names = many(100, (at) => `n${at}`)
  const list = Array(each).fill(Object.fromEntries(names.map((member) => [member, value])))
  const { credentials } = query
  const claims = names.map((member) => ({ path: ['list', null, member, ...more] }))
  const searching = parseQuery({ credentials: [credentials[0], { ...credentials[1], claims }] })
  const transcript = {
    clientId: sdJwt.CLIENT_ID,
    nonce: sdJwt.NONCE,
    responseUri: sdJwt.RESPONSE_URI,
    thumbprint: null,
  }
  const identity = sdJwt.mintPresentation({ concealed: {}, payload: (payload) => ({ ...payload, list }) })
  const token = { licence: many(count, () => mintMdoc({ transcript })), identity: [identity] }
  return sent(
    `${count} genuine mdocs, then ${each} elements that 100 paths look at, ${more.length} deeper`,
    token,
    trusting([licenceAnchor, sdJwt.anchor]),
    { ...sdJwt.expected, query: searching, encryption: null },
  )
}

export function sums(): readonly Hostile[] {
  const members = Object.fromEntries(many(2_400, (at) => `member ${at}`).map((member, at) => [member, at]))
  const expensive = unsigned(compressedKey(p521), name({ CN: '\ufdfa'.repeat(150), C: 'UT' }))
  const long = 'é€'.repeat(140)
  const types = many(20, (at) => `urn:o${at}${long}`).map((type) => `dc+sd-jwt:${type}` as const)
  return [
    appended('', null, 18),
    longDeviceHash(1_200_000, 3),
    appended('with five certificates on P-521', expensive, 18),
    restricted('with 50 numbers that collide', 0, collidingLargeIntegers(50), [[idOf(0)]]),
    restricted('with 50 numbers that collide', 30, collidingLargeIntegers(50), [[idOf(0)]]),
    restricted(
      'with 50 texts of one length',
      3,
      many(50, (at) => 'x'.repeat(1_000) + (at + 10)),
      [[idOf(0)]],
    ),
    restricted('in 30 claim sets', 96, [], longSets),
    elements(18, 30, { list: Array(2_400).fill(0) }, 'two forgeries of many values'),
    elements(16, 50, members, 'two forgeries of many members'),
    searched(16, 56, 0, []),
    searched(16, 27, { x: 1 }, ['x']),
    under(
      '40 anchors with RSA-8192 of one name, then two forgeries',
      rsaAnchors(8192),
      [certifiedByRsa(8192)],
      rest(500_000),
    ),
    under('40 anchors with RSA-8192 of one name', rsaAnchors(8192), [certifiedByRsa(8192)], []),
    under('2,500 anchors of one name, 95 extensions', namesakesOf(0, sdJwt.anchor.types), chainOf(95), []),
    under('the same, then two forgeries', namesakesOf(0, sdJwt.anchor.types), chainOf(95), rest(500_000)),
    under(
      '2,500 anchors of one name for 20 other types, then two forgeries',
      namesakesOf(undefined, types),
      chainOf(0),
      rest(500_000),
    ),
  ]
}

/** After `before` genuine mdocs, one whose device signs a hash of `length` bytes, which is compared with ten items. */
function longDeviceHash(length: number, before: number): Hostile {
  const type = 'https://shop.example/terms'
  const items = many(10, (n) => encodeTransaction({ type, credential_ids: ['licence'], n }))
  const signing = mintMdoc({
    deviceNameSpaces: embedded({ [type]: { transaction_data_hash: Buffer.alloc(length, 7) } }),
    mso: (mso) => ({
      ...mso,
      deviceKeyInfo: { ...Object(mso.deviceKeyInfo), keyAuthorizations: { nameSpaces: [type] } },
    }),
  })
  const token = { licence: [...many(before, () => mintMdoc()), signing] }
  const request: Expected = { ...expected, query, transaction: readTransaction(items) }
  return sent(`a device hash of ${length} bytes against ten items`, token, trusting([licenceAnchor]), request)
}
