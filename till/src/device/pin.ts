// The PIN of kiosk mode, stored as a salted slow hash. Wrong attempts cause growing waits, also after a reload.

/**
 * Protects against guests at the counter. Someone who can open the browser's tools has control of the tablet, and
 * clearing the storage ends the pairing too.
 */
export interface StoredPin {
  /** base64. */
  readonly salt: string
  readonly hash: string
  readonly iterations: number
  /** Wrong attempts in a row. Each is counted before it is checked. */
  readonly wrong: number
  /** By the till's own clock in milliseconds. */
  readonly waitUntil: number
}

/** Where it is stored. 'damaged': the stored value is not a PIN, so no attempt succeeds. */
export interface PinBox {
  load(): StoredPin | 'damaged' | null
  save(pin: StoredPin): void
}

export type Attempt =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly left: number }
  | { readonly kind: 'wait'; readonly seconds: number }

/** Enough for typing errors, and few compared with the possible PINs. */
const FREE_ATTEMPTS = 5
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 15 * 60_000
/** OWASP's number for PBKDF2 with SHA-256: half a second on a tablet. */
const ITERATIONS = 600_000

export const isPin = (digits: string) => /^\d{4,8}$/.test(digits)

/** Only pages in a secure context can hash. */
export const canHash = () => globalThis.crypto.subtle !== undefined

export async function makePin(digits: string): Promise<StoredPin> {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const hash = await hashOf(digits, salt, ITERATIONS)
  return { salt: toBase64(salt), hash: toBase64(hash), iterations: ITERATIONS, wrong: 0, waitUntil: 0 }
}

export async function tryPin(box: PinBox, digits: string, now: number): Promise<Attempt> {
  const pin = box.load()
  if (pin === null || pin === 'damaged') return { kind: 'wait', seconds: LONGEST_WAIT_MS / 1000 }
  const waitMs = Math.min(pin.waitUntil - now, LONGEST_WAIT_MS)
  if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1000) }
  // Counted first, so that a reload during hashing gains nothing.
  const wrong = pin.wrong + 1
  const wait = wrong < FREE_ATTEMPTS ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (wrong - FREE_ATTEMPTS), LONGEST_WAIT_MS)
  box.save({ ...pin, wrong, waitUntil: wait === 0 ? 0 : now + wait })
  const hash = await hashOf(digits, fromBase64(pin.salt), pin.iterations)
  if (isSame(hash, fromBase64(pin.hash))) {
    box.save({ ...pin, wrong: 0, waitUntil: 0 })
    return { kind: 'right' }
  }
  return wait === 0 ? { kind: 'wrong', left: FREE_ATTEMPTS - wrong } : { kind: 'wait', seconds: wait / 1000 }
}

/** A missing member, or one of another type, makes it damaged. */
export function readStoredPin(value: unknown): StoredPin | 'damaged' {
  const { salt, hash, iterations, wrong, waitUntil } = (value ?? {}) as Partial<Record<keyof StoredPin, unknown>>
  if (typeof salt !== 'string' || typeof hash !== 'string' || hash === '') return 'damaged'
  if (!isCount(iterations) || iterations < 1 || !isCount(wrong) || !isCount(waitUntil)) return 'damaged'
  return { salt, hash, iterations, wrong, waitUntil }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

async function hashOf(digits: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(digits), 'PBKDF2', false, ['deriveBits'])
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, key, 256))
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0)
  return difference === 0
}

const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array() // matches no hash
  }
}
