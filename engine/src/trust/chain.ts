// Connects a presented chain to an anchor for the credential's type. Trust comes from an anchor's signature or a pinned
// certificate, never from a name.

import { encodeBase64url } from '../bytes.ts'
import type { Trust } from '../expected.ts'
import { LIMITS, newBudget, OVERSPENT, PRICES, spendWork, type WorkBudget } from '../limits.ts'
import type { Issuer } from '../verdict.ts'
import type { SoleType } from './anchor.ts'
import {
  type AnchorSet,
  anchorSet,
  authoritiesOf,
  type CredentialKind,
  hasNamesake,
  isInstalledExactly,
  type ParsedAnchor,
  soleTypeOf,
} from './anchors.ts'
import { CertificatesSpent, rememberedCertificate } from './cache.ts'
import { type Certificate, MalformedCertificate } from './certificate.ts'
import { type Issued, issuersOf } from './issuers.ts'
import { issuerOf } from './names.ts'
import { checkBelowAnchor, checkPath, checkTime, type Path, type PathProblem } from './path.ts'
import { checkPinned, type SignerUse, signerRule } from './profiles.ts'

export interface ChainQuestion extends CredentialKind {
  /** DER, signer first. Each certificate was issued by the next one. */
  readonly chain: readonly Uint8Array[]
  /** The types that the credential would be accepted as. An anchor for `type` must also vouch for one of these. */
  readonly takenFor?: readonly string[]
  /** Unix seconds. */
  readonly at: number
  /** What the chain signs: credentials, status lists, or a list of authorities (ISO 18013-5 Annex C). */
  readonly use: SignerUse
}

export type ChainAnswer =
  | {
      readonly outcome: 'trusted'
      readonly signer: Certificate
      /** Every certificate of the path below the anchor, with its issuer. Signer first. */
      readonly issued: readonly Issued[]
      readonly anchor: Certificate
      readonly issuer: Issuer
      readonly authorityKeyIds: readonly string[]
      /** Returns the only type that the keys of this path sign; null if anchors do not state it, or contradict each other. */
      readonly soleType: () => SoleType | null
    }
  | {
      readonly outcome: 'untrusted'
      /** The signer, which is readable but not trusted; null if it is unreadable. */
      readonly signer: Certificate | null
      /** Always null, because names in an untrusted certificate are not repeated. */
      readonly issuer: NoIssuer
      readonly detail: string
      /** The path is valid, but expired. */
      readonly expired: boolean
      /** The path was not judged completely, because the budget is used up. */
      readonly overspent?: true
    }

type NoIssuer = { readonly [name in keyof Issuer]?: never }

/** The budget of the response pays; a published list has its own budget. */
export function judgeChain(
  question: ChainQuestion,
  trust: Pick<Trust, 'anchors' | 'cache' | 'haip'>,
  budget: WorkBudget = newBudget(),
): ChainAnswer {
  const anchors = anchorSet(trust.anchors, trust.cache.anchorSets)
  const context = { anchors, cache: trust.cache, budget }
  const chain = parseChain(question.chain, context)
  if ('detail' in chain) return { outcome: 'untrusted', signer: null, issuer: {}, expired: false, ...chain }
  const [signer] = chain
  const bound = trust.haip && !isInstalledExactly(anchors, signer, question)
  const problem = bound ? checkHaip(chain, anchors) : null
  if (problem !== null) return { outcome: 'untrusted', signer, issuer: {}, detail: problem, expired: false }
  const joined = joinToAnchor(chain, question, context)
  if ('detail' in joined) return { outcome: 'untrusted', signer, issuer: {}, ...joined }
  const { intermediates, anchor } = joined
  return {
    outcome: 'trusted',
    signer,
    issued: issuersOf(joined, chain, context),
    anchor,
    issuer: issuerOf(signer.subjectNames),
    authorityKeyIds: keyIdsOf([signer, ...intermediates], anchor),
    soleType: () => soleTypeOf(anchors, [signer, ...intermediates, anchor]),
  }
}

/** Returns key identifiers that the issuer itself has. If the issuer has none, nothing confirms what a certificate says about it. */
function keyIdsOf(certificates: readonly Certificate[], anchor: Certificate): readonly string[] {
  return certificates.flatMap(({ authorityKeyId }, index) => {
    const issuer = certificates[index + 1] ?? anchor
    // A pinned certificate is its own anchor, so its identifier counts.
    const isKnown = issuer.subjectKeyId !== null || issuer === certificates[index]
    return authorityKeyId === null || !isKnown ? [] : [encodeBase64url(authorityKeyId)]
  })
}

type ParsedChain = readonly [Certificate, ...Certificate[]]

function parseChain(chain: readonly Uint8Array[], context: ChainContext): ParsedChain | Omit<PathProblem, 'expired'> {
  if (chain.length > LIMITS.chainLength) return { detail: 'the certificate chain is too long' }
  try {
    const [signer, ...above] = chain.map((der) => rememberedCertificate(der, context))
    return signer === undefined ? { detail: 'there is no certificate' } : [signer, ...above]
  } catch (error) {
    if (!(error instanceof MalformedCertificate)) throw error
    const detail = 'a certificate of the chain cannot be read'
    return { detail, ...(error instanceof CertificatesSpent && { overspent: true }) }
  }
}

/** HAIP 1.0 §6.1.1: the chain omits the anchor, and the signer is not self-signed. */
function checkHaip(chain: ParsedChain, anchors: AnchorSet): string | null {
  const [signer] = chain
  if (signer.subjectKey === signer.issuerKey) return 'the signer certificate is self-signed'
  if (chain.some(({ fingerprint }) => anchors.fingerprints.has(fingerprint))) {
    return 'the certificate chain contains the trust anchor'
  }
  return null
}

/** Returns the first valid path, otherwise the most useful problem: an expired path is more useful than an unknown authority. */
function joinToAnchor(chain: ParsedChain, question: ChainQuestion, context: ChainContext): Path | PathProblem {
  const [signer, ...above] = chain
  const mayVouch = vouchingFor(question)
  let refusal: PathProblem = NO_ANCHOR
  for (const anchor of context.anchors.pinned.get(signer.fingerprint) ?? []) {
    if (!spendWork(context.budget, PRICES.anchor)) return overspent(refusal)
    if (!mayVouch(anchor)) continue
    const problem = pinnedProblem(signer, anchor.kind, question.at)
    if (problem === null) return { signer, intermediates: [], anchor: anchor.certificate }
    refusal = problem
  }
  for (const [depth, certificate] of chain.entries()) {
    let below: string | null | undefined
    let isAsked = false
    for (const anchor of authoritiesOf(context.anchors, certificate)) {
      isAsked = true
      // Pays for each anchor, because many can have one name.
      if (!spendWork(context.budget, PRICES.anchor)) return overspent(refusal)
      if (!mayVouch(anchor)) continue
      // Judges what these paths have in common only once.
      if (below === undefined) below = checkBelowAnchor(chain.slice(0, depth + 1))
      if (below !== null) return refusal.expired ? refusal : { detail: below, expired: false }
      if (!spendWork(context.budget, PRICES.path)) return overspent(refusal)
      const path = { signer, intermediates: above.slice(0, depth), anchor: anchor.certificate }
      const rule = signerRule(anchor.profile, question.type, question.use)
      const problem = checkPath(path, question.at, { signer: rule, ...context, isGoodBelow: true })
      if (problem === null) return path
      if (!refusal.expired) refusal = problem
      if (problem.overspent) return { ...refusal, overspent: true }
    }
    if (!isAsked && !refusal.expired && hasNamesake(context.anchors, certificate)) refusal = OTHER_KEY
  }
  return refusal
}

const overspent = (refusal: PathProblem): PathProblem => (refusal.expired ? { ...refusal, overspent: true } : TOO_MANY)

const TOO_MANY: PathProblem = { detail: OVERSPENT, expired: false, overspent: true }
const OTHER_KEY: PathProblem = { detail: 'the key identifiers of the chain do not agree', expired: false }

/** Without accepted types there is no further condition, because another check refuses a type that was not requested. */
function vouchingFor({ format, type, takenFor = [] }: ChainQuestion): (anchor: ParsedAnchor) => boolean {
  // Computed once: a query may accept as many types as an anchor has, and many anchors may be asked.
  const [every, own] = [`${format}:*`, `${format}:${type}`] as const
  const accepted = new Set<string>(takenFor.map((other) => `${format}:${other}`))
  return ({ types }) => types.has(every) || (types.has(own) && (accepted.size === 0 || !accepted.isDisjointFrom(types)))
}

interface ChainContext {
  readonly anchors: AnchorSet
  readonly cache: Trust['cache']
  readonly budget: WorkBudget
}

const NO_ANCHOR: PathProblem = {
  detail: 'no trust anchor for this credential type vouches for the signer',
  expired: false,
}

/** Checks a pinned certificate, which the fingerprint has identified. */
function pinnedProblem(signer: Certificate, kind: ParsedAnchor['kind'], at: number): PathProblem | null {
  const detail = kind === 'exact' ? null : checkPinned(signer)
  return detail === null ? checkTime(signer, at) : { detail, expired: false }
}
