// Adds circuits to mdoc queries, so that holders can answer with a proof instead of the document (EU TS13).

import { LIMITS } from '../../limits.ts'
import type { DcqlQuery } from '../../openid4vp/dcql.ts'
import { isMdocQuery, type MdocQuery } from '../mdoc/query.ts'
import type { CredentialQuery } from '../table.ts'
import { ZK_CIRCUITS } from './circuits.ts'
import { zkProofId } from './format.ts'

/**
 * Adds circuits that a proof may use. `provable` returns, for a document type, the only name space that proofs count
 * for; null: none. `canCheck`: whether proofs of the circuit with this hash can be checked now. Queries stay unchanged
 * if they ask for several documents, no element or too many, another name space, or values.
 */
export function offerProofs(
  query: DcqlQuery,
  provable: (docType: string) => string | null,
  canCheck: (circuitHash: string) => boolean = () => true,
): DcqlQuery {
  const ids = new Set(query.credentials.map(({ id }) => id))
  const credentials = query.credentials.map((credential): CredentialQuery => {
    if (!isMdocQuery(credential) || credential.multiple === true || ids.has(zkProofId(credential))) return credential
    const counts = claimCounts(credential)
    const isProvable = counts.length > 0 && counts.every((count) => count >= 1 && count <= LIMITS.zkClaims)
    const nameSpace = isProvable ? provable(credential.meta.doctype_value) : null
    if (nameSpace === null || credential.claims?.every(({ path: [space] }) => space === nameSpace) !== true)
      return credential
    const circuits = ZK_CIRCUITS.filter(({ attributes, hash }) => counts.includes(attributes) && canCheck(hash))
    return circuits.length === 0 ? credential : { ...credential, circuits }
  })
  return { ...query, credentials }
}

function claimCounts({ claims, claim_sets: sets }: MdocQuery): readonly number[] {
  if (claims === undefined) return []
  return sets === undefined ? [claims.length] : sets.map((set) => set.length)
}
