// The API reference, one page per group of calls, generated from the document that /openapi.json serves.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { OpenApiDocument, OpenApiOperation } from '../openapi/types.ts'
import { ERROR_CODES } from './error-codes.ts'
import { type DocsPage, KEY_PANEL, type NavLink, renderSample } from './layout.ts'
import { codeBlock, renderInline } from './markdown.ts'
import { curlOf, type Sample } from './samples.ts'
import { renderFields } from './schema-fields.ts'

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
  return [{ path: 'api', title: 'How calls work' }, ...sorted.map((tag) => ({ path: `api/${slug(tag)}`, title: tag }))]
}

export interface ApiWorld {
  readonly document: OpenApiDocument
  readonly operations: readonly ApiOperation[]
  readonly samples: Readonly<Record<string, Sample>>
  readonly baseUrl: string
}

export function apiIndexPage({ document, operations, samples }: ApiWorld): DocsPage {
  const rows = operations.map(
    (one) =>
      `<tr><td><a href="${addressOf(one)}"><code>${one.method} ${escapeHtml(one.path)}</code></a></td><td>${prose(one.operation.summary ?? '')}</td></tr>`,
  )
  const sample = samples.createVerification
  return {
    path: 'api',
    title: 'How calls work',
    about: 'Keys, answers, errors, retries and limits of the API, and every call of it.',
    chapter: 'API',
    rail: sample === undefined ? '' : KEY_PANEL + renderSample(sample, 'index'),
    html: `<p>JSON over HTTPS at <code>${escapeHtml(document.servers[0]?.url ?? '')}</code>. The same as data: <a href="/openapi.json">openapi.json</a>, version ${escapeHtml(document.info.version)}.</p>
<h2 id="keys">Keys</h2><p>Send an API key as <code>Authorization: Bearer vk_test_…</code>. Keys of the test environment begin with <code>vk_test_</code>, those of live with <code>vk_live_</code>; each sees its own environment alone. Make one in the <a href="/dashboard">dashboard</a>.</p>
<h2 id="answers">Answers</h2><p>Every answer carries <code>Request-Id</code>. Every answer that is not a success has the body <code>{"error":{"code":…,"message":…}}</code> and a <code>Link</code> to the page of its code: decide by <a href="/docs/errors"><code>code</code></a>, show <code>message</code> to people.</p>
<h2 id="retries">Retries</h2><p>Send an <code>Idempotency-Key</code> with each creation and repeat it with the same key after a broken connection or a 5xx. Wait as long as <code>Retry-After</code> says. The <a href="/docs/clients/typescript">client libraries</a> do both.</p>
<h2 id="calls">Every call</h2><div class="table" tabindex="0" role="group" aria-label="Every call"><table><thead><tr><th scope="col">Call</th><th scope="col">What it does</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  }
}

/** null if no call has that tag. */
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
    html: `${KEY_PANEL}${operations.map((one) => renderOperation(world, one)).join('')}`,
  }
}

function renderOperation({ document, samples, baseUrl }: ApiWorld, one: ApiOperation): string {
  const { id, method, path, operation } = one
  const sample = samples[id]
  const code =
    sample === undefined
      ? `<section class="sample"><h2>curl</h2>${codeBlock(curlOf(baseUrl, { method, path, open: operation.security.length === 0 }), 'sh')}</section>`
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
${parametersOf(operation)}${renderFields(document, 'Body', operation.requestBody)}${renderFields(document, 'Answer', answer)}
<details><summary>Statuses</summary><table><tbody>${statuses.join('')}</tbody></table></details></div>
<div class="beside">${code}${tryIt(one, sample)}</div></section>`
}

/** Links error codes to their pages, also those that may break over two lines. */
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
      `<dt><code>${escapeHtml(name)}</code> <small>${location}${required ? ', required' : ''}</small></dt><dd>${prose(description)}</dd>`,
  )
  return `<h3>Parameters</h3><dl class="fields">${rows.join('')}</dl>`
}

/** Filled in and sent by a script, with the reader's test key. Only calls of the merchant's API. */
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
      : `<label>Body<textarea name="body" rows="6" spellcheck="false">${escapeHtml(JSON.stringify(JSON.parse(body), null, 2))}</textarea></label>`
  const keyed = operation.security.length > 0 ? ' data-keyed' : ''
  return `<details class="try" hidden><summary>Try it in the test environment</summary><form data-try="${id}" data-method="${method}" data-path="${escapeHtml(path)}"${keyed}>${inputs.join('')}${text}<button>Send</button><output></output></form></details>`
}
