// Finds the status of a certificate in a full CRL (RFC 5280 §5) of the authority that issued it. Deltas, partial and stale lists
// leave the status unknown.

import { type Certificate, fingerprintOf, MalformedCertificate, parseCertificate } from '../trust/certificate.ts'
import { signatureAlgorithmOf, verifySignedBy } from '../trust/certified-key.ts'
import { MalformedDer } from '../trust/der.ts'
import { OID, readAuthorityKeyId } from '../trust/extensions.ts'
import { nameKey } from '../trust/name-key.ts'
import type { Crl } from './crl-content.ts'
import type { CrlContent } from './list-types.ts'
import type { ListMemory } from './memory.ts'
import type { RevocationStatus } from './revocation-status.ts'
import { findRange, isSameRange } from './sorted-ranges.ts'

interface CrlQuestion {
  readonly serial: Uint8Array
  /** DER of the certificate that issued the checked one. */
  readonly authority: Uint8Array
}

/** Unix seconds, and the allowed clock skew. */
interface Times {
  readonly now: number
  readonly skewSeconds: number
}

/** How many authorities one CRL is judged for: its own, which is renewed now and then. */
const AUTHORITIES_MAX = 16

/** `content` is null if the CRL is unreadable. */
export async function readCrlStatus(
  content: CrlContent | null,
  { serial, authority }: CrlQuestion,
  expected: Times,
  memory: ListMemory,
): Promise<RevocationStatus> {
  if (content === null) return { outcome: 'unknown', detail: UNREADABLE }
  const { crl } = content
  const fault = (await rememberedFault(content, authority, memory)) ?? timeFault(crl, expected)
  return fault === null ? lookUp(crl, serial) : { outcome: 'unknown', detail: fault }
}

const UNREADABLE = "a revocation list of the signer's chain cannot be read"

async function rememberedFault(
  content: CrlContent,
  authority: Uint8Array,
  { crlFaults }: ListMemory,
): Promise<string | null> {
  const faults = crlFaults.get(content) ?? new Map<string, string | null>()
  crlFaults.set(content, faults)
  const fingerprint = fingerprintOf(authority)
  const known = faults.get(fingerprint)
  if (known !== undefined) return known
  const fault = await checkCrl(content.crl, authority)
  if (faults.size < AUTHORITIES_MAX) faults.set(fingerprint, fault)
  return fault
}

/** Everything but the time, so the result can be cached for these bytes and this authority. */
async function checkCrl(crl: Crl, der: Uint8Array): Promise<string | null> {
  try {
    const authority = parseCertificate(der)
    if (nameKey(crl.issuer) !== authority.subjectKey) return 'the revocation list is of another authority'
    if (authority.keyUsage !== null && !authority.keyUsage.uses.has('cRLSign')) {
      return 'an authority of the chain may not sign revocation lists'
    }
    const algorithm = isSame(crl.algorithm, crl.innerAlgorithm) ? signatureAlgorithmOf(crl.algorithm) : null
    const signed = { bytes: crl.signed, signature: crl.signature }
    if (algorithm === null || !(await verifySignedBy(authority, { ...signed, algorithm }))) {
      return 'the revocation list is not signed by the authority that issued the certificate'
    }
    return checkExtensions(crl, authority)
  } catch (error) {
    if (error instanceof MalformedDer || error instanceof MalformedCertificate) return UNREADABLE
    throw error
  }
}

function timeFault(crl: Crl, { now, skewSeconds }: Times): string | null {
  const current = crl.thisUpdate <= now + skewSeconds && now - skewSeconds <= crl.nextUpdate
  return current ? null : "a revocation list of the signer's chain is not current"
}

/** RFC 5280 §5.2: deltas and partial lists have critical extensions, which we do not support. */
function checkExtensions(crl: Crl, authority: Certificate): string | null {
  const incomplete = "a revocation list of the signer's chain is not a complete one"
  for (const extension of crl.extensions.values()) if (extension.critical) return incomplete
  if (!crl.extensions.has(OID.crlNumber)) return incomplete
  const named = crl.extensions.get(OID.authorityKeyId)
  const keyId = named === undefined ? null : readAuthorityKeyId(named.value)
  if (keyId !== null && authority.subjectKeyId !== null && !isSame(keyId, authority.subjectKeyId)) {
    return 'the revocation list is of another authority'
  }
  return null
}

/** On hold only if every entry of the serial number is. */
function lookUp({ der, revoked, onHold }: Crl, serial: Uint8Array): RevocationStatus {
  const first = findRange(der, revoked, serial)
  if (first < 0) return { outcome: 'valid', detail: "no certificate of the signer's chain has been revoked" }
  for (let at = first; at < onHold.length && isSameRange(der, revoked, first, at); at++) {
    if (onHold[at] === 0) return { outcome: 'revoked', detail: "a certificate of the signer's chain has been revoked" }
  }
  return { outcome: 'suspended', detail: "a certificate of the signer's chain is on hold" }
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}
