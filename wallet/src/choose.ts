// Which credentials answer a query, and what of them is disclosed: as little as the query allows.

import type { HeldCredential } from './credential.ts'
import type { Alternatives, ClaimQuery, CredentialQuery, DcqlQuery } from './dcql.ts'
import { select } from './dcql.ts'
import type { Json } from './encoding/json.ts'
import type { ClaimPath } from './present.ts'
import { NoMatchingCredential } from './refusal.ts'

export interface Choice {
  readonly queryId: string
  readonly credential: HeldCredential
  readonly paths: readonly ClaimPath[]
}

/** OpenID4VP 6.4: all that is required or nothing. Optional sets are answered where that is possible. */
export function chooseCredentials(query: DcqlQuery, held: readonly HeldCredential[]): readonly Choice[] {
  const possible = new Map<string, Choice>()
  for (const credentialQuery of query.credentials) {
    const choice = answer(credentialQuery, held)
    if (choice !== null) possible.set(credentialQuery.id, choice)
  }
  if (query.sets === null)
    return pick(
      query.credentials.map((credential) => credential.id),
      possible,
    )
  const chosen = new Set<string>()
  for (const set of query.sets) {
    const options = set.options.filter((option) => option.every((id) => possible.has(id)))
    const best = options.toSorted((left, right) => disclosed(left, possible) - disclosed(right, possible))[0]
    if (best === undefined && set.required) throw new NoMatchingCredential()
    for (const id of best ?? []) chosen.add(id)
  }
  return pick([...chosen], possible)
}

function pick(ids: readonly string[], possible: ReadonlyMap<string, Choice>): readonly Choice[] {
  return ids.map((id) => {
    const choice = possible.get(id)
    if (choice === undefined) throw new NoMatchingCredential()
    return choice
  })
}

function disclosed(option: readonly string[], possible: ReadonlyMap<string, Choice>): number {
  return option.reduce((sum, id) => sum + (possible.get(id)?.paths.length ?? 0), 0)
}

function answer(query: CredentialQuery, held: readonly HeldCredential[]): Choice | null {
  for (const credential of held) {
    if (credential.format !== query.format || !isOfType(credential, query)) continue
    if (query.authorityKeyIds !== null && !credential.authorityKeyIds.some((id) => query.authorityKeyIds?.includes(id)))
      continue
    const paths = pathsToDisclose(query, credential)
    if (paths !== null) return { queryId: query.id, credential, paths }
  }
  return null
}

/** OpenID4VP B.3.5: also by a type that the issuer says it is known as. */
function isOfType(credential: HeldCredential, { types }: CredentialQuery): boolean {
  const others = credential.format === 'dc+sd-jwt' ? (credential.otherTypes ?? []) : []
  return [credential.type, ...others].some((type) => types.includes(type))
}

/** The first claim set that can be given whole: the verifier lists them by preference, least disclosing first. */
function pathsToDisclose(query: CredentialQuery, credential: HeldCredential): readonly ClaimPath[] | null {
  if (query.alternatives !== undefined) return pathsOnRequest(query.claims, query.alternatives, credential)
  const sets = query.claimSets?.map((ids) =>
    query.claims.filter((claim) => claim.id !== null && ids.includes(claim.id)),
  )
  const fitting = (sets ?? [query.claims]).find((claims) => claims.every((claim) => canGive(claim, credential)))
  return fitting === undefined ? null : fitting.map((claim) => claim.path)
}

/** ISO 18013-5 10.2.5: what there is of the requested elements, and the first alternative for what is missing. */
function pathsOnRequest(
  claims: readonly ClaimQuery[],
  alternatives: readonly Alternatives[],
  credential: HeldCredential,
): readonly ClaimPath[] | null {
  const has = (path: ClaimPath) => canGive({ id: null, path, values: null }, credential)
  const given = claims.flatMap(({ path }) => {
    if (has(path)) return [path]
    const instead = alternatives.find(({ requested }) => requested.join() === path.join())
    return instead?.sets.find((set) => set.every(has)) ?? []
  })
  return given.length === 0 ? null : given
}

function canGive(claim: ClaimQuery, credential: HeldCredential): boolean {
  const selected = select(claimsOf(credential), claim.path)
  if (selected.length === 0) return false
  const wanted: readonly Json[] | null = claim.values
  return wanted === null || selected.some((value) => wanted.includes(value))
}

function claimsOf(credential: HeldCredential): Json {
  if (credential.format === 'dc+sd-jwt') return credential.claims
  const namespaces: { [namespace: string]: { [element: string]: Json } } = {}
  for (const item of credential.items)
    namespaces[item.namespace] = { ...namespaces[item.namespace], [item.element]: item.value }
  return namespaces
}
