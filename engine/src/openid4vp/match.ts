// Matches a vp_token and verified claims with a DCQL query (OpenID4VP §6.4, §8.1). Returns only requested claims.

import { isoQueryOf } from '../channels/annex-c/iso-query.ts'
import type { DeviceDocuments } from '../formats/mdoc/device-response.ts'
import { MDOC } from '../formats/mdoc/name.ts'
import { MDOC_ZK } from '../formats/mdoc-zk/name.ts'
import type { Presentation } from '../formats/record.ts'
import { type CredentialQuery, type PresentedFormat, proofsFor } from '../formats/table.ts'
import { bareObject, countValues, isJsonObject, member } from '../json.ts'
import { type Budget, LIMITS, spend, spendAnswered, spendRead } from '../limits.ts'
import { type PathTree, pathTreeOf } from '../path-tree.ts'
import type { Json, JsonObject } from '../verdict.ts'
import type { Withheld } from '../withheld.ts'
import type { ClaimsPath, ClaimsQuery, ClaimValue, PathPart } from './credential-query.ts'
import type { DcqlQuery } from './dcql.ts'

/** A presentation for one credential query. It is not verified yet. */
export interface Presented {
  readonly query: CredentialQuery
  readonly presentation: Presentation
  /** The format of the query, or of a proof that the query asks for. It follows from the position in the answer, never from the content. */
  readonly format: PresentedFormat
}

export type TokenReading =
  | { readonly outcome: 'read'; readonly presented: readonly Presented[] }
  | { readonly outcome: 'refused'; readonly detail: string }

/** Splits a vp_token by our query. Each presentation gets the format of its query, which is never guessed from the text. */
export function readVpToken(vpToken: Json, query: DcqlQuery): TokenReading {
  if (!isJsonObject(vpToken)) return refused('the vp_token is not an object')
  const forms = answerForms(query)
  const ids = Object.keys(vpToken)
  if (ids.length === 0) return refused('the vp_token is empty')
  if (ids.some((id) => !forms.some((form) => form.id === id))) {
    return refused('the vp_token answers a credential query that was not asked')
  }
  const presented: Presented[] = []
  let characters = 0
  for (const { id, credential, format } of forms) {
    if (!Object.hasOwn(vpToken, id)) continue
    const presentations = vpToken[id]
    if (!Array.isArray(presentations) || presentations.length === 0) {
      return refused(
        'the vp_token does not give a non-empty array of presentations for every credential query it answers',
      )
    }
    const isSecond = presentations.length > 1 || presented.some((earlier) => earlier.query === credential)
    if (isSecond && credential.multiple !== true) {
      return refused('the vp_token gives several presentations where one was asked for')
    }
    for (const presentation of presentations) {
      if (typeof presentation !== 'string') return refused('the vp_token has a presentation that is not a string')
      presented.push({ query: credential, presentation, format })
      characters += presentation.length
    }
  }
  if (presented.length > LIMITS.presentations) return refused('the vp_token has too many presentations')
  if (characters > LIMITS.presentedLength) {
    return refused('the vp_token is too long')
  }
  return { outcome: 'read', presented }
}

interface AnswerForm {
  readonly id: string
  readonly credential: CredentialQuery
  readonly format: PresentedFormat
}

/** Maps the ids in the request to queries. A query that allows proofs has two ids. */
function answerForms({ credentials }: DcqlQuery) {
  return credentials.flatMap((credential): AnswerForm[] => [
    { id: credential.id, credential, format: credential.format },
    ...proofsFor(credential).map(({ id, format }) => ({ id, credential, format })),
  ])
}

/**
 * ISO 18013-7 C.4: documents have no query ids, so each answers the query that asks for its type. Returns them in the
 * query's order, as `readVpToken` does: of two claims with one name the first is kept, and the holder must not choose it.
 */
export function readDocuments({ documents, proved }: DeviceDocuments, query: DcqlQuery): TokenReading {
  const iso = isoQueryOf(query)
  if (iso.outcome !== 'expressible') throw new Error('bug: ISO 18013-5 cannot express the query of these documents')
  const came = [
    ...documents.map((document) => ({ docType: document.get('docType'), document, format: MDOC }) as const),
    ...proved.map((one) => ({ ...one, format: MDOC_ZK }) as const),
  ]
  if (came.length === 0) return refused('the device response contains no document')
  if (came.length > LIMITS.presentations) return refused('the device response has too many documents')
  const presented: Presented[] = []
  for (const { docType, document, format } of came) {
    const matched = iso.queries.find(({ meta }) => meta.doctype_value === docType)
    if (matched === undefined)
      return refused('the device response contains a document of a type that was not requested')
    if (format !== matched.format && !proofsFor(matched).some((proof) => proof.format === format))
      return refused('the device response contains a proof that was not requested')
    if (presented.some((earlier) => earlier.query === matched))
      return refused('the device response contains two documents of one type')
    presented.push({ query: matched, presentation: document, format })
  }
  const positions = new Map(iso.queries.map(({ id }, at) => [id, at]))
  const positionOf = (one: Presented) => positions.get(one.query.id) ?? 0
  return { outcome: 'read', presented: presented.toSorted((a, b) => positionOf(a) - positionOf(b)) }
}

/**
 * Returns the ids of credential queries whose answers count; null if the query is not satisfied. OpenID4VP §6.4.2:
 * without credential_sets all are required, otherwise only satisfied options count. The first one does, because nothing
 * proves that several belong to one holder.
 */
export function answeringIds(query: DcqlQuery, answered: ReadonlySet<string>): ReadonlySet<string> | null {
  if (query.credential_sets === undefined) {
    return query.credentials.every((credential) => answered.has(credential.id)) ? answered : null
  }
  const counted = new Set<string>()
  for (const set of query.credential_sets) {
    const satisfied = set.options.find((option) => option.every((id) => answered.has(id)))
    if (satisfied === undefined && set.required !== false) return null
    for (const id of satisfied ?? []) counted.add(id)
  }
  return counted
}

interface Disclosed {
  readonly claims: JsonObject
  readonly withheld: Withheld
}

type StepBudget = Pick<Budget, 'claimStepsLeft'>

export interface AnsweredClaims {
  /** The requested claims, nested as presented. */
  readonly claims: JsonObject
  /** The position of the claim set that they answer; null if the query has no claim sets. */
  readonly claimSet: number | null
}

/** null: the credential does not answer its query, or the search costs too much. */
export function answerClaims(presented: Disclosed, query: CredentialQuery, budget: Budget): AnsweredClaims | null {
  if (query.claims === undefined) return { claims: bareObject(), claimSet: null }
  const choice = chooseClaims(presented, query, budget)
  if (choice === null) return null
  const tree = pathTreeOf(choice.chosen.map((claim) => claim.path))
  const claims = project(presented.claims, [tree], { withheld: presented.withheld, budget })
  const isPaid = budget.claimStepsLeft > 0 && spendRead(budget) && spendAnswered(budget, countValues(claims))
  return isPaid && isJsonObject(claims) ? { claims, claimSet: choice.claimSet } : null
}

interface Choice {
  readonly chosen: readonly ClaimsQuery[]
  readonly claimSet: number | null
}

/** Chooses the first complete claim set, in our order of preference (§6.4.1). Without sets, all claims. */
function chooseClaims(
  presented: Disclosed,
  { claims: requested = [], claim_sets: sets }: CredentialQuery,
  budget: StepBudget,
): Choice | null {
  // Searches each claim once, even if several sets name it.
  const answered = requested.filter((claim) => isAnswered(presented, claim, budget))
  if (sets === undefined) return answered.length === requested.length ? { chosen: requested, claimSet: null } : null
  const ids = new Set(answered.map((claim) => claim.id))
  const isComplete = (set: readonly string[]) =>
    spend(budget, 'claimStepsLeft', Math.ceil(set.length / COMPARED.ids)) && set.every((id) => ids.has(id))
  const claimSet = sets.findIndex(isComplete)
  const chosen = new Set<string | undefined>(sets[claimSet])
  return claimSet < 0 ? null : { chosen: answered.filter(({ id }) => chosen.has(id)), claimSet }
}

/**
 * §14.9: a wallet may ignore `values`, so they are checked here. Each claims query is judged on its own: two paths
 * through one array may match different elements. A container of which all parts were withheld is not an answer.
 */
function isAnswered({ claims, withheld }: Disclosed, { path, values }: ClaimsQuery, budget: StepBudget): boolean {
  const selected = select(claims, path, withheld, budget)
  if (values === undefined) return selected.some((value) => !isHollow(value, withheld))
  return selected.some((value) => isAmong(value, values, budget))
}

/** OpenID4VP §6.1.1: one matching authority is enough. If the query names none, our anchors decide. */
export function isFromAuthority(keyIds: readonly string[], query: CredentialQuery, budget: StepBudget): boolean {
  const authorities = query.trusted_authorities
  if (authorities === undefined) return true
  const named = authorities.reduce((sum, { values }) => sum + values.length, 0)
  if (!spend(budget, 'claimStepsLeft', Math.ceil((named * keyIds.length) / COMPARED.values))) return false
  return authorities.some(({ values }) => values.some((keyId) => keyIds.includes(keyId)))
}

/** How much is compared for the price of one claim step. */
const COMPARED = { ids: 20, values: 25, letters: 200, trees: 20 }
/** Beginning to compare two texts costs as much as this many letters. */
const LETTERS_OF_BEGINNING = 20

/**
 * Compares one by one. V8 hashes numbers without a secret, so a tenant could fill a set with numbers that collide. Texts
 * are read only where the lengths are equal.
 */
function isAmong(value: Json, values: readonly ClaimValue[], budget: StepBudget): boolean {
  if (typeof value === 'object') return false
  let steps = Math.ceil(values.length / COMPARED.values)
  if (typeof value === 'string') {
    const equallyLong = values.filter((one) => typeof one === 'string' && one.length === value.length)
    steps += Math.ceil((equallyLong.length * (value.length + LETTERS_OF_BEGINNING)) / COMPARED.letters)
  }
  return spend(budget, 'claimStepsLeft', steps) && values.includes(value)
}

function isHollow(value: Json, { hollow }: Withheld): boolean {
  return typeof value === 'object' && value !== null && hollow.has(value)
}

/**
 * §7.1.1: returns the values that a path selects; none if the path meets a value of another kind. An index counts the
 * signed elements, so withholding one does not move the next.
 */
export function select(claims: JsonObject, path: ClaimsPath, withheld: Withheld, budget: StepBudget): readonly Json[] {
  const selected: Json[] = []
  return follow(claims, { path, withheld, budget, selected }, 0) ? selected : []
}

interface Walk {
  readonly path: ClaimsPath
  readonly withheld: Withheld
  readonly budget: StepBudget
  /** The values selected so far. */
  readonly selected: Json[]
}

/** Returns false as soon as the path meets a value of another kind, or the budget is used up. */
function follow(value: Json, walk: Walk, depth: number): boolean {
  if (!spend(walk.budget, 'claimStepsLeft', 1)) return false
  const part = walk.path[depth]
  if (part === undefined) {
    walk.selected.push(value)
    return true
  }
  if (typeof part === 'string') {
    if (!isJsonObject(value)) return false
    const found = member(value, part)
    return found === undefined || follow(found, walk, depth + 1)
  }
  if (!Array.isArray(value)) return false
  if (part === null) return value.every((element) => follow(element, walk, depth + 1))
  const index = walk.withheld.positions.get(value)?.indexOf(part) ?? part
  return index < 0 || index >= value.length || follow(value[index] ?? null, walk, depth + 1)
}

type Projection = Pick<Walk, 'withheld' | 'budget'>

/** There are several trees if paths lead to one element both by its index and by `null`. */
function project(value: Json, trees: readonly PathTree[], projection: Projection): Json {
  let parts = 0
  for (const { isEnd, below } of trees) {
    if (isEnd) return value
    parts += below.size
  }
  if (!spend(projection.budget, 'claimStepsLeft', parts)) return null
  if (Array.isArray(value)) return projectArray(value, trees, projection)
  const projected = bareObject()
  if (!isJsonObject(value)) return projected
  for (const { below } of trees)
    for (const name of below.keys())
      if (typeof name === 'string' && Object.hasOwn(value, name) && !(name in projected))
        projected[name] = project(value[name] ?? null, treesBelow(trees, name), projection)
  return projected
}

function projectArray(array: readonly Json[], trees: readonly PathTree[], projection: Projection): Json {
  if (!spend(projection.budget, 'claimStepsLeft', Math.ceil((array.length * trees.length) / COMPARED.trees)))
    return null
  const everywhere = treesBelow(trees, null)
  const positions = projection.withheld.positions.get(array)
  const projected: Json[] = []
  for (const [i, element] of array.entries()) {
    const named = treesBelow(trees, positions?.[i] ?? i)
    const here = named.length === 0 ? everywhere : [...named, ...everywhere]
    if (here.length > 0) projected.push(project(element, here, projection))
  }
  return projected
}

/** A loop, because `flatMap` would take most of the time. */
function treesBelow(trees: readonly PathTree[], part: PathPart): readonly PathTree[] {
  const found: PathTree[] = []
  for (const { below } of trees) {
    const tree = below.get(part)
    if (tree !== undefined) found.push(tree)
  }
  return found
}

function refused(detail: string): TokenReading {
  return { outcome: 'refused', detail }
}
