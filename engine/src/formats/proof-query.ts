// May a holder prove an answer instead of showing the document? Where proofs can be checked, a query for an mdoc is asked a second
// time in another format, `mso_mdoc_zk`, beside the plain one and never in its place (EU TS13).

import { LIMITS } from '../limits.ts'
import type { CredentialQuery, DcqlQuery, MdocQuery } from '../openid4vp/dcql.ts'
import type { JsonObject } from '../verdict.ts'
import { ZK_CIRCUITS, ZK_SYSTEM, type ZkCircuit } from './mdoc-zk/circuits.ts'

/**
 * The query with the circuits that a proof may be of. `provable` gives of a document type the one name space that proofs count for;
 * null: none does. Left as they are: queries for several documents, which proofs could not be told apart by; for nothing or for
 * more than a proof can be about; for elements of another name space; and for values that only the plain document shows.
 */
export function offerProofs(query: DcqlQuery, provable: (docType: string) => string | null): DcqlQuery {
  const ids = new Set(query.credentials.map(({ id }) => id))
  const credentials = query.credentials.map((credential): CredentialQuery => {
    if (credential.format !== 'mso_mdoc' || credential.multiple === true || ids.has(proofIdOf(credential)))
      return credential
    const counts = claimCounts(credential)
    const isProvable = counts.length > 0 && counts.every((count) => count >= 1 && count <= LIMITS.zkClaims)
    const nameSpace = isProvable ? provable(credential.meta.doctype_value) : null
    if (nameSpace === null || credential.claims?.every(({ path: [space] }) => space === nameSpace) !== true)
      return credential
    return { ...credential, circuits: ZK_CIRCUITS.filter(({ attributes }) => counts.includes(attributes)) }
  })
  return { ...query, credentials }
}

/** Under which id proofs for a query come. */
export function proofIdOf({ id }: Pick<MdocQuery, 'id'>): string {
  return `${id}_zk`
}

function claimCounts({ claims, claim_sets: sets }: MdocQuery): readonly number[] {
  if (claims === undefined) return []
  return sets === undefined ? [claims.length] : sets.map((set) => set.length)
}

/** The query as wallets read it: what may be proved is asked twice, and either answer will do. */
export function wireQuery(query: DcqlQuery): JsonObject {
  const provable = new Set(query.credentials.flatMap((credential) => (isProvable(credential) ? [credential.id] : [])))
  // The type is the wire form itself; interfaces merely have no index signature.
  if (provable.size === 0) return query as unknown as JsonObject
  const credentials = query.credentials.flatMap((credential) =>
    isProvable(credential) ? [proofQuery(credential), plainQuery(credential)] : [credential],
  )
  const sets = query.credential_sets ?? query.credentials.map(({ id }) => ({ options: [[id]] }))
  const asked = {
    credentials,
    credential_sets: sets.map((set) => ({
      ...set,
      // Proofs first: they reveal less.
      options: set.options.flatMap((option) => {
        const proved = option.map((id) => (provable.has(id) ? proofIdOf({ id }) : id))
        return option.some((id) => provable.has(id)) ? [proved, option] : [option]
      }),
    })),
  }
  return asked as unknown as JsonObject
}

type Provable = MdocQuery & { readonly circuits: readonly ZkCircuit[] }

function isProvable(credential: CredentialQuery): credential is Provable {
  return credential.format === 'mso_mdoc' && credential.circuits !== undefined
}

function plainQuery({ circuits: _, ...plain }: Provable): object {
  return plain
}

function proofQuery({ circuits, ...plain }: Provable): object {
  const systems = circuits.map(({ id, hash }) => ({
    zkSystemId: id,
    system: ZK_SYSTEM,
    params: { circuit_hash: hash },
  }))
  return {
    ...plain,
    id: proofIdOf(plain),
    format: 'mso_mdoc_zk',
    meta: { ...plain.meta, zk_system_type: systems },
  }
}
