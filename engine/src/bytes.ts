// Decodes text to bytes strictly: each byte string has only one accepted text, so a digest of the text also covers the bytes.

import { isAscii } from 'node:buffer'
import { hash, timingSafeEqual } from 'node:crypto'
import { LIMITS } from './limits.ts'

/** The base class of errors about unreadable input. Messages never quote the input. */
export class Malformed extends Error {
  override name = 'Malformed'
}

/** Whether a text from a sender is short enough to be used as a key of an object, map or set. */
export const isKey = (text: string): boolean => text.length <= LIMITS.keyLength

/**
 * V8 takes n² steps to normalize a row of combining marks, also of the four letters that normalization turns into marks.
 * No script has half as many on one letter.
 */
export const withFewMarks = (text: string): string =>
  text.replace(/([\p{M}\uFF9E\uFF9F\u0E33\u0EB3]{16})[\p{M}\uFF9E\uFF9F\u0E33\u0EB3]+/gu, '$1')

/** Whether V8 stores a member of this name like an element of an array: see `LIMITS.indexNames`. */
export const isArrayIndex = (name: string): boolean => name.length <= 10 && /^(?:0|[1-9][0-9]*)$/.test(name)

/** Decodes unpadded base64url (RFC 7515 §2). Refuses any text but the canonical one: padding, whitespace, stray trailing bits. */
export function decodeBase64url(text: string): Uint8Array | null {
  const rest = text.length % 4
  if (rest === 1 || !LAST[rest]?.includes(text.charAt(text.length - 1))) return null
  // Node's decoder is lenient: it accepts the other alphabet, stops at padding, reads only the low byte of a wide
  // character and skips the rest. What it skips shows in the length.
  if (text.includes('+') || text.includes('/') || text.includes('=') || Buffer.byteLength(text) !== text.length)
    return null
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === Math.floor((text.length * 3) / 4) ? bytes : null
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The letters that may end a text, by its length modulo 4: those that leave no stray bits. */
const LAST = [ALPHABET, '', everyNth(16), everyNth(4)]

function everyNth(step: number): string {
  return [...ALPHABET].filter((_, value) => value % step === 0).join('')
}

/** Decodes padded standard base64 (RFC 4648 §4), as in x5c. Refuses any text but the canonical one. */
export function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

/** Joins the lines of base64. Null if lines are shorter than 16 characters on average, because each costs a step. */
export function withoutSpace(text: string): string | null {
  let piecesLeft = 16 + text.length / 16
  for (const _ of text.matchAll(/[ \t\n\r]+/g)) {
    piecesLeft -= 1
    if (piecesLeft < 0) return null
  }
  return text.replace(/[ \t\n\r]+/g, '')
}

export function encodeBase64url(bytes: Uint8Array): string {
  return view(bytes).toString('base64url')
}

export function encodeBase64(bytes: Uint8Array): string {
  return view(bytes).toString('base64')
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}

/** Returns the bytes of a text that is known to be ASCII, such as a compact JWS. */
export function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

export function encodeUtf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

/** Decodes strict UTF-8. Keeps a byte order mark, so that a later parser refuses it. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  // Nearly all input is ASCII, which needs no further validation.
  if (isAscii(bytes)) return view(bytes).toString('latin1')
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** Whether a text has no control characters and no marks of text direction, which must not reach a terminal or a page. */
export function isShowable(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
}

/** Asks for the hash as text, which takes a third of the time of asking for bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return Buffer.from(hash('sha256', bytes, 'latin1'), 'latin1')
}

/** Compares in a time that depends on the lengths only. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

export function equalText(a: string, b: string): boolean {
  return equalBytes(encodeUtf8(a), encodeUtf8(b))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function view(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const [PLUS = 0, SLASH = 0, MINUS = 0, UNDERSCORE = 0] = Buffer.from('+/-_')

/** Takes one pass. Replacing a million letters takes 40 ms, and `/=+$/` takes time by the square of the padding. */
export function base64ToBase64url(base64: string): string {
  let end = base64.length
  while (base64[end - 1] === '=') end -= 1
  const bytes = Buffer.from(base64.slice(0, end))
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === PLUS) bytes[at] = MINUS
    else if (bytes[at] === SLASH) bytes[at] = UNDERSCORE
  }
  return bytes.toString()
}

/** The longest media type with parameters in a data URL. */
const DATA_URL_HEAD_MAX = 1_000

/** Returns the content of a data URL, and any other text unchanged. */
export function base64Of(text: string): string {
  if (!text.startsWith('data:')) return text
  const head = text.slice(0, DATA_URL_HEAD_MAX)
  const comma = head.indexOf(',')
  return comma >= 0 && head.slice(0, comma).endsWith(';base64') ? text.slice(comma + 1) : text
}
