// Assembles SD-JWT VCs for the issuer, the wallet and the mutations, which may change any part.

import { createHash, randomBytes } from 'node:crypto'
import type { Json, JsonObject } from './encoding/json.ts'
import { isObject } from './encoding/json.ts'
import type { PrivateJwk } from './keys.ts'
import { CURVES, signBytes, toBase64url } from './keys.ts'

export type Path = readonly (string | number)[]

export interface Disclosure {
  /** The position of the disclosed value in the processed payload. */
  readonly path: Path
  /** base64url of the JSON array, as it is sent. */
  readonly text: string
}

/** Marks a value as selectively disclosable. */
export class Concealed {
  readonly value: Template
  constructor(value: Template) {
    this.value = value
  }
}

export type Template = Json | Concealed | readonly Template[] | { readonly [member: string]: Template }

export const sd = (value: Template): Concealed => new Concealed(value)

/** Replaces every marked value by its digest; disclosures of parents come before those of children. */
export function conceal(template: { readonly [member: string]: Template }): {
  readonly payload: JsonObject
  readonly disclosures: readonly Disclosure[]
} {
  const disclosures: Disclosure[] = []
  const payload = concealValue(template, [], disclosures) as JsonObject
  return { payload: { ...payload, _sd_alg: 'sha-256' }, disclosures: disclosures.toSorted(byDepth) }
}

function byDepth(left: Disclosure, right: Disclosure): number {
  return left.path.length - right.path.length
}

function concealValue(template: Template, path: Path, found: Disclosure[]): Json {
  if (template instanceof Concealed) throw new Error('bug: a concealed value needs a place to be concealed in')
  if (Array.isArray(template)) {
    return template.map((element: Template, index) => concealElement(element, [...path, index], found))
  }
  if (!isObject(template)) return template as Json
  const result: { [member: string]: Json } = {}
  const digests: string[] = []
  for (const [name, member] of Object.entries(template as { readonly [member: string]: Template })) {
    if (!(member instanceof Concealed)) {
      result[name] = concealValue(member, [...path, name], found)
      continue
    }
    const text = encodeDisclosure([salt(), name, concealValue(member.value, [...path, name], found)])
    found.push({ path: [...path, name], text })
    digests.push(digestOf(text))
  }
  // RFC 9901 4.2.4.1: the order of digests must not reveal the order of claims.
  return digests.length === 0 ? result : { ...result, _sd: digests.toSorted() }
}

function concealElement(element: Template, path: Path, found: Disclosure[]): Json {
  if (!(element instanceof Concealed)) return concealValue(element, path, found)
  const text = encodeDisclosure([salt(), concealValue(element.value, path, found)])
  found.push({ path, text })
  return { '...': digestOf(text) }
}

export function salt(): string {
  return randomBytes(16).toString('base64url')
}

export function encodeDisclosure(parts: readonly Json[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

export function digestOf(text: string, algorithm = 'sha256'): string {
  return createHash(algorithm).update(text, 'ascii').digest('base64url')
}

/** Compact JWS. Uses the header's `alg` unchanged, and signs with the key's own algorithm. */
export function signJws(header: JsonObject, payload: JsonObject | string, key: PrivateJwk): string {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return signJwsText(JSON.stringify(header), body, key)
}

/** Signs a compact JWS from the exact text of header and payload. */
export function signJwsText(header: string, payload: string, key: PrivateJwk): string {
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`
  return `${input}.${toBase64url(signBytes(key, Buffer.from(input)))}`
}

export function joinSdJwt(issuerJwt: string, disclosures: readonly string[]): string {
  return `${[issuerJwt, ...disclosures].join('~')}~`
}

interface KeyBinding {
  readonly nonce: string
  readonly audience: string
  readonly issuedAt: number
  /** Additional claims that the holder signs. */
  readonly members?: JsonObject
}

export function keyBindingHeader(key: PrivateJwk): JsonObject {
  return { alg: CURVES[key.crv].jose, typ: 'kb+jwt' }
}

/** RFC 9901 4.3: sd_hash covers everything up to and including the last tilde. */
export function keyBindingClaims(sdJwt: string, binding: KeyBinding): JsonObject {
  return {
    nonce: binding.nonce,
    aud: binding.audience,
    iat: binding.issuedAt,
    sd_hash: digestOf(sdJwt),
    ...binding.members,
  }
}

export function bindSdJwt(sdJwt: string, binding: KeyBinding, key: PrivateJwk): string {
  return sdJwt + signJws(keyBindingHeader(key), keyBindingClaims(sdJwt, binding), key)
}
