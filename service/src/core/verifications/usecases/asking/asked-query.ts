// The query that wallets get and answers are checked against: the stored query, with a zero-knowledge proof as an
// alternative to each mdoc, if the operator has a proof verifier and an anchor that accepts proofs.

import { type DcqlQuery, offerProofs } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { isStatusless, soleTypeAmong } from '../../domain/provable.ts'
import type { WalletVerification } from '../../store/columns.ts'

export type QueryNeeds = Pick<Deps, 'zkVerifier' | 'config' | 'anchors' | 'clock'>

/**
 * A proof says nothing about its document's status. If a status is required, proofs are accepted only for age
 * attestations, and only if the anchor says that these have none. HAIP 1.0 knows two formats, and this is neither. A
 * proof cannot sign an agreement: with a transaction, documents are requested.
 */
export async function askedQuery(
  { zkVerifier, config, anchors, clock }: QueryNeeds,
  asked: Pick<WalletVerification, 'tenantId' | 'query' | 'environment' | 'settings' | 'sealedTransaction'>,
): Promise<DcqlQuery> {
  const { query, environment, settings, sealedTransaction } = asked
  if (zkVerifier === null || settings.haip || config.haip || sealedTransaction !== null) return query
  const policy = environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest
  const trusted = await anchors.find(asked, clock.now())
  return offerProofs(query, (docType) => {
    const sole = soleTypeAmong(trusted, docType)
    if (sole === null) return null
    return policy === 'prefer' || (isStatusless(docType) && sole.withoutStatus) ? sole.nameSpace : null
  })
}
