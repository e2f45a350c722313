// The claims to request of a document, and the sets of them that are enough, least disclosing first.

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

export interface DcqlClaim {
  readonly id?: string
  readonly path: readonly (string | null)[]
  readonly values?: readonly unknown[]
  readonly intent_to_retain?: boolean
}

/** Claims of one fact, and the sets of them that are enough, best first. */
interface Part {
  readonly claims: readonly (DcqlClaim & { readonly id: string })[]
  readonly sets: readonly (readonly string[])[]
  /** There is only one set, so the claims need no ids. */
  readonly isPlain: boolean
}

interface ClaimQuery {
  readonly claims: readonly DcqlClaim[]
  readonly claim_sets?: readonly (readonly string[])[]
}

export function claimsOf(document: DocumentId, requested: readonly RequestedClaim[]): ClaimQuery {
  const parts = requested.map((one) => partOf(document, one, requested))
  const claims = parts.flatMap((part) => part.claims)
  const sets = productOf(parts.map((part) => part.sets))
  if (parts.every(({ isPlain }) => isPlain)) return { claims: claims.map(({ id: _, ...claim }) => claim) }
  return { claims, claim_sets: sets }
}

function partOf(document: DocumentId, one: RequestedClaim, all: readonly RequestedClaim[]): Part {
  if (one === 'address') return addressPart(document)
  if (isFact(one)) return factPart(document, one)
  // The age follows from the date of birth, so no more claims are requested.
  return all.includes('birth_date') ? { claims: [], sets: [[]], isPlain: true } : agePart(document, ageOf(one) ?? 0)
}

function factPart(document: DocumentId, fact: FactId): Part {
  const paths = pathsOf(document, fact)
  const claims = paths.map((path) => ({
    id: paths.length === 1 ? fact : `${fact}_${path.at(-1)}`,
    ...retained(document, path, true),
  }))
  // A place of birth has at least one of these parts.
  if (fact === 'birth_place' && paths.length > 1)
    return { claims, sets: BIRTH_PLACE_SETS.map((set) => set.map((part) => `${fact}_${part}`)), isPlain: false }
  return { claims, sets: [claims.map(({ id }) => id)], isPlain: true }
}

const BIRTH_PLACE_SETS = [['locality', 'country'], ['locality'], ['region'], ['country']]

/** Returns the path of a claim, as in a query. An mdoc has one element per fact. */
function pathsOf(document: DocumentId, fact: FactId): readonly (readonly (string | null)[])[] {
  const { sd, pid, mdl } = factOf(fact)
  const { namespace } = DOCUMENTS[document]
  if (namespace === null) return sd ?? []
  const element = document === 'mdl' ? mdl : pid
  return element === null ? [] : [[namespace, element]]
}

/** Only mdoc requests say whether the value is kept. */
function retained(document: DocumentId, path: readonly (string | null)[], isKept: boolean) {
  return DOCUMENTS[document].namespace === null ? { path } : { path, intent_to_retain: isKept }
}

/** The next higher age proves it too. A holder presents at most one of the two. */
export const higherAge = (age: number): number | null => (age === 16 ? 18 : age === 18 ? 21 : null)

function agePart(document: DocumentId, age: number): Part {
  const { namespace } = DOCUMENTS[document]
  const exact =
    namespace === null
      ? { id: 'exact', path: ['age_equal_or_over', String(age)] }
      : { id: 'exact', ...retained(document, [namespace, `age_over_${age}`], false) }
  // A PID has few ages, and rarely the next higher one.
  const next = document === 'mdl' || document === 'age_proof' ? higherAge(age) : null
  const higher =
    next === null || namespace === null
      ? []
      : [{ id: 'higher', path: [namespace, `age_over_${next}`], values: [true], intent_to_retain: false }]
  const born =
    document === 'age_proof'
      ? []
      : [{ id: 'born', ...retained(document, namespace === null ? ['birthdate'] : [namespace, 'birth_date'], false) }]
  const claims = [exact, ...higher, ...born]
  return { claims, sets: claims.map(({ id }) => [id]), isPlain: false }
}

const IN_PARTS = [
  ['street_address', 'postal_code', 'locality', 'region', 'country'],
  ['street_address', 'postal_code', 'locality', 'country'],
]
const WITH_NUMBER = IN_PARTS.map(([street = '', ...rest]) => [street, 'house_number', ...rest])
const LESS = [['formatted'], ['street_address', 'postal_code', 'locality'], ['locality']]

function addressPart(document: DocumentId): Part {
  const { namespace } = DOCUMENTS[document]
  const isLicence = document === 'mdl'
  const claims = Object.entries(ADDRESS)
    .filter(([id]) => !isLicence || id !== 'house_number')
    .map(([id, { sd, mdoc }]) => ({
      id,
      ...retained(document, namespace === null ? ['address', sd] : [namespace, mdoc], true),
    }))
  // First-edition licences have the street only in the text.
  const sets = isLicence
    ? [...IN_PARTS, ['formatted', 'postal_code', 'locality', 'country'], ...LESS]
    : [...WITH_NUMBER, ...IN_PARTS, ...LESS]
  return { claims, sets, isPlain: false }
}

/** Combines one set of each part, in the order of preference of the first part, then of the next. */
function productOf(parts: readonly (readonly (readonly string[])[])[]): readonly (readonly string[])[] {
  return parts.reduce<readonly (readonly string[])[]>(
    (joined, sets) => joined.flatMap((before) => sets.map((set) => [...before, ...set])),
    [[]],
  )
}
