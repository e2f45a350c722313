// The guides' own Markdown as HTML: headings, paragraphs, lists, tables, quotes and code, and nothing else. What it does not know is
// shown as the text it is; markup in a guide becomes text, never HTML.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { highlight } from './highlight.ts'
import { type Resolve, renderInline, textOf } from './markdown-inline.ts'

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** What stands below one heading, for the search. */
export interface Section {
  readonly heading: Heading | null
  readonly text: string
}

export interface Rendered {
  /** Of the first heading of the first level, which is not in the HTML. */
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

const FENCE = /^```([a-z]*)$/
const HEADING = /^(#{1,4}) (.+)$/
const BULLET = /^(?:[-*]|\d{1,3}\.) /
const ORDERED = /^\d{1,3}\. /
const RULE = /^\|(?: *:?-+:? *\|)+$/

export function renderMarkdown(source: string, resolve: Resolve): Rendered {
  const state: Writing = { resolve, headings: [], ids: new Map(), texts: [[]], title: '' }
  const html = renderBlocks(source.replaceAll('\r', '').split('\n'), state)
  const sections = [null, ...state.headings].map((heading, at) => ({
    heading,
    text: (state.texts[at] ?? []).join(' ').replace(/\s+/g, ' ').trim(),
  }))
  return { title: state.title, html, headings: state.headings, sections }
}

interface Writing {
  readonly resolve: Resolve
  readonly headings: Heading[]
  readonly ids: Map<string, number>
  /** Of each section, beginning with what stands before the first heading. */
  readonly texts: string[][]
  title: string
}

function renderBlocks(lines: readonly string[], state: Writing): string {
  const out: string[] = []
  let at = 0
  /** The lines from here on that belong together, by what the next one is. */
  const take = (belongs: (line: string, index: number) => boolean): string[] => {
    const from = at
    while (at < lines.length && belongs(lines[at] ?? '', at - from)) at += 1
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const heading = HEADING.exec(line)
    const fence = FENCE.exec(line)
    if (line.trim() === '') at += 1
    else if (line.startsWith('<!--')) {
      take((text) => !text.includes('-->'))
      at += 1
    } else if (fence !== null) {
      at += 1
      const code = take((text) => text !== '```').join('\n')
      at += 1
      out.push(codeBlock(code, fence[1] ?? ''))
    } else if (heading !== null) {
      at += 1
      out.push(renderHeading(heading[1]?.length ?? 1, heading[2] ?? '', state))
    } else if (line.startsWith('|') && RULE.test(lines[at + 1] ?? '')) {
      const rows = take((text) => text.startsWith('|'))
      out.push(renderTable(rows, state))
    } else if (line.startsWith('>')) {
      const quoted = take((text) => text.startsWith('>')).map((text) => text.replace(/^> ?/, ''))
      out.push(`<blockquote>${renderBlocks(quoted, state)}</blockquote>`)
    } else if (BULLET.test(line)) {
      const isOrdered = ORDERED.test(line)
      const list = take((text, index) => index === 0 || belongsToList(text, lines[at + 1] ?? '', isOrdered))
      out.push(renderList(list, isOrdered, state))
    } else {
      const text = take((next, index) => next.trim() !== '' && (index === 0 || !beginsBlock(next))).join('\n')
      out.push(`<p>${note(text, state)}</p>`)
    }
  }
  return out.join('\n')
}

function beginsBlock(line: string): boolean {
  return (
    HEADING.test(line) || FENCE.test(line) || line.startsWith('|') || line.startsWith('>') || /^(?:- |1\. )/.test(line)
  )
}

/** Items of one kind, what is indented below them, lines that go on without, and blank lines that more of it follows. */
function belongsToList(line: string, next: string, isOrdered: boolean): boolean {
  const isItem = (text: string) => BULLET.test(text) && ORDERED.test(text) === isOrdered
  if (line.trim() === '') return isItem(next) || /^ {2,}\S/.test(next)
  return isItem(line) || line.startsWith('  ') || !(BULLET.test(line) || beginsBlock(line))
}

function renderList(lines: readonly string[], isOrdered: boolean, state: Writing): string {
  const items: string[][] = []
  for (const line of lines) {
    const mark = BULLET.exec(line)
    if (mark !== null) items.push([line.slice(mark[0].length)])
    else items.at(-1)?.push(line.replace(/^ {2,3}/, ''))
  }
  const tag = isOrdered ? 'ol' : 'ul'
  const rendered = items.map((item) => {
    while (item.at(-1)?.trim() === '') item.pop()
    const simple = item.every((text, at) => text.trim() !== '' && (at === 0 || !beginsBlock(text)))
    return `<li>${simple ? note(item.join('\n'), state) : renderBlocks(item, state)}</li>`
  })
  return `<${tag}>${rendered.join('')}</${tag}>`
}

/** More columns than these stand below one another on a phone, each with its head; roles, as a style takes a table's own away. */
const FEW_COLUMNS = 2

function renderTable(lines: readonly string[], state: Writing): string {
  const [head = '', , ...body] = lines
  const heads = cellsOf(head)
  const cells = (line: string) => cellsOf(line).map((text) => breakable(note(text, state)))
  const rows = body.map((line) => {
    const shown = cells(line).map(
      (html, at) => `<td role="cell" data-head="${escapeHtml(textOf(heads[at] ?? ''))}">${html}</td>`,
    )
    return `<tr role="row">${shown.join('')}</tr>`
  })
  const titles = cells(head).map((html) => `<th scope="col" role="columnheader">${html}</th>`)
  const kind = heads.length > FEW_COLUMNS ? 'table many' : 'table'
  return `<div class="${kind}" tabindex="0" role="group" aria-label="Table"><table role="table"><thead role="rowgroup"><tr role="row">${titles.join('')}</tr></thead><tbody role="rowgroup">${rows.join('')}</tbody></table></div>`
}

/** A long name may go on in the next line, after an underscore. */
const breakable = (html: string) => html.replace(/(?<=<code>[^<]*)_(?=[^<]{4})/g, '_<wbr>')

/** A bar within code needs a backslash, as everywhere Markdown is read. */
function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim())
}

function renderHeading(level: number, source: string, state: Writing): string {
  const text = textOf(source)
  if (level === 1 && state.title === '') {
    state.title = text
    return ''
  }
  const id = idOf(text, state.ids)
  state.headings.push({ level, id, text })
  state.texts.push([])
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${renderInline(source, state.resolve)}</a></h${level}>`
}

/** As links between the guides write it. */
function idOf(text: string, ids: Map<string, number>): string {
  const plain = text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
  const seen = ids.get(plain) ?? 0
  ids.set(plain, seen + 1)
  return seen === 0 ? plain : `${plain}-${seen}`
}

export function codeBlock(code: string, language: string): string {
  const name = language === '' ? 'text' : language
  return `<pre class="code" tabindex="0" data-language="${escapeHtml(name)}"><code>${highlight(code, language)}</code></pre>`
}

/** Inline text, which the search finds too. */
function note(source: string, state: Writing): string {
  state.texts.at(-1)?.push(textOf(source))
  return renderInline(source, state.resolve)
}
