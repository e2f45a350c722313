// Checks that a certificate may sign credentials of a type: rules for every signer, and ISO 18013-5 Annex B.1.4 for
// document signers under an IACA.

import type { Certificate } from './certificate.ts'
import { type KeyUse, OID } from './extensions.ts'
import type { Path, SignerRule } from './path.ts'

export const MDL_DOCTYPE = 'org.iso.18013.5.1.mDL'

const PURPOSE = {
  any: '2.5.29.37.0',
  documentSigning: '1.3.6.1.5.5.7.3.36', // RFC 9336
  documentSigningMicrosoft: '1.3.6.1.4.1.311.10.3.12',
  mdlSigner: '1.0.18013.5.1.2',
  mdocSigner: '1.0.23220.4.1.2',
  ageProofSigner: '1.3.130.2.0.0.1.2', // EU age verification profile, Annex A
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  mdlReader: '1.0.18013.5.1.6',
  vicalSigner: '1.0.18013.5.1.8', // ISO 18013-5 Annex C
} as const

/** Purposes that allow signing credentials. Certificates of the same authority for other purposes must not sign credentials. */
const CREDENTIAL_PURPOSES: ReadonlySet<string> = new Set([
  PURPOSE.any,
  PURPOSE.documentSigning,
  PURPOSE.documentSigningMicrosoft,
  PURPOSE.mdlSigner,
  PURPOSE.mdocSigner,
  PURPOSE.ageProofSigner,
])

/** Signers of status lists and registrations have no key purpose of their own yet, so the purposes that rule them out are listed. */
const FOREIGN_TO_OTHERS: ReadonlySet<string> = new Set([
  PURPOSE.serverAuth,
  PURPOSE.clientAuth,
  PURPOSE.codeSigning,
  PURPOSE.emailProtection,
  PURPOSE.timeStamping,
  PURPOSE.ocspSigning,
  PURPOSE.mdlReader,
])

export type SignerUse = 'credential' | 'status' | 'vical' | 'registration'

/** Returns the rule for signers of this type below an anchor with this profile. */
export function signerRule(profile: 'iso-mdl' | 'generic', type: string, use: SignerUse): SignerRule {
  if (use === 'status') return STATUS_SIGNER
  if (use === 'vical') return VICAL_SIGNER
  if (use === 'registration') return REGISTRATION_SIGNER
  if (profile === 'generic') return CREDENTIAL_SIGNER
  return type === MDL_DOCTYPE ? LICENCE_SIGNER : DOCUMENT_SIGNER
}

const STATUS_SIGNER: SignerRule = { name: 'status', check: (path) => checkSigner(path, 'status') }
/** A signer of credentials must not be able to decide which authorities are trusted. */
const VICAL_SIGNER: SignerRule = {
  name: 'vical',
  check: (path) => {
    const purposes = path.signer.extendedKeyUsage?.purposes ?? []
    const own = purposes.includes(PURPOSE.vicalSigner) && !purposes.some((purpose) => CREDENTIAL_PURPOSES.has(purpose))
    return checkSigner(path, 'vical') ?? (own ? null : 'the signer certificate is not one of a list of authorities')
  },
}
const REGISTRATION_SIGNER: SignerRule = { name: 'registration', check: (path) => checkSigner(path, 'registration') }
const CREDENTIAL_SIGNER: SignerRule = { name: 'credential', check: (path) => checkSigner(path, 'credential') }
/** ISO 18013-5 Annex B.1.4: driving licences have signers of their own. */
const LICENCE_SIGNER: SignerRule = {
  name: 'licence',
  check: (path) => checkSigner(path, 'credential') ?? checkDocumentSigner(path, [PURPOSE.mdlSigner]),
}
const DOCUMENT_SIGNER: SignerRule = {
  name: 'document',
  check: (path) =>
    checkSigner(path, 'credential') ?? checkDocumentSigner(path, [PURPOSE.mdlSigner, PURPOSE.mdocSigner]),
}

/** A pinned certificate was itself chosen, so only its key usage is checked. */
export function checkPinned(signer: Certificate): string | null {
  return maySign(signer) ? null : 'the signer certificate may not sign data'
}

function checkSigner({ signer, intermediates }: Path, use: SignerUse): string | null {
  if (signer.basicConstraints?.ca === true) return 'the signer is a certification authority'
  // An authority that is limited to other purposes cannot grant this one, even if a certificate below it has no such extension.
  const served = [signer, ...intermediates].every((certificate) => isFor(certificate, use))
  return checkPinned(signer) ?? (served ? null : 'the signer certificate is for another purpose')
}

/**
 * RFC 5280 §4.2.1.3: a key without this extension is not restricted. For credentials nonRepudiation suffices; ISO
 * 18013-5 requires digitalSignature only, see `checkUses`.
 */
function maySign({ keyUsage }: Certificate): boolean {
  return keyUsage === null || keyUsage.uses.has('digitalSignature') || keyUsage.uses.has('nonRepudiation')
}

/** RFC 5280 §4.2.1.12: if the extension is present, the key may serve only the named purposes. */
function isFor(certificate: Certificate, use: SignerUse): boolean {
  if (certificate.extendedKeyUsage === null) return true
  const { purposes } = certificate.extendedKeyUsage
  if (use === 'vical') return purposes.includes(PURPOSE.vicalSigner) || purposes.includes(PURPOSE.any)
  if (purposes.some((purpose) => CREDENTIAL_PURPOSES.has(purpose))) return true
  // One excluded purpose refuses the certificate, whatever other purposes it has.
  return use !== 'credential' && !purposes.some((purpose) => FOREIGN_TO_OTHERS.has(purpose))
}

function checkDocumentSigner(path: Path, purposes: readonly string[]): string | null {
  const { signer, anchor } = path
  if (path.intermediates.length > 0) return 'the document signer was not issued directly by its IACA'
  return (
    checkAuthorityProfile(anchor) ??
    checkAlgorithms(path) ??
    checkUses(signer, purposes) ??
    checkIdentifiers(path) ??
    checkAddresses(signer) ??
    checkCountries(path) ??
    checkForbidden([signer, anchor])
  )
}

/** ISO 18013-5 Annex B.1.2, except rules that depend on the signer. */
export function checkIaca(anchor: Certificate): string | null {
  if (anchor.subjectKeyId === null) return 'the IACA lacks a key identifier'
  if (!namesOneCountry(anchor)) return 'the IACA does not name one country'
  return checkAuthorityProfile(anchor) ?? checkForbidden([anchor])
}

function namesOneCountry({ subjectNames }: Certificate): boolean {
  const [country, ...more] = subjectNames?.country ?? []
  return country !== undefined && more.length === 0 && /^[A-Z]{2}$/.test(country)
}

function checkAuthorityProfile(anchor: Certificate): string | null {
  if (anchor.basicConstraints?.critical !== true) return 'the IACA does not mark its constraints critical'
  if (anchor.basicConstraints?.pathLength !== 0) return 'the IACA does not limit its paths to document signers'
  if (!hasExactly(anchor, ['keyCertSign', 'cRLSign'])) return 'the key usage of the IACA is not that of an IACA'
  return null
}

function checkAlgorithms(path: Path): string | null {
  return path.signer.signed.algorithm.keyType === 'ec' ? null : 'the document signer is not certified with ECDSA'
}

function checkUses(signer: Certificate, accepted: readonly string[]): string | null {
  if (!hasExactly(signer, ['digitalSignature'])) {
    return 'the key usage of the document signer is not digitalSignature alone'
  }
  const extended = signer.extendedKeyUsage
  if (extended?.critical !== true || !extended.purposes.some((purpose) => accepted.includes(purpose))) {
    return 'the document signer lacks the extended key usage of document signers'
  }
  return null
}

function hasExactly(certificate: Certificate, uses: readonly KeyUse[]): boolean {
  const { keyUsage } = certificate
  return (
    keyUsage?.critical === true && keyUsage.uses.size === uses.length && uses.every((use) => keyUsage.uses.has(use))
  )
}

/** Requires key identifiers. Whether they agree is checked for every path. */
function checkIdentifiers(path: Path): string | null {
  if (path.signer.authorityKeyId === null || path.signer.subjectKeyId === null || path.anchor.subjectKeyId === null) {
    return 'the document signer or its IACA lacks a key identifier'
  }
  return null
}

function checkAddresses(signer: Certificate): string | null {
  const contact = signer.issuerAltNames
  if (contact === null || contact.emails.length + contact.uris.length === 0)
    return 'the document signer names no contact'
  return (signer.crlAddresses ?? []).length === 0 ? 'the document signer names no revocation list' : null
}

function checkCountries(path: Path): string | null {
  const signer = path.signer.subjectNames
  const authority = path.anchor.subjectNames
  if (signer === null || authority === null) return 'the document signer or its IACA has a malformed name'
  if (!namesOneCountry(path.signer) || !namesOneCountry(path.anchor)) {
    return 'the document signer and its IACA must each name one country'
  }
  if (authority.country[0] !== signer.country[0]) return 'the document signer and its IACA name different countries'
  if (authority.state.length > 0 && authority.state.join('\n') !== signer.state.join('\n')) {
    return 'the document signer and its IACA name different states or provinces'
  }
  return null
}

function checkForbidden(certificates: readonly Certificate[]): string | null {
  const forbidden = [
    OID.policyMappings,
    OID.nameConstraints,
    OID.policyConstraints,
    OID.inhibitAnyPolicy,
    OID.freshestCrl,
  ]
  const has = certificates.some((certificate) => forbidden.some((oid) => certificate.extensions.has(oid)))
  return has ? 'the document signer or its IACA has an extension that ISO 18013-5 forbids' : null
}
