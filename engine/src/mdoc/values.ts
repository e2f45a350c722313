// What does an element's value mean in JSON? Everything that has no plain meaning there is refused, so that what a
// merchant reads is what the issuer signed.

import { encodeBase64url } from '../bytes.ts'
import { bareObject } from '../json.ts'
import type { Json } from '../verdict.ts'
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
} from './cbor.ts'

/** Byte strings as base64url, dates as their text. Throws MalformedCbor. */
export function jsonOf(value: CborValue): Json {
  if (typeof value !== 'object' || value === null) return value
  if (isCborBytes(value)) return encodeBase64url(value)
  if (isCborArray(value)) return value.map(jsonOf)
  if (isCborTag(value)) return dateText(value)
  if (isCborFloat(value)) return numberOf(value)
  if (isCborEmbedded(value)) throw new MalformedCbor('an element has a value of a kind that is not used here')
  return jsonObjectOf(value)
}

/** Beyond this range a double stands for its neighbours as well: what is read need not be what was signed. */
function numberOf({ float }: CborFloat): number {
  if (Math.abs(float) > Number.MAX_SAFE_INTEGER) throw new MalformedCbor('an element has a number that is out of range')
  return float
}

/** RFC 8949 §3.4.1 tdate, RFC 8943 full-date: the only tags of ISO 18013-5 §5.9 element values. */
function dateText({ tag, value }: CborTag): string {
  const form = tag === 0 ? DATE_TIME : tag === 1004 ? FULL_DATE : null
  if (form === null || typeof value !== 'string') {
    throw new MalformedCbor('an element has a value of a kind that is not used here')
  }
  if (!form.test(value) || !isDay(value.slice(0, 10))) throw new MalformedCbor('an element has a date that is no date')
  return value
}

const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/
/** RFC 3339 §5.6. */
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Date takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text)
}

function jsonObjectOf(map: CborMap): Json {
  const object = bareObject()
  for (const [key, value] of map) {
    if (typeof key !== 'string') throw new MalformedCbor('an element has a map whose keys are not text')
    object[key] = jsonOf(value)
  }
  return object
}
