// Renders a page for each error code: for a refusal, to which responses link, and for a failed verification.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { type ApiOperation, addressOf } from './api-pages.ts'
import { FAILURES, type Problem, REFUSALS } from './error-codes.ts'
import { type DocsPage, renderSample } from './layout.ts'
import { codeBlock, type Resolve, renderInline } from './markdown.ts'
import { errorSample } from './samples.ts'

/** The calls of the API, and the targets of links. */
interface Linked {
  readonly operations: readonly ApiOperation[]
  readonly resolve: Resolve
}

/** null for an unknown code. */
export function errorPage(code: string, around: Linked): DocsPage | null {
  const refusal = REFUSALS.get(code)
  if (refusal !== undefined) return refusalPage(code, refusal, around)
  const reason = FAILURES.get(code)
  return reason === undefined ? null : failurePage(code, reason)
}

function refusalPage(code: string, { status, message, advice }: Problem, { operations, resolve }: Linked): DocsPage {
  const callers = operations.filter(({ operation }) => operation.responses[status]?.description.includes(`\`${code}\``))
  const links = callers.map(
    (one) => `<li><a href="${addressOf(one)}"><code>${one.method} ${escapeHtml(one.path)}</code></a></li>`,
  )
  const remedy =
    advice === undefined
      ? '<p>Only the dashboard returns this code. It shows you what to do.</p>'
      : `<p>${renderInline(advice, resolve)}</p>`
  return {
    path: `errors/${code}`,
    title: code,
    about: message,
    chapter: `Errors · HTTP ${status}`,
    rail: advice === undefined ? '' : renderSample(errorSample(code, status), 'error'),
    html: `<p class="lead">${escapeHtml(message)}</p><h2 id="what-to-do">What to do</h2>${remedy}
${links.length === 0 ? '' : `<h2 id="where">Which calls return it</h2><ul>${links.join('')}</ul>`}
<p><a href="/docs/errors">All errors</a></p>`,
  }
}

function failurePage(code: string, reason: string): DocsPage {
  const error = JSON.stringify({ id: 'ver_…', status: 'failed', error: { code, message: '…' } }, null, 2)
  return {
    path: `errors/${code}`,
    title: code,
    about: reason,
    chapter: 'Errors · a verification failed',
    rail: `<section class="sample"><div class="bar"><h2>In the verification</h2></div>${codeBlock(error, 'json')}</section>`,
    html: `<p class="lead">${escapeHtml(reason)}</p>
<p>Your request was fine. The problem is in what the wallet sent: the verification has ended as <code>failed</code>, and <code>credentials[].findings</code> names each check that did not pass.</p>
<h2 id="what-to-do">What to do</h2><p>Show the reason to the holder. If another attempt can help, create a new verification. <a href="/docs/results">Get the result</a> · <a href="/docs/errors#why-a-verification-failed">All reasons</a></p>`,
  }
}
