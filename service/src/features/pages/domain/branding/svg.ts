// An SVG as a merchant hands it in: read as XML of a small kind, held against lists of what a drawing needs, and written anew
// from what was read, so that no other reader can see in it what this one did not. Nothing in it runs, refers elsewhere or
// repeats itself: no scripts, styles with addresses, foreign content, `use`, entities or animations.

import { readMarkup, type SvgElement } from './svg-markup.ts'

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

/** What drawing programs leave behind and nothing shows: left out without a word. */
const IGNORED = /^(?:xmlns:.+|xml:space|data-.+|class|aria-.+|enable-background|[a-z]+:[A-Za-z-]+)$/
const IGNORED_ELEMENTS = /^(?:metadata|sodipodi:.+|inkscape:.+)$/

/** Never with an address, but of a gradient or a path of its own. */
const OWN_REFERENCE = /^url\(#[\w.-]+\)$/
const PLAIN_VALUE = /^[\w\s#.,%()+\-/*:;]*$/
const REFERRING: ReadonlySet<string> = new Set(['fill', 'stroke', 'clip-path'])

const NAMESPACE = 'http://www.w3.org/2000/svg'

export type SvgProblem = 'not_svg' | 'forbidden'

export type CleanSvg =
  | { readonly outcome: 'clean'; readonly bytes: Buffer }
  /** `what`: the element or attribute, so that whoever drew it finds it. */
  | { readonly outcome: 'refused'; readonly problem: SvgProblem; readonly what: string }

export function cleanSvg(given: Uint8Array): CleanSvg {
  const root = readMarkup(given)
  if (root === null) return { outcome: 'refused', problem: 'not_svg', what: 'xml' }
  if (root.name !== 'svg' || root.attributes.get('xmlns') !== NAMESPACE)
    return { outcome: 'refused', problem: 'not_svg', what: root.name }
  const hasSize = root.attributes.has('viewBox') || (root.attributes.has('width') && root.attributes.has('height'))
  if (!hasSize) return { outcome: 'refused', problem: 'not_svg', what: 'viewBox' }
  const found = findForbidden(root)
  if (found !== null) return { outcome: 'refused', problem: 'forbidden', what: found }
  return { outcome: 'clean', bytes: Buffer.from(write(root, true), 'utf8') }
}

function findForbidden(element: SvgElement): string | null {
  if (IGNORED_ELEMENTS.test(element.name)) return null
  if (!ELEMENTS.has(element.name)) return `<${element.name}>`
  for (const [name, value] of element.attributes) {
    if (name === 'xmlns' && value === NAMESPACE) continue
    if (IGNORED.test(name) && !name.startsWith('xlink:')) continue
    if (!ATTRIBUTES.has(name)) return name
    if (!isHarmless(name, value)) return `${name}="${value.slice(0, 40)}"`
  }
  for (const child of element.children) {
    const found = findForbidden(child)
    if (found !== null) return found
  }
  return null
}

function isHarmless(name: string, value: string): boolean {
  if (REFERRING.has(name) && OWN_REFERENCE.test(value)) return true
  // A backslash would write `url` in another way: it is in no value at all.
  return PLAIN_VALUE.test(value) && !/url\s*\(|image|expression|import|\/\*/i.test(value)
}

function write(element: SvgElement, isRoot: boolean): string {
  if (IGNORED_ELEMENTS.test(element.name)) return ''
  const attributes = [...element.attributes].filter(([name]) => ATTRIBUTES.has(name))
  const written = attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')
  const open = `<${element.name}${isRoot ? ` xmlns="${NAMESPACE}"` : ''}${written}`
  const text = element.name === 'title' || element.name === 'desc' ? escaped(element.text.trim()) : ''
  const inner = `${text}${element.children.map((child) => write(child, false)).join('')}`
  return inner === '' ? `${open}/>` : `${open}>${inner}</${element.name}>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
