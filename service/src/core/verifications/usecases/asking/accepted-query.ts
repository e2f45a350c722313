// Builds the query that answers are checked against, with proofs as alternatives to mdocs where possible.

import { type DcqlQuery, offerProofs, type SoleType } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { isStatusless, soleTypeAmong } from '../../domain/provable.ts'
import type { WalletVerification } from '../../store/columns.ts'

export type QueryNeeds = Pick<Deps, 'zkVerifier' | 'config' | 'anchors' | 'clock'>

/**
 * Returns a function that finds the sole type of a document type's proofs, or null if none are accepted; null: no proofs
 * are. A proof says nothing about its document's status. If status is required, only proofs of age attestations are
 * accepted, and only if the anchor says that these have no status. HAIP 1.0 allows two formats, and a proof has another.
 */
export async function acceptedProofs(
  { zkVerifier, config, anchors, clock }: QueryNeeds,
  realm: Pick<WalletVerification, 'tenantId' | 'environment' | 'settings'>,
): Promise<((docType: string) => SoleType | null) | null> {
  const { environment, settings } = realm
  if (zkVerifier === null || settings.haip || config.haip) return null
  const policy = environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest
  const trusted = await anchors.find(realm, clock.now())
  return (docType) => {
    const sole = soleTypeAmong(trusted, docType)
    return policy === 'prefer' || (isStatusless(docType) && sole?.withoutStatus === true) ? sole : null
  }
}

export async function acceptedQuery(
  deps: QueryNeeds,
  verification: Pick<WalletVerification, 'tenantId' | 'query' | 'environment' | 'settings' | 'sealedTransaction'>,
  canCheck?: (circuitHash: string) => boolean,
): Promise<DcqlQuery> {
  const { query, sealedTransaction } = verification
  // A proof cannot sign an agreement, so a transaction needs a document.
  const soleTypeOf = sealedTransaction === null ? await acceptedProofs(deps, verification) : null
  return soleTypeOf === null ? query : offerProofs(query, (type) => soleTypeOf(type)?.nameSpace ?? null, canCheck)
}

/** The query of a request, with only those proofs that the helper can check at once. */
export function requestedQuery(
  deps: QueryNeeds,
  verification: Parameters<typeof acceptedQuery>[1],
): Promise<DcqlQuery> {
  return acceptedQuery(deps, verification, (circuitHash) => deps.zkVerifier?.canCheck(circuitHash) === true)
}
