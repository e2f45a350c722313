// What is signed of an XML document: Exclusive XML Canonicalization 1.0, of one element with all that is in it.

import { encodeUtf8 } from '../bytes.ts'
import { XML_NAMESPACE, type XmlAttribute, type XmlElement } from './parse.ts'

/** `without` and all that is in it is left out, as by the transform of enveloped signatures. */
export function canonicalXml(element: XmlElement, without: XmlElement | null = null): Uint8Array {
  const parts: string[] = []
  write(element, { parts, without }, new Map([['', '']]))
  return encodeUtf8(parts.join(''))
}

interface Output {
  readonly parts: string[]
  readonly without: XmlElement | null
}

/** `written`: the namespaces that stand in the output around this element, by prefix. */
function write(element: XmlElement, output: Output, written: ReadonlyMap<string, string>): void {
  const { parts } = output
  const name = qualified(element)
  const fresh = new Map(namesUsed(element).filter(([prefix, namespace]) => written.get(prefix) !== namespace))
  parts.push(`<${name}`)
  for (const prefix of [...fresh.keys()].sort())
    parts.push(` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapeValue(fresh.get(prefix) ?? '')}"`)
  for (const attribute of element.attributes.toSorted(inOrder))
    parts.push(` ${qualified(attribute)}="${escapeValue(attribute.value)}"`)
  parts.push('>')
  const inside = fresh.size === 0 ? written : new Map([...written, ...fresh])
  for (const child of element.children) {
    if (typeof child === 'string') parts.push(escapeText(child))
    else if (child !== output.without) write(child, output, inside)
  }
  parts.push(`</${name}>`)
}

/** Those that the tag itself uses. `xml` needs no declaration. */
function namesUsed({ prefix, namespace, attributes }: XmlElement): [string, string][] {
  const used: [string, string][] = [[prefix, namespace]]
  for (const attribute of attributes) if (attribute.prefix !== '') used.push([attribute.prefix, attribute.namespace])
  return used.filter(([, name]) => name !== XML_NAMESPACE)
}

/** By namespace, those without one first, then by name. All of it is ASCII. */
function inOrder(one: XmlAttribute, other: XmlAttribute): number {
  if (one.namespace !== other.namespace) return one.namespace < other.namespace ? -1 : 1
  return one.name < other.name ? -1 : 1
}

const qualified = ({ prefix, name }: { readonly prefix: string; readonly name: string }) =>
  prefix === '' ? name : `${prefix}:${name}`

const escapeText = (text: string) => text.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character)
const escapeValue = (text: string) => text.replace(/[&<"\t\n\r]/g, (character) => ESCAPES[character] ?? character)

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}
