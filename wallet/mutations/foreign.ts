// Lists notations of other issuers and wallets that must pass, each with a lookalike that must not (V026-V035).

import {
  documentSignerExtensions,
  mintAuthority,
  mintDocumentSigner,
  mintIaca,
  mintSigner,
} from '../src/authorities.ts'
import { type CborValue, fullDate, Raw, Tagged } from '../src/encoding/cbor.ts'
import { coseKey } from '../src/encoding/cose.ts'
import { crlUri, TYPE } from '../src/issuer.ts'
import { fromBase64url, generateKey, type PrivateJwk, publicJwk, toBase64url } from '../src/keys.ts'
import { mintItem } from '../src/mdoc.ts'
import type { Identity, Name } from '../src/pki.ts'
import {
  authorityKeyId,
  basicConstraints,
  certificateBytes,
  changeExtension,
  type KeyUsage,
  keyUsage,
  mintCrl,
  OID,
  subjectKeyId,
} from '../src/pki.ts'
import { sd } from '../src/sdjwt.ts'
import { changed, inner } from './mdoc/mdoc-trial.ts'
import type { Mutation } from './mutation.ts'
import type { SdJwtHooks } from './sd-jwt/sd-jwt-trial.ts'
import { spoiledMdoc, spoiledSdJwt } from './spoiled.ts'
import { type Anchor, DAY, fetched, MDL_NAMESPACE, NOW } from './world.ts'

const PERIOD = { notBefore: NOW - 10 * DAY, notAfter: NOW + 10 * DAY }
const LEAF: Name = { country: 'DE', commonName: 'Another signer' }

const GERMAN = 'urn:eudi:pid:de:1'
const EUROPEAN = TYPE.pidSdJwt

/** A PID of a national type, under an anchor for these types. */
const national = (
  title: string,
  expectedCheck: string,
  known: SdJwtHooks['template'],
  types: readonly string[] = [GERMAN, EUROPEAN],
): Mutation =>
  spoiledSdJwt('V026', title, expectedCheck, (world) => ({
    template: (claims) => (known ?? ((same) => same))({ ...claims, vct: GERMAN }),
    disclosures: (usual, all) => [
      ...usual,
      ...all.filter(({ path }) => path[0] === 'aka_vcts').map(({ text }) => text),
    ],
    trial: (trial) => ({
      ...trial,
      anchors: [
        {
          kind: 'ca',
          certificate: certificateBytes(world.issuer.sdJwt.authority),
          types: types.map((type) => `dc+sd-jwt:${type}` as const),
          profile: 'generic',
        },
      ],
    }),
  }))

const asEuropean: SdJwtHooks['template'] = (claims) => ({ ...claims, aka_vcts: [EUROPEAN] })

const TYPES: readonly Mutation[] = [
  national('a German PID whose issuer also declares the European type', 'accepted', asEuropean),
  national('a German PID under an anchor for every type', 'accepted', asEuropean, ['*']),
  national('a German PID that does not declare the European type', 'type_requested', (claims) => claims),
  national('a German PID that declares another type than the European one', 'type_requested', (claims) => ({
    ...claims,
    aka_vcts: ['urn:eudi:pid:fr:1'],
  })),
  national('a German PID whose other type is not a list', 'type_requested', (claims) => ({
    ...claims,
    aka_vcts: EUROPEAN,
  })),
  national('a German PID that declares too many types', 'type_requested', (claims) => ({
    ...claims,
    aka_vcts: [...Array.from({ length: 100 }, (_, index) => `urn:x:${index}`), EUROPEAN],
  })),
  national('other types in a selective disclosure', 'disclosures_valid', (claims) => ({
    ...claims,
    aka_vcts: sd([EUROPEAN]),
  })),
  national('an anchor that vouches for European PIDs alone', 'issuer_trusted', asEuropean, [EUROPEAN]),
  national('an anchor that vouches for German PIDs alone', 'issuer_trusted', asEuropean, [GERMAN]),
]

const numbered = (title: string, digestId: number): Mutation =>
  spoiledMdoc('V027', title, 'accepted', () => ({
    items: (items) => [
      ...items.filter(({ element }) => element !== 'family_name'),
      mintItem(MDL_NAMESPACE, 'family_name', { digestId, value: 'Specimen' }),
    ],
  }))

const DIGEST_IDS: readonly Mutation[] = [
  numbered('a digest id of 32 bits', 2 ** 32 - 1),
  numbered('the largest digest id that a double represents exactly', Number.MAX_SAFE_INTEGER),
]

/** A key in which this coordinate begins with a zero. */
function shortKey(coordinate: 'x' | 'y'): PrivateJwk {
  for (;;) {
    const key = generateKey()
    if (fromBase64url(key[coordinate] ?? '')[0] === 0) return key
  }
}

function stripped(coordinate: CborValue | undefined): Uint8Array {
  const bytes = coordinate instanceof Uint8Array ? coordinate : new Uint8Array()
  return bytes.slice(bytes.findIndex((octet) => octet !== 0))
}

const COORDINATES: readonly Mutation[] = [
  ...(['x', 'y'] as const).map((coordinate) =>
    spoiledMdoc('V028', `a device key whose ${coordinate} is written without its leading zero`, 'accepted', () => {
      const key = shortKey(coordinate)
      const label = coordinate === 'x' ? -2 : -3
      const written = coseKey(key)
      return {
        deviceKey: key,
        mso: (mso) =>
          changed(
            mso,
            'deviceKeyInfo',
            changed(inner(mso, 'deviceKeyInfo'), 'deviceKey', changed(written, label, stripped(written.get(label)))),
          ),
      }
    }),
  ),
  spoiledSdJwt('V028', 'a holder key whose x is written without its leading zero', 'accepted', () => {
    const key = shortKey('x')
    const jwk = { ...publicJwk(key), x: toBase64url(stripped(fromBase64url(key.x))) }
    return { keyBindingKey: key, payload: (payload) => ({ ...payload, cnf: { jwk } }) }
  }),
  spoiledMdoc('V028', 'a device key with an empty coordinate', 'holder_key_present', (world) => ({
    mso: (mso) =>
      changed(
        mso,
        'deviceKeyInfo',
        changed(inner(mso, 'deviceKeyInfo'), 'deviceKey', changed(coseKey(world.holderKey), -2, new Uint8Array())),
      ),
  })),
]

const used = (title: string, expectedCheck: string, ...uses: readonly KeyUsage[]): Mutation =>
  spoiledSdJwt(
    'V029',
    title,
    expectedCheck,
    ({
      issuer: {
        sdJwt: { authority },
      },
    }) => ({
      signer: mintSigner(authority, LEAF, {
        ...PERIOD,
        extensions: [basicConstraints(false), keyUsage(...uses), authorityKeyId(authority.key)],
      }),
    }),
  )

const USES: readonly Mutation[] = [
  used('a signer for non-repudiation alone', 'accepted', 'nonRepudiation'),
  used('a signer for encipherment alone', 'issuer_trusted', 'keyEncipherment'),
  spoiledMdoc('V029', 'a document signer for non-repudiation alone', 'issuer_trusted', ({ issuer }) => {
    const { authority } = issuer.mdoc
    const key = generateKey()
    const usual = documentSignerExtensions(authority, key, crlUri(issuer.base))
    const extensions = changeExtension(usual, OID.keyUsage, keyUsage('nonRepudiation'))
    return { signer: mintDocumentSigner(authority, LEAF, { ...PERIOD, subjectKey: key, extensions }) }
  }),
]

const loose = { ...basicConstraints(true, 0), critical: false }

const ANCHORS: readonly Mutation[] = [
  spoiledSdJwt('V030', 'an anchor whose constraints are not critical', 'accepted', () => {
    const key = generateKey()
    const authority = mintAuthority({ country: 'DE', commonName: 'Loose authority' }, PERIOD, {
      subjectKey: key,
      extensions: [loose, keyUsage('keyCertSign', 'crlSign'), subjectKeyId(key)],
    })
    return {
      signer: mintSigner(authority, LEAF, PERIOD),
      trial: (trial) => ({ ...trial, anchors: [...trial.anchors, anchorOf(authority)] }),
    }
  }),
  spoiledMdoc('V030', 'an IACA whose constraints are not critical', 'issuer_trusted', ({ issuer }) => {
    const key = generateKey()
    const authority = mintIaca({ country: 'DE', commonName: 'Loose IACA' }, PERIOD, {
      subjectKey: key,
      extensions: [loose, keyUsage('keyCertSign', 'crlSign'), subjectKeyId(key)],
    })
    const anchor: Anchor = { ...anchorOf(authority), types: [`mso_mdoc:${TYPE.mdl}`], profile: 'iso-mdl' }
    return {
      signer: mintDocumentSigner(authority, LEAF, { ...PERIOD, crl: crlUri(issuer.base) }),
      trial: (trial) => ({ ...trial, anchors: [...trial.anchors, anchor] }),
    }
  }),
]

function anchorOf(authority: Identity): Anchor {
  return {
    kind: 'ca',
    certificate: certificateBytes(authority),
    types: [`dc+sd-jwt:${TYPE.pidSdJwt}`],
    profile: 'generic',
  }
}

const timed = (
  title: string,
  expectedCheck: string,
  times: Partial<Record<'signed' | 'validFrom' | 'validUntil', number>>,
): Mutation => spoiledMdoc('V031', title, expectedCheck, () => ({ fields: (fields) => ({ ...fields, ...times }) }))

/** The end of the validity, written two time zones to the east. */
const zoned = (title: string, expectedCheck: string, end: number, zone: '+02:00'): Mutation =>
  spoiledMdoc('V031', title, expectedCheck, () => ({
    mso: (mso) => {
      const local = new Date((end + 7200) * 1000).toISOString().slice(0, 19)
      const validity = changed(inner(mso, 'validityInfo'), 'validUntil', new Tagged(0, `${local}${zone}`))
      return changed(mso, 'validityInfo', validity)
    },
  }))

const TIMES: readonly Mutation[] = [
  timed('an mdoc that is valid from before it was signed', 'accepted', { signed: NOW - 60, validFrom: NOW - DAY }),
  zoned('a validity that ends in the future, written in another time zone', 'accepted', NOW + 3600, '+02:00'),
  zoned('a validity that ended in the past, written in another time zone', 'within_validity', NOW - 3600, '+02:00'),
  timed('an mdoc that was signed in the future', 'within_validity', { signed: NOW + 3600 }),
]

const drafted = (title: string, expectedCheck: string, haip: boolean): Mutation =>
  spoiledSdJwt('V035', title, expectedCheck, () => ({
    header: (usual) => ({ ...usual, typ: 'vc+sd-jwt' }),
    trial: (trial) => ({ ...trial, haip }),
  }))

const DRAFTS: readonly Mutation[] = [
  drafted('the typ of older drafts', 'accepted', false),
  drafted('the typ of older drafts under HAIP', 'well_formed', true),
]

const ALGORITHMS: readonly Mutation[] = [
  spoiledSdJwt('V032', 'issuer and holder sign with the algorithm name Ed25519', 'accepted', ({ issuer }) => {
    const holder = generateKey('Ed25519')
    return {
      signer: mintSigner(issuer.sdJwt.authority, LEAF, { ...PERIOD, subjectKey: generateKey('Ed25519') }),
      header: (usual) => ({ ...usual, alg: 'Ed25519' }),
      payload: (payload) => ({ ...payload, cnf: { jwk: { ...publicJwk(holder) } } }),
      keyBindingKey: holder,
      keyBindingHeader: (usual) => ({ ...usual, alg: 'Ed25519' }),
    }
  }),
  spoiledSdJwt('V032', 'alg Ed25519 with a key on P-256', 'issuer_signature_valid', () => ({
    header: (usual) => ({ ...usual, alg: 'Ed25519' }),
  })),
  spoiledSdJwt('V032', 'Ed448', 'algorithm_allowed', () => ({ header: (usual) => ({ ...usual, alg: 'Ed448' }) })),
]

const AUTHORITY: Name = { country: 'DE', organization: 'Office  of Examples', commonName: 'Straße CA' }

/** The signer and the revocation list spell the authority's name differently from the authority's certificate. */
const written = (title: string, expectedCheck: string, change: Name): Mutation =>
  spoiledSdJwt('V033', title, expectedCheck, () => {
    const own = change.printable === true ? { ...AUTHORITY, commonName: 'Plain CA' } : AUTHORITY
    const issuer = { ...own, ...change }
    const authority = mintAuthority(own, PERIOD)
    const uri = 'https://issuer.example/names.crl'
    const crl = mintCrl({
      issuer,
      signingKey: authority.key,
      thisUpdate: NOW - DAY,
      nextUpdate: NOW + DAY,
      revoked: [],
    })
    return {
      signer: mintSigner(authority, LEAF, { ...PERIOD, crl: uri, issuer }),
      trial: (trial) => ({
        ...trial,
        anchors: [...trial.anchors, anchorOf(authority)],
        status: new Map([...trial.status, [uri, fetched(crl, 'application/pkix-crl')]]),
      }),
    }
  })

const NAMES: readonly Mutation[] = [
  written('an issuer in other letters and spaces', 'accepted', {
    organization: ' OFFICE OF  EXAMPLES ',
    commonName: 'STRASSE ca',
  }),
  written('an issuer name in another ASN.1 string type', 'accepted', { printable: true }),
  written('an issuer with one word more', 'issuer_trusted', { commonName: 'Straße CA 2' }),
]

const valued = (title: string, expectedCheck: string, element: string, value: CborValue): Mutation =>
  spoiledMdoc('V034', title, expectedCheck, () => ({ elements: (elements) => ({ ...elements, [element]: value }) }))

const VALUES: readonly Mutation[] = [
  valued('a birth date without month and day', 'well_formed', 'birth_date', fullDate('1990-00-00')),
  valued('a day that does not exist', 'well_formed', 'birth_date', fullDate('1990-02-30')),
  valued('a time where a date is meant', 'well_formed', 'birth_date', fullDate('1990-01-01T00:00:00Z')),
  valued('an impossible time', 'well_formed', 'birth_date', new Tagged(0, '1990-01-01T25:00:00Z')),
  valued(
    'a time with an offset and a fraction',
    'accepted',
    'birth_date',
    new Tagged(0, '1990-01-01T00:00:00.5+01:00'),
  ),
  valued('a leap day', 'accepted', 'birth_date', fullDate('2004-02-29')),
  valued('a number beyond the integers that a double represents exactly', 'well_formed', 'portrait', double(2 ** 53)),
  valued(
    'a negative number beyond the integers that a double represents exactly',
    'well_formed',
    'portrait',
    double(-(2 ** 60)),
  ),
  valued(
    'the largest integer that a double represents exactly',
    'accepted',
    'portrait',
    double(Number.MAX_SAFE_INTEGER),
  ),
]

function double(value: number): Raw {
  const bytes = Buffer.alloc(9, 0xfb)
  bytes.writeDoubleBE(value, 1)
  return new Raw(new Uint8Array(bytes))
}

export const FOREIGN_MUTATIONS: readonly Mutation[] = [
  ...TYPES,
  ...DIGEST_IDS,
  ...COORDINATES,
  ...USES,
  ...ANCHORS,
  ...TIMES,
  ...DRAFTS,
  ...ALGORITHMS,
  ...NAMES,
  ...VALUES,
]
