// Checks before installation whether a certificate could vouch for any credential, so that an unusable anchor fails at
// once.

import type { Anchor } from './anchor.ts'
import { certificateOrFault } from './certificate.ts'
import { checkTrustPoint } from './path.ts'
import { checkIaca, checkPinned } from './profiles.ts'

/** Returns why not; null if it could. Ignores times, because they change. */
export function anchorFault({ kind, certificate, profile }: Omit<Anchor, 'types'>): string | null {
  const read = certificateOrFault(certificate)
  if (typeof read === 'string') return read
  // An exact anchor is accepted unchecked.
  if (kind === 'exact') return null
  if (kind === 'pinned') return checkPinned(read)
  return checkTrustPoint(read) ?? (profile === 'iso-mdl' ? checkIaca(read) : null)
}
