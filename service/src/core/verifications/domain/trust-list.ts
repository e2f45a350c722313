// Finds the published list that named the authority of a credential's issuer.

import { hash } from 'node:crypto'
import type { PresentedFormat } from '@vidimus/engine'
import { vouchedFormatOf } from '@vidimus/engine/formats'
import { atOnce } from '../../../platform/slices.ts'
import type { ListIssue, TrustAnchor } from '../../ports/trust.ts'

export interface PresentedKind {
  readonly format: PresentedFormat
  /** vct or docType. */
  readonly type: string
}

/** The array is the same object while nothing changed. */
const NAMED = new WeakMap<readonly TrustAnchor[], ReadonlyMap<string, readonly TrustAnchor[]>>()

/** null if the authority was installed by hand. `fingerprint`: SHA-256 of the anchor, base64url. */
export function findNamingIssue(
  fingerprint: string,
  { format, type }: PresentedKind,
  anchors: readonly TrustAnchor[],
): ListIssue | null {
  const named = NAMED.get(anchors) ?? atOnce(prepareNaming(anchors))
  const expectedFormat = vouchedFormatOf(format)
  const vouching = (named.get(fingerprint) ?? []).find(
    ({ types }) => types.includes(`${expectedFormat}:*`) || types.includes(`${expectedFormat}:${type}`),
  )
  return vouching?.issue ?? null
}

/** Without the query, which may hold an access key to the list. */
export const listAddressOf = ({ uri }: ListIssue) => uri.replace(/[?#].*$/s, '')

/** An anchor stays the same object while it is unchanged, also where others changed. */
const FINGERPRINTS = new WeakMap<TrustAnchor, string>()
const fingerprintOf = ({ certificate }: TrustAnchor) => hash('sha256', certificate, 'base64url')

/** In steps, because lists name thousands. */
export function* prepareNaming(
  anchors: readonly TrustAnchor[],
): Generator<void, ReadonlyMap<string, readonly TrustAnchor[]>> {
  const named = new Map<string, TrustAnchor[]>()
  for (const anchor of anchors) {
    yield
    if (anchor.issue === undefined) continue
    named.getOrInsertComputed(FINGERPRINTS.getOrInsertComputed(anchor, fingerprintOf), () => []).push(anchor)
  }
  NAMED.set(anchors, named)
  return named
}
