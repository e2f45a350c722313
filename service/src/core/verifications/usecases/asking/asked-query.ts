// What is asked of wallets, and what their answers are held against: the query as it is kept, and beside each mdoc a proof in its
// place, where the operator has a helper that checks proofs and an anchor under which one counts.

import { type DcqlQuery, offerProofs } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { isStatusless, soleTypeAmong } from '../../domain/provable.ts'
import type { AskedVerification } from '../../store/columns.ts'

export type QueryNeeds = Pick<Deps, 'zkVerifier' | 'config' | 'anchors' | 'clock'>

/**
 * A proof says nothing of its document's status. Where a status is required, proofs are taken of age attestations alone, and only
 * where the anchor says that they have none. HAIP 1.0 knows two formats, and this is neither. And nobody agrees to anything by a
 * proof: where something is to be agreed to, documents are asked for.
 */
export async function askedQuery(
  { zkVerifier, config, anchors, clock }: QueryNeeds,
  asked: Pick<AskedVerification, 'tenantId' | 'query' | 'environment' | 'settings' | 'sealedTransaction'>,
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
