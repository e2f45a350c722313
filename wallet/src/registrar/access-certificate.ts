// Issues access certificates (WRPAC) as a notified authority does (TS 119 411-8).

import { ia5String, implicit, octetString, oid, sequence } from '../encoding/der.ts'
import type { PublicJwk } from '../keys.ts'
import { sha256, signBytes } from '../keys.ts'
import type { Extension } from '../pki.ts'
import {
  authorityKeyId,
  basicConstraints,
  crlDistributionPoint,
  extKeyUsage,
  keyIdentifier,
  keyUsage,
  mintCertificate,
  mintCrl,
  OID,
  subjectAltName,
  subjectKeyId,
  toPem,
} from '../pki.ts'
import { identifierOf, RegistrarRefused } from './party.ts'
import { readSigningRequest } from './signing-request.ts'
import type { RegistrarState } from './state.ts'
import { partyOf, serviceOf, serviceUri } from './state.ts'

/** TS 119 411-8: normalised policy for legal and for natural persons. */
const ACCESS_POLICY = { natural: '0.4.0.194118.1.1', legal: '0.4.0.194118.1.2' } as const

export interface AccessRequest {
  /** PEM of a PKCS #10 request. */
  readonly signingRequest: string
  /** The registered party and its service. */
  readonly identifier: string
  readonly serviceIdentifier: string
  /** The intermediary that asks on behalf of the party; null if the party asks itself. */
  readonly intermediary: string | null
  readonly purpose: 'openid4vp' | 'iso-reader'
  readonly now: number
  readonly days: number
}

const DAY = 86_400
const DAYS_MAX = 825

/** The chain in PEM: only the leaf, because the anchor is in a list. */
export function issueAccessCertificate(state: RegistrarState, request: AccessRequest): string {
  if (!(Number.isInteger(request.days) && request.days >= 1 && request.days <= DAYS_MAX))
    throw new RegistrarRefused(`an access certificate is valid for 1 to ${DAYS_MAX} days`)
  const subjectKey = readSigningRequest(request.signingRequest)
  const party = partyOf(state, request.identifier)
  const service = serviceOf(party, request.serviceIdentifier)
  const asking = request.intermediary === null ? party : partyOf(state, request.intermediary)
  if (asking !== party && !service.usesIntermediary.includes(identifierOf(asking)))
    throw new RegistrarRefused(`${service.serviceTradeName} has not registered ${asking.tradeName} as its intermediary`)
  const certificate = mintCertificate({
    subject: {
      country: asking.country,
      organization: asking.tradeName,
      organizationIdentifier: identifierOf(asking),
      commonName: service.serviceTradeName,
    },
    subjectKey,
    issuer: state.access.name,
    signingKey: state.access.key,
    notBefore: request.now - 3600,
    notAfter: request.now + request.days * DAY,
    extensions: [
      basicConstraints(false),
      ...(request.purpose === 'iso-reader'
        ? [keyUsage('digitalSignature'), extKeyUsage([OID.mdlReaderAuth])]
        : [keyUsage('digitalSignature', 'nonRepudiation')]),
      subjectKeyId(subjectKey),
      authorityKeyId(state.access.key),
      policies(asking.legalName === undefined ? ACCESS_POLICY.natural : ACCESS_POLICY.legal, `${state.base}/policy`),
      subjectAltName({ uri: serviceNames(state, request) }),
      crlDistributionPoint(`${state.base}/access.crl`),
      issuersAddress(`${state.base}/access.crt`),
      timestamps(state, subjectKey, request.now),
    ],
  })
  return toPem(certificate)
}

/** The service that the certificate is for. For an intermediary: its own service, then the service on whose behalf it asks. */
function serviceNames(state: RegistrarState, request: AccessRequest): readonly string[] {
  const identifier = identifierOf(partyOf(state, request.identifier))
  const served = serviceUri(state, identifier, request.serviceIdentifier)
  if (request.intermediary === null) return [served]
  const between = partyOf(state, request.intermediary)
  const own = between.services.find(({ isIntermediary }) => isIntermediary)
  if (own === undefined) throw new RegistrarRefused(`${between.tradeName} is not registered as an intermediary`)
  return [serviceUri(state, identifierOf(between), own.serviceIdentifier), served]
}

/** The CRL of access certificates. It revokes none. */
export function accessCrl(state: RegistrarState, now: number): Uint8Array {
  return mintCrl({
    issuer: state.access.name,
    signingKey: state.access.key,
    thisUpdate: now - DAY,
    nextUpdate: now + 30 * DAY,
    revoked: [],
  })
}

function policies(policy: string, statement: string): Extension {
  const qualifier = sequence(oid('1.3.6.1.5.5.7.2.1'), ia5String(statement))
  return { oid: '2.5.29.32', critical: false, value: sequence(sequence(oid(policy), sequence(qualifier))) }
}

function issuersAddress(uri: string): Extension {
  const access = sequence(oid('1.3.6.1.5.5.7.48.2'), implicit(6, Buffer.from(uri, 'latin1')))
  return { oid: '1.3.6.1.5.5.7.1.1', critical: false, value: sequence(access) }
}

/** RFC 6962 3.3: a list of one timestamp, as a log would issue it. The registrar made it up. */
function timestamps(state: RegistrarState, key: PublicJwk, now: number): Extension {
  const at = Buffer.alloc(8)
  at.writeBigUInt64BE(BigInt(now) * 1000n)
  const signature = signBytes(state.access.key, Buffer.concat([at, keyIdentifier(key)]), 'der')
  const timestamp = Buffer.concat([
    Uint8Array.of(0),
    sha256(keyIdentifier(state.access.key)),
    at,
    Uint8Array.of(0, 0, 4, 3),
    counted(signature),
  ])
  const value = octetString(counted(counted(timestamp)))
  return { oid: '1.3.6.1.4.1.11129.2.4.2', critical: false, value }
}

function counted(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes])
}
