// Reads the texts of a distinguished name, for display and for the country rules of ISO 18013-5. To find an issuer,
// whole names and signatures are compared instead.

import { decodeUtf8, isShowable } from '../bytes.ts'
import { LIMITS } from '../limits.ts'
import type { Issuer } from '../verdict.ts'
import { children, content, type Element, MalformedDer, readOid, requireTag, rootElement, TAG } from './der.ts'

const ATTRIBUTES = { '2.5.4.3': 'commonName', '2.5.4.6': 'country', '2.5.4.8': 'state' } as const
type Attribute = (typeof ATTRIBUTES)[keyof typeof ATTRIBUTES]

export type NameAttributes = Readonly<Record<Attribute, readonly string[]>>

/** Returns the known attributes, each in the order of the name; null if the name is malformed. */
export function nameAttributes(name: Uint8Array): NameAttributes | null {
  const found = { commonName: [] as string[], country: [] as string[], state: [] as string[] }
  const read = eachAttribute(name, (oid, value) => {
    if (isKnown(oid)) found[ATTRIBUTES[oid]].push(readText(name, value))
  })
  return read ? found : null
}

/** Returns the texts of one attribute, in the order of the name; null if the name is malformed. */
export function attributeTexts(name: Uint8Array, wanted: string): readonly string[] | null {
  const found: string[] = []
  const read = eachAttribute(name, (oid, value) => {
    if (oid === wanted) found.push(readText(name, value))
  })
  return read ? found : null
}

/** Returns false if the name is malformed. */
function eachAttribute(name: Uint8Array, take: (oid: string, value: Element) => void): boolean {
  try {
    let count = 0
    for (const relative of children(name, rootElement(name, TAG.sequence))) {
      for (const pair of children(name, requireTag(relative, TAG.set))) {
        if (++count > LIMITS.nameAttributes) throw new MalformedDer('too many attributes')
        const [type, value, ...rest] = children(name, requireTag(pair, TAG.sequence))
        if (value === undefined || rest.length > 0) throw new MalformedDer('malformed attribute')
        take(readOid(name, requireTag(type, TAG.oid)), value)
      }
    }
  } catch (error) {
    if (error instanceof MalformedDer) return false
    throw error
  }
  return true
}

export function issuerOf(names: NameAttributes | null): Issuer {
  const commonName = names?.commonName.at(-1)
  const country = names?.country.at(-1)
  return {
    ...(commonName === undefined ? {} : { common_name: commonName }),
    ...(country === undefined ? {} : { country }),
  }
}

function isKnown(oid: string): oid is keyof typeof ATTRIBUTES {
  return Object.hasOwn(ATTRIBUTES, oid)
}

function readText(name: Uint8Array, value: Element): string {
  const bytes = content(name, value)
  if (bytes.length > 1024) throw new MalformedDer('attribute too long')
  const text = decoded(bytes, value.tag)
  if (text === null || !isShowable(text)) throw new MalformedDer('not a directory string')
  return text
}

function decoded(bytes: Uint8Array, tag: number): string | null {
  switch (tag) {
    case TAG.utf8String:
      return decodeUtf8(bytes)
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.teletexString:
      return Buffer.from(bytes).toString('latin1')
    case TAG.bmpString:
      return bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString('utf16le') : null
    default:
      return null
  }
}
