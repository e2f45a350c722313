// Builds the index for the search in the browser: sections of guides, calls and codes.

import { type ApiOperation, addressOf, BASICS } from './api-pages.ts'
import type { GuideEntry } from './contents.ts'
import type { Rendered } from './markdown.ts'

export interface Found {
  readonly url: string
  readonly page: string
  readonly heading: string
  readonly text: string
  /** Other words that find the entry. */
  readonly also?: string
  /** Less than 1 for background. */
  readonly weight?: number
}

/** Characters per section. The beginning of a section is enough to find it. */
const TEXT_MAX = 420
/** Guides come before calls. Calls of wallets and of the log come last, because few readers need them. */
const OPERATION_WEIGHT = 0.8
const BACKGROUND_WEIGHT = 0.4
/** Low: a reader who looks for a code types all of it, and then the title matches. */
const CODE_WEIGHT = 0.7

/** Whole words. */
function beginningOf(text: string): string {
  if (text.length <= TEXT_MAX) return text
  return `${text.slice(0, text.lastIndexOf(' ', TEXT_MAX))} …`
}

export function indexGuide(entry: GuideEntry, { sections }: Rendered): readonly Found[] {
  const { path, title, about, keywords, searchWeight } = entry
  return sections.map(({ heading, text }) => ({
    url: `/docs/${path}${heading === null ? '' : `#${heading.id}`}`,
    page: title,
    heading: heading?.text ?? '',
    text: beginningOf(heading === null && text === '' ? about : text),
    ...(heading === null && keywords !== undefined ? { also: keywords } : {}),
    ...(searchWeight === undefined ? {} : { weight: searchWeight }),
  }))
}

export function indexOperation(one: ApiOperation): Found {
  const { method, path, tag, operation } = one
  return {
    url: addressOf(one),
    page: `API · ${tag}`,
    heading: operation.summary ?? one.id,
    text: beginningOf(`${method} ${path} ${operation.description ?? ''}`),
    weight: path.startsWith('/v1/') ? OPERATION_WEIGHT : BACKGROUND_WEIGHT,
  }
}

export const indexCode = (code: string, text: string): Found => ({
  url: `/docs/errors/${code}`,
  page: 'Errors',
  heading: code,
  text,
  weight: CODE_WEIGHT,
})

export const API_BASICS: readonly Found[] = BASICS.map(({ id, title, text, also }) => ({
  url: `/docs/api#${id}`,
  page: 'API basics',
  heading: title,
  text,
  also,
}))
