// Serves /verify-receipt. Its script verifies receipts in the browser, so the service never gets one.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import type { Language } from '../../../../../labels/catalogue.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { builtFile, builtFilesOf, sendBuiltFile } from '../../../platform/http/built-files.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { chooseLanguage, LABELS, languageLinks, loadAssets, WORDS as PAGE_WORDS, sendPage } from '../../pages/index.ts'
import { RECEIPT_PAGE } from '../domain/receipt-address.ts'
import { RECEIPT_PAGE_WORDS } from './words.ts'

const SCRIPT = `${RECEIPT_PAGE}/script.js`
const STYLE = `${RECEIPT_PAGE}/style.css`

export function addReceiptPage(app: App, deps: Deps): void {
  app.register(async (routes: App) => {
    const assets = await loadAssets()
    const files = builtFilesOf('dashboard')
    const querystring = Type.Object({ lang: Type.Optional(Type.String()) })
    routes.get(RECEIPT_PAGE, { ...withoutKey(deps), schema: { hide: true, querystring } }, (request, reply) => {
      const language = chooseLanguage(request.query.lang, request.headers['accept-language'])
      const { title } = RECEIPT_PAGE_WORDS[language]
      return sendPage(reply, assets, { language, title, body: bodyIn(language), script: SCRIPT, styles: [STYLE] })
    })
    const style = builtFile('style.css', await readFile(join(import.meta.dirname, 'assets', 'receipt-page.css')))
    routes.get(STYLE, { ...withoutKey(deps), schema: { hide: true } }, async (request, reply) =>
      sendBuiltFile(request, reply, style),
    )
    routes.get(SCRIPT, { ...withoutKey(deps), schema: { hide: true } }, async (request, reply) => {
      const script = (await files()).get('sdk/verify-receipt.js')
      if (script === undefined) throw new Refusal('unavailable')
      return sendBuiltFile(request, reply, script)
    })
  })
}

function bodyIn(language: Language): string {
  const words = RECEIPT_PAGE_WORDS[language]
  const labels = LABELS[language]
  const text = escapeHtml
  const problems = Object.entries(words.problems).map(([code, sentence]) =>
    code === 'no_proof'
      ? stateOf('declined', code, { title: words.missing, text: sentence })
      : stateOf('failed', code, { title: words.notVerified, text: sentence }),
  )
  const facts = Object.entries(words.facts).map(([name, label]) => `<dt>${text(label)}</dt><dd id="fact-${name}"></dd>`)
  return `<header class="ribbon" id="test" hidden>${text(words.test)}</header>
<main class="card receipt">
<h1>${text(words.title)}</h1>
<p class="lead">${text(words.lead)}</p>
<div class="field"><input id="file" type="file" multiple accept=".pdf,.jws,.jwt,.txt,.tlog-proof,application/pdf" aria-describedby="local">
<label for="file"><span class="choose">${text(words.choose)}</span><span class="another">${text(words.another)}</span> <span class="button">${text(words.pick)}</span></label>
<p class="small" id="chosen" hidden></p>
<p class="small" id="local">${text(words.local)}</p></div>
<noscript><p><strong>${text(words.script)}</strong></p></noscript>
<div role="status">
<div class="state checking" data-part="checking" hidden><span class="mark" aria-hidden="true"></span><h2 class="outcome">${text(words.checking)}</h2></div>
${stateOf('completed', 'verified', { title: words.verified, text: words.verifiedText })}
${stateOf('declined', 'verified_rejected', { title: words.verifiedRejected, text: words.verifiedText })}
${problems.join('\n')}
</div>
<div id="facts" hidden>
<p class="small">${text(words.compare)}</p>
<dl class="facts">${facts.join('\n')}</dl>
</div>
<div hidden>
<span data-verdict="accepted">${text(words.accepted)}</span><span data-verdict="rejected">${text(words.rejected)}</span>
${termsOf(
  'template',
  Object.entries(labels.templates).map(([key, { title }]) => [key, title]),
)}
${termsOf('reason', Object.entries(labels.reasons))}
</div>
</main>
<footer>${languageLinks(PAGE_WORDS[language], language)}</footer>`
}

const stateOf = (look: string, part: string, { title, text }: { readonly title: string; readonly text: string }) =>
  `<div class="state ${look}" data-part="${part}" hidden><span class="mark" aria-hidden="true"></span><h2 class="outcome">${escapeHtml(title)}</h2><p>${escapeHtml(text)}</p></div>`

const termsOf = (name: string, terms: readonly (readonly [string, string])[]) =>
  terms.map(([key, text]) => `<span data-${name}="${escapeHtml(key)}">${escapeHtml(text)}</span>`).join('')
