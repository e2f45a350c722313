// Mints certificates of an invented issuer: a generic authority with its signers, and an IACA with document signers.

import { type CertificatePlan, extension, keyUsage, type Minted, mintCertificate, oids } from './mint-certificate.ts'

export const NOW = Date.parse('2026-03-01T12:00:00Z') / 1000

const ROOT_KEY_ID = Buffer.alloc(20, 0x11)
const SIGNER_KEY_ID = Buffer.alloc(20, 0x22)

export function mintAuthority(plan: CertificatePlan = {}, by?: Minted): Minted {
  return mintCertificate({ extensions: [extension.authority(), extension.keyUsage(keyUsage.authority)], ...plan }, by)
}

export function mintSigner(by: Minted, plan: CertificatePlan = {}): Minted {
  const extensions = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
  return mintCertificate({ subject: { CN: 'Invented Issuer', C: 'UT' }, extensions, ...plan }, by)
}

/** Extensions by name, so that a test can leave out or replace exactly one. */
export type ExtensionPlan = Readonly<Record<string, Uint8Array | null>>

export function mintIaca(changes: ExtensionPlan = {}, plan: CertificatePlan = {}): Minted {
  const extensions = chosen({
    authority: extension.authority(0),
    keyUsage: extension.keyUsage(keyUsage.authority),
    subjectKeyId: extension.subjectKeyId(ROOT_KEY_ID),
    ...changes,
  })
  return mintCertificate({ subject: { CN: 'Invented IACA', C: 'UT', ST: 'UT-A' }, extensions, ...plan })
}

export function mintDocumentSigner(iaca: Minted, changes: ExtensionPlan = {}, plan: CertificatePlan = {}): Minted {
  const extensions = chosen({
    keyUsage: extension.keyUsage(keyUsage.digitalSignature),
    purposes: extension.purposes([oids.mdlSigner]),
    subjectKeyId: extension.subjectKeyId(SIGNER_KEY_ID),
    authorityKeyId: extension.authorityKeyId(ROOT_KEY_ID),
    issuerAltName: extension.issuerAltName('https://iaca.example'),
    crl: extension.crlAt('https://iaca.example/crl'),
    ...changes,
  })
  return mintCertificate(
    { subject: { CN: 'Invented Document Signer', C: 'UT', ST: 'UT-A' }, extensions, ...plan },
    iaca,
  )
}

function chosen(plan: ExtensionPlan): readonly Uint8Array[] {
  return Object.values(plan).filter((entry) => entry !== null)
}
