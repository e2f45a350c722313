// Could this certificate ever vouch for a credential? What can be said before a credential arrives: an anchor that would refuse
// every chain is refused when it is installed, and not in front of a holder.

import type { Anchor } from './anchor.ts'
import { certificateOrFault } from './certificate.ts'
import { checkTrustPoint } from './path.ts'
import { checkIaca, checkPinned } from './profiles.ts'

/** Null where it could. Times are not judged: they pass. */
export function anchorFault({ kind, certificate, profile }: Omit<Anchor, 'types'>): string | null {
  const read = certificateOrFault(certificate)
  if (typeof read === 'string') return read
  // An exact one is taken as it is, whatever it says of itself.
  if (kind === 'exact') return null
  if (kind === 'pinned') return checkPinned(read)
  return checkTrustPoint(read) ?? (profile === 'iso-mdl' ? checkIaca(read) : null)
}
