// Validates a path (RFC 5280 §6.1), signer first and anchor last, without policies and name constraints. An unsupported
// restriction makes the path invalid.

import { OVERSPENT, type WorkBudget } from '../limits.ts'
import type { ChainCache } from './cache.ts'
import { isIssuedBy } from './cache.ts'
import type { Certificate } from './certificate.ts'
import { OID } from './extensions.ts'

export interface Path {
  readonly signer: Certificate
  /** From the issuer of the signer upwards, without the anchor. */
  readonly intermediates: readonly Certificate[]
  readonly anchor: Certificate
}

/** `expired`: apart from its time, the path is valid. */
export interface PathProblem {
  readonly detail: string
  readonly expired: boolean
  /** The path was not judged completely, because the budget is used up. */
  readonly overspent?: true
}

/** What a signer's certificate must be. Depends only on certificates, not on signatures or times. */
export interface SignerRule {
  /** Unique for each rule, because results are cached by this name. */
  readonly name: string
  /** Returns why the signer breaks the rule; null if it does not. */
  readonly check: (path: Path) => string | null
}

/** What a path is judged by, and the remaining budget. */
interface PathRules {
  readonly signer: SignerRule
  readonly cache: ChainCache
  readonly budget: WorkBudget
  /** `checkBelowAnchor` has already passed, so it need not run again for each anchor. */
  readonly isGoodBelow?: true
}

/** RFC 5280 §4.2: critical extensions that are supported, or may be ignored because no policy is required. */
const PROCESSED: ReadonlySet<string> = new Set([
  OID.keyUsage,
  OID.basicConstraints,
  OID.extendedKeyUsage,
  OID.subjectAltName,
  OID.issuerAltName,
  OID.crlDistributionPoints,
  OID.certificatePolicies,
  OID.policyMappings,
  OID.inhibitAnyPolicy,
])

/** These restrict the certificates below them, which is not supported. So nothing below is trusted, whether or not they are critical. */
const NARROWING: readonly string[] = [OID.nameConstraints, OID.policyConstraints]

/** Returns null if the path is valid at the time `at` (unix seconds). Only results that do not depend on the time are cached. */
export function checkPath(path: Path, at: number, rules: PathRules): PathProblem | null {
  const certificates = [path.signer, ...path.intermediates, path.anchor]
  let key = rules.signer.name
  for (const { fingerprint } of certificates) key += ` ${fingerprint}`
  if (rules.cache.paths.get(key) !== true) {
    const problem = checkTimeless(certificates, path, rules)
    if (problem !== null) return { detail: problem, expired: false, ...(problem === OVERSPENT && { overspent: true }) }
    rules.cache.paths.set(key, true)
  }
  for (const certificate of certificates) {
    const problem = checkTime(certificate, at)
    if (problem !== null) return problem
  }
  return null
}

/**
 * Checks what does not depend on the anchor, in a presented chain up to the anchor's place. So it runs once, however
 * many anchors have that name. With any anchor, each of these faults would refuse the path.
 */
export function checkBelowAnchor(presented: readonly Certificate[]): string | null {
  const [signer, ...authorities] = presented
  if (signer === undefined) return 'the chain is incomplete'
  return (
    firstProblem(presented, checkExtensions) ??
    firstProblem(authorities, checkAuthority) ??
    checkLengths(authorities) ??
    checkKeyUsage(signer) ??
    checkNames(presented)
  )
}

function checkTimeless(certificates: readonly Certificate[], path: Path, rules: PathRules): string | null {
  return (
    (rules.isGoodBelow === true ? null : checkBelowAnchor(certificates.slice(0, -1))) ??
    checkTrustPoint(path.anchor) ??
    checkLengths(certificates.slice(1)) ??
    rules.signer.check(path) ??
    checkNames(certificates.slice(-2)) ??
    checkSignatures(certificates, rules)
  )
}

/** Returns why nothing below this certificate can be valid; null if something can. */
export function checkTrustPoint(anchor: Certificate): string | null {
  return checkExtensions(anchor) ?? checkAuthority(anchor)
}

function firstProblem(
  certificates: readonly Certificate[],
  check: (certificate: Certificate) => string | null,
): string | null {
  for (const certificate of certificates) {
    const problem = check(certificate)
    if (problem !== null) return problem
  }
  return null
}

function checkExtensions(certificate: Certificate): string | null {
  for (const [oid, extension] of certificate.extensions) {
    // RFC 5280 §4.2.1.1, §4.2.1.2: key identifiers are never critical.
    if (extension.critical && !PROCESSED.has(oid)) return 'a certificate has a critical extension that is not processed'
  }
  // RFC 5280 §4.1.2.6: if the subject is empty, the alternative names must be critical.
  if (isEmptyName(certificate.subject) && certificate.extensions.get(OID.subjectAltName)?.critical !== true) {
    return 'a certificate names no subject'
  }
  if (NARROWING.some((oid) => certificate.extensions.has(oid))) {
    return 'a certificate carries name or policy constraints, which are not processed'
  }
  return null
}

function checkAuthority(authority: Certificate): string | null {
  // RFC 5280 §4.2.1.9: a certification authority must declare that it is one. Real ones do not always mark this as critical.
  if (authority.basicConstraints?.ca !== true)
    return 'a certificate was issued by one that is not a certification authority'
  if (authority.keyUsage !== null && !authority.keyUsage.uses.has('keyCertSign')) {
    return 'a certification authority may not sign certificates'
  }
  return isEmptyName(authority.subject) ? 'a certification authority has no name' : null
}

/** RFC 5280 §6.1.4 (l), (m): self-issued intermediates do not count. */
function checkLengths(authorities: readonly Certificate[]): string | null {
  let below = 0
  for (const authority of authorities) {
    const limit = authority.basicConstraints?.pathLength ?? null
    if (limit !== null && below > limit) return 'the chain is longer than a certification authority allows'
    if (authority.subjectKey !== authority.issuerKey) below += 1
  }
  return null
}

function checkKeyUsage(signer: Certificate): string | null {
  const uses = signer.keyUsage?.uses
  // RFC 5280 §4.2.1.9: only an authority may sign certificates.
  if (uses?.has('keyCertSign') === true && signer.basicConstraints?.ca !== true) {
    return 'the signer may sign certificates without being a certification authority'
  }
  return null
}

/** Checks all names before the first signature, because comparing names costs nothing. */
function checkNames(certificates: readonly Certificate[]): string | null {
  for (const [index, issuer] of certificates.slice(1).entries()) {
    const subject = certificates[index]
    if (subject === undefined) return 'the chain is incomplete'
    if (subject.issuerKey !== issuer.subjectKey) return 'the names of the chain do not follow each other'
    if (subject.authorityKeyId !== null && issuer.subjectKeyId !== null) {
      if (!isSame(subject.authorityKeyId, issuer.subjectKeyId)) return 'the key identifiers of the chain do not agree'
    }
  }
  return null
}

function checkSignatures(certificates: readonly Certificate[], rules: PathRules): string | null {
  // Goes down from the anchor, so that each key is verified before it is used.
  for (let below = certificates.length - 2; below >= 0; below--) {
    const [subject, issuer] = [certificates[below], certificates[below + 1]]
    if (subject === undefined || issuer === undefined) return 'the chain is incomplete'
    const issued = isIssuedBy(subject, issuer, rules)
    if (issued !== true) return issued === null ? OVERSPENT : 'a signature of the certificate chain is not valid'
  }
  return null
}

export function checkTime(certificate: Certificate, at: number): PathProblem | null {
  const second = Math.floor(at)
  if (!(second >= certificate.notBefore))
    return { detail: 'a certificate of the chain is not yet valid', expired: false }
  if (!(second <= certificate.notAfter)) return { detail: 'a certificate of the chain has expired', expired: true }
  return null
}

function isEmptyName(name: Uint8Array): boolean {
  return name.length <= 2
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((octet, index) => octet === right[index])
}
