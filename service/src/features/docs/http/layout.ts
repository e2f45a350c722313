// The frame of all docs pages: navigation on the left, the text, and samples on the right.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { CHAPTERS, listedGuides } from './contents.ts'
import { highlight } from './highlight.ts'
import type { Heading } from './markdown.ts'
import { KEY_PLACEHOLDER, LANGUAGE_TITLES, SAMPLE_LANGUAGES, type Sample } from './samples.ts'

export interface DocsAssets {
  readonly style: string
  readonly script: string
}

export interface DocsPage {
  /** The path below /docs; empty for the first page. */
  readonly path: string
  readonly title: string
  readonly about: string
  /** Above the title. */
  readonly chapter: string
  readonly html: string
  /** Listed under "On this page". */
  readonly headings?: readonly Heading[]
  /** HTML to the right of the text. */
  readonly rail: string
  /** The samples are next to their sections, so the text takes both columns. */
  readonly wide?: boolean
  /** Language of the text; default: English. */
  readonly language?: string
}

export interface NavLink {
  readonly path: string
  readonly title: string
}

export interface Frame {
  readonly assets: DocsAssets
  /** Pages of the API, generated from its description. */
  readonly api: readonly NavLink[]
}

export function renderDocsPage(page: DocsPage, { assets, api }: Frame): string {
  const title = page.path === '' ? 'Vidimus docs' : `${page.title} · Vidimus docs`
  const chapters = chaptersOf(api)
  const here = linksToHeadings(page.headings ?? [])
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.about)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
  <a class="brand" href="/docs"><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M8 10l8 13 8-13"/></svg> Vidimus <b>Docs</b></a>
  <button class="find" type="button" data-find hidden><span>Search the docs</span><kbd>Ctrl K</kbd></button>
  <nav class="links" aria-label="Other pages"><a href="/docs/api">API</a><a href="/docs/changelog">Changelog</a><a class="primary" href="/dashboard">Dashboard</a></nav>
</header>
<div class="columns${page.wide === true ? ' wide' : ''}">
<nav class="side" aria-label="Contents">
  <input type="checkbox" id="menu" class="unseen" aria-label="Show the contents"><label for="menu" class="menu">Contents</label>
  <div class="contents">${renderContents(page.path, chapters)}</div>
</nav>
<main id="main" tabindex="-1">
  <article${page.language === undefined ? '' : ` lang="${page.language}"`}>${page.chapter === '' ? '' : `<p class="chapter">${escapeHtml(page.chapter)}</p>`}
  <h1>${escapeHtml(page.title)}</h1>
  ${here === '' ? '' : `<details class="here-folded"><summary>On this page</summary><ul>${here}</ul></details>`}
  ${page.html}</article>
  ${neighbours(page.path, chapters)}
</main>
${page.wide === true ? '' : `<aside class="rail" aria-label="Samples and sections">${here === '' ? '' : `<nav class="here" aria-label="On this page"><h2>On this page</h2><ul>${here}</ul></nav>`}${page.rail}</aside>`}
</div>
<p class="unseen" role="status" data-announce></p>
<dialog class="search" aria-label="Search the docs">
  <form method="dialog"><input type="search" aria-label="Search the docs" placeholder="Search guides, calls and error codes" autocomplete="off" spellcheck="false"><button>Close</button></form>
  <ol aria-live="polite"></ol>
</dialog>
</body>
</html>`
}

interface NavChapter {
  readonly title: string
  readonly links: readonly NavLink[]
}

/** Returns the chapters in reading order. The API comes before the chapter with its errors. */
function chaptersOf(api: readonly NavLink[]): readonly NavChapter[] {
  return CHAPTERS.flatMap((one) => {
    const { title } = one
    const chapter = { title, links: listedGuides(one) }
    return title === 'Reference' ? [{ title: 'API', links: api }, chapter] : [chapter]
  })
}

function renderContents(current: string, chapters: readonly NavChapter[]): string {
  const link = ({ path, title }: NavLink) =>
    `<li><a href="/docs${path === '' ? '' : `/${path}`}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  const shown = chapters.map(({ title, links }) => `<h2>${escapeHtml(title)}</h2><ul>${links.map(link).join('')}</ul>`)
  return `<ul>${link({ path: '', title: 'Overview' })}</ul>${shown.join('')}`
}

/** Returns the previous and next page, in the order of the contents. */
function neighbours(path: string, chapters: readonly NavChapter[]): string {
  const links = chapters.flatMap((chapter) => chapter.links)
  const at = links.findIndex((one) => one.path === path)
  if (at < 0) return ''
  const link = (to: NavLink | undefined, word: string, side: string) =>
    to === undefined
      ? '<span></span>'
      : `<a class="${side}" rel="${side}" href="/docs/${to.path}"><small>${word}</small>${escapeHtml(to.title)}</a>`
  return `<nav class="neighbours" aria-label="Previous and next page">${link(links[at - 1], 'Previous', 'prev')}${link(links[at + 1], 'Next', 'next')}</nav>`
}

/** With more headings than this, only those of the second level are listed. */
const DETAILED_MAX = 14

function linksToHeadings(headings: readonly Heading[]): string {
  const both = headings.filter(({ level }) => level === 2 || level === 3)
  const shown = both.length > DETAILED_MAX ? both.filter(({ level }) => level === 2) : both
  if (shown.length < 2) return ''
  return shown
    .map(({ level, id, text }) => `<li class="l${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`)
    .join('')
}

/** One call in each language. Radio buttons choose the language, so that it works without a script. */
export function renderSample(sample: Sample, name: string): string {
  const radios = SAMPLE_LANGUAGES.map(
    (language, at) =>
      `<label><input type="radio" name="${name}" value="${language}"${at === 0 ? ' checked' : ''}>${LANGUAGE_TITLES[language]}</label>`,
  ).join('')
  const codes = SAMPLE_LANGUAGES.map((language) => {
    const html = highlight(sample.code[language], language).replaceAll(
      KEY_PLACEHOLDER,
      `<span data-key>${KEY_PLACEHOLDER}</span>`,
    )
    return `<pre class="code" tabindex="0" data-sample="${language}" aria-label="${LANGUAGE_TITLES[language]}"><code>${html}</code></pre>`
  }).join('')
  return `<section class="sample"><div class="bar"><h2>${escapeHtml(sample.title)}</h2></div><fieldset><legend class="unseen">Language</legend>${radios}</fieldset>${codes}</section>`
}

/** The panel with the reader's test key. A script fills it; without the script it stays hidden. */
export const KEY_PANEL = `<section class="key" data-key-panel hidden></section>`
