// Turns choices into a DCQL query with outputs, and back if that loses nothing. Built-in templates round-trip.

import { claimsOf, type DcqlClaim } from './claims.ts'
import {
  ageOf,
  DOCUMENTS,
  type DocumentId,
  factOf,
  isFact,
  isRequestable,
  ORDERS,
  type RequestedClaim,
} from './documents.ts'
import { outputsOf } from './outputs.ts'

export interface Choice {
  /** In the order of the outputs. At most one age. */
  readonly requested: readonly RequestedClaim[]
  readonly documents: readonly DocumentId[]
}

interface DcqlCredential {
  readonly id: string
  readonly format: string
  readonly meta: object
  readonly claims: readonly DcqlClaim[]
  readonly claim_sets?: readonly (readonly string[])[]
}

export interface Question {
  readonly query: {
    readonly credentials: readonly DcqlCredential[]
    readonly credential_sets?: readonly { readonly options: readonly (readonly string[])[] }[]
  }
  readonly outputs: Readonly<Record<string, unknown>>
}

/** An age proof contains only ages. */
function canTell(document: DocumentId, requested: RequestedClaim): boolean {
  if (!isFact(requested)) return ageOf(requested) !== null
  const { sd, pid, mdl } = factOf(requested)
  return { pid_sd: sd, pid_mdoc: pid, mdl, age_proof: null }[document] !== null
}

/** Returns the requested claims that a document lacks. A document that lacks one cannot answer. */
export const lackingIn = (document: DocumentId, { requested }: Pick<Choice, 'requested'>): readonly RequestedClaim[] =>
  requested.filter((one) => !canTell(document, one))

/** Returns the chosen documents that have all requested claims, least disclosing first. */
export function documentsOf({ requested, documents }: Choice): readonly DocumentId[] {
  const order = requested.every((one) => !isFact(one)) ? ORDERS.age : ORDERS.person
  return order.filter((one) => documents.includes(one) && lackingIn(one, { requested }).length === 0)
}

/** Returns null if nothing is requested, or no chosen document has all of it. */
export function questionOf(choice: Choice): Question | null {
  const documents = documentsOf(choice)
  if (choice.requested.length === 0 || documents.length === 0) return null
  const credentials = documents.map((document) => credentialOf(document, choice.requested))
  const options = credentials.map(({ id }) => [id])
  return {
    query: credentials.length === 1 ? { credentials } : { credentials, credential_sets: [{ options }] },
    outputs: outputsOf(choice.requested, documents),
  }
}

function credentialOf(document: DocumentId, requested: readonly RequestedClaim[]): DcqlCredential {
  const { format, meta } = DOCUMENTS[document]
  return { id: document, format, meta, ...claimsOf(document, requested) }
}

/** Returns the choices that yield exactly this query; null if it cannot be expressed as choices. */
export function choiceOf(question: { readonly query: unknown; readonly outputs: unknown }): Choice | null {
  const { query, outputs } = question
  if (!isObject(query) || !isObject(outputs) || !Array.isArray(query.credentials)) return null
  const requested = Object.keys(outputs).filter(isRequestable)
  const documents = query.credentials.flatMap((one) => (isObject(one) && isDocument(one.id) ? [one.id] : []))
  const choice = { requested, documents }
  const rebuilt = questionOf(choice)
  const isSame = rebuilt !== null && isEqual(rebuilt.query, query) && isEqual(rebuilt.outputs, withoutEmpty(outputs))
  return isSame ? choice : null
}

const isDocument = (id: unknown): id is DocumentId => typeof id === 'string' && Object.hasOwn(DOCUMENTS, id)

/** The service adds empty lists to an age rule that omits them. */
function withoutEmpty(outputs: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, rule]) => [
      name,
      isObject(rule)
        ? Object.fromEntries(Object.entries(rule).filter(([, part]) => !Array.isArray(part) || part.length > 0))
        : rule,
    ]),
  )
}

/** The order of members does not matter in JSON. The order of outputs does, and is compared before. */
function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isEqual(item, other[at]))
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
