// Reads the text of environment variables, with error messages. The list of variables is in variables.ts.

import { type Cidr, parseCidr } from '../cidr.ts'
import { type HelperAddress, readHelperAddress } from '../helper-address.ts'
import type { Budget } from '../rate.ts'
import { HOW_TO_MAKE_ONE, parseMasterKey, weaknessOf } from '../seal/master-key.ts'
import { readWitness, type Witness } from './witness.ts'

/** Says what a variable should look like. Does not repeat a value that may be secret. */
export class Misread extends Error {
  override readonly name = 'Misread'
}

/** Throws a Misread. */
export type Read<T> = (text: string) => T

export interface Variable<T> {
  /** As docs/operating.md shows it. In brackets if the variable cannot have this value. */
  readonly fallback: string
  readonly meaning: string
  readonly read: Read<T>
  /** The value if the variable is absent or empty. */
  readonly absent: T
}

export const withDefault = <T>(read: Read<T>, fallback: string, meaning: string): Variable<T> => ({
  fallback,
  meaning,
  read,
  absent: read(fallback),
})

/** null if the variable is absent. `fallback` says what that means. */
export const optional = <T>(read: Read<T>, fallback: string, meaning: string): Variable<T | null> => ({
  fallback,
  meaning,
  read,
  absent: null,
})

/** An empty list if the variable is absent. */
export const list = <T>(read: Read<readonly T[]>, meaning: string): Variable<readonly T[]> => ({
  fallback: '(none)',
  meaning,
  read,
  absent: [],
})

export const anyText: Read<string> = (text) => text

export const helperAddress: Read<HelperAddress> = (text) => {
  const address = readHelperAddress(text)
  if (address === null)
    throw new Misread("'unix:' and the full path of a socket, or a command that begins with a full path")
  return address
}

export function integer(min: number, max: number): Read<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new Misread(`a whole number from ${min} to ${max}, not '${text}'`)
  }
}

export function oneOf<T extends string>(allowed: readonly T[]): Read<T> {
  return (text) => {
    const found = allowed.find((value) => value === text)
    if (found !== undefined) return found
    throw new Misread(`one of ${allowed.join(', ')}, not '${text}'`)
  }
}

export const onOrOff: Read<boolean> = (text) => oneOf(['on', 'off'])(text) === 'on'

/** Not parsed as a URL: a PostgreSQL address may name a socket and have no host at all. */
export function urlOf(...protocols: readonly string[]): Read<string> {
  return (text) => {
    if (protocols.some((protocol) => text.startsWith(`${protocol}//`))) return text
    // The value may contain a password, so it is not repeated.
    throw new Misread(`a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
  }
}

/** The values of libpq. Even with `any`, connections go to a server that takes writes. */
const SESSIONS_WANTED = ['read-write', 'primary', 'any']

/** Several servers are a list: `postgres://user:password@first:5432,second:5432/database`. */
export const databaseUrl: Read<string> = (text) => {
  const url = urlOf('postgres:', 'postgresql:')(text)
  const wanted = /[?&]target_session_attrs=([^&#]*)/.exec(url)?.[1]
  if (wanted === undefined || SESSIONS_WANTED.includes(wanted)) return url
  throw new Misread('a URL with target_session_attrs=read-write, or without it: Vidimus writes to its store')
}

export const baseUrl: Read<string> = (text) => {
  // The URL parser ignores spaces, line breaks and invisible characters, but every link begins with the text as it is.
  const isPlain = /^https?:\/\/[^\s\p{C}\\?#@/]+(?:\/[^\s\p{C}\\?#]+)?$/iu.test(text) && !text.endsWith('/')
  if (URL.canParse(text) && isPlain) return text
  throw new Misread(
    "an http(s) address without spaces, query, fragment, user or trailing slash, like 'https://verify.example.com'",
  )
}

export const ISSUER_SHAPE =
  "the provider's https address without query, fragment or user; outside production also http://127.0.0.1:<port>"

/** OpenID Connect Discovery 1.0 §3: https, without query or fragment. Plain http only for the local machine. */
export const issuer: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null
  const plain = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  const onLoopback = url?.protocol === 'http:' && /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (plain && (url.protocol === 'https:' || onLoopback)) return text
  throw new Misread(ISSUER_SHAPE)
}

/** The value is a secret, so it is not repeated. */
export const masterKey: Read<Uint8Array> = (text) => {
  const key = parseMasterKey(text)
  const weakness = key === null ? 'is not 32 bytes in base64 or hex' : weaknessOf(key)
  if (key !== null && weakness === null) return key
  throw new Misread(`this key ${weakness}; ${HOW_TO_MAKE_ONE}`)
}

/** A weak key may still decrypt, because otherwise it could not be replaced. */
export const readableKeys: Read<readonly Uint8Array[]> = (text) => {
  const keys = partsOf(text).map(parseMasterKey)
  if (keys.includes(null)) throw new Misread('keys of 32 bytes in base64 or hex, separated by commas')
  return keys.filter((key) => key !== null)
}

export const budget: Read<Budget> = (text) => {
  const match = /^(\d+(?:\.\d+)?)\/(\d{1,9})$/.exec(text)
  const read = { perSecond: Number(match?.[1]), burst: Number(match?.[2]) }
  if (match !== null && read.perSecond > 0 && read.burst >= 1) return read
  throw new Misread(`perSecond/burst like '50/100', not '${text}'`)
}

export const ports: Read<readonly number[]> = (text) => {
  const parts = partsOf(text)
  const bad = parts.filter((part) => !(/^[1-9]\d{0,4}$/.test(part) && Number(part) <= 65_535))
  if (bad.length === 0) return parts.map(Number)
  throw new Misread(`ports separated by commas like '80,443,8443'; not understood: ${quoted(bad)}`)
}

export const cidrs: Read<readonly Cidr[]> = (text) => {
  const parsed = partsOf(text).map((part) => ({ part, cidr: parseCidr(part) }))
  const bad = parsed.filter(({ cidr }) => cidr === null).map(({ part }) => part)
  if (bad.length > 0)
    throw new Misread(`CIDRs separated by commas like '10.0.0.0/8,fd00::/8'; not understood: ${quoted(bad)}`)
  return parsed.flatMap(({ cidr }) => (cidr === null ? [] : [cidr]))
}

const WITNESSES_MAX = 16

export const witnesses: Read<readonly Witness[]> = (text) => {
  const read = partsOf(text).map(readWitness)
  const named = new Set(read.map((witness) => witness?.key.name))
  if (read.includes(null) || named.size !== read.length || read.length > WITNESSES_MAX) {
    throw new Misread(
      `up to ${WITNESSES_MAX} witnesses of different names separated by commas, each with its key and its address, like 'witness.example/w+1a2b3c4d+BAAA… https://witness.example'`,
    )
  }
  return read.filter((witness) => witness !== null)
}

/** One comma may end a list. Any other empty member stays and is refused: a list that looks empty must not mean "none". */
const partsOf = (text: string): string[] =>
  text
    .replace(/,\s*$/, '')
    .split(',')
    .map((part) => part.trim())

const quoted = (parts: readonly string[]) => parts.map((part) => `'${part}'`).join(', ')

export const share: Read<number> = (text) => {
  const value = /^(?:0|1|0?\.\d{1,6}|1\.0+)$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new Misread('a number from 0 to 1')
  return value
}

/** In OpenTelemetry's format, with percent-encoded values. Does not repeat values, because they may be secret. */
export const headerPairs: Read<Readonly<Record<string, string>>> = (text) => {
  const pairs = text
    .split(',')
    .map((pair) => /^\s*([\w-]+)\s*=\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/.exec(pair))
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, name, value] = pair ?? []
        if (name === undefined || value === undefined) throw new Misread('')
        return [name.toLowerCase(), decodeURIComponent(value)]
      }),
    )
  } catch {
    throw new Misread('`name=value`, separated by commas')
  }
}
