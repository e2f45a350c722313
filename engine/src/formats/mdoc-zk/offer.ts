// May a holder prove an answer instead of showing the document? Where proofs can be checked, a query for an mdoc is asked a second
// time in another format, beside the plain one and never in its place (EU TS13).

import { LIMITS } from '../../limits.ts'
import type { DcqlQuery } from '../../openid4vp/dcql.ts'
import { isMdocQuery, type MdocQuery } from '../mdoc/query.ts'
import type { CredentialQuery } from '../table.ts'
import { ZK_CIRCUITS } from './circuits.ts'
import { zkProofId } from './format.ts'

/**
 * The query with the circuits that a proof may be of. `provable` gives of a document type the one name space that proofs count for;
 * null: none does. Left as they are: queries for several documents, which proofs could not be told apart by; for nothing or for
 * more than a proof can be about; for elements of another name space; and for values that only the plain document shows.
 * `canCheck`: whether proofs of a circuit, by its hash, can be checked now.
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
