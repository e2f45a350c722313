// Finds the published list that named the authority of a credential's issuer.

import { hash } from 'node:crypto'
import type { PresentedFormat, VouchedType } from '@vidimus/engine'
import { vouchedFormatOf } from '@vidimus/engine/formats'
import { atOnce } from '../../../platform/event-loop/slices.ts'
import type { ListIssue, TrustAnchor } from '../../ports/trust.ts'

export interface PresentedKind {
  readonly format: PresentedFormat
  /** `vct` or `docType`. */
  readonly type: string
}

/** By fingerprint, then by type: one certificate can be in thousands of entries, and each credential needs a lookup. */
type IssuesByAnchor = ReadonlyMap<string, ReadonlyMap<VouchedType, ListIssue>>

/** Keyed by the array, which stays the same object while nothing changes. */
const ISSUES = new WeakMap<readonly TrustAnchor[], IssuesByAnchor>()

/** null if the authority was installed by hand. `fingerprint`: SHA-256 of the anchor, base64url. */
export function findNamingIssue(
  fingerprint: string,
  { format, type }: PresentedKind,
  anchors: readonly TrustAnchor[],
): ListIssue | null {
  const named = (ISSUES.get(anchors) ?? atOnce(prepareNaming(anchors))).get(fingerprint)
  const expectedFormat = vouchedFormatOf(format)
  return named?.get(`${expectedFormat}:${type}`) ?? named?.get(`${expectedFormat}:*`) ?? null
}

/** Leaves out the query, which may hold an access key to the list. */
export const listAddressOf = ({ uri }: ListIssue) => uri.replace(/[?#].*$/s, '')

/** Keyed by the anchor, which stays the same object until it changes, even if other anchors change. */
const FINGERPRINTS = new WeakMap<TrustAnchor, string>()
const hashCertificate = ({ certificate }: TrustAnchor) => hash('sha256', certificate, 'base64url')
export const fingerprintOf = (anchor: TrustAnchor) => FINGERPRINTS.getOrInsertComputed(anchor, hashCertificate)

/** A generator, because lists name thousands of anchors. */
export function* prepareNaming(anchors: readonly TrustAnchor[]): Generator<void, IssuesByAnchor> {
  const named = new Map<string, Map<VouchedType, ListIssue>>()
  for (const anchor of anchors) {
    yield
    const { issue, types } = anchor
    const fingerprint = fingerprintOf(anchor)
    if (issue === undefined) continue
    const ofCertificate = named.getOrInsertComputed(fingerprint, () => new Map())
    for (const type of types) ofCertificate.getOrInsert(type, issue)
  }
  ISSUES.set(anchors, named)
  return named
}
