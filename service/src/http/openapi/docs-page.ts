// The OpenAPI document as a page for people: plain HTML, no script, nothing from elsewhere.

import { createHash } from 'node:crypto'
import type { OpenApiDocument, OpenApiOperation } from './types.ts'

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent) }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 6rem }
h1 { font-size: 1.9rem; margin: 0 } h2 { margin: 3rem 0 1rem; font-size: 1.3rem }
nav a { margin-right: 1rem } a { color: inherit }
article { border: 1px solid var(--line); border-radius: .6rem; margin: 0 0 1rem; padding: 1rem 1.25rem }
article h3 { font: 600 1rem ui-monospace, monospace; margin: 0 0 .25rem; overflow-wrap: anywhere }
.method { display: inline-block; min-width: 4.2rem } p { margin: .35rem 0 }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line) }
code { font: .9em ui-monospace, monospace } details pre { background: var(--soft); padding: .8rem; border-radius: .4rem; overflow: auto; font-size: .8rem }
`

export function renderDocsPage(document: OpenApiDocument): { html: string; styleHash: string } {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? 'Other'))]
  const sections = tags.map((tag) => {
    const articles = operations
      .filter(({ operation }) => (operation.tags?.[0] ?? 'Other') === tag)
      .map(({ path, method, operation }) => renderOperation(document, `${method.toUpperCase()} ${path}`, operation))
    return `<h2 id="${slug(tag)}">${escapeHtml(tag)}</h2>${articles.join('')}`
  })
  const links = tags.map((tag) => `<a href="#${slug(tag)}">${escapeHtml(tag)}</a>`).join('')
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(document.info.title)} API ${document.info.version}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(document.info.title)} API <small>${document.info.version}</small></h1>
<p>${escapeHtml(document.info.description)} Base address <code>${escapeHtml(document.servers[0]?.url ?? '')}</code>.
The same as data: <a href="/openapi.json">openapi.json</a>.</p>
<p>Send an API key as <code>Authorization: Bearer vk_test_…</code>. Every answer carries <code>Request-Id</code>; every answer that is
not a success has the body <code>{"error":{"code":…,"message":…}}</code>.</p><nav>${links}</nav>${sections.join('')}</body></html>`
  return { html, styleHash: `sha256-${createHash('sha256').update(STYLE).digest('base64')}` }
}

function renderOperation(document: OpenApiDocument, title: string, operation: OpenApiOperation): string {
  const [method = '', path = ''] = title.split(' ')
  const parameters = (operation.parameters as { name: string; in: string; required: boolean; description?: string }[])
    .map(
      (parameter) =>
        `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${parameter.in}${parameter.required ? ', required' : ''}</td><td>${prose(parameter.description ?? '')}</td></tr>`,
    )
    .join('')
  const responses = Object.entries(operation.responses)
    .map(([status, response]) => `<tr><td><code>${status}</code></td><td>${prose(response.description)}</td></tr>`)
    .join('')
  return `<article><h3><span class="method">${method}</span>${escapeHtml(path)}</h3><p>${prose(operation.summary ?? '')}</p>
<p>${prose(operation.description ?? '')}</p>${parameters === '' ? '' : `<table>${parameters}</table>`}
${operation.requestBody === undefined ? '' : schemaBlock(document, 'Body', operation.requestBody)}<table>${responses}</table>
${schemaBlock(document, 'Answer', operation.responses[200] ?? operation.responses[201] ?? {})}</article>`
}

function schemaBlock(document: OpenApiDocument, title: string, holder: object): string {
  const { content = {} } = holder as { content?: Record<string, { schema: { $ref?: string } }> }
  const [entry] = Object.entries(content)
  if (entry === undefined) return ''
  const [type, { schema }] = entry
  const named = schema.$ref?.split('/').at(-1)
  const shown = named === undefined ? schema : document.components.schemas[named]
  return `<details><summary>${title}, <code>${escapeHtml(type)}</code></summary><pre>${escapeHtml(JSON.stringify(shown, null, 2))}</pre></details>`
}

const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
const prose = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
