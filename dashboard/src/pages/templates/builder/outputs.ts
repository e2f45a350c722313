// Builds a template's outputs: one name per claim, whichever document it comes from.

import { higherAge } from './claims.ts'
import {
  ADDRESS,
  ageOf,
  DOCUMENTS,
  type DocumentId,
  type FactId,
  factOf,
  isFact,
  type RequestedClaim,
} from './documents.ts'

interface Source {
  readonly credential: string
  readonly path: readonly string[]
  readonly append?: readonly string[]
}

export function outputsOf(
  requested: readonly RequestedClaim[],
  documents: readonly DocumentId[],
): Record<string, unknown> {
  return Object.fromEntries(requested.map((one) => [one, ruleOf(one, requested, documents)]))
}

function ruleOf(one: RequestedClaim, all: readonly RequestedClaim[], documents: readonly DocumentId[]): object {
  if (!isFact(one)) return ageRule(ageOf(one) ?? 0, all, documents)
  if (one === 'address') return { object: addressMembers(documents) }
  if (one === 'birth_place') return { object: birthPlaceMembers(documents) }
  const { as } = factOf(one)
  const value = documents.flatMap((document) => sourceOf(document, one))
  return as === undefined ? { value } : { value, as }
}

/** Reads the first path. */
function sourceOf(document: DocumentId, fact: FactId): Source[] {
  const { sd, pid, mdl } = factOf(fact)
  const { namespace } = DOCUMENTS[document]
  const first = sd?.[0]?.[0]
  if (namespace === null) return typeof first === 'string' ? [{ credential: document, path: [first] }] : []
  const element = document === 'mdl' ? mdl : pid
  return element === null ? [] : [{ credential: document, path: [namespace, element] }]
}

function ageRule(age: number, all: readonly RequestedClaim[], documents: readonly DocumentId[]): object {
  const birthDates = documents
    .filter((document) => document !== 'age_proof')
    .flatMap((document) => sourceOf(document, 'birth_date'))
  const flags = all.includes('birth_date') ? [] : documents.flatMap((document) => flagsOf(document, age))
  return {
    age_over: age,
    ...(flags.length > 0 && { flags }),
    ...(birthDates.length > 0 && { birth_dates: birthDates }),
  }
}

function flagsOf(document: DocumentId, age: number) {
  const { namespace } = DOCUMENTS[document]
  if (namespace === null) return [{ credential: document, path: ['age_equal_or_over', String(age)], age }]
  const next = document === 'pid_mdoc' ? null : higherAge(age)
  return [age, ...(next === null ? [] : [next])].map((one) => ({
    credential: document,
    path: [namespace, `age_over_${one}`],
    age: one,
  }))
}

function addressMembers(documents: readonly DocumentId[]): Record<string, readonly Source[]> {
  const pathOf = (document: DocumentId, { sd, mdoc }: (typeof ADDRESS)[keyof typeof ADDRESS]) => {
    const { namespace } = DOCUMENTS[document]
    return namespace === null ? ['address', sd] : [namespace, mdoc]
  }
  const { house_number: houseNumber, ...members } = ADDRESS
  return Object.fromEntries(
    Object.entries(members).map(([name, part]) => [
      name,
      documents.map((document): Source => {
        const hasNumber = name === 'street_address' && document !== 'mdl'
        const path = pathOf(document, part)
        return { credential: document, path, ...(hasNumber && { append: pathOf(document, houseNumber) }) }
      }),
    ]),
  )
}

/** The PID's place of birth is a structure, the driving licence's is a text. */
function birthPlaceMembers(documents: readonly DocumentId[]): Record<string, readonly Source[]> {
  const text = documents.filter((document) => document === 'mdl')
  const parts = documents.filter((document) => document !== 'mdl')
  const members: [string, readonly Source[]][] = [
    ['formatted', text.flatMap((document) => sourceOf(document, 'birth_place'))],
    ...['locality', 'region', 'country'].map((name): [string, readonly Source[]] => [
      name,
      parts.flatMap((document) =>
        sourceOf(document, 'birth_place').map(({ credential, path }) => ({ credential, path: [...path, name] })),
      ),
    ]),
  ]
  return Object.fromEntries(members.filter(([, sources]) => sources.length > 0))
}
