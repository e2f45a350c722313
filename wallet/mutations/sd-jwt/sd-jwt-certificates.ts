// Lists changed certificate chains of an SD-JWT issuer (N075-N088). Everything else about the credential is valid.

import { mintAuthority, mintIntermediate, mintSigner } from '../../src/authorities.ts'
import { octetString } from '../../src/encoding/der.ts'
import { crlUri, TYPE } from '../../src/issuer.ts'
import { generateKey } from '../../src/keys.ts'
import type { Extension, Identity, Name } from '../../src/pki.ts'
import {
  authorityKeyId,
  basicConstraints,
  certificateBytes,
  keyUsage,
  mintCrl,
  OID,
  permittedDnsNames,
  serialOf,
  subjectAltName,
  subjectKeyId,
} from '../../src/pki.ts'
import type { Mutation } from '../mutation.ts'
import type { Trial, World } from '../world.ts'
import { DAY, fetched, NOW } from '../world.ts'
import { sdJwtTrial } from './sd-jwt-trial.ts'

const PERIOD = { notBefore: NOW - 10 * DAY, notAfter: NOW + 10 * DAY }
const LEAF: Name = { country: 'DE', organization: 'Vidimus Sandbox', commonName: 'Another PID signer' }
const BETWEEN: Name = { country: 'DE', commonName: 'Intermediate authority' }

/** A credential signed by the first of the chain, with the whole chain in x5c. */
function chained(world: World, chain: readonly Identity[], change: (trial: Trial) => Trial = (trial) => trial): Trial {
  const [signer] = chain
  if (signer === undefined) throw new Error('bug: a chain has a signer')
  return sdJwtTrial(world, {
    signer,
    header: (usual) => ({ ...usual, x5c: chain.map((identity) => identity.certificate) }),
    trial: change,
  })
}

const untrusted = (
  id: string,
  title: string,
  chain: (world: World, authority: Identity) => readonly Identity[],
  change?: (trial: Trial) => Trial,
): Mutation => ({
  id,
  title,
  format: 'dc+sd-jwt',
  expectedCheck: 'issuer_trusted',
  make: (world) => chained(world, chain(world, world.issuer.sdJwt.authority), change),
})

/** A signer under the trusted authority with other extensions. */
const extended = (
  id: string,
  title: string,
  extensions: (usual: readonly Extension[], authority: Identity) => readonly Extension[],
): Mutation =>
  untrusted(id, title, (_, authority) => {
    const key = generateKey()
    const usual = [
      basicConstraints(false),
      keyUsage('digitalSignature'),
      subjectKeyId(key),
      authorityKeyId(authority.key),
    ]
    return [mintSigner(authority, LEAF, { ...PERIOD, subjectKey: key, extensions: extensions(usual, authority) })]
  })

const PATHS: readonly Mutation[] = [
  untrusted('N075', 'a self-signed leaf that carries the name of the anchor', (_, authority) => [
    mintAuthority(authority.name, PERIOD, { extensions: [basicConstraints(false), keyUsage('digitalSignature')] }),
  ]),
  untrusted('N075', 'a leaf under another authority of the same name', (_, authority) => [
    mintSigner(mintAuthority(authority.name, PERIOD), LEAF, PERIOD),
  ]),
  untrusted('N075', 'a leaf under another authority that copies name and key identifier', (_, authority) => {
    const impostor = mintAuthority(authority.name, PERIOD)
    return [
      mintSigner(impostor, LEAF, {
        ...PERIOD,
        extensions: [basicConstraints(false), keyUsage('digitalSignature'), authorityKeyId(authority.key)],
      }),
    ]
  }),
  untrusted(
    'N076',
    'the anchor in x5c under HAIP',
    (world, authority) => [world.issuer.sdJwt.signer, authority],
    (trial) => ({ ...trial, haip: true }),
  ),
  untrusted(
    'N076',
    'a self-signed leaf under HAIP',
    () => [mintAuthority(LEAF, PERIOD, { extensions: [basicConstraints(false), keyUsage('digitalSignature')] })],
    (trial) => ({ ...trial, haip: true }),
  ),
  untrusted('N077', 'a leaf signed by another leaf', (world) => [
    mintSigner(world.issuer.sdJwt.signer, LEAF, PERIOD),
    world.issuer.sdJwt.signer,
  ]),
  untrusted('N077', 'a leaf under an intermediate that may not sign certificates', (_, authority) => {
    const key = generateKey()
    const extensions = [
      basicConstraints(true, 0),
      keyUsage('digitalSignature'),
      subjectKeyId(key),
      authorityKeyId(authority.key),
    ]
    const between = mintIntermediate(authority, BETWEEN, { ...PERIOD, subjectKey: key, extensions })
    return [mintSigner(between, LEAF, PERIOD), between]
  }),
  untrusted('N077', 'the trusted authority itself as signer', (_, authority) => [authority]),
  untrusted('N078', 'one authority more than pathLen allows', (_, authority) => {
    const first = mintIntermediate(authority, BETWEEN, {
      ...PERIOD,
      extensions: [basicConstraints(true, 5), keyUsage('keyCertSign')],
    })
    const second = mintIntermediate(first, { ...BETWEEN, commonName: 'Too deep' }, PERIOD)
    return [mintSigner(second, LEAF, PERIOD), second, first]
  }),
  {
    id: 'N086',
    title: 'a chain in the wrong order',
    format: 'dc+sd-jwt',
    expectedCheck: 'issuer_trusted',
    make: reordered,
  },
  {
    ...untrusted('N087', 'fifty certificates', (_, authority) => {
      const between = mintIntermediate(authority, BETWEEN, PERIOD)
      return [mintSigner(between, LEAF, PERIOD), ...Array.from({ length: 49 }, () => between)]
    }),
    expectedCheck: 'issuer_certificate_present',
  },
  {
    ...untrusted('N073', 'an x5c that does not decode to a certificate', (world) => [
      { ...world.issuer.sdJwt.signer, certificate: 'AAAA' },
    ]),
    alsoFails: ['issuer_signature_valid'],
  },
  untrusted(
    'N072',
    'no anchors at all',
    (world) => [world.issuer.sdJwt.signer],
    (trial) => ({ ...trial, anchors: [] }),
  ),
]

const TIMES: readonly Mutation[] = [
  untrusted('N079', 'an expired leaf', (_, authority) => [
    mintSigner(authority, LEAF, { notBefore: NOW - 9 * DAY, notAfter: NOW - DAY }),
  ]),
  untrusted('N079', 'a leaf that is not valid yet', (_, authority) => [
    mintSigner(authority, LEAF, { notBefore: NOW + DAY, notAfter: NOW + 9 * DAY }),
  ]),
  untrusted('N080', 'an expired intermediate', (_, authority) => {
    const between = mintIntermediate(authority, BETWEEN, { notBefore: NOW - 9 * DAY, notAfter: NOW - DAY })
    return [mintSigner(between, LEAF, PERIOD), between]
  }),
  untrusted('N080', 'an expired anchor', () => {
    const authority = mintAuthority(BETWEEN, { notBefore: NOW - 9 * DAY, notAfter: NOW - DAY })
    return [mintSigner(authority, LEAF, PERIOD)]
  }),
]

const EXTENSIONS: readonly Mutation[] = [
  extended('N081', 'a key usage without digitalSignature', ([constraints, _, ...rest]) => [
    ...(constraints === undefined ? [] : [constraints]),
    keyUsage('keyEncipherment'),
    ...rest,
  ]),
  extended('N082', 'an unknown critical extension', (usual) => [
    ...usual,
    { oid: OID.unknown, critical: true, value: octetString(new Uint8Array()) },
  ]),
  extended('N077', 'a leaf that calls itself an authority', ([_, ...rest]) => [basicConstraints(true), ...rest]),
  extended('N075', 'an authority key identifier of another key', (usual) => [
    ...usual.slice(0, 3),
    authorityKeyId(generateKey()),
  ]),
  untrusted('N083', 'a name outside the constraints of the authority', (_, authority) => {
    const key = generateKey()
    const extensions = [
      basicConstraints(true, 0),
      keyUsage('keyCertSign'),
      subjectKeyId(key),
      authorityKeyId(authority.key),
      permittedDnsNames('inside.example'),
    ]
    const between = mintIntermediate(authority, BETWEEN, { ...PERIOD, subjectKey: key, extensions })
    return [mintSigner(between, LEAF, { ...PERIOD, dns: 'outside.example' }), between]
  }),
  untrusted(
    'N084',
    'an anchor that vouches for another type only',
    (world) => [world.issuer.sdJwt.signer],
    (trial) => ({
      ...trial,
      anchors: trial.anchors.map((anchor) => ({ ...anchor, types: [`dc+sd-jwt:${TYPE.pidMdoc}` as const] })),
    }),
  ),
  {
    id: 'N085',
    title: 'a leaf on the revocation list of its authority',
    format: 'dc+sd-jwt',
    expectedCheck: 'signer_not_revoked',
    make: revokedLeaf,
  },
  {
    id: 'N088',
    title: 'iss that is no alternative name of the certificate',
    format: 'dc+sd-jwt',
    expectedCheck: 'issuer_trusted',
    make: (world) => {
      const signer = mintSigner(world.issuer.sdJwt.authority, LEAF, {
        ...PERIOD,
        dns: 'issuer.example',
        uri: 'https://issuer.example',
      })
      return sdJwtTrial(world, { signer, template: (claims) => ({ ...claims, iss: 'https://somebody-else.example' }) })
    },
  },
]

const ACCEPTED: readonly Mutation[] = [
  {
    ...untrusted('N078', 'an intermediate authority within pathLen', (_, authority) => {
      const between = mintIntermediate(authority, BETWEEN, PERIOD)
      return [mintSigner(between, LEAF, PERIOD), between]
    }),
    expectedCheck: 'accepted',
    positive: true,
  },
  {
    id: 'N088',
    title: 'iss that is an alternative name of the certificate',
    format: 'dc+sd-jwt',
    expectedCheck: 'accepted',
    positive: true,
    make: (world) => {
      const signer = mintSigner(world.issuer.sdJwt.authority, LEAF, {
        ...PERIOD,
        extensions: namedExtensions(world.issuer.sdJwt.authority),
      })
      return sdJwtTrial(world, { signer, template: (claims) => ({ ...claims, iss: 'https://issuer.example' }) })
    },
  },
  {
    ...untrusted('N084', 'a pinned signer certificate', (world) => [world.issuer.sdJwt.signer]),
    expectedCheck: 'accepted',
    positive: true,
    make: (world) =>
      chained(world, [world.issuer.sdJwt.signer], (trial) => ({
        ...trial,
        anchors: [
          {
            kind: 'pinned',
            certificate: certificateBytes(world.issuer.sdJwt.signer),
            types: [`dc+sd-jwt:${TYPE.pidSdJwt}`],
            profile: 'generic',
          },
        ],
      })),
  },
]

export const SD_JWT_CERTIFICATE_MUTATIONS: readonly Mutation[] = [...PATHS, ...TIMES, ...EXTENSIONS, ...ACCEPTED]

function namedExtensions(authority: Identity): readonly Extension[] {
  return [
    basicConstraints(false),
    keyUsage('digitalSignature'),
    authorityKeyId(authority.key),
    subjectAltName({ dns: ['issuer.example'] }),
  ]
}

/** Two intermediate authorities, each valid, in the wrong order. */
function reordered(world: World): Trial {
  const root = mintAuthority({ country: 'DE', commonName: 'Deep root' }, PERIOD, {
    extensions: [basicConstraints(true, 5), keyUsage('keyCertSign')],
  })
  const first = mintIntermediate(root, BETWEEN, {
    ...PERIOD,
    extensions: [basicConstraints(true, 4), keyUsage('keyCertSign')],
  })
  const second = mintIntermediate(first, { ...BETWEEN, commonName: 'Second intermediate' }, PERIOD)
  const anchor = {
    kind: 'ca',
    certificate: certificateBytes(root),
    types: [`dc+sd-jwt:${TYPE.pidSdJwt}`],
    profile: 'generic',
  } as const
  return chained(world, [mintSigner(second, LEAF, PERIOD), first, second], (trial) => ({ ...trial, anchors: [anchor] }))
}

function revokedLeaf(world: World): Trial {
  const { authority } = world.issuer.sdJwt
  const uri = `${crlUri(world.issuer.base)}?sd-jwt`
  const signer = mintSigner(authority, LEAF, { ...PERIOD, crl: uri })
  const revoked = [{ serial: serialOf({ subjectKey: signer.key }), at: NOW - DAY }]
  const crl = mintCrl({
    issuer: authority.name,
    signingKey: authority.key,
    thisUpdate: NOW - DAY,
    nextUpdate: NOW + DAY,
    revoked,
  })
  return chained(world, [signer], (trial) => ({
    ...trial,
    status: new Map([...trial.status, [uri, fetched(crl, 'application/pkix-crl')]]),
  }))
}
