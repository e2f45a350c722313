// Pages of the test wallet without a request: the form for a link, and the reason why a link cannot be opened.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Page } from '../../pages/index.ts'
import { shelfPart } from './document-card.ts'
import { framed, type Shown } from './wallet-frame.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'
import type { Closed } from './wallet-words/words.ts'

export function linkPage(shown: Shown): Page {
  return linkForm(shown, '', '')
}

function linkForm(shown: Shown, link: string, problem: string): Page {
  const { link: words } = WALLET_WORDS[shown.language]
  const wrong = problem === '' ? '' : `<p class="wrong" id="wrong" role="alert">${escapeHtml(problem)}</p>`
  const marks = problem === '' ? '' : ' aria-invalid="true" aria-describedby="wrong"'
  const body = `<div class="sheet"><div><h1>${escapeHtml(words.heading)}</h1><p class="purpose">${escapeHtml(words.intro)}</p>
<form method="get" action="/sandbox/wallet">
<input type="hidden" name="lang" value="${shown.language}">
<label for="uri">${escapeHtml(words.label)}</label>
<textarea id="uri" name="uri" required rows="4" spellcheck="false" autocomplete="off" autocapitalize="none" placeholder="openid4vp://?client_id=…"${marks}>${escapeHtml(link)}</textarea>
${wrong}<p><button class="button" type="submit">${escapeHtml(words.open)}</button></p></form></div>
<div class="pocket"><h2>${escapeHtml(words.holds)}</h2>${shelfPart(shown)}</div></div>`
  return framed(shown, { title: words.heading, body, link })
}

/** Problems that the person can correct in the form. */
const TYPED: ReadonlySet<Closed> = new Set<Closed>(['link', 'foreign'])
const TONES: Readonly<Partial<Record<Closed, string>>> = { request: 'failed', expired: 'expired' }

interface Stopped {
  readonly link: string
  readonly about: Closed
  /** The rule that the request violates, in English. */
  readonly reason?: string
  /** The id of the verification to return to. */
  readonly id?: string
}

export function closedPage(shown: Shown, { link, about, reason, id }: Stopped): Page {
  const { language } = shown
  const words = WALLET_WORDS[language]
  const { title, text } = words.closed[about]
  if (TYPED.has(about)) return { ...linkForm(shown, link, text), status: 422 }
  const rule = reason === undefined || about !== 'request' ? '' : `<p lang="en"><code>${escapeHtml(reason)}</code></p>`
  const another = `/sandbox/wallet?lang=${language}`
  const buttons =
    id === undefined
      ? `<p><a class="button" href="${another}">${escapeHtml(words.link.another)}</a></p>`
      : `<p><a class="button" href="/verify/${encodeURIComponent(id)}?lang=${language}">${escapeHtml(words.back)}</a></p><p><a class="button quiet" href="${another}">${escapeHtml(words.link.another)}</a></p>`
  const body = `<div class="state ${TONES[about] ?? 'declined'}"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${rule}${buttons}</div>`
  return { ...framed(shown, { title, body, link }), status: 422 }
}
