// Writes one text for each JSON value (JCS, RFC 8785), so that anyone can recompute hashes and fingerprints.

import { restOfTurn } from './event-loop/batch.ts'
import { takeInTurn } from './owner-turns.ts'

export type CanonicalValue =
  | null
  | boolean
  | number
  | string
  | readonly CanonicalValue[]
  | { readonly [member: string]: CanonicalValue | undefined }

/** Throws for non-finite numbers and lone surrogates, which have no canonical form. Leaves out undefined members. */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return canonicalNumber(value)
  if (typeof value === 'string') return canonicalString(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  const kept = TEXTS.get(value)
  if (kept !== undefined) return kept
  const object = value as { readonly [member: string]: CanonicalValue | undefined }
  // RFC 8785 §3.2.3: sorted by UTF-16 code units, which is how JavaScript compares strings.
  const names = Object.keys(object)
  if (!isSorted(names)) names.sort()
  for (const name of names) {
    const member = object[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${canonicalString(name)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}

/** Texts of objects that never change. */
const TEXTS = new WeakMap<object, string>()

/** Writing and hashing this many characters takes a few milliseconds. */
const WRITTEN_IN_A_TURN_MAX = 64 * 1024
let writtenInTurn = 0
const waiting: { readonly owners: readonly [string]; readonly go: () => void }[] = []
const servedAt = new Map<string, number>()

/**
 * For an object that never changes: writes it once, also for other values that have it. `owner` is null for a short one,
 * which waits for no other. Long ones that wait are written one per turn of the event loop; their owners take turns.
 */
export async function canonicalJsonOnce(object: object, owner: string | null): Promise<string> {
  const known = TEXTS.get(object)
  if (known !== undefined) return known
  if (owner !== null && (waiting.length > 0 || writtenInTurn > WRITTEN_IN_A_TURN_MAX))
    await new Promise<void>((go) => void waiting.push({ owners: [owner], go }))
  // Counted before writing, which may throw: those that wait must not wait forever.
  if (writtenInTurn++ === 0)
    void restOfTurn().then(() => {
      writtenInTurn = 0
      takeInTurn(waiting, servedAt)?.go()
    })
  const text = canonicalJson(object as CanonicalValue)
  TEXTS.set(object, text)
  writtenInTurn += text.length
  return text
}

/** Names are often sorted already. Sorting again would take as much memory as the text. */
function isSorted(names: readonly string[]): boolean {
  return names.every((name, i) => i === 0 || (names[i - 1] ?? '') < name)
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error('this number has no canonical form')
  return Object.is(value, -0) ? '0' : String(value)
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new Error('this string has no canonical form')
  return JSON.stringify(value)
}
