// What is asked of wallets, and what their answers are held against: the query as it is kept, and beside each mdoc a proof in its
// place, where the operator has somebody who can check one.

import { type DcqlQuery, offerProofs } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import { AGE_PROOF } from '../../../domain/template/built-in/credentials.ts'
import type { AskedVerification } from '../../../store/verifications/columns.ts'

/**
 * A proof says nothing of its document's status. Where a status is required, proofs are taken of age attestations alone: these are
 * for one use, end within months and have none. HAIP 1.0 knows two formats, and this is neither. And nobody agrees to anything by a
 * proof: where something is to be agreed to, documents are asked for.
 */
export function askedQuery(
  { zkVerifier, config }: Pick<Deps, 'zkVerifier' | 'config'>,
  asked: Pick<AskedVerification, 'query' | 'environment' | 'settings' | 'sealedTransaction'>,
): DcqlQuery {
  const { query, environment, settings, sealedTransaction } = asked
  if (zkVerifier === null || settings.haip || config.haip || sealedTransaction !== null) return query
  const policy = environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest
  return offerProofs(query, (docType) => policy === 'prefer' || docType === AGE_PROOF)
}
