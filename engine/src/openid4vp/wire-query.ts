// Builds the query to send. If a proof would do, the query asks twice: for the proof and for the document.

import { type CredentialQuery, proofsFor, queriedFormatOf } from '../formats/table.ts'
import type { JsonObject } from '../verdict.ts'
import type { DcqlQuery } from './dcql.ts'

export function wireQuery(query: DcqlQuery): JsonObject {
  const proofIds = new Map(query.credentials.map((credential) => [credential.id, proofsFor(credential)]))
  // The cast is safe: the type has the wire form, but interfaces have no index signature.
  if ([...proofIds.values()].every(({ length }) => length === 0)) return query as unknown as JsonObject
  const credentials = query.credentials.flatMap((credential) => [
    ...proofsFor(credential).map(({ record }) => record.wireQuery(credential)),
    plainQuery(credential),
  ])
  const sets = query.credential_sets ?? query.credentials.map(({ id }) => ({ options: [[id]] }))
  const credentialQuery = {
    credentials,
    credential_sets: sets.map((set) => ({
      ...set,
      // Proofs come first, because they reveal less.
      options: set.options.flatMap((option) => {
        const proofs = Math.max(...option.map((id) => proofIds.get(id)?.length ?? 0))
        const proved = Array.from({ length: proofs }, (_, at) => option.map((id) => proofIds.get(id)?.[at]?.id ?? id))
        return [...proved, option]
      }),
    })),
  }
  return credentialQuery as unknown as JsonObject
}

const plainQuery = (credential: CredentialQuery): object => queriedFormatOf(credential.format).wireQuery(credential)
