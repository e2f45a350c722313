// Builds the query that answers are checked against, with proofs as alternatives to mdocs where possible.

import { type DcqlQuery, offerProofs } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { isStatusless, soleTypeAmong } from '../../domain/provable.ts'
import type { WalletVerification } from '../../store/columns.ts'

export type QueryNeeds = Pick<Deps, 'zkVerifier' | 'config' | 'anchors' | 'clock'>

/**
 * A proof says nothing about its document's status. If status is required, only proofs of age attestations are
 * accepted, and only if the anchor says that these have no status. HAIP 1.0 allows two formats, and a proof has another.
 * A proof cannot sign an agreement, so a transaction needs a document.
 */
export async function acceptedQuery(
  { zkVerifier, config, anchors, clock }: QueryNeeds,
  verification: Pick<WalletVerification, 'tenantId' | 'query' | 'environment' | 'settings' | 'sealedTransaction'>,
  canCheck?: (circuitHash: string) => boolean,
): Promise<DcqlQuery> {
  const { query, environment, settings, sealedTransaction } = verification
  if (zkVerifier === null || settings.haip || config.haip || sealedTransaction !== null) return query
  const policy = environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest
  const trusted = await anchors.find(verification, clock.now())
  const provable = (docType: string) => {
    const sole = soleTypeAmong(trusted, docType)
    if (sole === null) return null
    return policy === 'prefer' || (isStatusless(docType) && sole.withoutStatus) ? sole.nameSpace : null
  }
  return offerProofs(query, provable, canCheck)
}

/** The query of a request, with only those proofs that the helper can check at once. */
export function requestedQuery(
  deps: QueryNeeds,
  verification: Parameters<typeof acceptedQuery>[1],
): Promise<DcqlQuery> {
  return acceptedQuery(deps, verification, (circuitHash) => deps.zkVerifier?.canCheck(circuitHash) === true)
}
