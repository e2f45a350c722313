// Converts element values to JSON without loss, so that a merchant reads what the issuer signed. Refuses other values.

import { encodeBase64url, isArrayIndex } from '../../bytes.ts'
import {
  type CborFloat,
  type CborMap,
  type CborTag,
  type CborValue,
  isCborArray,
  isCborBytes,
  isCborEmbedded,
  isCborFloat,
  isCborTag,
  MalformedCbor,
} from '../../cbor/cbor.ts'
import { bareObject } from '../../json.ts'
import { LIMITS } from '../../limits.ts'
import type { Json } from '../../verdict.ts'
import { isFullDate, momentOf } from './dates.ts'

/** Byte strings become base64url, dates their text. Throws MalformedCbor. */
export function jsonOf(value: CborValue): Json {
  if (typeof value !== 'object' || value === null) return value
  if (isCborBytes(value)) return encodeBase64url(value)
  if (isCborArray(value)) return value.map(jsonOf)
  if (isCborTag(value)) return dateText(value)
  if (isCborFloat(value)) return numberOf(value)
  if (isCborEmbedded(value)) throw new MalformedCbor('an element has a value of a kind that is not used here')
  return jsonObjectOf(value)
}

/** Outside this range several integers share one double, so the value read could differ from the signed one. */
function numberOf({ float }: CborFloat): number {
  if (Math.abs(float) > Number.MAX_SAFE_INTEGER) throw new MalformedCbor('an element has a number that is out of range')
  return float
}

/** tdate and full-date, the only tags that element values may have (ISO 18013-5 §5.9). */
function dateText({ tag, value }: CborTag): string {
  if ((tag !== 0 && tag !== 1004) || typeof value !== 'string') {
    throw new MalformedCbor('an element has a value of a kind that is not used here')
  }
  const isDate = tag === 0 ? momentOf(value) !== null : isFullDate(value)
  if (!isDate) throw new MalformedCbor('an element has a date that is not a date')
  return value
}

function jsonObjectOf(map: CborMap): Json {
  const object = bareObject()
  let indexNames = 0
  for (const [key, value] of map) {
    if (typeof key !== 'string') throw new MalformedCbor('an element has a map whose keys are not text')
    if (isArrayIndex(key) && ++indexNames > LIMITS.indexNames)
      throw new MalformedCbor('an element has a map with too many keys that are array indices')
    object[key] = jsonOf(value)
  }
  return object
}
