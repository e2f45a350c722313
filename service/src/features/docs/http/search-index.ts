// Builds the index for the search in the browser: sections of guides, calls and codes. The browser loads all of it.

import { type ApiOperation, addressOf } from './api-pages.ts'
import type { GuideEntry } from './contents.ts'
import type { Rendered } from './markdown.ts'

export interface Found {
  readonly url: string
  readonly page: string
  readonly heading: string
  readonly text: string
}

/** Characters per section. The start of a section is enough to find it. */
const TEXT_MAX = 420

export function indexGuide({ path, title }: GuideEntry, { sections }: Rendered): readonly Found[] {
  return sections
    .filter(({ heading, text }) => heading !== null || text !== '')
    .map(({ heading, text }) => ({
      url: `/docs/${path}${heading === null ? '' : `#${heading.id}`}`,
      page: title,
      heading: heading?.text ?? '',
      text: text.slice(0, TEXT_MAX),
    }))
}

export function indexOperation(one: ApiOperation): Found {
  const { method, path, tag, operation } = one
  return {
    url: addressOf(one),
    page: `API · ${tag}`,
    heading: operation.summary ?? one.id,
    text: `${method} ${path} ${operation.description ?? ''}`.slice(0, TEXT_MAX),
  }
}
