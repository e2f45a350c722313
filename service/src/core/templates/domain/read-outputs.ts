// Turns verified credentials into a template's outputs, in one vocabulary for all kinds of credentials.

import type { Json, JsonObject } from '@vidimus/engine'
import {
  base64Of,
  base64ToBase64url,
  createBirthReader,
  createResultBudget,
  hasPath,
  isLongerThan,
  pathTreeOf,
  valueAt,
  withoutPaths,
} from '@vidimus/engine/claims'
import { ageAtLeast } from './age.ts'
import { type OutputRule, type Outputs, pathOf, publishedBy, type Source, sourcesOf } from './outputs.ts'

/** An accepted credential, as the engine returns it. SD-JWT: nested. mdoc: namespace -> element -> value. */
export interface AnsweringCredential {
  readonly queryId: string
  readonly claims: JsonObject
}

/** Reads each credential only once, even if many combinations of credentials are tried. */
export interface OutputReader {
  readonly names: readonly string[]
  readonly follow: (steps: number) => boolean
  /** Bytes of claims that the rest of the budget can pay for. */
  readonly bytesMax: () => number
  /** The outputs from these credentials, not rendered yet. */
  find(credentials: readonly AnsweringCredential[]): FoundOutputs
  /** The names of the age outputs that any of these credentials denies. */
  deniedAges(credentials: readonly AnsweringCredential[]): readonly string[]
  /** The claims of one credential that may be kept, without the claims that only an age is computed from. */
  keptClaims(credential: AnsweringCredential): JsonObject
}

export interface FoundOutputs {
  /** Outputs without a value from any credential: the question is not answered. */
  readonly missing: readonly string[]
  readonly found: readonly Found[]
}

interface Found {
  readonly name: string
  readonly value: Json
  readonly as?: 'list' | 'bytes'
}

/** What one rule finds in one credential. The lowest rank among all credentials wins. */
interface Part {
  readonly rank: number
  readonly value: Json
  /** The value has no elements or no bytes. */
  readonly isEmpty?: boolean
}

/** `utcDay` (YYYY-MM-DD) is the day of the response: ages are computed for that day. */
export function createOutputReader(outputs: Outputs, utcDay: string, budget = createResultBudget()): OutputReader {
  const readBirth = createBirthReader(utcDay)
  const rules = Object.entries(outputs).map(([name, rule]) => ({ name, rule, finder: finderOf(rule) }))
  const published = pathTreeOf(publishedBy(outputs).map(pathOf))
  const ofAges = rules.flatMap(({ rule }) => ('age_over' in rule ? sourcesOf(rule).map(pathOf) : []))
  const withheld = pathTreeOf(ofAges.filter((path) => !hasPath(published, path)))
  const all = Object.values(outputs).flatMap(sourcesOf)
  budget.follow(stepsTo(all))
  const sources = Map.groupBy(all, ({ credential }) => credential)
  const parts = new Map<AnsweringCredential, readonly (Part | null)[]>()
  const places = new Map<Source | undefined, string>()

  function finderOf(rule: OutputRule): (credential: AnsweringCredential) => Part | null {
    if ('value' in rule)
      return (credential) => {
        const part = firstOf(rule.value, credential)
        return part !== null && isEmpty(part, rule, credential) ? { ...part, isEmpty: true } : part
      }
    if ('object' in rule) {
      const ids = [...new Set(sourcesOf(rule).map(({ credential }) => credential))]
      return (credential) => membersOf(rule.object, credential, ids.indexOf(credential.queryId))
    }
    return (credential) => {
      const births = rule.birth_dates.map((source) => readBirth(lookUp(source, credential)))
      const flags = rule.flags.map((source) => ({ age: source.age, value: lookUp(source, credential) }))
      const answer = ageAtLeast(rule.age_over, { flags, births })
      // If credentials contradict each other, one "no" decides, so that no holder is made older.
      return answer === undefined ? null : { rank: answer ? 1 : 0, value: answer }
    }
  }

  function isEmpty({ rank, value }: Part, { value: sources, as }: ValueRule, credential: AnsweringCredential): boolean {
    if (as === 'list') return Array.isArray(value) && value.length === 0
    if (as !== 'bytes') return false
    const place = places.getOrInsertComputed(sources[rank], (source) => JSON.stringify(source))
    return typeof value !== 'string' || !budget.examine(value, isBase64, credential, place)
  }

  function partsOf(credential: AnsweringCredential): readonly (Part | null)[] {
    return parts.getOrInsertComputed(credential, () => {
      const isPaid = budget.follow(stepsTo(sources.get(credential.queryId) ?? []))
      return rules.map(({ finder }) => (isPaid ? finder(credential) : null))
    })
  }

  return {
    names: rules.map(({ name }) => name),
    follow: budget.follow,
    bytesMax: budget.bytesMax,
    find(credentials) {
      const isPaid = budget.follow(Math.ceil((rules.length * (1 + credentials.length)) / 2))
      if (!isPaid) return { missing: rules.map(({ name }) => name), found: [] }
      const read = credentials.map(partsOf)
      const missing: string[] = []
      const found: Found[] = []
      for (const [index, { name, rule }] of rules.entries()) {
        const part = lowest(read, index)
        const as = 'value' in rule ? rule.as : undefined
        if (part === null || part.isEmpty === true) missing.push(name)
        else found.push({ name, value: part.value, ...(as !== undefined && { as }) })
      }
      return { missing, found }
    },
    deniedAges(credentials) {
      const read = credentials.map(partsOf)
      return rules.flatMap(({ name, rule }, index) =>
        'age_over' in rule && lowest(read, index)?.value === false ? [name] : [],
      )
    },
    keptClaims(credential) {
      const tree = withheld.below.get(credential.queryId)
      const read = partsOf(credential)
      const answers = rules.flatMap(({ name, rule }, index) => {
        const part = read[index] ?? null
        return part === null || !('age_over' in rule) ? [] : [[name, part.value] as const]
      })
      const claims = tree === undefined ? credential.claims : withoutPaths(credential.claims, tree)
      return { ...claims, ...Object.fromEntries(answers) }
    },
  }
}

/** Reading a value, which may be a date, and joining two texts take as long as so many names of a path. */
const STEPS = { read: 3, join: 8 }

const stepsTo = (sources: readonly Source[]) =>
  sources.reduce((sum, { path, append }) => {
    const joined = append === undefined ? 0 : STEPS.join + append.length
    return sum + STEPS.read + path.length + joined
  }, 0)

/** Takes the first credential if two have the same rank. */
function lowest(read: readonly (readonly (Part | null)[])[], index: number): Part | null {
  let best: Part | null = null
  for (const parts of read) {
    const part = parts[index] ?? null
    if (part !== null && (best === null || part.rank < best.rank)) best = part
  }
  return best
}

/** The rank is the position of the source. */
function firstOf(sources: readonly Source[], credential: AnsweringCredential): Part | null {
  for (const [rank, source] of sources.entries()) {
    const value = lookUp(source, credential)
    if (value !== undefined) return { rank, value }
  }
  return null
}

/** Text that begins with padding has no bytes. Other text, such as the address of a picture, is not base64. */
const isBase64 = (text: string) => /^\s*[\w+/-][\s\w+/=-]*$/.test(base64Of(text))

type ValueRule = Extract<OutputRule, { readonly value: unknown }>
type Members = Extract<OutputRule, { readonly object: unknown }>['object']

function membersOf(object: Members, credential: AnsweringCredential, rank: number): Part | null {
  const members = Object.entries(object).flatMap(([name, sources]) => {
    const part = firstOf(sources, credential)
    return part === null ? [] : [[name, part.value] as const]
  })
  return members.length === 0 ? null : { rank, value: Object.fromEntries(members) }
}

/** Issuers write null or the empty text for "no value" (a portrait that a holder opted out of, for example). */
function lookUp(source: Source, { queryId, claims }: AnsweringCredential): Json | undefined {
  if (queryId !== source.credential) return undefined
  const value = valueAt(claims, source.path)
  if (value === undefined || value === null || value === '') return undefined
  return source.append === undefined ? value : appendText(value, valueAt(claims, source.append))
}

/** The maximum length of a street with its house number: joining longer texts would take too long. */
export const APPENDED_LENGTH_MAX = 1_000

/** Some issuers also write the house number into the street. Then it is not appended again. Longer texts are not compared. */
export const HOUSE_NUMBER_LENGTH_MAX = 50
function appendText(value: Json, appended: Json | undefined): Json {
  if (typeof value !== 'string' || typeof appended !== 'string' || appended === '') return value
  if (value.length + 1 + appended.length > APPENDED_LENGTH_MAX) return value
  const isShort = appended.length <= HOUSE_NUMBER_LENGTH_MAX
  return isShort && (value === appended || value.endsWith(` ${appended}`)) ? value : `${value} ${appended}`
}

/**
 * Bytes of all claims of a result as JSON, including those of its credentials. A portrait of 350 kB fits into both;
 * longer results take too long to store and to read.
 */
export const RESULT_BYTES_MAX = 1_000_000

/** The claims of the result; null if they would be too long. */
export function renderOutputs({ found }: FoundOutputs, bytesMax = RESULT_BYTES_MAX): JsonObject | null {
  const values = found.map(({ value }) => value)
  if (isLongerThan(values, Math.min(RESULT_BYTES_MAX, bytesMax))) return null
  return Object.fromEntries(found.map(({ name, value, as }) => [name, rendered(value, as)]))
}

function rendered(value: Json, as: Found['as']): Json {
  if (as === 'list') return Array.isArray(value) ? value : [value]
  return as === 'bytes' && typeof value === 'string' ? base64ToBase64url(base64Of(value)) : value
}
