// Chooses the credentials that answer a query, and discloses as little as the query allows.

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

/** One way to answer a set of the query. */
export interface AnswerOption {
  /** Its position among the options of the query. */
  readonly at: number
  readonly choices: readonly Choice[]
}

/** The holder chooses one option; without any, the wallet has no answer. The least disclosing is first. */
export interface AnswerSet {
  readonly required: boolean
  readonly options: readonly AnswerOption[]
}

/** The chosen option by set; null: an optional set is not answered. Default: the least disclosing option. */
export type Picks = ReadonlyMap<number, number | null>

export function answersTo(query: DcqlQuery, available: readonly HeldCredential[]): readonly AnswerSet[] {
  const possible = new Map<string, Choice>()
  for (const credentialQuery of query.credentials) {
    const choice = answer(credentialQuery, available)
    if (choice !== null) possible.set(credentialQuery.id, choice)
  }
  const sets = query.sets ?? [{ options: [query.credentials.map(({ id }) => id)], required: true }]
  return sets.map(({ required, options }) => {
    const complete = options.flatMap((ids, at) => {
      const choices = ids.flatMap((id) => possible.get(id) ?? [])
      return choices.length === ids.length ? [{ at, choices }] : []
    })
    return { required, options: complete.toSorted((left, right) => countPaths(left) - countPaths(right)) }
  })
}

/** OpenID4VP 6.4: either everything required or nothing. Optional sets are answered if possible. */
export function chooseCredentials(
  query: DcqlQuery,
  available: readonly HeldCredential[],
  picks: Picks = new Map(),
): readonly Choice[] {
  const chosen = new Map<string, Choice>()
  for (const [at, { required, options }] of answersTo(query, available).entries()) {
    const pick = picks.get(at)
    if (pick === null && !required) continue
    const option = pick === undefined ? options[0] : options.find((one) => one.at === pick)
    if (option === undefined && (required || pick !== undefined)) throw new NoMatchingCredential()
    for (const choice of option?.choices ?? []) chosen.set(choice.queryId, choice)
  }
  return [...chosen.values()]
}

const countPaths = ({ choices }: AnswerOption) => choices.reduce((sum, { paths }) => sum + paths.length, 0)

function answer(query: CredentialQuery, available: readonly HeldCredential[]): Choice | null {
  for (const credential of available) {
    if (credential.format !== query.format || !isOfType(credential, query)) continue
    if (query.authorityKeyIds !== null && !credential.authorityKeyIds.some((id) => query.authorityKeyIds?.includes(id)))
      continue
    const paths = pathsToDisclose(query, credential)
    if (paths !== null) return { queryId: query.id, credential, paths }
  }
  return null
}

/** OpenID4VP B.3.5: also by a type that the issuer declares for it. */
function isOfType(credential: HeldCredential, { types }: CredentialQuery): boolean {
  const others = credential.format === 'dc+sd-jwt' ? (credential.otherTypes ?? []) : []
  return [credential.type, ...others].some((type) => types.includes(type))
}

/** The first claim set that the credential can satisfy. Verifiers list them by preference, least disclosing first. */
function pathsToDisclose(query: CredentialQuery, credential: HeldCredential): readonly ClaimPath[] | null {
  if (query.alternatives !== undefined) return pathsOnRequest(query.claims, query.alternatives, credential)
  const sets = query.claimSets?.map((ids) =>
    query.claims.filter((claim) => claim.id !== null && ids.includes(claim.id)),
  )
  const fitting = (sets ?? [query.claims]).find((claims) => claims.every((claim) => canGive(claim, credential)))
  return fitting === undefined ? null : fitting.map((claim) => claim.path)
}

/** ISO 18013-5 10.2.5: the requested elements that exist, and the first alternative for missing ones. */
function pathsOnRequest(
  claims: readonly ClaimQuery[],
  alternatives: readonly Alternatives[],
  credential: HeldCredential,
): readonly ClaimPath[] | null {
  const has = (path: ClaimPath) => canGive({ id: null, path, values: null }, credential)
  const paths = claims.flatMap(({ path }) => {
    if (has(path)) return [path]
    const instead = alternatives.find(({ requested }) => requested.join() === path.join())
    return instead?.sets.find((set) => set.every(has)) ?? []
  })
  return paths.length === 0 ? null : paths
}

function canGive(claim: ClaimQuery, credential: HeldCredential): boolean {
  const selected = select(claimsOf(credential), claim.path)
  if (selected.length === 0) return false
  const wanted: readonly Json[] | null = claim.values
  return wanted === null || selected.some((value) => wanted.includes(value))
}

/** The disclosed value of each path, for display to the holder. */
export function valuesOf({ credential, paths }: Choice): readonly Json[] {
  const claims = claimsOf(credential)
  return paths.map((path) => {
    const [only = null, ...others] = select(claims, path)
    return others.length === 0 ? only : [only, ...others]
  })
}

function claimsOf(credential: HeldCredential): Json {
  if (credential.format === 'dc+sd-jwt') return credential.claims
  const namespaces: { [namespace: string]: { [element: string]: Json } } = {}
  for (const item of credential.items)
    namespaces[item.namespace] = { ...namespaces[item.namespace], [item.element]: item.value }
  return namespaces
}
