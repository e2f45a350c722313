// Lists mutations that each break one rule of chains, SD-JWTs, envelopes or status lists, which one line of a verifier checks (V018-V022).

import { mintAuthority, mintDocumentSigner, mintIaca, mintIntermediate, mintSigner } from '../src/authorities.ts'
import { crlUri, statusListUri, TYPE } from '../src/issuer.ts'
import { generateKey, publicJwk } from '../src/keys.ts'
import type { Extension, Identity, Name } from '../src/pki.ts'
import {
  authorityKeyId,
  basicConstraints,
  certificateBytes,
  keyUsage,
  mintCrl,
  permittedDnsNames,
  subjectAltName,
  subjectKeyId,
} from '../src/pki.ts'
import { digestOf, encodeDisclosure, salt, signJwsText } from '../src/sdjwt.ts'
import { mdocTrial } from './mdoc/mdoc-trial.ts'
import type { Mutation } from './mutation.ts'
import type { SdJwtHooks } from './sd-jwt/sd-jwt-trial.ts'
import { spoiledSdJwt } from './spoiled.ts'
import type { Anchor, World } from './world.ts'
import { DAY, fetched, NOW } from './world.ts'

const PERIOD = { notBefore: NOW - 10 * DAY, notAfter: NOW + 10 * DAY }
const LEAF: Name = { country: 'DE', commonName: 'Another PID signer' }
const BETWEEN: Name = { country: 'DE', commonName: 'Intermediate authority' }

/** A credential signed by the first certificate of a chain, under other anchors if `make` returns some. */
const chain = (title: string, expectedCheck: string, make: ChainMaker): Mutation =>
  spoiledSdJwt('V018', title, expectedCheck, (world) => {
    const plan = make(world.issuer.sdJwt.authority, world)
    const { anchors, haip, status } = plan
    const [signer, ...above] = plan.chain
    if (signer === undefined) throw new Error('bug: a chain has a signer')
    return {
      signer,
      template: ({ status: reference, ...claims }) =>
        status === false || reference === undefined ? claims : { ...claims, status: reference },
      header: (usual) => ({ ...usual, x5c: [signer, ...above].map((identity) => identity.certificate) }),
      trial: (trial) => ({ ...trial, anchors: anchors ?? trial.anchors, haip: haip ?? false }),
    }
  })

type ChainMaker = (
  authority: Identity,
  world: World,
) => {
  readonly chain: readonly Identity[]
  readonly anchors?: readonly Anchor[]
  readonly haip?: true
  /** The credential refers to no status list, so no list is needed. */
  readonly status?: false
}

/** A chain with a fault for which the verifier does not even read the signer's key. */
const unreadable = (title: string, make: ChainMaker): Mutation => ({
  ...chain(title, 'issuer_trusted', make),
  alsoFails: ['issuer_signature_valid'],
})

/** An intermediate authority with other extensions, and a leaf below it. */
function below(
  authority: Identity,
  extensions: (key: ReturnType<typeof generateKey>) => readonly Extension[],
): { readonly chain: readonly Identity[] } {
  const key = generateKey()
  const between = mintIntermediate(authority, BETWEEN, {
    ...PERIOD,
    subjectKey: key,
    extensions: [...extensions(key), subjectKeyId(key), authorityKeyId(authority.key)],
  })
  return { chain: [mintSigner(between, LEAF, PERIOD), between] }
}

function leaf(authority: Identity, extensions: readonly Extension[]): { readonly chain: readonly Identity[] } {
  return {
    chain: [mintSigner(authority, LEAF, { ...PERIOD, extensions: [...extensions, authorityKeyId(authority.key)] })],
  }
}

function pinned(identity: Identity): readonly Anchor[] {
  return [
    {
      kind: 'pinned',
      certificate: certificateBytes(identity),
      types: [`dc+sd-jwt:${TYPE.pidSdJwt}`],
      profile: 'generic',
    },
  ]
}

const selfSigned = (): Identity =>
  mintAuthority(LEAF, PERIOD, { extensions: [basicConstraints(false), keyUsage('digitalSignature')] })

const CHAINS: readonly Mutation[] = [
  chain('name constraints that are not critical', 'issuer_trusted', (authority) =>
    below(authority, () => [
      basicConstraints(true, 0),
      keyUsage('keyCertSign'),
      { ...permittedDnsNames('inside.example'), critical: false },
    ]),
  ),
  chain('an authority by key usage but not by basic constraints', 'issuer_trusted', (authority) =>
    below(authority, () => [keyUsage('keyCertSign')]),
  ),
  chain('an authority whose basic constraints are not critical', 'accepted', (authority) =>
    below(authority, () => [{ ...basicConstraints(true, 0), critical: false }, keyUsage('keyCertSign')]),
  ),
  chain('a leaf that may sign certificates', 'issuer_trusted', (authority) =>
    leaf(authority, [basicConstraints(false), keyUsage('digitalSignature', 'keyCertSign')]),
  ),
  unreadable('an extension twice', (authority) =>
    leaf(authority, [basicConstraints(false), keyUsage('digitalSignature'), keyUsage('digitalSignature')]),
  ),
  chain('names that do not follow each other', 'issuer_trusted', (authority) => {
    const between = mintIntermediate(authority, BETWEEN, PERIOD)
    return {
      chain: [mintSigner(between, LEAF, { ...PERIOD, issuer: { ...BETWEEN, commonName: 'Somebody else' } }), between],
    }
  }),
  unreadable('more certificates than any ecosystem has', (authority) => {
    const between = mintIntermediate(authority, BETWEEN, PERIOD)
    return { chain: [mintSigner(between, LEAF, PERIOD), ...Array.from({ length: 8 }, () => between)] }
  }),
  chain('a pinned certificate that may not sign', 'issuer_trusted', (authority) => {
    const { chain: signers } = leaf(authority, [keyUsage('keyEncipherment')])
    return { chain: signers, anchors: signers.flatMap(pinned) }
  }),
  chain('an expired pinned certificate', 'issuer_trusted', (authority) => {
    const signer = mintSigner(authority, LEAF, { notBefore: NOW - 9 * DAY, notAfter: NOW - DAY })
    return { chain: [signer], anchors: pinned(signer) }
  }),
  chain('a pinned self-signed certificate under HAIP', 'issuer_trusted', () => {
    const signer = selfSigned()
    return { chain: [signer], anchors: pinned(signer), haip: true }
  }),
  chain('a pinned self-signed certificate', 'accepted', () => {
    const signer = selfSigned()
    return { chain: [signer], anchors: pinned(signer), status: false }
  }),
  chain('an unreadable anchor beside a good one', 'accepted', (_, world) => ({
    chain: [world.issuer.sdJwt.signer],
    anchors: [
      { kind: 'ca', certificate: Uint8Array.of(1, 2, 3), types: ['dc+sd-jwt:*'], profile: 'generic' },
      {
        kind: 'ca',
        certificate: certificateBytes(world.issuer.sdJwt.authority),
        types: ['dc+sd-jwt:*'],
        profile: 'generic',
      },
    ],
  })),
]

/** An mdoc under another IACA, which is trusted instead of the usual one. */
const iaca = (title: string, authority: () => Identity, signerName: Name): Mutation => ({
  id: 'V018',
  title,
  format: 'mso_mdoc',
  expectedCheck: 'issuer_trusted',
  make: (world) => {
    const trusted = authority()
    const signer = mintDocumentSigner(trusted, signerName, { ...PERIOD, crl: crlUri(world.issuer.base) })
    return mdocTrial(world, {
      signer,
      trial: (trial) => ({
        ...trial,
        anchors: [
          { kind: 'ca', certificate: certificateBytes(trusted), types: [`mso_mdoc:${TYPE.mdl}`], profile: 'iso-mdl' },
        ],
      }),
    })
  },
})

const IACAS: readonly Mutation[] = [
  iaca(
    'an IACA that may sign data too',
    () => {
      const key = generateKey()
      return mintIaca(BETWEEN, PERIOD, {
        subjectKey: key,
        extensions: [
          basicConstraints(true, 0),
          keyUsage('keyCertSign', 'crlSign', 'digitalSignature'),
          subjectKeyId(key),
        ],
      })
    },
    LEAF,
  ),
  iaca('countries in lower case', () => mintIaca({ ...BETWEEN, country: 'de' }, PERIOD), { ...LEAF, country: 'de' }),
]

const named = (
  title: string,
  expectedCheck: string,
  iss: string | number,
  names: Parameters<typeof subjectAltName>[0] | null,
): Mutation =>
  spoiledSdJwt(
    'N088',
    title,
    expectedCheck,
    ({
      issuer: {
        sdJwt: { authority },
      },
    }) => ({
      signer: mintSigner(authority, LEAF, {
        ...PERIOD,
        extensions: [
          basicConstraints(false),
          keyUsage('digitalSignature'),
          authorityKeyId(authority.key),
          ...(names === null ? [] : [subjectAltName(names)]),
        ],
      }),
      payload: (payload) => ({ ...payload, iss }),
    }),
  )

const ISSUERS: readonly Mutation[] = [
  named('iss is a number', 'issuer_trusted', 1, { dns: ['issuer.example'] }),
  named('iss with a subdomain of the host in the certificate', 'issuer_trusted', 'https://sub.issuer.example', {
    dns: ['issuer.example'],
  }),
  named(
    'iss with the host of the certificate as user name of another host',
    'issuer_trusted',
    'https://issuer.example@attacker.example',
    {
      dns: ['issuer.example'],
    },
  ),
  named('iss that equals a URI of the certificate', 'accepted', 'https://issuer.example/tenant', {
    uri: ['https://issuer.example/tenant'],
  }),
  named('iss that is not an https URL', 'accepted', 'urn:issuer:1', { dns: ['issuer.example'] }),
  named('iss with a certificate without alternative names', 'accepted', 'https://issuer.example', null),
]

/** Disclosures that the issuer signed, of the given number and length. */
function disclosing(texts: readonly string[]): SdJwtHooks {
  return {
    payload: (payload) => ({ ...payload, extra: { _sd: texts.map((text) => digestOf(text)) } }),
    disclosures: (usual) => [...usual, ...texts],
  }
}

const many = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => encodeDisclosure([salt(), `claim_${index}`, index]))
const long = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => encodeDisclosure([salt(), `claim_${index}`, 'x'.repeat(length)]))

const LIMITS: readonly Mutation[] = [
  spoiledSdJwt('V019', 'five hundred and ten disclosures', 'well_formed', () => disclosing(many(510))),
  spoiledSdJwt('V019', 'four hundred and eighty disclosures', 'accepted', () => disclosing(many(480))),
  spoiledSdJwt('V019', 'a disclosure of 400 kilobytes', 'well_formed', () => disclosing(long(1, 300_000))),
  spoiledSdJwt('V019', 'more than a megabyte in all', 'well_formed', () => disclosing(long(5, 180_000))),
  spoiledSdJwt('V019', 'a portrait of 100 kilobytes', 'accepted', () => disclosing(long(1, 100_000))),
  spoiledSdJwt('V019', 'no tilde at all', 'well_formed', () => ({
    presented: (presented) => presented.slice(0, presented.indexOf('~')),
  })),
  spoiledSdJwt('V019', 'a letter after the JSON of the header', 'well_formed', () => ({
    sign: (head, body, key) => signJwsText(`${JSON.stringify(head)} x`, JSON.stringify(body), key),
  })),
]

const confirmed = (
  title: string,
  jwk: (world: World) => { readonly [member: string]: string | readonly string[] },
): Mutation =>
  spoiledSdJwt('N131', title, 'holder_key_present', (world) => ({
    payload: (payload) => ({ ...payload, cnf: { jwk: { ...publicJwk(world.holderKey), ...jwk(world) } } }),
  }))

const KEYS: readonly Mutation[] = [
  confirmed('a holder key for encryption', () => ({ use: 'enc' })),
  confirmed('a holder key that may not verify', () => ({ key_ops: ['deriveKey'] })),
  confirmed('a holder key whose x is too short', () => ({ x: 'AAAA' })),
]

/** A signer whose authority may not sign revocation lists, but signs one. */
function unauthorisedCrl(_world: World): SdJwtHooks {
  const key = generateKey()
  const extensions = [basicConstraints(true, 0), keyUsage('keyCertSign'), subjectKeyId(key)]
  const authority = mintAuthority(BETWEEN, PERIOD, { subjectKey: key, extensions })
  const uri = 'https://issuer.example/unauthorised.crl'
  const crl = mintCrl({ issuer: BETWEEN, signingKey: key, thisUpdate: NOW - DAY, nextUpdate: NOW + DAY, revoked: [] })
  const anchor: Anchor = {
    kind: 'ca',
    certificate: certificateBytes(authority),
    types: ['dc+sd-jwt:*'],
    profile: 'generic',
  }
  return {
    signer: mintSigner(authority, LEAF, { ...PERIOD, crl: uri }),
    trial: (trial) => ({
      ...trial,
      anchors: [...trial.anchors, anchor],
      status: new Map([...trial.status, [uri, fetched(crl, 'application/pkix-crl')]]),
    }),
  }
}

const STATUS: readonly Mutation[] = [
  spoiledSdJwt('V020', 'a CRL of an authority that may not sign any', 'signer_not_revoked', unauthorisedCrl),
  spoiledSdJwt(
    'V020',
    'a status address of another scheme, although a server answers there',
    'not_revoked',
    (world) => ({
      template: (claims) => ({ ...claims, status: { status_list: { idx: 0, uri: 'ftp://issuer.example/list' } } }),
      trial: (trial) => {
        const list = trial.status.get(statusListUri(world.issuer.base, 'jwt'))
        return list === undefined ? trial : { ...trial, status: new Map([['ftp://issuer.example/list', list]]) }
      },
    }),
  ),
]

export const DETAIL_MUTATIONS: readonly Mutation[] = [...CHAINS, ...IACAS, ...ISSUERS, ...LIMITS, ...KEYS, ...STATUS]
