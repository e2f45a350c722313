// Cleans an uploaded SVG: writes a new file with allowed elements and attributes only, so that the file cannot run code.

import { MalformedXml, parseXml, type XmlAttribute, type XmlElement } from '@vidimus/engine/xml/parse'

const ELEMENTS: ReadonlySet<string> = new Set([
  'svg',
  'g',
  'defs',
  'title',
  'desc',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'linearGradient',
  'radialGradient',
  'stop',
  'clipPath',
])

const ATTRIBUTES: ReadonlySet<string> = new Set(
  `id version viewBox preserveAspectRatio x y x1 y1 x2 y2 cx cy r rx ry fx fy fr width height d points pathLength transform
  fill fill-opacity fill-rule clip-rule clip-path stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-dasharray stroke-dashoffset stroke-opacity opacity color offset stop-color stop-opacity gradientUnits
  gradientTransform spreadMethod clipPathUnits vector-effect shape-rendering style role`.split(/\s+/),
)

/** Leftovers of drawing programs, which are dropped because they change nothing visible. */
const IGNORED = /^(?:data-.+|class|aria-.+|enable-background|[a-z]+:[A-Za-z-]+)$/
const IGNORED_ELEMENTS = /^(?:metadata|sodipodi:.+|inkscape:.+)$/

/** The only allowed reference: to a gradient or a path in the same file. */
const OWN_REFERENCE = /^url\(#[\w.-]+\)$/
const PLAIN_VALUE = /^[\w\s#.,%()+\-/*:;]*$/
const REFERRING: ReadonlySet<string> = new Set(['fill', 'stroke', 'clip-path'])

const NAMESPACE = 'http://www.w3.org/2000/svg'
const ELEMENTS_MAX = 2_000

/** Drawing programs write an XML declaration and a doctype. The parser accepts neither. */
const DECLARATION = /^\s*<\?xml\s[^?<>]*\?>/
const COMMENT = /<!--(?:(?!--)[\s\S])*-->/g

type SvgProblem = 'not_svg' | 'forbidden'

type CleanSvg =
  | { readonly outcome: 'clean'; readonly bytes: Buffer }
  /** `what` names the refused element or attribute for the author. */
  | { readonly outcome: 'refused'; readonly problem: SvgProblem; readonly what: string }

export function cleanSvg(bytes: Uint8Array): CleanSvg {
  const root = parseDrawing(bytes)
  if (root === null) return { outcome: 'refused', problem: 'not_svg', what: 'xml' }
  if (qualifiedName(root) !== 'svg' || root.namespace !== NAMESPACE)
    return { outcome: 'refused', problem: 'not_svg', what: qualifiedName(root) }
  const has = (name: string) => root.attributes.some((attribute) => qualifiedName(attribute) === name)
  if (!has('viewBox') && !(has('width') && has('height')))
    return { outcome: 'refused', problem: 'not_svg', what: 'viewBox' }
  const found = findForbidden(root)
  if (found !== null) return { outcome: 'refused', problem: 'forbidden', what: found }
  return { outcome: 'clean', bytes: Buffer.from(write(root, true), 'utf8') }
}

/** Returns null unless the file is one complete element with at most ELEMENTS_MAX elements in it. */
function parseDrawing(bytes: Uint8Array): XmlElement | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const root = parseXml(Buffer.from(text.replace(DECLARATION, '').replace(COMMENT, '')))
    return countElements(root) > ELEMENTS_MAX ? null : root
  } catch (error) {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    if (error instanceof MalformedXml || error instanceof TypeError) return null
    throw error
  }
}

const childElements = ({ children }: XmlElement) => children.filter((child) => typeof child !== 'string')
const textOf = ({ children }: XmlElement) => children.filter((child) => typeof child === 'string').join('')
const countElements = (element: XmlElement): number =>
  childElements(element).reduce((count, child) => count + countElements(child), 1)
const qualifiedName = ({ prefix, name }: XmlElement | XmlAttribute) => (prefix === '' ? name : `${prefix}:${name}`)

function findForbidden(element: XmlElement): string | null {
  const elementName = qualifiedName(element)
  if (IGNORED_ELEMENTS.test(elementName)) return null
  if (!ELEMENTS.has(elementName) || element.namespace !== NAMESPACE) return `<${elementName}>`
  for (const attribute of element.attributes) {
    const name = qualifiedName(attribute)
    if (IGNORED.test(name) && !name.startsWith('xlink:')) continue
    if (!ATTRIBUTES.has(name)) return name
    if (!isHarmless(name, attribute.value)) return `${name}="${attribute.value.slice(0, 40)}"`
  }
  for (const child of childElements(element)) {
    const found = findForbidden(child)
    if (found !== null) return found
  }
  return null
}

function isHarmless(name: string, value: string): boolean {
  if (REFERRING.has(name) && OWN_REFERENCE.test(value)) return true
  // PLAIN_VALUE allows no backslash, because an escape could spell `url`.
  return PLAIN_VALUE.test(value) && !/url\s*\(|image|expression|import|\/\*/i.test(value)
}

function write(element: XmlElement, isRoot: boolean): string {
  const { name } = element
  if (IGNORED_ELEMENTS.test(qualifiedName(element))) return ''
  const attributes = element.attributes.filter((attribute) => ATTRIBUTES.has(qualifiedName(attribute)))
  const written = attributes.map((attribute) => ` ${attribute.name}="${escaped(attribute.value)}"`).join('')
  const open = `<${name}${isRoot ? ` xmlns="${NAMESPACE}"` : ''}${written}`
  const text = name === 'title' || name === 'desc' ? escaped(textOf(element).trim()) : ''
  const inner = `${text}${childElements(element)
    .map((child) => write(child, false))
    .join('')}`
  return inner === '' ? `${open}/>` : `${open}>${inner}</${name}>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
