// Parses CBOR (RFC 8949) strictly and within limits. Keeps the received bytes for digests and signatures.

import { isKey, Malformed } from '../bytes.ts'
import { LIMITS } from '../limits.ts'
import { commonName } from './common-names.ts'

export class MalformedCbor extends Malformed {
  override name = 'MalformedCbor'
}

export type CborValue =
  | number
  | string
  | boolean
  | null
  | Buffer
  | readonly CborValue[]
  | CborMap
  | CborTag
  | CborEmbedded
  | CborFloat
export type CborMap = ReadonlyMap<string | number, CborValue>

export interface CborTag {
  readonly tag: number
  readonly value: CborValue
}

/** Tag 24 (RFC 8949 §3.4.5.1): CBOR in a byte string. `raw` is the received item including its tag. */
export interface CborEmbedded {
  readonly embedded: Buffer
  readonly raw: Buffer
}

/** A type apart from integers, so that 1.0 is never treated as 1. */
export interface CborFloat {
  readonly float: number
}

/** How many items may still be read. All texts of a response share the budget, which bounds the total work. */
export interface CborBudget {
  itemsLeft: number
}

/** The default is far above a real presentation, which has several hundred items. */
export function cborBudget(itemsMax = 20_000): CborBudget {
  return { itemsLeft: itemsMax }
}

/** Decodes the single item in `bytes`. Map keys are texts or integers; with `byteKeys` also byte strings (see `byteKey`). */
export function decodeCbor(bytes: Uint8Array, budget: CborBudget = cborBudget(), byteKeys = false): CborValue {
  const reader = new Reader(bytes, budget, byteKeys)
  const value = reader.item(0)
  reader.end()
  return value
}

export function byteKey(bytes: Uint8Array): string {
  return `h'${Buffer.from(bytes).toString('hex')}'`
}

export function isCborMap(value: CborValue | undefined): value is CborMap {
  return value instanceof Map
}

export function isCborBytes(value: CborValue | undefined): value is Buffer {
  return value instanceof Uint8Array
}

export function isCborArray(value: CborValue | undefined): value is readonly CborValue[] {
  return Array.isArray(value)
}

export function isCborTag(value: CborValue | undefined): value is CborTag {
  return typeof value === 'object' && value !== null && 'tag' in value
}

export function isCborEmbedded(value: CborValue | undefined): value is CborEmbedded {
  return typeof value === 'object' && value !== null && 'embedded' in value
}

export function isCborFloat(value: CborValue | undefined): value is CborFloat {
  return typeof value === 'object' && value !== null && 'float' in value
}

// A class, because reading has a position as state. `decodeCbor` reads one item; long lists are read step by step,
// without a value for each entry.
export class Reader {
  private at = 0
  private readonly bytes: Buffer
  private readonly budget: CborBudget
  private readonly byteKeys: boolean

  constructor(bytes: Uint8Array, budget: CborBudget, byteKeys: boolean) {
    this.bytes = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.budget = budget
    this.byteKeys = byteKeys
  }

  end(): void {
    if (this.at !== this.bytes.length) throw new MalformedCbor('CBOR has something after its end')
  }

  item(depth: number): CborValue {
    if (depth > LIMITS.cborDepth) throw new MalformedCbor('CBOR is nested too deeply')
    this.spend()
    const start = this.at
    const initial = this.byte()
    const minor = initial & 0x1f
    switch (initial >> 5) {
      case 0:
        return this.argument(minor)
      case 1:
        return negative(this.argument(minor))
      case 2:
        return this.slice(this.argument(minor))
      case 3:
        return this.text(this.argument(minor))
      case 4:
        return this.array(this.argument(minor), depth + 1)
      case 5:
        return this.map(this.argument(minor), depth + 1)
      case 6:
        return this.tagged(this.argument(minor), start, depth + 1)
      default:
        return this.simple(minor)
    }
  }

  private spend(items = 1): void {
    this.budget.itemsLeft -= items
    if (this.budget.itemsLeft < 0) throw new MalformedCbor('CBOR has too many items')
  }

  private tagged(tag: number, start: number, depth: number): CborTag | CborEmbedded {
    const value = this.item(depth)
    if (tag !== EMBEDDED_TAG) return { tag, value }
    if (!isCborBytes(value)) throw new MalformedCbor('CBOR is embedded in something else than bytes')
    return { embedded: value, raw: this.bytes.subarray(start, this.at) }
  }

  private array(count: number, depth: number): CborValue[] {
    this.requireOctets(count)
    const items: CborValue[] = []
    for (let index = 0; index < count; index++) items.push(this.item(depth))
    return items
  }

  private map(count: number, depth: number): CborMap {
    this.requireOctets(count * 2)
    const map = new Map<string | number, CborValue>()
    let integers = 0
    let large = 0
    for (let index = 0; index < count; index++) {
      const key = this.key(depth)
      if (typeof key === 'number') {
        integers += 1
        if (Math.abs(key) >= LARGE_KEY) large += 1
        if (integers > LIMITS.integerKeys || large > LIMITS.largeKeys)
          throw new MalformedCbor('CBOR map has too many integer keys')
      }
      if (map.has(key)) throw new MalformedCbor('CBOR map has a key twice')
      map.set(key, this.item(depth))
    }
    return map
  }

  get position(): number {
    return this.at
  }

  isAtMap(): boolean {
    return (this.bytes[this.at] ?? 0) >> 5 === 5
  }

  /** Reads the head of a map. Returns the number of its pairs. */
  mapSize(): number {
    if (!this.isAtMap()) throw new MalformedCbor('CBOR has something else than a map')
    this.spend()
    const count = this.argument(this.byte() & 0x1f)
    this.requireOctets(count * 2)
    return count
  }

  /** Reads a byte or text string without creating a value. Returns where the content starts; it ends at `position`. */
  string(): { readonly start: number; readonly text: boolean } {
    this.spend()
    const initial = this.byte()
    const major = initial >> 5
    if (major !== 2 && major !== 3) throw new MalformedCbor('CBOR map key is neither text nor bytes')
    const start = this.advance(this.argument(initial & 0x1f))
    if (major === 3) utf8Text(this.bytes.subarray(start, this.at))
    return { start, text: major === 3 }
  }

  /** Returns false if something else follows, and then reads nothing. */
  skipEmptyMap(): boolean {
    if (this.bytes[this.at] !== 0xa0) return false
    this.spend()
    this.at += 1
    return true
  }

  key(depth: number): string | number {
    const item = this.item(depth)
    const key = this.byteKeys && isCborBytes(item) ? byteKey(item) : item
    if (typeof key === 'string' && !isKey(key)) throw new MalformedCbor('CBOR map has a key that is too long')
    if (typeof key === 'string' || typeof key === 'number') return key
    throw new MalformedCbor('CBOR map key is neither text nor integer')
  }

  private simple(minor: number): boolean | null | CborFloat {
    switch (minor) {
      case 20:
        return false
      case 21:
        return true
      case 22:
        return null
      case 25:
        return finite(halfFloat(this.unsigned(2)))
      case 26:
        return finite(this.bytes.readFloatBE(this.advance(4)))
      case 27:
        return finite(this.bytes.readDoubleBE(this.advance(8)))
      default:
        throw new MalformedCbor('CBOR has a simple value that is not used here')
    }
  }

  /** Reads the argument of a head. Refuses indefinite lengths (31) and reserved values (28-30) (RFC 8949 §3). */
  private argument(minor: number): number {
    if (minor < 24) return minor
    switch (minor) {
      case 24:
        return this.byte()
      case 25:
        return this.unsigned(2)
      case 26:
        return this.unsigned(4)
      case 27: {
        const high = this.unsigned(4)
        const value = high * 0x1_0000_0000 + this.unsigned(4)
        if (!Number.isSafeInteger(value)) throw new MalformedCbor('CBOR integer is out of range')
        return value
      }
      default:
        throw new MalformedCbor('CBOR has an indefinite length or a reserved value')
    }
  }

  private text(length: number): string {
    const start = this.advance(length)
    const name = commonName(this.bytes, start, length)
    if (name !== null) return name
    // Costs a second item: creating a text and inserting it into a map take longer than other items. A long one costs more.
    this.spend(1 + Math.floor(length / LIMITS.cborTextBytes))
    for (let index = start; index < this.at; index++) {
      if ((this.bytes[index] ?? 0x80) >= 0x80) return utf8Text(this.bytes.subarray(start, this.at))
    }
    return this.bytes.toString('latin1', start, this.at)
  }

  private slice(length: number): Buffer {
    const start = this.advance(length)
    return this.bytes.subarray(start, start + length)
  }

  private byte(): number {
    const value = this.bytes[this.at]
    if (value === undefined) throw new MalformedCbor('CBOR ends early')
    this.at += 1
    return value
  }

  private unsigned(octets: 2 | 4): number {
    const start = this.advance(octets)
    return octets === 2 ? this.bytes.readUInt16BE(start) : this.bytes.readUInt32BE(start)
  }

  private advance(octets: number): number {
    this.requireOctets(octets)
    const start = this.at
    this.at += octets
    return start
  }

  /** Every item takes at least one byte. So a head that announces more items than there are bytes is refused before allocation. */
  private requireOctets(octets: number): void {
    if (octets > this.bytes.length - this.at) throw new MalformedCbor('CBOR ends early')
  }
}

const EMBEDDED_TAG = 24
/** Smaller keys are so few that collisions among them do not slow down a map. */
const LARGE_KEY = 1_024

function negative(argument: number): number {
  const value = -1 - argument
  if (!Number.isSafeInteger(value)) throw new MalformedCbor('CBOR integer is out of range')
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function utf8Text(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new MalformedCbor('CBOR text is not UTF-8')
  }
}

function finite(float: number): CborFloat {
  if (!Number.isFinite(float)) throw new MalformedCbor('CBOR number is not finite')
  return { float }
}

/** RFC 8949 Appendix D. */
function halfFloat(half: number): number {
  const exponent = (half >> 10) & 0x1f
  const mantissa = half & 0x3ff
  const sign = half & 0x8000 ? -1 : 1
  if (exponent === 0) return sign * mantissa * 2 ** -24
  return exponent === 31 ? Number.NaN : sign * (mantissa + 1024) * 2 ** (exponent - 25)
}
