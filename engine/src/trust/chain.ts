// Is the signer of this credential vouched for? Joins the presented chain to the anchors that may speak for the
// credential's type. Trust comes from an anchor's signature or from a pinned certificate itself, never from a name.

import { encodeBase64url } from '../bytes.ts'
import type { Trust } from '../expected.ts'
import { type ChainBudget, LIMITS, newBudget } from '../limits.ts'
import type { Issuer } from '../verdict.ts'
import type { SoleType } from './anchor.ts'
import {
  type AnchorSet,
  anchorSet,
  authoritiesNamed,
  type CredentialKind,
  isInstalledExactly,
  type ParsedAnchor,
  soleTypeOf,
  vouchesFor,
} from './anchors.ts'
import { CertificatesSpent, rememberedCertificate } from './cache.ts'
import { type Certificate, MalformedCertificate } from './certificate.ts'
import { type Issued, issuersOf } from './issuers.ts'
import { issuerOf } from './names.ts'
import { checkPath, checkTime, type Path, type PathProblem } from './path.ts'
import { checkPinned, type SignerUse, signerRule } from './profiles.ts'

export interface ChainQuestion extends CredentialKind {
  /** DER, the signer's own certificate first, each certified by the next. */
  readonly chain: readonly Uint8Array[]
  /** Types it would be accepted as: an anchor for `type` must also vouch for one of them. */
  readonly takenFor?: readonly string[]
  /** Unix seconds. */
  readonly at: number
  /** What the chain is to sign: credentials, lists of their status, or a list of authorities (ISO 18013-5 Annex C). */
  readonly use: SignerUse
}

export type ChainAnswer =
  | {
      readonly outcome: 'trusted'
      readonly signer: Certificate
      /** Every certificate of the path below the anchor with its issuer, the signer first. */
      readonly issued: readonly Issued[]
      readonly anchor: Certificate
      readonly issuer: Issuer
      readonly authorityKeyIds: readonly string[]
      /** What the keys of this path sign alone; null where the anchors do not say so, or contradict each other. */
      readonly sole: SoleType | null
    }
  | {
      readonly outcome: 'untrusted'
      /** Readable although not trusted; null when not even that. */
      readonly signer: Certificate | null
      /** Whom a stranger's certificate names is not handed on. */
      readonly issuer: NobodyNamed
      readonly detail: string
      /** Everything held, but its time has passed. */
      readonly expired: boolean
      /** It was not judged to its end: the budget has nothing left for it. */
      readonly overspent?: true
    }

type NobodyNamed = { readonly [name in keyof Issuer]?: never }

/** The budget is that of the response the chain came in; a published list has one of its own. */
export function judgeChain(
  question: ChainQuestion,
  trust: Pick<Trust, 'anchors' | 'cache' | 'haip'>,
  budget: ChainBudget = newBudget(),
): ChainAnswer {
  const anchors = anchorSet(trust.anchors, trust.cache.anchorSets)
  const grounds = { anchors, cache: trust.cache, budget }
  const chain = parseChain(question.chain, grounds)
  if ('detail' in chain) return { outcome: 'untrusted', signer: null, issuer: {}, expired: false, ...chain }
  const [signer] = chain
  const bound = trust.haip && !isInstalledExactly(anchors, signer, question)
  const problem = bound ? checkHaip(chain, anchors) : null
  if (problem !== null) return { outcome: 'untrusted', signer, issuer: {}, detail: problem, expired: false }
  const joined = joinToAnchor(chain, question, grounds)
  if ('detail' in joined) return { outcome: 'untrusted', signer, issuer: {}, ...joined }
  const { intermediates, anchor } = joined
  return {
    outcome: 'trusted',
    signer,
    issued: issuersOf(joined, chain, grounds),
    anchor,
    issuer: issuerOf(signer.subjectNames),
    authorityKeyIds: keyIdsOf([signer, ...intermediates]),
    get sole() {
      return soleTypeOf(anchors, [signer, ...intermediates, anchor])
    },
  }
}

function keyIdsOf(certificates: readonly Certificate[]): readonly string[] {
  return certificates.flatMap(({ authorityKeyId }) =>
    authorityKeyId === null ? [] : [encodeBase64url(authorityKeyId)],
  )
}

type ParsedChain = readonly [Certificate, ...Certificate[]]

function parseChain(chain: readonly Uint8Array[], grounds: Grounds): ParsedChain | Omit<PathProblem, 'expired'> {
  if (chain.length > LIMITS.chainLength) return { detail: 'the certificate chain is too long' }
  try {
    const [signer, ...above] = chain.map((der) => rememberedCertificate(der, grounds))
    return signer === undefined ? { detail: 'there is no certificate' } : [signer, ...above]
  } catch (error) {
    if (!(error instanceof MalformedCertificate)) throw error
    const detail = 'a certificate of the chain cannot be read'
    return { detail, ...(error instanceof CertificatesSpent && { overspent: true }) }
  }
}

/** HAIP 1.0 §6.1.1: the chain leaves the anchor out, and the signer is not its own issuer. */
function checkHaip(chain: ParsedChain, anchors: AnchorSet): string | null {
  const [signer] = chain
  if (signer.subjectKey === signer.issuerKey) return 'the signer certificate is self-signed'
  if (chain.some(({ fingerprint }) => anchors.fingerprints.has(fingerprint))) {
    return 'the certificate chain contains the trust anchor'
  }
  return null
}

/** The first path that holds; otherwise the most telling reason: an expired path says more than a foreign one. */
function joinToAnchor(chain: ParsedChain, question: ChainQuestion, grounds: Grounds): Path | PathProblem {
  const [signer, ...above] = chain
  let refusal: PathProblem = NOBODY
  let spent: Pick<PathProblem, 'overspent'> = {}
  for (const anchor of grounds.anchors.pinned.get(signer.fingerprint) ?? []) {
    if (!mayVouch(anchor, question)) continue
    const problem = pinnedProblem(signer, anchor.kind, question.at)
    if (problem === null) return { signer, intermediates: [], anchor: anchor.certificate }
    refusal = problem
  }
  for (let depth = 0; depth < chain.length; depth++) {
    for (const anchor of authoritiesNamed(grounds.anchors, chain[depth])) {
      if (!mayVouch(anchor, question)) continue
      const path = { signer, intermediates: above.slice(0, depth), anchor: anchor.certificate }
      const rule = signerRule(anchor.profile, question.type, question.use)
      const problem = checkPath(path, question.at, { signer: rule, ...grounds })
      if (problem === null) return path
      if (problem.overspent) spent = { overspent: true }
      if (!refusal.expired) refusal = problem
    }
  }
  return { ...refusal, ...spent }
}

/** Without a type it would be accepted as there is nothing more to vouch for: that it was not asked for is another check's. */
function mayVouch(anchor: ParsedAnchor, { format, type, takenFor = [] }: ChainQuestion): boolean {
  if (!vouchesFor(anchor, { format, type })) return false
  return takenFor.length === 0 || takenFor.some((other) => vouchesFor(anchor, { format, type: other }))
}

interface Grounds {
  readonly anchors: AnchorSet
  readonly cache: Trust['cache']
  readonly budget: ChainBudget
}

const NOBODY: PathProblem = {
  detail: 'no trust anchor for this credential type vouches for the signer',
  expired: false,
}

/** The fingerprint already proved that it is the pinned certificate, byte for byte. */
function pinnedProblem(signer: Certificate, kind: ParsedAnchor['kind'], at: number): PathProblem | null {
  const detail = kind === 'exact' ? null : checkPinned(signer)
  return detail === null ? checkTime(signer, at) : { detail, expired: false }
}
