// So much of XML as a drawing takes: elements, attributes, text, comments. No DOCTYPE, and so no entities but the five that
// XML has and characters by number; no processing instructions but the first line; bounded in depth and in number.

export interface SvgElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly SvgElement[]
  readonly text: string
}

const DEPTH_MAX = 32
const ELEMENTS_MAX = 2_000

const DECLARATION = /^\uFEFF?\s*<\?xml\s[^?<>]*\?>/
/** Sticky, each from where the last ended: no backtracking beyond one tag. */
const TAG = /<([A-Za-z][\w:.-]*)((?:\s+[A-Za-z_][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y
const CLOSE = /<\/([A-Za-z][\w:.-]*)\s*>/y
const COMMENT = /<!--(?:(?!--)[\s\S])*-->/y
const TEXT = /[^<]+/y
const ATTRIBUTE = /([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));|&/g
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

interface Open {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: SvgElement[]
  text: string
}

class NotMarkup extends Error {}

/** Its root element; null where it is anything but one whole element. */
export function readMarkup(bytes: Uint8Array): SvgElement | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(DECLARATION, '')
    return readElements(text)
  } catch (error) {
    // Bytes that are no UTF-8 end in a TypeError of the decoder.
    if (error instanceof NotMarkup || error instanceof TypeError) return null
    throw error
  }
}

function readElements(text: string): SvgElement {
  const top: Open = { name: '', attributes: new Map(), children: [], text: '' }
  const open = [top]
  let count = 0
  for (let at = 0; at < text.length; ) {
    const inner = open.at(-1) ?? top
    const match = (pattern: RegExp) => {
      pattern.lastIndex = at
      const found = pattern.exec(text)
      if (found !== null) at = pattern.lastIndex
      return found
    }
    const plain = match(TEXT)
    if (plain !== null) {
      inner.text += decoded(plain[0])
      continue
    }
    if (match(COMMENT) !== null) continue
    const closed = match(CLOSE)
    if (closed !== null) {
      if (open.length === 1 || closed[1] !== inner.name) throw new NotMarkup()
      open.pop()
      continue
    }
    const tag = match(TAG)
    count += 1
    if (tag === null || count > ELEMENTS_MAX || open.length > DEPTH_MAX) throw new NotMarkup()
    const [, name = '', attributes = '', empty] = tag
    const element: Open = { name, attributes: attributesOf(attributes), children: [], text: '' }
    inner.children.push(element)
    if (empty !== '/') open.push(element)
  }
  const [root, ...more] = top.children
  if (open.length !== 1 || root === undefined || more.length > 0 || top.text.trim() !== '') throw new NotMarkup()
  return root
}

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) {
    if (found.has(name)) throw new NotMarkup()
    found.set(name, decoded(double ?? single ?? ''))
  }
  return found
}

function decoded(text: string): string {
  return text.replace(ENTITY, (_whole, named?: string, decimal?: string, hex?: string) => {
    const character = named === undefined ? byNumber(decimal, hex) : NAMED[named]
    if (character === undefined) throw new NotMarkup()
    return character
  })
}

/** Never a control character but tab and line ends, nor half of one. */
function byNumber(decimal?: string, hex?: string): string | undefined {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10)
  const isText = code === 9 || code === 10 || code === 13 || (code >= 0x20 && code < 0xd800) || code >= 0xe000
  return isText && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
