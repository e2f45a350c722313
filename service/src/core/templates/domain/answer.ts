// Chooses the accepted credentials that answer a template, all of one alternative of its query.

import type { DcqlQuery, JsonObject } from '@vidimus/engine'
import { type AnsweringCredential, type FoundOutputs, type OutputReader, renderOutputs } from './read-outputs.ts'

interface TemplateQuestion {
  readonly query: DcqlQuery
  readonly outputs: OutputReader
  /** The ids of the queries whose credentials signed a transaction. */
  readonly signers?: readonly string[]
}

type TemplateAnswer<Credential> =
  | { readonly outcome: 'answered'; readonly claims: JsonObject; readonly credentials: readonly Credential[] }
  | { readonly outcome: 'unanswered'; readonly missing: readonly string[] }
  /** No alternative has every credential that signed. */
  | { readonly outcome: 'unsigned' }
  /** An answer that is too long for a result. */
  | { readonly outcome: 'too_long' }

/** No honest query has more combinations. Further combinations are not tried. */
const CANDIDATES_MAX = 200

/**
 * Takes the first alternative, in the query's order, that gives every output. An age is false if any credential of the
 * response denies it; an alternative that denies it too is preferred. Two alternatives may be of two holders, so their
 * credentials are never combined. If the holder signed a transaction, only alternatives with every signer count.
 */
export function answerTemplate<Credential extends AnsweringCredential>(
  question: TemplateQuestion,
  accepted: readonly Credential[],
): TemplateAnswer<Credential> {
  const { outputs, signers = [] } = question
  const denied = outputs.deniedAges(accepted)
  const answer = (ids: ReadonlySet<string>, found: FoundOutputs): TemplateAnswer<Credential> => {
    const claims = renderOutputs(found, outputs.bytesMax())
    if (claims === null) return { outcome: 'too_long' }
    return {
      outcome: 'answered',
      claims: { ...claims, ...Object.fromEntries(denied.map((name) => [name, false])) },
      credentials: accepted.filter(({ queryId }) => ids.has(queryId)),
    }
  }
  let missing: readonly string[] | null = null
  let first: readonly [ReadonlySet<string>, FoundOutputs] | null = null
  for (const { ids, read } of candidates(question, accepted)) {
    const reading = outputs.find(read)
    if (reading.missing.length > 0) {
      missing ??= reading.missing
      continue
    }
    const denies = new Set(reading.found.flatMap(({ name, value }) => (value === false ? [name] : [])))
    if (denied.every((name) => denies.has(name))) return answer(ids, reading)
    first ??= [ids, reading]
  }
  if (first !== null) return answer(...first)
  // No alternative has every credential that signed.
  if (missing === null && signers.length > 0) return { outcome: 'unsigned' }
  return { outcome: 'unanswered', missing: missing ?? outputs.names }
}

interface Candidate<Credential> {
  readonly ids: ReadonlySet<string>
  /** One credential per query id, even if the query allows several. */
  readonly read: readonly Credential[]
}

/**
 * OpenID4VP §6.4.2: one option of each set, or none of an optional set that is not answered; all credentials if there are
 * no sets. Every candidate has all credentials that signed.
 */
function* candidates<Credential extends AnsweringCredential>(
  { query, outputs, signers = [] }: TemplateQuestion,
  accepted: readonly Credential[],
): Generator<Candidate<Credential>> {
  const answered = new Set(accepted.map(({ queryId }) => queryId))
  const sets = query.credential_sets ?? [{ options: [query.credentials.map(({ id }) => id)] }]
  const alternatives = sets.map(({ options, required }) => {
    const satisfied = options.filter((option) => option.every((id) => answered.has(id)))
    return satisfied.length === 0 && required === false ? [[]] : satisfied
  })
  if (alternatives.some((options) => options.length === 0)) return
  const byId = Map.groupBy(accepted, ({ queryId }) => queryId)
  let count = 0
  for (const options of combinations(alternatives)) {
    const named = options.flat()
    if (!outputs.follow(named.length + options.length)) return
    const ids = new Set(named)
    const isSigned = signers.every((id) => ids.has(id))
    if (!isSigned && ++count > CANDIDATES_MAX) return
    const presented = [...ids].map((id) => byId.get(id) ?? [])
    for (const read of isSigned ? combinations(presented) : []) {
      if (++count > CANDIDATES_MAX) return
      yield { ids, read }
    }
  }
}

/** Picks one item of each list, in every combination. Lazy, because there may be very many combinations. */
function* combinations<Item>(lists: readonly (readonly Item[])[]): Generator<readonly Item[]> {
  const [list, ...others] = lists
  if (list === undefined) {
    yield []
    return
  }
  for (const item of list) for (const rest of combinations(others)) yield [item, ...rest]
}
