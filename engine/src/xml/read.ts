// Reads an XML document of a known structure. Each element must be in its place.

import { decodeBase64, withoutSpace } from '../bytes.ts'
import { MalformedXml, type XmlElement } from './parse.ts'

/** A name with its namespace. */
export interface XmlName {
  readonly namespace: string
  readonly name: string
}

export const isNamed = (element: XmlElement, { namespace, name }: XmlName) =>
  element.name === name && element.namespace === namespace

/** Returns the child elements. Throws if there is text between them. */
export function elementsOf(parent: XmlElement): readonly XmlElement[] {
  return parent.children.filter((child): child is XmlElement => {
    if (typeof child !== 'string') return true
    if (/[^ \t\n\r]/.test(child)) throw new MalformedXml('text where elements are expected')
    return false
  })
}

export function elementsNamed(parent: XmlElement, wanted: XmlName): readonly XmlElement[] {
  return elementsOf(parent).filter((element) => isNamed(element, wanted))
}

/** Returns null if there is no such element. Throws if there are two. */
export function optionalElement(parent: XmlElement, wanted: XmlName): XmlElement | null {
  const [found, ...more] = elementsNamed(parent, wanted)
  if (more.length > 0) throw new MalformedXml(`${wanted.name} appears twice`)
  return found ?? null
}

export function elementIn(parent: XmlElement, wanted: XmlName): XmlElement {
  const found = optionalElement(parent, wanted)
  if (found === null) throw new MalformedXml(`${wanted.name} is missing`)
  return found
}

/** Returns the trimmed text of an element. Throws if it has child elements. */
export function textOf({ children, name }: XmlElement): string {
  const [text = '', ...more] = children
  if (typeof text !== 'string' || more.length > 0) throw new MalformedXml(`${name} contains more than text`)
  return trimmed(text)
}

/** Trims XML white space in one pass. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isSpace(text, start)) start += 1
  while (end > start && isSpace(text, end - 1)) end -= 1
  return text.slice(start, end)
}

const isSpace = (text: string, at: number) => ' \t\n\r'.includes(text.charAt(at))

export const textIn = (parent: XmlElement, wanted: XmlName): string => textOf(elementIn(parent, wanted))

/** XML Schema base64Binary: white space is allowed anywhere. */
export function bytesOf(element: XmlElement): Uint8Array {
  const text = withoutSpace(textOf(element))
  const bytes = text === null ? null : decodeBase64(text)
  if (bytes === null || bytes.length === 0) throw new MalformedXml(`${element.name} is not base64`)
  return bytes
}

/** Returns the value of an attribute without a namespace. */
export function attributeOf({ attributes }: XmlElement, name: string): string | null {
  return attributes.find((one) => one.name === name && one.namespace === '')?.value ?? null
}

/** Yields, for the whole document, every value by which a reference could find an element. */
export function* identifiersIn(root: XmlElement): Generator<string> {
  const waiting = [root]
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    for (const { name, value } of element.attributes) if (name.toLowerCase() === 'id') yield value
    for (const child of element.children) if (typeof child !== 'string') waiting.push(child)
  }
}

export function countNamed(element: XmlElement, wanted: XmlName): number {
  let count = isNamed(element, wanted) ? 1 : 0
  for (const child of element.children) if (typeof child !== 'string') count += countNamed(child, wanted)
  return count
}
