// Parses the record of a relying party in a national register (TS5).

import { Malformed } from '../bytes.ts'
import { isJsonObject, member } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { typedSpellings } from './certificate.ts'
import { isLine, type RegisteredCredential, readCredentials, readText, readWords, type WordedText } from './members.ts'

export interface RegisterRecord {
  /** The identifiers of the party, in each spelling that the record has. */
  readonly identifiers: readonly string[]
  readonly tradeName: string | null
  readonly legalName: string | null
  readonly country: string | null
  readonly services: readonly RegisterService[]
}

interface RegisterService {
  readonly id: string | null
  readonly name: string | null
  readonly isIntermediary: boolean
  /** Identifiers of parties that may ask on its behalf. */
  readonly intermediaries: readonly string[]
  readonly intendedUses: readonly RegisterUse[]
}

export interface RegisterUse {
  readonly id: string
  readonly isRevoked: boolean
  readonly purposes: readonly WordedText[]
  readonly credentials: readonly RegisteredCredential[]
}

const SERVICES_MAX = 200
const USES_MAX = 200
const IDENTIFIERS_MAX = 50

/** Returns null if the record is unreadable. Never throws. */
export function readRegisterRecord(data: Json | undefined): RegisterRecord | null {
  if (!isJsonObject(data)) return null
  try {
    return recordOf(data)
  } catch (error) {
    if (error instanceof Malformed) return null
    throw error
  }
}

function recordOf(data: JsonObject): RegisterRecord {
  const country = readText(data, 'country')
  const legal = member(data, 'legalPerson')
  const identifiers = [data, ...(isJsonObject(legal) ? [legal] : [])].flatMap((holder) =>
    listOf(holder, 'identifier', IDENTIFIERS_MAX).flatMap((one) => identifiersIn(one, country)),
  )
  if (identifiers.length === 0) throw new Malformed('a record has no identifier')
  return {
    identifiers: [...new Set(identifiers)],
    tradeName: readText(data, 'tradeName'),
    legalName: legalNameOf(legal),
    country,
    services: listOf(data, 'services', SERVICES_MAX).map(serviceOf),
  }
}

function legalNameOf(legal: Json | undefined): string | null {
  const names = isJsonObject(legal) ? member(legal, 'legalName') : undefined
  const first: Json | undefined = Array.isArray(names) ? names[0] : names
  return typeof first === 'string' && first.length <= 500 && isLine(first) ? first : null
}

function serviceOf(value: Json): RegisterService {
  if (!isJsonObject(value)) throw new Malformed('a service is not an object')
  const uses = [...listOf(value, 'intendedUses', USES_MAX), ...listOf(value, 'intendedUse', USES_MAX)]
  return {
    id: readText(value, 'serviceIdentifier'),
    name: readText(value, 'serviceTradeName'),
    isIntermediary: member(value, 'isIntermediary') === true,
    intermediaries: listOf(value, 'usesIntermediary', USES_MAX).flatMap((one) => identifiersIn(one, null)),
    intendedUses: uses.map(useOf),
  }
}

function useOf(value: Json): RegisterUse {
  if (!isJsonObject(value)) throw new Malformed('an intended use is not an object')
  const id = readText(value, 'intendedUseIdentifier')
  if (id === null) throw new Malformed('an intended use has no identifier')
  const revokedAt = member(value, 'revokedAt')
  return {
    id,
    isRevoked: revokedAt !== undefined && revokedAt !== null,
    purposes: readWords(member(value, 'purpose')),
    credentials: readCredentials(member(value, 'credentials')),
  }
}

/** Reads a text, an object with its type, or a party with a list of these. */
function identifiersIn(one: Json, country: string | null): readonly string[] {
  if (typeof one === 'string') return one === '' || !isLine(one) ? [] : [one]
  if (!isJsonObject(one)) return []
  const inner = member(one, 'identifier')
  if (!Array.isArray(inner)) return typedSpellings(one, readText(one, 'country') ?? country)
  const ofParty = readText(one, 'country') ?? country
  return inner.slice(0, IDENTIFIERS_MAX).flatMap((each: Json) => identifiersIn(each, ofParty))
}

function listOf(object: JsonObject, name: string, most: number): readonly Json[] {
  const value = member(object, name)
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > most) throw new Malformed(`${name} is not a list that can be read`)
  return value
}
