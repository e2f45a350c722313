// Mutates the status of mdocs: lists as CWT, identifier lists, CRLs (N193-N206, N210-N211, N214-N215).

import { mintDocumentSigner, mintIaca } from '../../src/authorities.ts'
import type { CborValue } from '../../src/encoding/cbor.ts'
import { encodeCbor, mapOf, Tagged } from '../../src/encoding/cbor.ts'
import { integer, sequence } from '../../src/encoding/der.ts'
import { crlUri, STATUS_INDEX, STATUS_LIST, statusListUri } from '../../src/issuer.ts'
import type { CrlFields, Identity } from '../../src/pki.ts'
import { authorityKeyId, mintCrl, OID, serialOf } from '../../src/pki.ts'
import { cwtSign1, mintIdentifierListCwt, signCwt, statusListCwtClaims } from '../../src/status-list.ts'
import { mdocTrial } from '../mdoc/mdoc-trial.ts'
import type { Mutation } from '../mutation.ts'
import type { StatusAnswer, Trial, World } from '../world.ts'
import { DAY, fetched, NOW, RESERVED_INDEX } from '../world.ts'
import { listFields } from './jwt.ts'

const MEDIA_TYPE = 'application/statuslist+cwt'
const mutation = (id: string, title: string, expectedCheck: string, make: Mutation['make']): Mutation => ({
  id,
  title,
  format: 'mso_mdoc',
  expectedCheck,
  make,
})

function serving(world: World, uri: string, answer: StatusAnswer): Trial {
  return mdocTrial(world, { trial: (trial) => ({ ...trial, status: new Map([...trial.status, [uri, answer]]) }) })
}

type Claims = Map<CborValue, CborValue>

/** A status list whose claims, type or signer are wrong. */
const listed = (
  id: string,
  title: string,
  change: (usual: Claims) => CborValue,
  options: { readonly type?: CborValue; readonly signer?: (world: World) => Identity } = {},
): Mutation =>
  mutation(id, title, 'not_revoked', (world) => {
    const { type = MEDIA_TYPE, signer = (usual: World) => usual.issuer.mdoc.signer } = options
    const bytes = signCwt(type, change(statusListCwtClaims(listFields(world, 'cwt'))), signer(world))
    return serving(world, statusListUri(world.issuer.base, 'cwt'), fetched(bytes, MEDIA_TYPE))
  })

/** Lets the credential refer to another index, or refer in another form. */
const referring = (id: string, title: string, expectedCheck: string, idx: CborValue): Mutation =>
  mutation(id, title, expectedCheck, (world) =>
    mdocTrial(world, {
      fields: (fields) => ({
        ...fields,
        status: mapOf({ status_list: mapOf({ idx, uri: statusListUri(world.issuer.base, 'cwt') }) }),
      }),
    }),
  )

const LISTS: readonly Mutation[] = [
  referring('N193', 'revoked', 'not_revoked', STATUS_INDEX.revoked),
  referring('N194', 'suspended', 'not_revoked', STATUS_INDEX.suspended),
  referring('N195', 'an undefined status', 'not_revoked', RESERVED_INDEX),
  referring('N196', 'an index beyond the list', 'not_revoked', STATUS_LIST.size),
  referring('N197', 'a negative index', 'well_formed', -1),
  referring('N197', 'a fraction as index', 'well_formed', 0.5),
  referring('N197', 'text as index', 'well_formed', '0'),
  referring('N197', 'an index of 2^53', 'well_formed', 2n ** 53n),
  mutation('N197', 'a status of an unknown kind', 'well_formed', (world) =>
    mdocTrial(world, { fields: (fields) => ({ ...fields, status: mapOf({ other: 1 }) }) }),
  ),
  listed('N198', 'the subject is another list', (usual) => usual.set(2, 'https://issuer.example/another')),
  listed('N199', 'an expired list', (usual) => usual.set(4, NOW - 3600)),
  listed('N199', 'a list without an expiry', (usual) => {
    usual.delete(4)
    return usual
  }),
  listed('N199', 'a list from the future', (usual) => usual.set(6, NOW + 3600)),
  listed('N200', 'another type', (usual) => usual, { type: 'application/cwt' }),
  listed('N200', 'the type of an identifier list', (usual) => usual, { type: 'application/identifierlist+cwt' }),
  listed('N201', 'signed under an IACA that is not installed', (usual) => usual, { signer: stranger }),
  listed('N201', 'signed by another key under the certificate of the signer', (usual) => usual, {
    signer: (world) => ({ ...world.issuer.mdoc.signer, key: world.otherKey }),
  }),
  listed('N202', 'three bits', (usual) => usual.set(65533, mapOf({ bits: 3, lst: new Uint8Array() }))),
  listed('N205', 'an empty list', (usual) => usual.set(65533, mapOf({ bits: 1, lst: new Uint8Array() }))),
  listed('N204', 'a list as text', (usual) => usual.set(65533, mapOf({ bits: 1, lst: 'eJw' }))),
  listed('N204', 'no claims', () => new Map()),
]

/** The COSE message under another tag, or none. */
const wrapped = (id: string, title: string, wrap: (message: readonly CborValue[]) => CborValue): Mutation =>
  mutation(id, title, 'not_revoked', (world) => {
    const message = cwtSign1(MEDIA_TYPE, statusListCwtClaims(listFields(world, 'cwt')), world.issuer.mdoc.signer)
    return serving(world, statusListUri(world.issuer.base, 'cwt'), fetched(encodeCbor(wrap(message)), MEDIA_TYPE))
  })

const FORMS: readonly Mutation[] = [
  wrapped('N211', 'untagged', (message) => message),
  wrapped('N211', 'under tag 61', (message) => new Tagged(61, new Tagged(18, message))),
  wrapped('N211', 'under the tag of a MAC', (message) => new Tagged(17, message)),
  mutation('N210', 'a list served under the type of the JWT form', 'not_revoked', (world) => {
    const bytes = signCwt(MEDIA_TYPE, statusListCwtClaims(listFields(world, 'cwt')), world.issuer.mdoc.signer)
    return serving(world, statusListUri(world.issuer.base, 'cwt'), fetched(bytes, 'application/statuslist+jwt'))
  }),
  mutation('N212', 'an unavailable list where a status is required', 'not_revoked', (world) =>
    serving(world, statusListUri(world.issuer.base, 'cwt'), { outcome: 'unavailable', reason: 'timeout' }),
  ),
]

const ID = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
const OTHER_ID = Uint8Array.of(8, 7, 6, 5, 4, 3, 2, 1)

/** A credential with an identifier instead of an index. */
function identified(
  world: World,
  revoked: readonly Uint8Array[],
  options: { readonly signer?: Identity; readonly expiresAt?: number } = {},
): Trial {
  const uri = `${world.issuer.base}/identifiers.cwt`
  const bytes = mintIdentifierListCwt(
    { uri, issuedAt: NOW - 60, expiresAt: options.expiresAt ?? NOW + DAY, ttlSeconds: 300, revoked },
    options.signer ?? world.issuer.mdoc.signer,
  )
  return mdocTrial(world, {
    fields: (fields) => ({ ...fields, status: mapOf({ identifier_list: mapOf({ id: ID, uri }) }) }),
    trial: (trial) => ({
      ...trial,
      status: new Map([...trial.status, [uri, fetched(bytes, 'application/identifierlist+cwt')]]),
    }),
  })
}

/** The signer also signed the status list, which then establishes nothing. */
const ofSigner = (id: string, title: string, make: Mutation['make']): Mutation => ({
  ...mutation(id, title, 'signer_not_revoked', make),
  alsoFails: ['not_revoked'],
})

/** The CRL of the IACA, with changes. */
const crl = (id: string, title: string, change: (usual: CrlFields, world: World) => CrlFields): Mutation =>
  ofSigner(id, title, (world) => {
    const { authority } = world.issuer.mdoc
    const usual = {
      issuer: authority.name,
      signingKey: authority.key,
      thisUpdate: NOW - DAY,
      nextUpdate: NOW + DAY,
      revoked: [],
    }
    return serving(world, crlUri(world.issuer.base), fetched(mintCrl(change(usual, world)), 'application/pkix-crl'))
  })

const CRL_NUMBER = { oid: OID.crlNumber, critical: false, value: integer(1) }

const REVOCATION: readonly Mutation[] = [
  crl('N214', 'a CRL of another issuer', (usual) => ({
    ...usual,
    issuer: { country: 'DE', commonName: 'Another IACA' },
  })),
  crl('N214', 'a CRL signed by another key', (usual, world) => ({
    ...usual,
    signingKey: world.otherKey,
    extensions: [authorityKeyId(usual.signingKey), CRL_NUMBER],
  })),
  crl('N214', 'a CRL with the key identifier of another authority', (usual, world) => ({
    ...usual,
    extensions: [authorityKeyId(world.otherKey), CRL_NUMBER],
  })),
  crl('N214', 'a CRL without a number', (usual) => ({ ...usual, extensions: [authorityKeyId(usual.signingKey)] })),
  crl('N214', 'an expired CRL', (usual) => ({ ...usual, thisUpdate: NOW - 9 * DAY, nextUpdate: NOW - DAY })),
  crl('N214', 'a CRL from the future', (usual) => ({ ...usual, thisUpdate: NOW + DAY, nextUpdate: NOW + 2 * DAY })),
  crl('N214', 'a delta CRL', (usual) => ({
    ...usual,
    extensions: [authorityKeyId(usual.signingKey), { oid: OID.deltaCrlIndicator, critical: true, value: integer(1) }],
  })),
  crl('N214', 'a CRL for a part of the certificates only', (usual) => ({
    ...usual,
    extensions: [
      authorityKeyId(usual.signingKey),
      { oid: OID.issuingDistributionPoint, critical: true, value: sequence() },
    ],
  })),
  crl('N214', 'a CRL with an unknown critical extension', (usual) => ({
    ...usual,
    extensions: [authorityKeyId(usual.signingKey), { oid: OID.unknown, critical: true, value: sequence() }],
  })),
  ofSigner('N214', 'no CRL where a status is required', (world) =>
    serving(world, crlUri(world.issuer.base), { outcome: 'unavailable', reason: 'timeout' }),
  ),
  ofSigner('N214', 'a CRL that cannot be read', (world) =>
    serving(world, crlUri(world.issuer.base), fetched(Buffer.from('nonsense'), 'application/pkix-crl')),
  ),
  mutation('N214', 'no CRL for the signer of a credential without a status', 'signer_not_revoked', (world) =>
    mdocTrial(world, {
      fields: ({ status: _, ...fields }) => fields,
      trial: (trial) => ({
        ...trial,
        status: new Map([...trial.status, [crlUri(world.issuer.base), { outcome: 'unavailable', reason: 'timeout' }]]),
      }),
    }),
  ),
  mutation('N215', 'the identifier is listed', 'not_revoked', (world) => identified(world, [OTHER_ID, ID])),
  mutation('N215', 'an identifier list under an IACA that is not installed', 'not_revoked', (world) =>
    identified(world, [], { signer: stranger(world) }),
  ),
  mutation('N215', 'an expired identifier list', 'not_revoked', (world) =>
    identified(world, [], { expiresAt: NOW - 3600 }),
  ),
]

const ACCEPTED: readonly Mutation[] = [
  {
    ...mutation('N215', 'the identifier is not listed', 'accepted', (world) => identified(world, [OTHER_ID])),
    positive: true,
  },
  {
    ...crl('N214', 'a CRL that revokes another signer', (usual, world) => ({
      ...usual,
      revoked: [{ serial: serialOf({ subjectKey: world.otherKey }), at: NOW - DAY }],
    })),
    expectedCheck: 'accepted',
    positive: true,
  },
  {
    ...mutation('N214', 'no CRL where a status is preferred', 'accepted', (world) => ({
      ...serving(world, crlUri(world.issuer.base), { outcome: 'unavailable', reason: 'timeout' }),
      statusPolicy: 'prefer',
    })),
    positive: true,
    warnings: ['signer_not_revoked', 'not_revoked'],
  },
]

export const STATUS_MDOC_MUTATIONS: readonly Mutation[] = [...LISTS, ...FORMS, ...REVOCATION, ...ACCEPTED]

function stranger(world: World): Identity {
  const period = { notBefore: NOW - DAY, notAfter: NOW + DAY }
  return mintDocumentSigner(mintIaca(world.issuer.mdoc.authority.name, period), world.issuer.mdoc.signer.name, period)
}
