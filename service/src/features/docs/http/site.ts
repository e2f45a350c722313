// Maps the paths of the docs to pages. A page is built at its first request, because most replicas never build one.

import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { OpenApiDocument } from '../openapi/types.ts'
import { type ApiWorld, apiIndexPage, apiLinks, apiTagPage, linkCodes, operationsOf } from './api-pages.ts'
import { CHAPTERS, GUIDES, type GuideEntry, listedGuides } from './contents.ts'
import { ERROR_CODES, FAILURES, REFUSALS } from './error-codes.ts'
import { errorPage } from './error-pages.ts'
import { type DocsAssets, type DocsPage, KEY_PANEL, renderDocsPage, renderSample } from './layout.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import { KEY_PLACEHOLDER, samplesOf } from './samples.ts'
import { API_BASICS, type Found, indexCode, indexGuide, indexOperation } from './search-index.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..', '..')
/** The service's address in the code of the guides. */
const EXAMPLE_ADDRESS = 'https://verify.example.com'
/** The address of a service that `npm start` started on its first port. */
const LOCAL_ADDRESS = 'http://localhost:8080'
/** Guides outside all chapters: background that other guides link to. */
const BACKGROUND = /^(?:decisions|protocol)\/[a-z0-9-]+$/

export interface DocsSite {
  /** null if the page does not exist. */
  page(path: string): Promise<string | null>
  /** Returns the page for a broken link. */
  missingPage(): string
  searchIndex(): Promise<readonly Found[]>
}

interface DocsWorld {
  readonly document: OpenApiDocument
  readonly baseUrl: string
  readonly assets: DocsAssets
}

export function openDocsSite({ document, baseUrl, assets }: DocsWorld): DocsSite {
  const operations = operationsOf(document)
  const samples = samplesOf(baseUrl)
  const world: ApiWorld = { document, operations, samples, baseUrl }
  const frame = { assets, api: apiLinks(operations) }

  async function find(path: string): Promise<DocsPage | null> {
    if (path === '') return overviewPage()
    if (path === 'api') return apiIndexPage(world)
    if (path.startsWith('api/')) return apiTagPage(world, path.slice('api/'.length))
    if (path.startsWith('errors/'))
      return errorPage(path.slice('errors/'.length), {
        operations,
        resolve: (target) => addressOfLink('docs/errors.md', target),
      })
    const guide = GUIDES.find((one) => one.path === path) ?? backgroundGuide(path)
    return guide === null ? null : guidePage(guide)
  }

  async function guidePage(guide: GuideEntry): Promise<DocsPage | null> {
    const rendered = await renderGuide(guide, baseUrl)
    if (rendered === null) return null
    const shown = (guide.samples ?? []).flatMap((name) => samples[name] ?? [])
    const hasKey = shown.some(({ code }) => code.curl.includes(KEY_PLACEHOLDER))
    const renderedSamples = shown.map((sample, at) => renderSample(sample, `sample-${at}`))
    const chapter = CHAPTERS.find(({ guides }) => guides.includes(guide))?.title ?? 'Background'
    return {
      path: guide.path,
      title: rendered.title,
      about: guide.about,
      chapter,
      html: guide.path === 'errors' ? linkCodes(rendered.html) : rendered.html,
      headings: rendered.headings,
      ...(guide.language !== undefined && { language: guide.language }),
      rail: `${hasKey ? KEY_PANEL : ''}${renderedSamples.join('')}`,
    }
  }

  function overviewPage(): DocsPage {
    const sample = samples.createVerification
    const chapters = CHAPTERS.map((chapter) => {
      const cards = listedGuides(chapter).map(
        (guide) =>
          `<li><a href="/docs/${guide.path}">${escapeHtml(guide.title)}</a><p>${escapeHtml(guide.about)}</p></li>`,
      )
      return `<h2>${escapeHtml(chapter.title)}</h2><ul class="cards">${cards.join('')}</ul>`
    })
    return {
      path: '',
      title: 'Verify people with their wallet',
      about: 'Guides, reference and samples for Vidimus, a hosted OpenID4VP verifier.',
      chapter: '',
      rail: `${KEY_PANEL}${sample === undefined ? '' : renderSample(sample, 'overview')}`,
      html: `<p class="lead">Ask a digital identity wallet for an age, a name or a licence. Vidimus checks the answer for you: signature, issuer, holder and revocation.</p>
<p class="start"><a class="primary" href="/docs/quickstart">Quick start</a> <a href="/docs/api">API reference</a></p>${chapters.join('')}`,
    }
  }

  return {
    async page(path) {
      const page = await find(path)
      return page === null ? null : renderDocsPage(page, frame)
    },
    missingPage: () => renderDocsPage(MISSING, frame),
    async searchIndex() {
      const found: Found[] = []
      for (const guide of GUIDES) {
        const rendered = await renderGuide(guide, baseUrl)
        if (rendered !== null) found.push(...indexGuide(guide, rendered))
      }
      const codes = [...ERROR_CODES].map((code) =>
        indexCode(
          code,
          [REFUSALS.get(code)?.message, REFUSALS.get(code)?.advice, FAILURES.get(code)].filter(Boolean).join(' '),
        ),
      )
      return [...found, ...API_BASICS, ...operations.map(indexOperation), ...codes]
    },
  }
}

const MISSING: DocsPage = {
  path: '?',
  title: 'Page not found',
  about: 'Page not found.',
  chapter: '404',
  rail: '',
  html: `<p class="lead">The page may have moved, or the link has a typo. Use the search or the contents.</p>
<p class="start"><a class="primary" href="/docs">All guides</a> <a href="/docs/api">API reference</a> <a href="/docs/errors">Errors</a></p>`,
}

function backgroundGuide(path: string): GuideEntry | null {
  if (path === 'protocol') return { path, file: 'docs/protocol/README.md', title: path, about: 'The protocol.' }
  return BACKGROUND.test(path) ? { path, file: `docs/${path}.md`, title: path, about: 'Background.' } : null
}

/** null if the file is missing: an installation may come without the guides. */
async function renderGuide({ file }: GuideEntry, baseUrl: string): Promise<Rendered | null> {
  const source = await readFile(join(ROOT, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (source === null) return null
  const local = baseUrl.startsWith('http://localhost:') ? baseUrl : LOCAL_ADDRESS
  const text = source.replaceAll(EXAMPLE_ADDRESS, baseUrl).replaceAll(LOCAL_ADDRESS, local)
  return renderMarkdown(text, (target) => addressOfLink(file, target))
}

/** Returns the address of a guide's link in these docs; null for files that are not part of them. */
export function addressOfLink(file: string, target: string): string | null {
  if (/^https?:/.test(target)) return target
  const [path = '', anchor] = target.split('#')
  const fragment = anchor === undefined ? '' : `#${anchor}`
  if (path === '') return fragment
  const meant = normalize(join(dirname(file), path)).replaceAll('\\', '/')
  const guide = GUIDES.find((one) => one.file === meant)
  if (guide !== undefined) return `/docs/${guide.path}${fragment}`
  if (meant === 'README.md') return `/docs${fragment}`
  if (meant === 'docs/protocol/README.md') return `/docs/protocol${fragment}`
  const below = meant.replace(/^docs\/|\.md$/g, '')
  return meant.startsWith('docs/') && BACKGROUND.test(below) ? `/docs/${below}${fragment}` : null
}
