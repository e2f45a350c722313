// Finds the status of a certificate in a full CRL (RFC 5280 §5) of its issuer. With a delta, partial or stale list the
// status is unknown.

import type { WorkBudget } from '../limits.ts'
import { keyOf } from '../trust/anchors.ts'
import type { Certificate } from '../trust/certificate.ts'
import { signatureAlgorithmOf, verifySignedBy } from '../trust/certified-key.ts'
import { MalformedDer } from '../trust/der.ts'
import { OID, readAuthorityKeyId } from '../trust/extensions.ts'
import type { Crl } from './crl-content.ts'
import type { CrlContent } from './list-types.ts'
import { type ListMemory, verifiedOnce } from './memory.ts'
import type { RevocationStatus } from './revocation-status.ts'
import { findRange } from './sorted-ranges.ts'

interface CrlQuestion {
  readonly serial: Uint8Array
  /** The issuer of the checked certificate. */
  readonly authority: Certificate
}

/** The time in unix seconds, and the allowed clock skew. */
interface Times {
  readonly now: number
  readonly skewSeconds: number
}

/** `content` is null if the CRL is unreadable. */
export async function readCrlStatus(
  content: CrlContent | null,
  { serial, authority }: CrlQuestion,
  expected: Times,
  { memory, budget }: CrlMeans,
): Promise<RevocationStatus> {
  if (content === null) return { outcome: 'unknown', detail: UNREADABLE }
  const { crl } = content
  const fault = authorityFault(crl, authority) ?? timeFault(crl, expected)
  if (fault !== null) return { outcome: 'unknown', detail: fault }
  const isSigned = await isSignedBy(content, authority, { memory, budget })
  if (isSigned === 'exceeded') return EXCEEDED
  return isSigned ? lookUp(crl, serial) : { outcome: 'unknown', detail: UNSIGNED }
}

interface CrlMeans {
  readonly memory: ListMemory
  readonly budget: WorkBudget
}

const UNREADABLE = "a revocation list of the signer's chain cannot be read"
const UNSIGNED = 'the revocation list is not signed by the authority that issued the certificate'
const EXCEEDED: RevocationStatus = {
  outcome: 'exceeded',
  detail: 'the response needs more or longer revocation lists than one response may use',
}

/** Checks everything that needs no signature. */
function authorityFault(crl: Crl, authority: Certificate): string | null {
  if (crl.issuerKey !== authority.subjectKey) return 'the revocation list is of another authority'
  if (authority.keyUsage !== null && !authority.keyUsage.uses.has('cRLSign')) {
    return 'an authority of the chain may not sign revocation lists'
  }
  try {
    return checkExtensions(crl, authority)
  } catch (error) {
    if (error instanceof MalformedDer) return UNREADABLE
    throw error
  }
}

/** Caches by key: an authority may have many certificates, and one verification is enough for all. */
function isSignedBy(content: CrlContent, authority: Certificate, means: CrlMeans): Promise<boolean | 'exceeded'> {
  const { algorithm: outer, innerAlgorithm, signed: bytes, signature } = content.crl
  const algorithm = isSame(outer, innerAlgorithm) ? signatureAlgorithmOf(outer) : null
  if (algorithm === null) return Promise.resolve(false)
  return verifiedOnce(content, keyOf(authority), {
    ...means,
    copiedBytes: bytes.length,
    verify: () => verifySignedBy(authority, { bytes, signature, algorithm }),
  })
}

function timeFault(crl: Crl, { now, skewSeconds }: Times): string | null {
  const current = crl.thisUpdate <= now + skewSeconds && now - skewSeconds <= crl.nextUpdate
  return current ? null : "a revocation list of the signer's chain is not current"
}

/** RFC 5280 §5.2: deltas and partial lists have critical extensions, which are not supported. */
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

function lookUp({ der, revoked, onHold }: Crl, serial: Uint8Array): RevocationStatus {
  const first = findRange(der, revoked, serial)
  if (first < 0) return { outcome: 'valid', detail: "no certificate of the signer's chain has been revoked" }
  return onHold[first] === 1
    ? { outcome: 'suspended', detail: "a certificate of the signer's chain is on hold" }
    : { outcome: 'revoked', detail: "a certificate of the signer's chain has been revoked" }
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}
