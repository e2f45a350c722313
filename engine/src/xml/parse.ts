// Parses the part of XML 1.0 that signed lists use: elements, attributes, namespaces and text, in UTF-8.

import { decodeUtf8, isKey, Malformed } from '../bytes.ts'

export class MalformedXml extends Malformed {
  override name = 'MalformedXml'
}

/** An element with resolved namespaces; '' means no namespace. */
export interface XmlElement {
  readonly prefix: string
  readonly namespace: string
  readonly name: string
  /** Without namespace declarations. */
  readonly attributes: readonly XmlAttribute[]
  /** Two texts never follow each other. */
  readonly children: readonly (XmlElement | string)[]
}

export interface XmlAttribute {
  readonly prefix: string
  readonly namespace: string
  readonly name: string
  readonly value: string
}

/**
 * Documents are parsed before their signature is checked, so these limits protect the parser. Some 2,000 services with
 * their certificates fit. The canonical form repeats namespaces, so their length is limited too.
 */
export const XML_LIMITS = {
  bytes: 4_000_000,
  elements: 50_000,
  depth: 32,
  attributes: 32,
  namespaces: 64,
  namespaceLength: 256,
  /** Elements that declare other namespaces than their parent has. Real lists have a few hundred. */
  declaring: 5_000,
  /** `&…;` in the whole document. Some signers write one at the end of each line of base64. */
  references: 50_000,
} as const

export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'
const DECLARING = 'http://www.w3.org/2000/xmlns/'

const DECLARATION =
  /^<\?xml[ \t\n]+version=(["'])1\.0\1(?:[ \t\n]+encoding=(["'])[Uu][Tt][Ff]-8\2)?(?:[ \t\n]+standalone=(["'])(?:yes|no)\3)?[ \t\n]*\?>/
const OPENING = /<(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)/y
const ATTRIBUTE = /[ \t\n]+(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)[ \t\n]*=[ \t\n]*(?:"([^"<]*)"|'([^'<]*)')/y
const OPENING_END = /[ \t\n]*(\/?)>/y
const CLOSING = /<\/(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)[ \t\n]*>/y
const SPACE = /[ \t\n]*/y
/**
 * Finds invalid characters ten times faster than `NO_CHARACTER`. Sufficient for decoded UTF-8, which has no lone
 * surrogates.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them
const NO_CHARACTER_OF_UTF8 = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/
const NO_CHARACTER = /[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

/**
 * Returns the root element. Throws MalformedXml. Refuses what two readers could read differently: DTDs, entities,
 * comments, CDATA, processing instructions. `elementsMax` also lowers the limits of other costly parts.
 */
export function parseXml(bytes: Uint8Array, elementsMax: number = XML_LIMITS.elements): XmlElement {
  if (bytes.length > XML_LIMITS.bytes) throw new MalformedXml('it is too large')
  const decoded = decodeUtf8(bytes)
  if (decoded === null) throw new MalformedXml('it is not UTF-8 text')
  // XML 1.0 §2.11: every kind of line end becomes a line feed. Each replacement costs time, so their number is limited.
  if (count(decoded, '\r', 1_000 + decoded.length / 8) === null) throw new MalformedXml('its lines are too short')
  const text = decoded.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  if (NO_CHARACTER_OF_UTF8.test(text)) throw new MalformedXml('it has a character that XML does not have')
  const share = elementsMax / XML_LIMITS.elements
  countReferences(text, XML_LIMITS.references * share)
  const reader: Reader = {
    text,
    at: DECLARATION.exec(text)?.[0].length ?? 0,
    elementsLeft: elementsMax,
    attributesLeft: elementsMax,
    declaringLeft: XML_LIMITS.declaring * share,
    breaksLeft: elementsMax,
  }
  take(reader, SPACE)
  const root = readElement(reader, NO_NAMESPACES, 1)
  take(reader, SPACE)
  if (reader.at !== text.length) throw new MalformedXml('there is content outside the root element')
  return root
}

interface Reader {
  readonly text: string
  at: number
  elementsLeft: number
  /** The limit for the whole document is that of elements. */
  attributesLeft: number
  /** Elements that declare other namespaces than their parent, because each needs a separate table. */
  declaringLeft: number
  /** Line feeds and tabs in attribute values, because each is replaced. */
  breaksLeft: number
}

/** By prefix. '' is the default namespace. */
type Namespaces = ReadonlyMap<string, string>
const NO_NAMESPACES: Namespaces = new Map([
  ['', ''],
  ['xml', XML_NAMESPACE],
])

/** Matches at the reader's position and moves past the match. */
function take(reader: Reader, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = reader.at
  const found = sticky.exec(reader.text)
  if (found !== null) reader.at += found[0].length
  return found
}

function readElement(reader: Reader, around: Namespaces, depth: number): XmlElement {
  const opening = take(reader, OPENING)
  if (opening === null) throw new MalformedXml('it has something that is not an element, attribute or text')
  if (depth > XML_LIMITS.depth) throw new MalformedXml('it is nested too deeply')
  reader.elementsLeft -= 1
  if (reader.elementsLeft < 0) throw new MalformedXml('it has too many elements')
  const [, prefix = '', name = ''] = opening
  const written = readAttributes(reader)
  const namespaces = declared(reader, written, around)
  const end = take(reader, OPENING_END)
  if (end === null) throw new MalformedXml('a tag does not end')
  const children = end[1] === '/' ? [] : readChildren(reader, namespaces, { prefix, name, depth })
  const attributes = written.filter((attribute) => !isDeclaration(attribute)).map((one) => resolved(one, namespaces))
  const names = new Set(attributes.map((one) => `${one.name} ${one.namespace}`))
  if (names.size !== attributes.length) throw new MalformedXml('an attribute appears twice')
  return { prefix, namespace: namespaceOf(prefix, namespaces), name, attributes, children }
}

function readChildren(
  reader: Reader,
  namespaces: Namespaces,
  parent: { readonly prefix: string; readonly name: string; readonly depth: number },
): readonly (XmlElement | string)[] {
  const children: (XmlElement | string)[] = []
  for (;;) {
    const next = reader.text.indexOf('<', reader.at)
    if (next < 0) throw new MalformedXml('an element does not end')
    if (next > reader.at) children.push(readText(reader.text.slice(reader.at, next)))
    reader.at = next
    const closing = take(reader, CLOSING)
    if (closing === null) {
      children.push(readElement(reader, namespaces, parent.depth + 1))
      continue
    }
    const [, prefix = '', name] = closing
    if (prefix !== parent.prefix || name !== parent.name)
      throw new MalformedXml('the end tag of an element has another name')
    return children
  }
}

type ReadAttribute = Omit<XmlAttribute, 'namespace'>

function readAttributes(reader: Reader): readonly ReadAttribute[] {
  const found: ReadAttribute[] = []
  for (let match = take(reader, ATTRIBUTE); match !== null; match = take(reader, ATTRIBUTE)) {
    reader.attributesLeft -= 1
    if (found.length === XML_LIMITS.attributes || reader.attributesLeft < 0)
      throw new MalformedXml('an element has too many attributes')
    const [, prefix = '', name = '', double, single = ''] = match
    if (!isKey(prefix) || !isKey(name)) throw new MalformedXml('an attribute has too long a name')
    const value = double ?? single
    for (const space of ['\t', '\n']) reader.breaksLeft -= count(value, space, reader.breaksLeft) ?? Infinity
    if (reader.breaksLeft < 0) throw new MalformedXml('its attributes have too many line ends')
    // XML 1.0 §3.3.3: literal white space becomes a space.
    found.push({ prefix, name, value: withoutReferences(value.replace(/[\t\n]/g, ' ')) })
  }
  return found
}

const isDeclaration = ({ prefix, name }: ReadAttribute) => prefix === 'xmlns' || (prefix === '' && name === 'xmlns')

/** Namespaces in XML 1.0 §3, §5: returns the namespaces that apply in an element. */
function declared(reader: Reader, attributes: readonly ReadAttribute[], around: Namespaces): Namespaces {
  const declarations = attributes.filter(isDeclaration)
  if (declarations.length === 0) return around
  const own = new Map<string, string>()
  for (const { prefix, name, value } of declarations) {
    if (value.length > XML_LIMITS.namespaceLength) throw new MalformedXml('a namespace is too long')
    const declares = prefix === '' ? '' : name
    const isReserved = declares === 'xml' || declares === 'xmlns' || value === XML_NAMESPACE || value === DECLARING
    if (isReserved || (declares !== '' && value === '') || own.has(declares) || !/^[!-~]*$/.test(value))
      throw new MalformedXml('a namespace is declared wrongly')
    own.set(declares, value)
  }
  if ([...own].every(([prefix, value]) => around.get(prefix) === value)) return around
  reader.declaringLeft -= 1
  if (reader.declaringLeft < 0) throw new MalformedXml('it declares too many namespaces')
  const namespaces = new Map(around)
  for (const [prefix, namespace] of own) namespaces.set(prefix, namespace)
  if (namespaces.size > XML_LIMITS.namespaces) throw new MalformedXml('it has too many namespaces')
  return namespaces
}

function namespaceOf(prefix: string, namespaces: Namespaces): string {
  const namespace = namespaces.get(prefix)
  if (namespace === undefined) throw new MalformedXml('a prefix is not declared')
  return namespace
}

/** An attribute without a prefix has no namespace: the default does not apply to attributes. */
function resolved(attribute: ReadAttribute, namespaces: Namespaces): XmlAttribute {
  return { ...attribute, namespace: attribute.prefix === '' ? '' : namespaceOf(attribute.prefix, namespaces) }
}

function readText(text: string): string {
  if (text.includes(']]>')) throw new MalformedXml('it has the end of a CDATA section')
  return withoutReferences(text)
}

/** Counts references before expanding them: each costs a call, and nothing is verified yet. Expanding never lengthens a text. */
function countReferences(text: string, most: number): void {
  if (count(text, '&', most) === null) throw new MalformedXml('it has too many character references')
}

/** Returns null if there are more than `most`. */
function count(text: string, character: string, most: number): number | null {
  let found = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    found += 1
    if (found > most) return null
  }
  return found
}

/** Expands character references and the five predefined entities. Others cannot be declared here. */
function withoutReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g, (_, entity, decimal, hex) => {
    if (entity !== undefined) return ENTITIES.get(entity) ?? ''
    if (decimal === undefined && hex === undefined) throw new MalformedXml('it refers to an entity')
    return referredTo(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
}

function referredTo(point: number): string {
  const character = point <= 0x10_ff_ff ? String.fromCodePoint(point) : '\0'
  if (character !== '\r' && NO_CHARACTER.test(character)) throw new MalformedXml('it refers to no character')
  return character
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])
