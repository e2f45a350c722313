// The frame of every page of the docs: navigation on the left, the text, and samples on the right.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { CHAPTERS, GUIDES } from './contents.ts'
import { highlight } from './highlight.ts'
import type { Heading } from './markdown.ts'
import { KEY_PLACEHOLDER, LANGUAGE_TITLES, SAMPLE_LANGUAGES, type Sample } from './samples.ts'

export interface DocsAssets {
  readonly style: string
  readonly script: string
}

export interface DocsPage {
  /** Below /docs; '' for the first page. */
  readonly path: string
  readonly title: string
  readonly about: string
  /** Above the title. */
  readonly chapter: string
  readonly html: string
  /** To the right of the text. */
  readonly rail: string
  /** Each part of the text has its own samples next to it: the text is as wide as both. */
  readonly wide?: boolean
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
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
  <a class="brand" href="/docs"><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M8 10l8 13 8-13"/></svg> Vidimus <b>Docs</b></a>
  <button class="find" type="button" data-find hidden><span>Search the docs</span><kbd>Ctrl K</kbd></button>
  <nav class="links" aria-label="Elsewhere"><a href="/docs/api">API</a><a href="/docs/changelog">Changelog</a><a class="primary" href="/dashboard">Dashboard</a></nav>
</header>
<div class="columns${page.wide === true ? ' wide' : ''}">
<nav class="side" aria-label="Contents">
  <input type="checkbox" id="menu" class="unseen" aria-label="Show the contents"><label for="menu" class="menu">Contents</label>
  <div class="contents">${renderContents(page.path, api)}</div>
</nav>
<main id="main" tabindex="-1">
  <article>${page.chapter === '' ? '' : `<p class="chapter">${escapeHtml(page.chapter)}</p>`}
  <h1>${escapeHtml(page.title)}</h1>
  ${page.html}</article>
  ${neighbours(page.path)}
</main>
${page.wide === true ? '' : `<aside class="rail" aria-label="Beside the text">${page.rail}</aside>`}
</div>
<dialog class="search" aria-label="Search the docs">
  <form method="dialog"><input type="search" aria-label="Search the docs" placeholder="Search guides, calls and error codes" autocomplete="off" spellcheck="false"><button>Close</button></form>
  <ol aria-live="polite"></ol>
</dialog>
</body>
</html>`
}

function renderContents(current: string, api: readonly NavLink[]): string {
  const link = ({ path, title }: NavLink) =>
    `<li><a href="/docs${path === '' ? '' : `/${path}`}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  const chapter = (title: string, links: readonly NavLink[]) =>
    `<h2>${escapeHtml(title)}</h2><ul>${links.map(link).join('')}</ul>`
  const chapters = CHAPTERS.map(({ title, guides }) => chapter(title, guides))
  return `<ul>${link({ path: '', title: 'Overview' })}</ul>${chapters.join('')}${chapter('API', api)}`
}

/** The previous and next page, in the order of the contents. */
function neighbours(path: string): string {
  const at = GUIDES.findIndex((guide) => guide.path === path)
  if (at < 0) return ''
  const [before, after] = [GUIDES[at - 1], GUIDES[at + 1]]
  const link = (guide: NavLink | undefined, word: string, side: string) =>
    guide === undefined
      ? '<span></span>'
      : `<a class="${side}" href="/docs/${guide.path}"><small>${word}</small>${escapeHtml(guide.title)}</a>`
  return `<nav class="neighbours" aria-label="Before and after">${link(before, 'Before', 'before')}${link(after, 'Next', 'after')}</nav>`
}

export function renderOnThisPage(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return ''
  const links = shown.map(
    ({ level, id, text }) => `<li class="l${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="here" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`
}

/** One call in each language, of which one is shown: by radio buttons, so that it works without a script. */
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
  return `<section class="sample"><h2>${escapeHtml(sample.title)}</h2><fieldset><legend class="unseen">Language</legend>${radios}</fieldset>${codes}</section>`
}

/** The reader's test key: created or pasted by a script, and hidden without one. */
export const KEY_PANEL = `<section class="key" data-key-panel hidden></section>`
