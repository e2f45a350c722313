// Finds the claims that the issuer signed and the holder disclosed. Their digests connect them (RFC 9901 §7.1).

import { hash } from 'node:crypto'
import { decodeBase64url, decodeUtf8, isArrayIndex, isKey, Malformed } from '../../bytes.ts'
import { bareObject, isJsonObject, type JsonBudget, jsonBudget, parseJson } from '../../json.ts'
import { type Budget, LIMITS, spendHashing } from '../../limits.ts'
import type { Json, JsonObject } from '../../verdict.ts'
import type { Withheld } from '../../withheld.ts'
import type { SdJwt } from './parse.ts'

// Values of `_sd_alg` in the IANA registry, except truncated and broken hashes.
const HASHES = {
  'sha-256': 'sha256',
  'sha-384': 'sha384',
  'sha-512': 'sha512',
  'sha3-256': 'sha3-256',
  'sha3-384': 'sha3-384',
  'sha3-512': 'sha3-512',
} as const
type DigestAlgorithm = keyof typeof HASHES

/** RFC 9901 §4.1.1: the default is sha-256. Returns null for an algorithm that is not accepted. */
export function digestAlgorithmOf(payload: JsonObject): DigestAlgorithm | null {
  const name = Object.hasOwn(payload, '_sd_alg') ? payload._sd_alg : 'sha-256'
  return typeof name === 'string' && Object.hasOwn(HASHES, name) ? (name as DigestAlgorithm) : null
}

export function digestOf(text: string, algorithm: DigestAlgorithm): string {
  return hash(HASHES[algorithm], text, 'base64url')
}

/** The measured cost, relative to SHA-2. */
const COST_FACTORS: Readonly<Record<DigestAlgorithm, number>> = {
  'sha-256': 1,
  'sha-384': 1,
  'sha-512': 1,
  'sha3-256': 1.5,
  'sha3-384': 2,
  'sha3-512': 3,
}

/** Pays for hashing this many bytes. Returns false if the budget does not suffice. */
export function spendDigests({ issuerJwt }: SdJwt, bytes: number, budget: Budget): boolean {
  const algorithm = digestAlgorithmOf(issuerJwt.payload)
  return algorithm === null || spendHashing(budget, bytes, COST_FACTORS[algorithm])
}

export interface Disclosed {
  /** The payload with the disclosed claims and without digests. */
  readonly claims: JsonObject
  readonly withheld: Withheld
}

/** Throws Malformed. Each disclosure must be referenced by exactly one signed digest. */
export function discloseClaims(
  payload: JsonObject,
  disclosures: readonly string[],
  budget: JsonBudget = jsonBudget(),
): Disclosed {
  const algorithm = digestAlgorithmOf(payload)
  if (algorithm === null) throw new Malformed('the digest algorithm of the SD-JWT is not accepted')
  const digests = new Map<string, Disclosure | typeof OCCURRED>()
  for (const text of disclosures) {
    const digest = digestOf(text, algorithm)
    if (digests.has(digest)) throw new Malformed('a disclosure is repeated')
    digests.set(digest, parseDisclosure(text, budget))
  }
  const withheld: Traces = { hollow: new Set(), positions: new Map() }
  const claims = discloseObject(payload, { digests, withheld, depth: 1, top: true, fixed: false })
  for (const state of digests.values()) {
    if (state !== OCCURRED) throw new Malformed('a disclosure is not referenced by what the issuer signed')
  }
  return { claims, withheld }
}

/** Marks a digest that has occurred, because none may occur twice. */
const OCCURRED = 'occurred'

interface Disclosure {
  /** null for a disclosed array element. */
  readonly name: string | null
  readonly value: Json
}

function parseDisclosure(text: string, budget: JsonBudget): Disclosure {
  const bytes = decodeBase64url(text)
  const json = bytes === null ? null : decodeUtf8(bytes)
  if (json === null) throw new Malformed('a disclosure is not base64url of UTF-8 text')
  const array = parseJson(json, budget)
  if (!Array.isArray(array) || typeof array[0] !== 'string')
    throw new Malformed('a disclosure is not an array with a salt')
  if (array.length === 2) return { name: null, value: array[1] ?? null }
  if (array.length !== 3 || typeof array[1] !== 'string' || !isKey(array[1]))
    throw new Malformed('a disclosure does not name its claim')
  return { name: array[1], value: array[2] ?? null }
}

interface Traces extends Withheld {
  readonly hollow: Set<object>
  readonly positions: Map<object, readonly number[]>
}

/** A position in the claims, and what was found before it. */
interface Level {
  /** Disclosures that are not placed yet, and every digest that has occurred, even decoys. */
  readonly digests: Map<string, Disclosure | typeof OCCURRED>
  readonly withheld: Traces
  readonly depth: number
  readonly top: boolean
  /** Whether this is inside a claim that must not be selectively disclosable. */
  readonly fixed: boolean
}

const RESERVED = ['_sd', '...', '_sd_alg']
// SD-JWT VC §3.2.2.2: claims that the holder must not be able to withhold.
const FIXED = new Set(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts'])

function discloseObject(object: JsonObject, level: Level): JsonObject {
  const disclosed = bareObject()
  // Collected here, because listing the members of a large object a second time would be the most expensive step.
  const parts: Json[] = []
  // Names that the parser has counted count again: the disclosures add to them.
  let indexNames = 0
  for (const name of Object.keys(object)) {
    if (isArrayIndex(name)) indexNames += 1
    if (name === '_sd' || (name === '_sd_alg' && level.top)) continue
    if (RESERVED.includes(name)) throw new Malformed('a reserved claim name is used out of place')
    const part = discloseBelow(object[name] ?? null, level, name)
    disclosed[name] = part
    parts.push(part)
  }
  if (!Object.hasOwn(object, '_sd')) return marked(disclosed, parts, { lost: false, level })
  let lost = false
  for (const digest of digestsOf(object._sd)) {
    const disclosure = takeDisclosure(digest, level)
    if (disclosure === undefined) {
      lost = true
      continue
    }
    const { name, value } = disclosure
    if (name === null) throw new Malformed('a disclosure of an array element is used for a claim')
    if (RESERVED.includes(name)) throw new Malformed('a disclosure has a reserved claim name')
    if (level.top && FIXED.has(name)) throw new Malformed(NOT_SELECTIVE)
    if (name in disclosed) throw new Malformed('a disclosure repeats a claim that is already there')
    if (isArrayIndex(name) && ++indexNames > LIMITS.indexNames)
      throw new Malformed('a credential has too many claim names that are array indices')
    const part = discloseBelow(value, level, name)
    disclosed[name] = part
    parts.push(part)
  }
  return marked(disclosed, parts, { lost, level })
}

/**
 * Marks a container whose members were all withheld; a container that the issuer signed as empty is an ordinary value.
 * A decoy counts as withheld, because it looks the same.
 */
function marked<Container extends object>(
  container: Container,
  parts: readonly Json[],
  { lost, level }: { readonly lost: boolean; readonly level: Level },
): Container {
  const { hollow } = level.withheld
  const isHollow = (part: Json): boolean => typeof part === 'object' && part !== null && hollow.has(part)
  if (parts.length === 0 ? lost : parts.every(isHollow)) hollow.add(container)
  return container
}

const NOT_SELECTIVE = 'a claim that must not be selectively disclosable was disclosed'

function discloseArray(array: readonly Json[], level: Level): readonly Json[] {
  const disclosed: Json[] = []
  const positions: number[] = []
  for (const [position, element] of array.entries()) {
    if (!isJsonObject(element) || !Object.hasOwn(element, '...')) {
      disclosed.push(discloseBelow(element, level, null))
      positions.push(position)
      continue
    }
    const digest = element['...']
    if (typeof digest !== 'string' || Object.keys(element).length !== 1) {
      throw new Malformed('a digest of an array element is malformed')
    }
    const disclosure = takeDisclosure(digest, level)
    if (disclosure === undefined) continue
    if (disclosure.name !== null) throw new Malformed('a disclosure of a claim is used for an array element')
    disclosed.push(discloseBelow(disclosure.value, level, null))
    positions.push(position)
  }
  const lost = disclosed.length < array.length
  if (lost) level.withheld.positions.set(disclosed, positions)
  return marked(disclosed, disclosed, { lost, level })
}

/** Discloses the value of a member or element, one level below `level`. */
function discloseBelow(value: Json, level: Level, name: string | null): Json {
  if (typeof value !== 'object' || value === null) return value
  // The parser's limit on depth does not cover what disclosures add.
  const depth = level.depth + 1
  if (depth > LIMITS.claimsDepth) throw new Malformed('the claims are nested too deeply')
  const fixed = level.fixed || (level.top && name !== null && FIXED.has(name))
  const { digests, withheld } = level
  const below = { digests, withheld, depth, top: false, fixed }
  return isJsonObject(value) ? discloseObject(value, below) : discloseArray(value, below)
}

/** Returns undefined for decoys and withheld claims. */
function takeDisclosure(digest: string, { digests, fixed }: Level): Disclosure | undefined {
  if (!isKey(digest)) throw new Malformed('a digest is too long')
  const disclosure = digests.get(digest)
  if (disclosure === OCCURRED) throw new Malformed('a digest occurs twice')
  digests.set(digest, OCCURRED)
  if (disclosure !== undefined && fixed) throw new Malformed(NOT_SELECTIVE)
  return disclosure
}

function digestsOf(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value) || !value.every((digest) => typeof digest === 'string')) {
    throw new Malformed('the digests of an object are not an array of strings')
  }
  return value
}
