// Adds circuits to mdoc queries, so that holders can answer with a proof instead of the document (EU TS13).

import { LIMITS } from '../../limits.ts'
import type { CredentialSetQuery, DcqlQuery } from '../../openid4vp/dcql.ts'
import { isMdocQuery, type MdocQuery } from '../mdoc/query.ts'
import type { CredentialQuery } from '../table.ts'
import { ZK_CIRCUITS } from './circuits.ts'
import { zkProofId } from './format.ts'

/**
 * Adds circuits that a proof may use. `provable` returns, for a document type, the only name space that proofs count
 * for; null: none. `canCheck`: whether proofs of the circuit with this hash can be checked now. Queries stay unchanged
 * if they ask for several documents, no element or too many, another name space, or values, and if a wallet that takes
 * one option of each credential set could then send more proofs than are checked for one response.
 */
export function offerProofs(
  query: DcqlQuery,
  provable: (docType: string) => string | null,
  canCheck: (circuitHash: string) => boolean = () => true,
): DcqlQuery {
  const ids = new Set(query.credentials.map(({ id }) => id))
  const sets = query.credential_sets ?? query.credentials.map(({ id }) => ({ options: [[id]] }))
  const offered = new Set<string>()
  const credentials = query.credentials.map((credential): CredentialQuery => {
    if (!isMdocQuery(credential) || credential.multiple === true || ids.has(zkProofId(credential))) return credential
    const counts = claimCounts(credential)
    const isProvable = counts.length > 0 && counts.every((count) => count >= 1 && count <= LIMITS.zkClaims)
    const nameSpace = isProvable ? provable(credential.meta.doctype_value) : null
    if (nameSpace === null || credential.claims?.every(({ path: [space] }) => space === nameSpace) !== true)
      return credential
    // What can be checked now does not change which queries are chosen: answers are judged against the same choice.
    if (proofsMax(sets, new Set([...offered, credential.id])) > LIMITS.proofs) return credential
    offered.add(credential.id)
    const circuits = ZK_CIRCUITS.filter(({ attributes, hash }) => counts.includes(attributes) && canCheck(hash))
    return circuits.length === 0 ? credential : { ...credential, circuits }
  })
  return { ...query, credentials }
}

/** Returns the largest number of proofs, with one option of each set. */
function proofsMax(sets: readonly CredentialSetQuery[], offered: ReadonlySet<string>): number {
  const proofsOf = (option: readonly string[]) => option.filter((id) => offered.has(id)).length
  return sets.reduce((sum, { options }) => sum + Math.max(...options.map(proofsOf)), 0)
}

function claimCounts({ claims, claim_sets: sets }: MdocQuery): readonly number[] {
  if (claims === undefined) return []
  return sets === undefined ? [claims.length] : sets.map((set) => set.length)
}
