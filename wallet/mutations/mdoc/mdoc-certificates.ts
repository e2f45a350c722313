// Lists document signer certificates that break the profile of ISO/IEC 18013-5 Annex B (N164-N174).

import { documentSignerExtensions, mintDocumentSigner, mintIaca } from '../../src/authorities.ts'
import { octetString } from '../../src/encoding/der.ts'
import { crlUri, TYPE } from '../../src/issuer.ts'
import { generateKey } from '../../src/keys.ts'
import type { Extension, Identity, Name } from '../../src/pki.ts'
import {
  authorityKeyId,
  basicConstraints,
  certificateBytes,
  changeExtension,
  extKeyUsage,
  keyUsage,
  mintCrl,
  OID,
  serialOf,
  subjectKeyId,
} from '../../src/pki.ts'
import type { Mutation } from '../mutation.ts'
import type { Trial, World } from '../world.ts'
import { DAY, fetched, NOW } from '../world.ts'
import type { MdocHooks } from './mdoc-trial.ts'
import { mdocTrial } from './mdoc-trial.ts'

const PERIOD = { notBefore: NOW - 10 * DAY, notAfter: NOW + 10 * DAY }
const SIGNER: Name = { country: 'DE', commonName: 'Another document signer' }
const crl = (world: World): string => crlUri(world.issuer.base)

const untrusted = (id: string, title: string, signer: (world: World) => Identity, hooks: MdocHooks = {}): Mutation => ({
  id,
  title,
  format: 'mso_mdoc',
  expectedCheck: 'issuer_trusted',
  make: (world) => mdocTrial(world, { ...hooks, signer: signer(world) }),
})

/** A signer under the trusted IACA whose extensions were changed. */
const extended = (id: string, title: string, change: (usual: readonly Extension[]) => readonly Extension[]): Mutation =>
  untrusted(id, title, (world) => {
    const key = generateKey()
    const { authority } = world.issuer.mdoc
    const extensions = change(documentSignerExtensions(authority, key, crl(world)))
    return mintDocumentSigner(authority, SIGNER, { ...PERIOD, subjectKey: key, extensions })
  })

/** A signer under another IACA, which is trusted instead of the usual one. */
const underIaca = (id: string, title: string, iaca: () => Identity, signerName: Name = SIGNER): Mutation => ({
  id,
  title,
  format: 'mso_mdoc',
  expectedCheck: 'issuer_trusted',
  make: (world) => {
    const authority = iaca()
    const signer = mintDocumentSigner(authority, signerName, { ...PERIOD, crl: crl(world) })
    return mdocTrial(world, { signer, trial: (trial) => trusting(trial, authority) })
  },
})

function trusting(trial: Trial, authority: Identity): Trial {
  return {
    ...trial,
    anchors: [
      { kind: 'ca', certificate: certificateBytes(authority), types: [`mso_mdoc:${TYPE.mdl}`], profile: 'iso-mdl' },
    ],
  }
}

const IACA: Name = { country: 'DE', commonName: 'Another IACA' }

const PATHS: readonly Mutation[] = [
  untrusted('N164', 'under an IACA that is not installed', (world) =>
    mintDocumentSigner(mintIaca(IACA, PERIOD), SIGNER, { ...PERIOD, crl: crl(world) }),
  ),
  untrusted('N164', 'under an impostor with the name of the IACA', (world) =>
    mintDocumentSigner(mintIaca(world.issuer.mdoc.authority.name, PERIOD), SIGNER, { ...PERIOD, crl: crl(world) }),
  ),
  untrusted('N164', 'under an impostor with the name and key identifier of the IACA', (world) => {
    const impostor = mintIaca(world.issuer.mdoc.authority.name, PERIOD)
    const key = generateKey()
    const extensions = documentSignerExtensions(world.issuer.mdoc.authority, key, crl(world))
    return mintDocumentSigner(impostor, SIGNER, { ...PERIOD, subjectKey: key, extensions })
  }),
  untrusted('N167', 'the IACA itself signs the document', (world) => world.issuer.mdoc.authority),
  underIaca('N168', 'an IACA without a path length', () =>
    iacaWith((usual) => changeExtension(usual, OID.basicConstraints, basicConstraints(true))),
  ),
  underIaca('N168', 'an IACA that is not an authority', () =>
    iacaWith((usual) => changeExtension(usual, OID.basicConstraints, basicConstraints(false))),
  ),
  underIaca('N168', 'an IACA that may not sign certificates', () =>
    iacaWith((usual) => changeExtension(usual, OID.keyUsage, keyUsage('crlSign'))),
  ),
  underIaca('N169', 'another country than the IACA', () => mintIaca(IACA, PERIOD), { ...SIGNER, country: 'FR' }),
  underIaca('N169', 'no country', () => mintIaca(IACA, PERIOD), { commonName: 'Nowhere' }),
  underIaca('N170', 'another state than the IACA', () => mintIaca({ ...IACA, state: 'Bavaria' }, PERIOD), {
    ...SIGNER,
    state: 'Saxony',
  }),
  underIaca('N170', 'no state although the IACA has one', () => mintIaca({ ...IACA, state: 'Bavaria' }, PERIOD)),
  underIaca('N172', 'an expired IACA', () => mintIaca(IACA, { notBefore: NOW - 9 * DAY, notAfter: NOW - DAY })),
  untrusted('N172', 'an expired document signer', (world) =>
    mintDocumentSigner(world.issuer.mdoc.authority, SIGNER, {
      notBefore: NOW - 9 * DAY,
      notAfter: NOW - DAY / 2,
      crl: crl(world),
    }),
  ),
  {
    ...untrusted('N172', 'a document signer that is not valid yet', (world) =>
      mintDocumentSigner(world.issuer.mdoc.authority, SIGNER, {
        notBefore: NOW + DAY,
        notAfter: NOW + 9 * DAY,
        crl: crl(world),
      }),
    ),
    // Such a signer cannot have signed at a valid time: any time is before its validity, or in the future.
    alsoFails: ['within_validity'],
  },
  {
    ...untrusted('N174', 'an IACA that is trusted for another docType only', (world) => world.issuer.mdoc.signer, {
      trial: (trial) => ({
        ...trial,
        anchors: trial.anchors.map((anchor) => ({ ...anchor, types: [`mso_mdoc:${TYPE.pidMdoc}` as const] })),
      }),
    }),
  },
  untrusted('N164', 'no anchors at all', (world) => world.issuer.mdoc.signer, {
    trial: (trial) => ({ ...trial, anchors: [] }),
  }),
]

/** An IACA with changed extensions. */
function iacaWith(change: (usual: readonly Extension[]) => readonly Extension[]): Identity {
  const key = generateKey()
  const usual = [basicConstraints(true, 0), keyUsage('keyCertSign', 'crlSign'), subjectKeyId(key)]
  return mintIaca(IACA, PERIOD, { subjectKey: key, extensions: change(usual) })
}

const PROFILE: readonly Mutation[] = [
  extended('N165', 'no extended key usage', (usual) => changeExtension(usual, OID.extKeyUsage)),
  extended('N165', 'serverAuth instead of mdlDS', (usual) =>
    changeExtension(usual, OID.extKeyUsage, extKeyUsage([OID.serverAuth])),
  ),
  extended('N165', 'mdlDS that is not critical', (usual) =>
    changeExtension(usual, OID.extKeyUsage, extKeyUsage([OID.mdlDocumentSigner], false)),
  ),
  extended('N166', 'a reader certificate', (usual) =>
    changeExtension(usual, OID.extKeyUsage, extKeyUsage([OID.mdlReaderAuth])),
  ),
  extended('N165', 'a key usage beyond digitalSignature', (usual) =>
    changeExtension(usual, OID.keyUsage, keyUsage('digitalSignature', 'keyEncipherment')),
  ),
  extended('N165', 'no key usage', (usual) => changeExtension(usual, OID.keyUsage)),
  extended('N164', 'no authority key identifier', (usual) => changeExtension(usual, OID.authorityKeyId)),
  extended('N164', 'the authority key identifier of another key', (usual) =>
    changeExtension(usual, OID.authorityKeyId, authorityKeyId(generateKey())),
  ),
  extended('N165', 'no issuer alternative name', (usual) => changeExtension(usual, OID.issuerAltName)),
  extended('N165', 'no CRL distribution point', (usual) => changeExtension(usual, OID.crlDistributionPoints)),
  extended('N167', 'a document signer that calls itself an authority', (usual) => [
    ...usual,
    basicConstraints(true, 0),
  ]),
  extended('N165', 'an unknown critical extension', (usual) => [
    ...usual,
    { oid: OID.unknown, critical: true, value: octetString(new Uint8Array()) },
  ]),
  {
    id: 'N171',
    title: 'another issuing country than that of the signer',
    format: 'mso_mdoc',
    expectedCheck: 'issuer_trusted',
    make: (world) =>
      mdocTrial(world, {
        elements: (elements) => ({ ...elements, issuing_country: 'FR' }),
        presentedItems: (items, all) => [...items, ...all.filter((item) => item.element === 'issuing_country')],
      }),
  },
  {
    id: 'N173',
    title: 'a document signer on the revocation list',
    format: 'mso_mdoc',
    expectedCheck: 'signer_not_revoked',
    alsoFails: ['not_revoked'],
    make: revokedSigner,
  },
]

const ACCEPTED: readonly Mutation[] = [
  {
    id: 'N171',
    title: 'the issuing country of the signer',
    format: 'mso_mdoc',
    expectedCheck: 'accepted',
    positive: true,
    make: (world) =>
      mdocTrial(world, {
        presentedItems: (items, all) => [...items, ...all.filter((item) => item.element === 'issuing_country')],
      }),
  },
  {
    ...underIaca('N170', 'the same state as the IACA', () => mintIaca({ ...IACA, state: 'Bavaria' }, PERIOD), {
      ...SIGNER,
      state: 'Bavaria',
    }),
    expectedCheck: 'accepted',
    positive: true,
    make: withState,
  },
]

export const MDOC_CERTIFICATE_MUTATIONS: readonly Mutation[] = [...PATHS, ...PROFILE, ...ACCEPTED]

function revokedSigner(world: World): Trial {
  const { authority, signer } = world.issuer.mdoc
  const revoked = [{ serial: serialOf({ subjectKey: signer.key }), at: NOW - DAY }]
  const list = mintCrl({
    issuer: authority.name,
    signingKey: authority.key,
    thisUpdate: NOW - DAY,
    nextUpdate: NOW + DAY,
    revoked,
  })
  return mdocTrial(world, {
    trial: (trial) => ({
      ...trial,
      status: new Map([...trial.status, [crl(world), fetched(list, 'application/pkix-crl')]]),
    }),
  })
}

/** Another IACA needs its own CRL. The usual signer signs the status list, so the credential does not refer to this list. */
function withState(world: World): Trial {
  const authority = mintIaca({ ...IACA, state: 'Bavaria' }, PERIOD)
  const signer = mintDocumentSigner(authority, { ...SIGNER, state: 'Bavaria' }, { ...PERIOD, crl: crl(world) })
  const list = mintCrl({
    issuer: authority.name,
    signingKey: authority.key,
    thisUpdate: NOW - DAY,
    nextUpdate: NOW + DAY,
    revoked: [],
  })
  return mdocTrial(world, {
    signer,
    fields: ({ status: _, ...fields }) => fields,
    trial: (trial) => ({
      ...trusting(trial, authority),
      status: new Map([[crl(world), fetched(list, 'application/pkix-crl')]]),
    }),
  })
}
