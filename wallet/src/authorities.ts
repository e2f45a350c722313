// Defines the sandbox's certificate profiles: an authority with SD-JWT signers, and an IACA (ISO/IEC 18013-5 Annex B).

import type { PrivateJwk } from './keys.ts'
import { generateKey } from './keys.ts'
import type { CertificateFields, Extension, Identity, Name } from './pki.ts'
import {
  authorityKeyId,
  basicConstraints,
  crlDistributionPoint,
  extKeyUsage,
  issuerAltName,
  keyUsage,
  mintCertificate,
  OID,
  subjectAltName,
  subjectKeyId,
} from './pki.ts'

export interface Period {
  /** Unix seconds. */
  readonly notBefore: number
  readonly notAfter: number
}

/** Changes to a profile: these members replace those of the profile. */
export type Changes = Partial<Omit<CertificateFields, 'subjectKey'>> & { readonly subjectKey?: PrivateJwk }

function mintIdentity(fields: CertificateFields, key: PrivateJwk): Identity {
  return { name: fields.subject, key, certificate: Buffer.from(mintCertificate(fields)).toString('base64') }
}

/** A self-signed authority for SD-JWT signers, and for certificates without a profile of their own. */
export function mintAuthority(name: Name, period: Period, changes: Changes = {}): Identity {
  const key = changes.subjectKey ?? generateKey()
  const extensions: readonly Extension[] = [
    basicConstraints(true, 1),
    keyUsage('keyCertSign', 'crlSign'),
    subjectKeyId(key),
  ]
  const fields = { subject: name, subjectKey: key, issuer: name, signingKey: key, ...period, extensions }
  return mintIdentity({ ...fields, ...changes }, key)
}

export function mintIntermediate(authority: Identity, name: Name, period: Period & Changes): Identity {
  const key = period.subjectKey ?? generateKey()
  const extensions = [
    basicConstraints(true, 0),
    keyUsage('keyCertSign', 'crlSign'),
    subjectKeyId(key),
    authorityKeyId(authority.key),
  ]
  return mintIdentity({ ...below(authority, name, key), extensions, ...period }, key)
}

/** A leaf that signs: SD-JWT credentials, status lists, request objects. */
export function mintSigner(
  authority: Identity,
  name: Name,
  period: Period & Changes & { readonly dns?: string; readonly uri?: string; readonly crl?: string },
): Identity {
  const { dns, uri, crl, ...changes } = period
  const key = changes.subjectKey ?? generateKey()
  const names = { ...(dns === undefined ? {} : { dns: [dns] }), ...(uri === undefined ? {} : { uri: [uri] }) }
  const extensions = [
    basicConstraints(false),
    keyUsage('digitalSignature'),
    subjectKeyId(key),
    authorityKeyId(authority.key),
    ...(dns === undefined && uri === undefined ? [] : [subjectAltName(names)]),
    ...(crl === undefined ? [] : [crlDistributionPoint(crl)]),
  ]
  return mintIdentity({ ...below(authority, name, key), extensions, ...changes }, key)
}

/** ISO/IEC 18013-5 B.1.7: a leaf that authenticates a reader. */
export function mintReader(authority: Identity, name: Name, period: Period & Changes): Identity {
  const key = period.subjectKey ?? generateKey()
  const extensions = [
    subjectKeyId(key),
    authorityKeyId(authority.key),
    keyUsage('digitalSignature'),
    extKeyUsage([OID.mdlReaderAuth]),
  ]
  return mintIdentity({ ...below(authority, name, key), extensions, ...period }, key)
}

/** ISO/IEC 18013-5 B.1.2: root of the document signers, path length 0, signs only certificates and CRLs. */
export function mintIaca(name: Name, period: Period, changes: Changes & { readonly contact?: string } = {}): Identity {
  const { contact = 'https://issuer.example/contact', ...rest } = changes
  const key = rest.subjectKey ?? generateKey()
  const extensions = [
    basicConstraints(true, 0),
    keyUsage('keyCertSign', 'crlSign'),
    subjectKeyId(key),
    issuerAltName(contact),
    crlDistributionPoint('https://issuer.example/iaca.crl'),
  ]
  const fields = { subject: name, subjectKey: key, issuer: name, signingKey: key, ...period, extensions }
  return mintIdentity({ ...fields, ...rest }, key)
}

/** ISO/IEC 18013-5 B.1.4: critical mdlDS usage, contact, CRL address, not an authority. */
export function mintDocumentSigner(
  iaca: Identity,
  name: Name,
  period: Period & Changes & { readonly crl?: string },
): Identity {
  const { crl = 'https://issuer.example/iaca.crl', ...changes } = period
  const key = changes.subjectKey ?? generateKey()
  return mintIdentity(
    { ...below(iaca, name, key), extensions: documentSignerExtensions(iaca, key, crl), ...changes },
    key,
  )
}

export function documentSignerExtensions(iaca: Identity, key: PrivateJwk, crl: string): readonly Extension[] {
  return [
    subjectKeyId(key),
    authorityKeyId(iaca.key),
    keyUsage('digitalSignature'),
    extKeyUsage([OID.mdlDocumentSigner]),
    issuerAltName('https://issuer.example/contact'),
    crlDistributionPoint(crl),
  ]
}

function below(
  authority: Identity,
  subject: Name,
  subjectKey: PrivateJwk,
): Omit<CertificateFields, 'notBefore' | 'notAfter' | 'extensions'> {
  return { subject, subjectKey, issuer: authority.name, signingKey: authority.key }
}
