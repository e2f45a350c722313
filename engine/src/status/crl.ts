// Has its authority taken back this certificate of the signer's chain? A full CRL (RFC 5280 §5) of the very authority that issued it;
// anything else, such as a delta, a part or a stale list, leaves the question open.

import { type Certificate, fingerprintOf, MalformedCertificate, parseCertificate } from '../trust/certificate.ts'
import { signatureAlgorithmOf, verifySignedBy } from '../trust/certified-key.ts'
import { MalformedDer } from '../trust/der.ts'
import { OID, readAuthorityKeyId } from '../trust/extensions.ts'
import { nameKey } from '../trust/name-key.ts'
import type { Crl } from './crl-content.ts'
import type { CrlContent } from './list-types.ts'
import type { ListMemory } from './memory.ts'
import { findRange, isSameRange } from './sorted-ranges.ts'
import type { Standing } from './standing.ts'

interface CrlQuestion {
  readonly serial: Uint8Array
  /** DER of the certificate that issued the one in question. */
  readonly authority: Uint8Array
}

/** Unix seconds, and how far clocks may differ. */
interface Times {
  readonly now: number
  readonly skewSeconds: number
}

/** Authorities that ask for one list: its own, renewed now and then. */
const AUTHORITIES_MAX = 16

/** `content` null: it cannot be read. */
export async function standingInCrl(
  content: CrlContent | null,
  { serial, authority }: CrlQuestion,
  expected: Times,
  memory: ListMemory,
): Promise<Standing> {
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

/** All but the time: it holds for these bytes and this authority for ever. */
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

/** RFC 5280 §5.2: deltas and partial lists announce themselves by critical extensions, which we do not process. */
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

/** On hold only where every entry of the serial number says so. */
function lookUp({ der, revoked, onHold }: Crl, serial: Uint8Array): Standing {
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
