// Finds the trusted signer of a status list. JWT form: any signer that our anchors vouch for (HAIP §6.1.1). CWT form:
// the certificate that the credential names, or the authority of the credential's signer (ISO 18013-5 §12.3.6).

import type { Examination, StatusReference } from '../examination.ts'
import type { SentRequest, Trust } from '../expected.ts'
import type { ImportedKey } from '../jose.ts'
import { spendHashing, type Work, type WorkBudget } from '../limits.ts'
import type { Anchor, VouchedFormat } from '../trust/anchor.ts'
import { type AnchorSets, keyOf } from '../trust/anchors.ts'
import { CertificatesSpent, type ChainCache, paidFingerprint, parsePaid } from '../trust/cache.ts'
import { type Certificate, MalformedCertificate } from '../trust/certificate.ts'
import { judgeChain } from '../trust/chain.ts'
import { signerStatus } from '../trust/revocation.ts'

export interface Circumstances {
  readonly examined: Pick<Examination, 'type'> & {
    readonly format: VouchedFormat
    readonly signer: { readonly certificate: Uint8Array; readonly anchor: Uint8Array } | null
  }
  readonly expected: Pick<SentRequest, 'now' | 'skewSeconds'>
  readonly trust: Pick<Trust, 'anchors' | 'cache' | 'haip'>
  readonly budget: WorkBudget
}

export interface ListSigner {
  readonly key: ImportedKey
  /** The same for all certificates of one key. */
  readonly keyName: string
  /** The fingerprint of the certificate with the key. */
  readonly fingerprint: string
  /** The revocation lists that the certificates of its path name. The certificates must not be revoked either. */
  readonly revocation: readonly StatusReference[]
}

/** null: no trusted signer. `exceeded`: the budget is used up, so the certificates are not judged. */
export type FoundSigner = ListSigner | 'exceeded' | null

/** `chain` is null if the token has no certificates. Then only the signer of the credential can have signed it. */
export function jwtListSigner(chain: readonly Uint8Array[] | null, circumstances: Circumstances): FoundSigner {
  const { examined, trust } = circumstances
  // HAIP §6.1.1: a status list token must have x5c, as the credential has.
  if (chain === null && trust.haip) return null
  const candidates = chain ?? ownChain(examined)
  return trustedSigner(candidates, circumstances, trust)
}

export function cwtListSigner(
  chain: readonly Uint8Array[] | null,
  certificate: Uint8Array | null,
  circumstances: Circumstances,
): FoundSigner {
  const { examined, trust } = circumstances
  if (examined.signer === null) return null
  const { anchor } = examined.signer
  const candidates = chain ?? ownChain(examined)
  // The HAIP rules for x5c do not apply to x5chain, so it may contain the named trust anchor.
  if (certificate === null) {
    const anchors = anchorsAbove(anchor, examined.format)
    return trustedSigner(candidates, circumstances, { anchors, cache: trust.cache, haip: false })
  }
  const cache = cacheWith(certificate, circumstances)
  if (cache === 'exceeded' || cache === null) return cache
  const anchors = namedAnchors(certificate, anchor, examined.format)
  return trustedSigner(candidates, circumstances, { anchors, cache, haip: false })
}

/** Parsed named certificates by fingerprint, kept only as long as the budget of the response. */
const ofResponses = new WeakMap<Work, Map<string, Certificate>>()

/**
 * Returns the cache with the certificate that the credential names. The sender chooses that certificate, so the budget
 * pays for it, and the cache of anchors does not get it. null: unreadable.
 */
function cacheWith(named: Uint8Array, { trust, budget }: Circumstances): ChainCache | 'exceeded' | null {
  const { anchorSets } = trust.cache
  const own = ofResponses.get(budget.work) ?? new Map<string, Certificate>()
  ofResponses.set(budget.work, own)
  const certificates: AnchorSets['certificates'] = {
    get: (fingerprint) => own.get(fingerprint) ?? anchorSets.certificates.get(fingerprint),
    set: (fingerprint, certificate) => own.set(fingerprint, certificate),
  }
  try {
    const fingerprint = paidFingerprint(named, budget)
    // Pays for two searches among the anchors: as an authority, and as the signer itself.
    if (!spendHashing(budget, 2 * named.length)) return 'exceeded'
    if (certificates.get(fingerprint) === undefined) own.set(fingerprint, parsePaid(named, budget))
  } catch (error) {
    if (!(error instanceof MalformedCertificate)) throw error
    return error instanceof CertificatesSpent ? 'exceeded' : null
  }
  return { ...trust.cache, anchorSets: { sets: new WeakMap(), read: new WeakMap(), certificates } }
}

/** One list of anchors per authority, because parsed anchors are cached by list. This saves 100 µs per mdoc with a status list. */
const ofAuthorities = new WeakMap<Uint8Array, Map<VouchedFormat, readonly Anchor[]>>()

/**
 * Returns anchors for lists of the authority that issued the certificate of the credential's signer. It may have signed
 * the list, or issued the certificate of the list's signer.
 */
function anchorsAbove(authority: Uint8Array, format: VouchedFormat): readonly Anchor[] {
  const byFormat = ofAuthorities.get(authority) ?? new Map<VouchedFormat, readonly Anchor[]>()
  ofAuthorities.set(authority, byFormat)
  const anchors = byFormat.get(format) ?? asAnchors(authority, format)
  byFormat.set(format, anchors)
  return anchors
}

function namedAnchors(named: Uint8Array, authority: Uint8Array, format: VouchedFormat): readonly Anchor[] {
  // The last anchor vouches for nothing. It issued the named certificate, so it publishes that certificate's revocation list.
  return [...asAnchors(named, format), { kind: 'ca', certificate: authority, types: [], profile: 'generic' }]
}

function asAnchors(certificate: Uint8Array, format: VouchedFormat): readonly Anchor[] {
  const base = { certificate, types: [`${format}:*`], profile: 'generic' } as const
  return [
    { ...base, kind: 'ca' },
    { ...base, kind: 'pinned' },
  ]
}

function ownChain(examined: Circumstances['examined']): readonly Uint8Array[] {
  return examined.signer === null ? [] : [examined.signer.certificate]
}

function trustedSigner(
  chain: readonly Uint8Array[],
  { examined, expected, budget }: Circumstances,
  trust: Circumstances['trust'],
): FoundSigner {
  const answer = judgeChain(
    { chain, format: examined.format, type: examined.type, at: expected.now, use: 'status' },
    trust,
    budget,
  )
  if (answer.outcome !== 'trusted') return answer.overspent ? 'exceeded' : null
  const key = answer.signer.signatureKey
  if (key === null) return null
  const { signer } = answer
  return {
    key,
    keyName: keyOf(signer),
    fingerprint: signer.fingerprint,
    revocation: signerStatus(answer, examined.format),
  }
}
