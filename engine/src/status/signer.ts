// May this key speak about the credential's status? For a list in JWT form anybody our anchors vouch for (HAIP §6.1.1);
// for one in CWT form the certificate the credential itself names, or the authority above its signer (ISO 18013-5 §12.3.6).

import type { Examination } from '../examination.ts'
import type { Anchor, Expected, Trust } from '../expected.ts'
import type { ImportedKey } from '../jose.ts'
import { judgeChain } from '../trust/chain.ts'

export interface Circumstances {
  readonly examined: Pick<Examination, 'type' | 'signer'>
  readonly expected: Pick<Expected, 'now' | 'skewSeconds'>
  readonly trust: Pick<Trust, 'anchors' | 'cache' | 'haip'>
}

/** `chain` null where the token brings no certificates: then only the credential's own signer can have signed it. */
export function jwtListKey(chain: readonly Uint8Array[] | null, circumstances: Circumstances): ImportedKey | null {
  const { examined, trust } = circumstances
  // HAIP §6.1.1: the status list token carries x5c as the credential does.
  if (chain === null && trust.haip) return null
  const candidates = chain ?? ownChain(examined)
  return trustedKey(candidates, circumstances, trust)
}

export function cwtListKey(
  chain: readonly Uint8Array[] | null,
  certificate: Uint8Array | null,
  circumstances: Circumstances,
): ImportedKey | null {
  const { examined, trust } = circumstances
  const point = certificate ?? examined.signer?.anchor
  if (point === undefined) return null
  const base = { certificate: point, types: ['*'], profile: 'generic' } as const
  const anchors: readonly Anchor[] = [
    { ...base, kind: 'ca' },
    { ...base, kind: 'pinned' },
  ]
  // The rules of HAIP for x5c do not concern x5chain, and a named trust point may well be in it.
  return trustedKey(chain ?? ownChain(examined), circumstances, { anchors, cache: trust.cache, haip: false })
}

function ownChain(examined: Circumstances['examined']): readonly Uint8Array[] {
  return examined.signer === null ? [] : [examined.signer.certificate]
}

function trustedKey(
  chain: readonly Uint8Array[],
  { examined, expected }: Circumstances,
  trust: Circumstances['trust'],
): ImportedKey | null {
  const answer = judgeChain({ chain, type: examined.type, at: expected.now, use: 'status' }, trust)
  return answer.outcome === 'trusted' ? answer.signer.signatureKey : null
}
