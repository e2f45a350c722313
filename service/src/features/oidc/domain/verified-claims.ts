// Reads requests for verified claims (OpenID Connect for Identity Assurance 1.0 §6) and builds the response.

import type { Json, JsonObject } from '@vidimus/engine'
import { equalJson } from '@vidimus/engine/json'
import { OidcFailure } from './failure.ts'

/** One `verified_claims` element of a request, as sent. */
export interface VerifiedRequest {
  readonly verification: JsonObject
  readonly claims: JsonObject
}

const REQUESTS_MAX = 8

/** Reads one element or a list of alternatives. Throws OidcFailure if one has no trust framework or no claim. */
export function readVerifiedRequests(json: unknown): readonly VerifiedRequest[] {
  if (json === undefined || json === null) return []
  const list: readonly unknown[] = Array.isArray(json) ? json : [json]
  if (list.length > REQUESTS_MAX) throw malformed()
  return list.map((one) => {
    const request = objectOf(one)
    const [verification, claims] = [objectOf(request?.verification), objectOf(request?.claims)]
    if (verification === null || claims === null || !Object.hasOwn(verification, 'trust_framework')) throw malformed()
    if (Object.keys(claims).length === 0) throw malformed()
    return { verification, claims }
  })
}

const malformed = () => new OidcFailure('invalid_request', 'verified_claims is malformed')

/** Bounds the comparisons of one response, because anyone can send a request with thousands of constraints. */
interface Comparison {
  readonly nowMs: number
  left: number
}

const COMPARISONS_MAX = 10_000

/** The response to the first request that can be met; null if none can, and then nothing is disclosed. */
export function answerVerified(
  requests: readonly VerifiedRequest[],
  actual: { readonly verification: JsonObject; readonly claims: JsonObject },
  nowMs: number,
): JsonObject | null {
  const comparison = { nowMs, left: COMPARISONS_MAX }
  for (const { verification: wantedVerification, claims: wanted } of requests) {
    const verification = narrow(wantedVerification, actual.verification, comparison)
    const claims = claimsThatFit(wanted, actual.claims, comparison)
    // Claims without the requested verification mean nothing, and neither does a verification without claims.
    if (verification === UNMET || Object.keys(claims).length === 0) continue
    if (hasAllEvidence(verification, actual.verification)) return { verification, claims }
  }
  return null
}

/** The claims come from all credentials, and each has its own evidence: a condition on evidence must hold for every one. */
function hasAllEvidence(narrowed: Json, { evidence }: JsonObject): boolean {
  const kept = objectOf(narrowed)?.evidence
  return !Array.isArray(kept) || !Array.isArray(evidence) || kept.length === evidence.length
}

/** Leaves out claims that do not have the requested value. */
function claimsThatFit(wanted: JsonObject, actual: JsonObject, comparison: Comparison): JsonObject {
  const disclosed = Object.entries(wanted).flatMap(([name, constraint]) => {
    const value = ownMember(actual, name)
    const fitting = value === undefined ? UNMET : narrow(constraint, value, comparison)
    return fitting === UNMET ? [] : [[name, fitting] as const]
  })
  return Object.fromEntries(disclosed)
}

const UNMET = Symbol('a constraint is not met')
const CONDITIONS = ['value', 'values', 'max_age']
const CONSTRAINTS = [...CONDITIONS, 'essential', 'purpose']

/** Returns the requested members of a value. Once the limit of comparisons is reached, no constraint is met. */
function narrow(constraint: Json | undefined, actual: Json, comparison: Comparison): Json | typeof UNMET {
  comparison.left -= 1
  if (comparison.left < 0) return UNMET
  if (Array.isArray(actual) && Array.isArray(constraint)) return narrowList(constraint, actual, comparison)
  const conditions = objectOf(constraint)
  // null requests the value without a condition. Any other value that is not an object cannot be met.
  if (conditions === null) return constraint === null ? actual : UNMET
  const names = Object.keys(conditions)
  // Each member is looked up, also if the value does not have it.
  comparison.left -= names.length
  if (comparison.left < 0) return UNMET
  if (names.every((name) => CONSTRAINTS.includes(name))) return meets(conditions, actual, comparison) ? actual : UNMET
  const members = objectOf(actual)
  if (members === null) return UNMET
  const disclosed: Record<string, Json> = {}
  for (const name of names) {
    const value = ownMember(members, name)
    const fitting = value === undefined ? UNMET : narrow(conditions[name], value, comparison)
    if (fitting !== UNMET) disclosed[name] = fitting
    else if (value !== undefined || isConstrained(conditions[name], comparison)) return UNMET
  }
  return disclosed
}

/** Each entry of `filters` is an alternative: a value is returned if it matches one of them. */
function narrowList(filters: readonly Json[], actual: readonly Json[], comparison: Comparison): Json | typeof UNMET {
  const disclosed: Json[] = []
  for (const one of actual) {
    for (const filter of filters) {
      const fitting = narrow(filter, one, comparison)
      if (comparison.left < 0) return UNMET
      if (fitting === UNMET) continue
      disclosed.push(fitting)
      break
    }
  }
  return disclosed.length === 0 ? UNMET : disclosed
}

/**
 * Whether a certain value is required, at any depth. A missing element then fails the request; otherwise it is left out.
 * Once the limit of comparisons is reached, everything counts as required.
 */
function isConstrained(constraint: Json | undefined, comparison: Comparison): boolean {
  comparison.left -= 1
  if (comparison.left < 0) return true
  if (Array.isArray(constraint)) return constraint.some((one) => isConstrained(one, comparison))
  const conditions = Object.entries(objectOf(constraint) ?? {})
  return conditions.some(([name, one]) => CONDITIONS.includes(name) || isConstrained(one, comparison))
}

function meets(constraint: JsonObject, actual: Json, comparison: Comparison): boolean {
  const { value, values, max_age: maxAge } = constraint
  comparison.left -= Array.isArray(values) ? values.length : 0
  if (comparison.left < 0) return false
  if (value !== undefined && !equalJson(value, actual)) return false
  if (values !== undefined && !(Array.isArray(values) && values.some((one) => equalJson(one, actual)))) return false
  if (maxAge === undefined) return true
  const atMs = typeof actual === 'string' && actual.length <= TIME_LENGTH_MAX ? Date.parse(actual) : Number.NaN
  return typeof maxAge === 'number' && comparison.nowMs - atMs <= maxAge * 1000
}

const TIME_LENGTH_MAX = 64

/** The request chooses the names, so inherited members must not count. */
const ownMember = (object: JsonObject, name: string) => (Object.hasOwn(object, name) ? object[name] : undefined)

function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}
