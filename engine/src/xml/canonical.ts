// Writes an element in Exclusive XML Canonicalization 1.0, the form that XML signatures cover.

import { encodeUtf8 } from '../bytes.ts'
import { MalformedXml, XML_LIMITS, XML_NAMESPACE, type XmlAttribute, type XmlElement } from './parse.ts'

/**
 * Leaves out `without`, as the transform for enveloped signatures does. Throws MalformedXml if the output exceeds the
 * limit for documents, because a short document can have a long canonical form.
 */
export function canonicalXml(element: XmlElement, without: XmlElement | null = null): Uint8Array {
  const parts: string[] = []
  let length = 0
  let references = 0
  const put = (part: string) => {
    length += part.length
    if (length > XML_LIMITS.bytes) throw new MalformedXml('its canonical form is too large')
    parts.push(part)
  }
  // Counts references while writing, because the unverified document could have four million `>`.
  const refer = (character: string) => {
    references += 1
    if (references > XML_LIMITS.references) throw new MalformedXml('its canonical form has too many references')
    return REFERENCES[character] ?? character
  }
  write(element, { put, refer, without }, new Map([['', '']]))
  return encodeUtf8(parts.join(''))
}

interface Output {
  readonly put: (part: string) => void
  /** Escapes a character. */
  readonly refer: (character: string) => string
  readonly without: XmlElement | null
}

/** `written`: the namespaces by prefix that the output declares around this element. Changed only while its children are written. */
function write(element: XmlElement, output: Output, written: Map<string, string>): void {
  const { put, refer } = output
  const escapeText = (text: string) => text.replace(/[&<>\r]/g, refer)
  const escapeValue = (text: string) => text.replace(/[&<"\t\n\r]/g, refer)
  const name = qualified(element)
  const fresh = new Map(namesUsed(element).filter(([prefix, namespace]) => written.get(prefix) !== namespace))
  put(`<${name}`)
  for (const prefix of [...fresh.keys()].sort())
    put(` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapeValue(fresh.get(prefix) ?? '')}"`)
  for (const attribute of element.attributes.toSorted(inOrder))
    put(` ${qualified(attribute)}="${escapeValue(attribute.value)}"`)
  put('>')
  // Changes the map in place, because copying it for each element would take as long as all namespaces around it.
  const around = [...fresh.keys()].map((prefix) => [prefix, written.get(prefix)] as const)
  for (const [prefix, namespace] of fresh) written.set(prefix, namespace)
  for (const child of element.children) {
    if (typeof child === 'string') put(escapeText(child))
    else if (child !== output.without) write(child, output, written)
  }
  for (const [prefix, namespace] of around)
    if (namespace === undefined) written.delete(prefix)
    else written.set(prefix, namespace)
  put(`</${name}>`)
}

/** Returns the namespaces that the tag uses. The prefix `xml` needs no declaration. */
function namesUsed({ prefix, namespace, attributes }: XmlElement): [string, string][] {
  const used: [string, string][] = [[prefix, namespace]]
  for (const attribute of attributes) if (attribute.prefix !== '') used.push([attribute.prefix, attribute.namespace])
  return used.filter(([, name]) => name !== XML_NAMESPACE)
}

/** Orders by namespace, then by name; without a namespace first. All texts are ASCII here. */
function inOrder(one: XmlAttribute, other: XmlAttribute): number {
  if (one.namespace !== other.namespace) return one.namespace < other.namespace ? -1 : 1
  return one.name < other.name ? -1 : 1
}

const qualified = ({ prefix, name }: { readonly prefix: string; readonly name: string }) =>
  prefix === '' ? name : `${prefix}:${name}`

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}
