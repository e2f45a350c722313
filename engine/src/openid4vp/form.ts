// Which fields does this form have? Strict application/x-www-form-urlencoded over bytes: every field once, UTF-8 only.

import { decodeUtf8, Malformed } from '../bytes.ts'

const BODY_BYTES_MAX = 2_000_000
const FIELDS_MAX = 64

/** Throws Malformed. */
export function parseForm(body: Uint8Array): ReadonlyMap<string, string> {
  const text = body.length <= BODY_BYTES_MAX ? decodeUtf8(body) : null
  if (text === null) throw new Malformed('the form is too large or not UTF-8 text')
  const pairs = text.split('&', FIELDS_MAX + 1)
  if (pairs.length > FIELDS_MAX) throw new Malformed('the form has too many fields')
  const fields = new Map<string, string>()
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals))
    // RFC 6749 §3.1: no parameter twice. Readers that disagree on which one counts are how checks are evaded.
    if (fields.has(name)) throw new Malformed('the form names a field twice')
    fields.set(name, equals < 0 ? '' : decodeComponent(pair.slice(equals + 1)))
  }
  return fields
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Malformed('the form has a broken percent-encoding')
  }
}
