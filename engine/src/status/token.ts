// Reads the status of a credential from the token of a status list or identifier list (Token Status List §5, ISO
// 18013-5 §12.3.6). Unless type, signer, signature, subject and time are valid, the status is unknown.

import { verifyLong } from '../jose.ts'
import { type ListStatus, lookUpIdentifier, lookUpIndex, unknownStatus } from './list.ts'
import type { TokenContent } from './list-types.ts'
import { verifiedOnce } from './memory.ts'
import { coveredBy } from './own-signature.ts'
import { type Circumstances, cwtListSigner, type FoundSigner, jwtListSigner, type ListSigner } from './signer.ts'
import { timeFault } from './time.ts'

interface TokenQuestion {
  readonly uri: string
  /** The credential's index in a status list, or its identifier in an identifier list. */
  readonly of: number | Uint8Array
  /** The certificate that the credential names for the list. */
  readonly certificate: Uint8Array | null
}

/** `content` is null if the token cannot be read. */
export async function readTokenStatus(
  content: TokenContent | null,
  question: TokenQuestion,
  circumstances: Circumstances,
): Promise<ListStatus> {
  if (content === null) return unknownStatus('the status list token cannot be read')
  if (!content.isTyped) return unknownStatus('the status list token is of another type')
  const signer = signerOf(content, question.certificate, circumstances)
  if (signer === 'exceeded') return exceeded('more certificates')
  const isSigned = signer !== null && (await isSignedWith(content, signer, circumstances))
  if (isSigned === 'exceeded') return exceeded('more signed bytes')
  if (!isSigned) return unknownStatus('the status list token is not signed by a trusted party')
  const { claims, entries } = content
  // Token Status List §8.3: `sub` must be the list's address in the credential.
  if (claims.sub === null || claims.sub !== question.uri)
    return unknownStatus('the status list token is of another list')
  // ISO 18013-5 §12.3.6: a list in CWT form must expire.
  if (content.kind !== 'status_list_jwt' && claims.exp === undefined)
    return unknownStatus('the status list token never expires')
  const fault = timeFault(claims, circumstances)
  if (fault !== null) return unknownStatus(fault)
  const { of } = question
  const status =
    entries?.kind === 'statuses' && typeof of === 'number'
      ? lookUpIndex(entries, of)
      : entries?.kind === 'identifiers' && typeof of !== 'number'
        ? lookUpIdentifier(entries, of)
        : null
  return status === null ? unknownStatus('the status list is malformed') : { ...status, dependsOn: signer.revocation }
}

const exceeded = (what: string): ListStatus => ({
  outcome: 'exceeded',
  detail: `the response names status lists with ${what} than one response may use`,
  dependsOn: [],
})

/** Returns the party that may have signed; null: none. */
function signerOf(
  { kind, chain, algorithm }: TokenContent,
  certificate: Uint8Array | null,
  circumstances: Circumstances,
): FoundSigner {
  if (chain === 'malformed') return null
  const signer =
    kind === 'status_list_jwt' ? jwtListSigner(chain, circumstances) : cwtListSigner(chain, certificate, circumstances)
  if (signer === null || signer === 'exceeded') return signer
  return algorithm === signer.key.algorithm ? signer : null
}

/**
 * Verifies the signature once per key. If the list has the key's certificate, the reader thread has already verified
 * it. `exceeded`: the budget is used up, so the signature is not verified.
 */
async function isSignedWith(
  content: TokenContent,
  { key, keyName, fingerprint }: ListSigner,
  { trust, budget }: Pick<Circumstances, 'trust' | 'budget'>,
): Promise<boolean | 'exceeded'> {
  const { ownSignature } = content
  if (ownSignature !== null && ownSignature.fingerprint === fingerprint) return ownSignature.holds
  const { parts, signature } = content.signed
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return verifiedOnce(content, keyName, {
    memory: trust.cache.lists,
    budget,
    // Several parts are copied twice: they are assembled first.
    copiedBytes: length * Math.min(2, parts.length),
    verify: () => verifyLong(key, { data: coveredBy(content), signature }),
  })
}
