// Renders the API reference, one page per group of calls, from the document that /openapi.json serves.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { OpenApiDocument, OpenApiOperation } from '../openapi/types.ts'
import { ERROR_CODES } from './error-codes.ts'
import { type DocsPage, KEY_PANEL, type NavLink, renderSample } from './layout.ts'
import { codeBlock, renderInline } from './markdown.ts'
import { curlOf, type Sample } from './samples.ts'
import { renderFields, sentence } from './schema-fields.ts'

export interface ApiOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly operation: OpenApiOperation
}

/** In the order in which a merchant needs them. */
const TAGS = ['Verifications', 'Links', 'Templates', 'Devices', 'Usage', 'OpenID provider', 'Wallet', 'Log'] as const

const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
const prose = (text: string) => renderInline(text, (target) => target)

export function operationsOf(document: OpenApiDocument): readonly ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId ?? slug(`${method} ${path}`),
      method: method.toUpperCase(),
      path,
      tag: operation.tags?.[0] ?? 'Other',
      operation,
    })),
  )
}

export const addressOf = ({ tag, id }: Pick<ApiOperation, 'tag' | 'id'>) => `/docs/api/${slug(tag)}#${id}`

export function apiLinks(operations: readonly ApiOperation[]): readonly NavLink[] {
  const known: readonly string[] = TAGS
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const order = (tag: string) => (known.includes(tag) ? known.indexOf(tag) : known.length)
  const sorted = tags.sort((one, other) => order(one) - order(other))
  return [{ path: 'api', title: 'API basics' }, ...sorted.map((tag) => ({ path: `api/${slug(tag)}`, title: tag }))]
}

export interface ApiWorld {
  readonly document: OpenApiDocument
  readonly operations: readonly ApiOperation[]
  readonly samples: Readonly<Record<string, Sample>>
  readonly baseUrl: string
}

interface Basic {
  readonly id: string
  readonly title: string
  readonly html: string
  /** For the search: the section's words, and other words that find it. */
  readonly text: string
  readonly also: string
}

export const BASICS: readonly Basic[] = [
  {
    id: 'keys',
    title: 'API keys',
    html: `<p>Send your API key in the header <code>Authorization: Bearer vk_test_…</code>. Create keys in the <a href="/dashboard">dashboard</a>.</p>
<p>A key belongs to one environment and sees only that one: <code>vk_test_…</code> is for test, <code>vk_live_…</code> for live.</p>`,
    text: 'Send your API key in the header Authorization: Bearer. A key belongs to one environment: test or live.',
    also: 'authentication authorization bearer token credentials secret',
  },
  {
    id: 'errors',
    title: 'Errors',
    html: `<p>Every error has this body, and a <code>Link</code> header that leads to the page of its code:</p>
${codeBlock(JSON.stringify({ error: { code: 'quota_exceeded', message: '…' } }, null, 2), 'json')}
<p>Let your code decide by <a href="/docs/errors"><code>code</code></a>. <code>message</code> is for people and may change. Every response has a <code>Request-Id</code>: quote it when you ask for help.</p>`,
    text: 'Every error has a code and a message. Decide by code. Every response has a Request-Id.',
    also: 'exception request id support',
  },
  {
    id: 'retries',
    title: 'Retries and idempotency',
    html: `<p>Send an <code>Idempotency-Key</code> with each request that creates something. After a broken connection or a 5xx, repeat the request with the same key: nothing is created twice.</p>
<p>If a response has <code>Retry-After</code>, wait that many seconds. The <a href="/docs/clients/typescript">client libraries</a> do both.</p>`,
    text: 'Send an Idempotency-Key with each request that creates something and repeat it with the same key. Wait as long as Retry-After says.',
    also: 'idempotency retry duplicate twice timeout',
  },
]

export function apiIndexPage({ document, operations, samples }: ApiWorld): DocsPage {
  const rows = operations.map(
    (one) =>
      `<tr><td><a href="${addressOf(one)}"><code>${one.method} ${escapeHtml(one.path)}</code></a></td><td>${prose(one.operation.summary ?? '')}</td></tr>`,
  )
  const sample = samples.createVerification
  return {
    path: 'api',
    title: 'API basics',
    about: 'API keys, errors, retries, and a list of every call.',
    chapter: 'API',
    headings: [...BASICS, { id: 'calls', title: 'All calls' }].map(({ id, title }) => ({ level: 2, id, text: title })),
    rail: sample === undefined ? '' : KEY_PANEL + renderSample(sample, 'index'),
    html: `<p>All calls send and receive JSON. The address of this installation is <code>${escapeHtml(document.servers[0]?.url ?? '')}</code>. Version ${escapeHtml(document.info.version)} is described in <a href="/openapi.json">openapi.json</a>.</p>
${BASICS.map(({ id, title, html }) => `<h2 id="${id}"><a class="anchor" href="#${id}">${title}</a></h2>${html}`).join('')}
<h2 id="calls"><a class="anchor" href="#calls">All calls</a></h2><div class="table" tabindex="0" role="group" aria-label="All calls"><table><thead><tr><th scope="col">Call</th><th scope="col">What it does</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  }
}

/** null if no call has this tag. */
export function apiTagPage(world: ApiWorld, path: string): DocsPage | null {
  const operations = world.operations.filter(({ tag }) => slug(tag) === path)
  const [first] = operations
  if (first === undefined) return null
  return {
    path: `api/${path}`,
    title: first.tag,
    about: operations.map(({ operation }) => operation.summary ?? '').join('. '),
    chapter: 'API',
    rail: '',
    wide: true,
    html: `${listOf(operations)}${KEY_PANEL}${operations.map((one) => renderOperation(world, one)).join('')}`,
  }
}

function renderOperation({ document, samples, baseUrl }: ApiWorld, one: ApiOperation): string {
  const { id, method, path, operation } = one
  const sample = samples[id]
  const code =
    sample === undefined
      ? `<section class="sample"><div class="bar"><h2>curl</h2></div>${codeBlock(curlOf(baseUrl, { method, path, open: operation.security.length === 0 }), 'sh')}</section>`
      : renderSample(sample, id)
  const statuses = Object.entries(operation.responses).map(
    ([status, { description }]) => `<tr><td><code>${status}</code></td><td>${linkCodes(prose(description))}</td></tr>`,
  )
  const answer = operation.responses[200] ?? operation.responses[201]
  return `<section class="operation" id="${id}">
<div class="text"><h2><a class="anchor" href="#${id}">${escapeHtml(operation.summary ?? id)}</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>
${(operation.description ?? '')
  .split('\n\n')
  .map((text) => `<p>${prose(text)}</p>`)
  .join('')}
${parametersOf(operation)}${renderFields(document, 'Request body', operation.requestBody)}${renderFields(document, 'Response', answer)}
<details><summary>Status codes</summary><table><tbody>${statuses.join('')}</tbody></table></details></div>
<div class="beside">${code}${responseExample(answer)}${tryIt(one, sample)}</div></section>`
}

/** Returns the list of the page's calls, at its top. */
const listOf = (operations: readonly ApiOperation[]) =>
  operations.length < 2
    ? ''
    : `<nav class="calls" aria-label="On this page"><ul>${operations
        .map(
          ({ id, method, path, operation }) =>
            `<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span><code>${escapeHtml(path)}</code><span>${prose(operation.summary ?? '')}</span></a></li>`,
        )
        .join('')}</ul></nav>`

function responseExample(answer: object | undefined): string {
  const { content = {} } = (answer ?? {}) as { content?: Record<string, { example?: unknown }> }
  const [entry] = Object.entries(content)
  if (entry === undefined || entry[1].example === undefined) return ''
  const [type, { example }] = entry
  const code = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return `<section class="sample"><div class="bar"><h2>Response</h2></div>${codeBlock(code, type === 'application/json' ? 'json' : '')}</section>`
}

/** Links error codes to their pages, also those with line break hints. */
export const linkCodes = (html: string) =>
  html.replace(/<code>((?:[a-z_]|<wbr>)+)<\/code>/g, (code, written: string) => {
    const name = written.replaceAll('<wbr>', '')
    return ERROR_CODES.has(name) ? `<a href="/docs/errors/${name}">${code}</a>` : code
  })

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
}

function parametersOf({ parameters }: OpenApiOperation): string {
  if (parameters.length === 0) return ''
  const rows = (parameters as readonly Parameter[]).map(
    ({ name, in: location, required, description = '' }) =>
      `<dt><code>${escapeHtml(name)}</code> <small>${location}${required ? ', required' : ''}</small></dt><dd>${prose(sentence(description))}</dd>`,
  )
  return `<h3>Parameters</h3><dl class="fields">${rows.join('')}</dl>`
}

/** Returns a form that a script fills in and sends with the reader's test key. Only for calls of the merchant's API. */
function tryIt({ id, method, path, operation }: ApiOperation, sample: Sample | undefined): string {
  if (sample === undefined || !path.startsWith('/v1/')) return ''
  const inputs = (operation.parameters as readonly Parameter[])
    .filter(({ in: location }) => location !== 'header')
    .map(
      ({ name, in: location, required }) =>
        `<label>${escapeHtml(name)}<input name="${escapeHtml(name)}" data-in="${location}" autocomplete="off"${required ? ' required' : ''}></label>`,
    )
  const [, body] = / -d '(.*)'$/s.exec(sample.code.curl) ?? []
  const text =
    body === undefined
      ? ''
      : `<label>Request body<textarea name="body" rows="6" spellcheck="false">${escapeHtml(JSON.stringify(JSON.parse(body), null, 2))}</textarea></label>`
  const keyed = operation.security.length > 0 ? ' data-keyed' : ''
  return `<details class="try" hidden><summary>Try it in the test environment</summary><form data-try="${id}" data-method="${method}" data-path="${escapeHtml(path)}"${keyed}>${inputs.join('')}${text}<button>Send</button><output></output></form></details>`
}
