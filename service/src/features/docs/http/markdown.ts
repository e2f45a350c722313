// Renders the Markdown of the guides as HTML. HTML in a guide is shown as text, and comments are left out.

import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { highlight } from './highlight.ts'

/** The address of a link's target; null if it is not part of the docs. */
export type Resolve = (target: string) => string | null

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** The text below one heading, for the search. */
export interface Section {
  readonly heading: Heading | null
  readonly text: string
}

export interface Rendered {
  /** The text of the first heading, which is not in the HTML. */
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

export function renderMarkdown(source: string, resolve: Resolve): Rendered {
  const headings: Heading[] = []
  const marked = createRenderer(resolve, headings)
  const tokens = marked.lexer(source)
  const title = tokens.find((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 1)
  const shown = tokens.filter((token) => token !== title)
  const html = marked.parser(shown)
  const texts: string[][] = [[]]
  for (const token of shown) {
    if (token.type === 'heading') texts.push([])
    else texts.at(-1)?.push(textOf(token))
  }
  const sections = [null, ...headings].map((heading, at) => ({
    heading,
    text: (texts[at] ?? []).join(' ').replace(/\s+/g, ' ').trim(),
  }))
  return { title: title === undefined ? '' : textOf(title), html, headings, sections }
}

export function renderInline(source: string, resolve: Resolve): string {
  return createRenderer(resolve, []).parseInline(source, { async: false })
}

export function codeBlock(code: string, language: string): string {
  const name = language === '' ? 'text' : language
  return `<div class="block"><pre class="code" tabindex="0" data-language="${escapeHtml(name)}"><code>${highlight(code, language)}</code></pre></div>`
}

const COMMENT = /^<!--[\s\S]*?-->\n?/
/**
 * On a phone, tables with more columns are stacked, each cell with its header. They get ARIA roles, because that style
 * removes the native ones.
 */
const FEW_COLUMNS = 2

function createRenderer(resolve: Resolve, headings: Heading[]): Marked {
  const ids = new Map<string, number>()
  return new Marked({
    tokenizer: {
      html(source) {
        const [raw] = COMMENT.exec(source) ?? []
        return raw === undefined ? undefined : { type: 'html', raw, pre: false, block: true, text: '' }
      },
      tag: () => undefined,
      // A bare address stays text.
      url: () => undefined,
    },
    renderer: {
      html: () => '',
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      text(token) {
        return 'tokens' in token && token.tokens !== undefined
          ? this.parser.parseInline(token.tokens)
          : escapeHtml(token.text)
      },
      codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
      code: ({ text, lang = '' }) => codeBlock(text, lang),
      link({ href, tokens, autolink }) {
        const address = autolink === true ? href : resolve(href)
        const words = this.parser.parseInline(tokens)
        return address === null ? words : `<a href="${escapeHtml(address)}">${words}</a>`
      },
      heading(token) {
        const text = textOf(token)
        const id = idOf(text, ids)
        headings.push({ level: token.depth, id, text })
        return `<h${token.depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(token.tokens)}</a></h${token.depth}>\n`
      },
      blockquote({ tokens }) {
        return `<blockquote>${this.parser.parse(tokens).trim()}</blockquote>\n`
      },
      list({ ordered, items }) {
        const tag = ordered ? 'ol' : 'ul'
        return `<${tag}>${items.map((item) => this.listitem(item)).join('')}</${tag}>\n`
      },
      listitem({ tokens }) {
        const [only, ...more] = tokens
        const isText = only?.type === 'paragraph' && more.length === 0
        return `<li>${isText ? this.parser.parseInline(only.tokens ?? []) : this.parser.parse(tokens)}</li>`
      },
      table({ header, rows }) {
        const cell = ({ tokens }: Tokens.TableCell) => breakable(this.parser.parseInline(tokens))
        // For screen readers, an empty cell is not a header.
        const heads = header.map((one) => {
          const words = cell(one)
          return words === '' ? '<td role="cell"></td>' : `<th scope="col" role="columnheader">${words}</th>`
        })
        const names = header.map(({ tokens }) => escapeHtml(tokens.map(textOf).join('')))
        const body = rows.map((row) => {
          const cells = row.map((one, at) => `<td role="cell" data-head="${names[at]}">${cell(one)}</td>`)
          return `<tr role="row">${cells.join('')}</tr>`
        })
        const kind = header.length > FEW_COLUMNS ? 'table many' : 'table'
        return `<div class="${kind}" tabindex="0" role="group" aria-label="Table"><table role="table"><thead role="rowgroup"><tr role="row">${heads.join('')}</tr></thead><tbody role="rowgroup">${body.join('')}</tbody></table></div>\n`
      },
    },
  })
}

/** A long name may break after an underscore. */
const breakable = (html: string) =>
  html.replace(/(?<=<code>)[^<]{25,}/g, (name) => name.replace(/_(?=.{4})/g, '_<wbr>'))

/** Returns the text without markup and code blocks. */
function textOf(token: Token): string {
  if (token.type === 'code' || token.type === 'html' || token.type === 'space') return ''
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flatMap((cells) => cells.map(({ tokens }) => tokens.map(textOf).join(''))).join(' ')
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join(' ')
  if (!('tokens' in token) || token.tokens === undefined) return 'text' in token ? token.text : ''
  return token.tokens.map(textOf).join(token.type === 'list_item' || token.type === 'blockquote' ? ' ' : '')
}

/** Returns the id in the form that links between the guides use. */
function idOf(text: string, ids: Map<string, number>): string {
  const plain = text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
  const seen = ids.get(plain) ?? 0
  ids.set(plain, seen + 1)
  return seen === 0 ? plain : `${plain}-${seen}`
}
