// What the web test wallet shows. For developers, so in English only.

import type {
  BrowserProtocol,
  Inspection,
  Presentation,
  Sandbox,
  ShownRegistration,
} from '../../domain/trust/sandbox.ts'
import type { VerificationStatus } from '../../domain/verification/verification.ts'
import { escapeHtml } from '../escape-html.ts'
import type { Page } from './layout.ts'
import { agreementOf } from './sandbox-agreement.ts'

const TITLE = 'Test wallet'
const RIBBON = '<header class="ribbon">Test: an invented person, a sandbox issuer</header>'

const BROWSER_WAYS: Readonly<Record<BrowserProtocol, string>> = {
  'openid4vp-v1-signed': 'use this browser as wallet: asked through the Digital Credentials API by OpenID4VP',
  'org-iso-mdoc': 'use this browser as wallet: asked through the Digital Credentials API by ISO 18013-7 Annex C',
}

export function linkPage(link = ''): Page {
  const body = `<form method="get" action="/sandbox/wallet">
<label for="uri">Link of a verification</label>
<textarea id="uri" name="uri" required spellcheck="false" autocomplete="off" placeholder="openid4vp://?client_id=…&amp;request_uri=…">${escapeHtml(link)}</textarea>
<p><button class="button" type="submit">Open</button></p></form>`
  return framed('Open a link', body)
}

export function refusedPage(link: string, reason: string): Page {
  const notice = `<section role="alert"><p class="outcome">✕ The wallet does not open this</p><p>${escapeHtml(reason)}</p></section>`
  const { body, ...page } = linkPage(link)
  // By a function: in a text, `$&` and its kind would stand for parts of the page.
  return { ...page, body: body.replace('<form', () => `${notice}<form`), status: 422 }
}

export function askPage(
  link: string,
  inspection: Extract<Inspection, { outcome: 'understood' }>,
  { scenarios, transactionScenarios }: Pick<Sandbox, 'scenarios' | 'transactionScenarios'>,
): Page {
  const purposes = inspection.purposes.map(
    (purpose) => `<p class="purpose"><strong>Why:</strong> ${escapeHtml(purpose)}</p>`,
  )
  const asked = inspection.asked.map(
    ({ type, format, claims }) =>
      `<li><code>${escapeHtml(type)}</code> (${escapeHtml(format)}): ${claims.length === 0 ? 'that you hold it' : escapeHtml(claims.join(', '))}</li>`,
  )
  const { registration } = inspection
  const choices = scenarios.map(({ name, title }) => choice('scenario', name, title))
  const signing = transactionScenarios.map(({ name, title }) => choice('transaction', name, title))
  const { signed } = inspection
  const ways = signed ? Object.entries(BROWSER_WAYS).map(([name, title]) => choice('way', name, title)) : []
  const who = signed ? 'Who asks, by certificate' : 'Nobody signed this. The answer goes to'
  const body = `${registration === null ? '' : registrationPart(registration)}<p>${who}: <strong>${escapeHtml(inspection.verifier)}</strong></p>
${purposes.join('')}
${agreementOf(inspection.transaction)}
<h2>What is asked for, in any of these</h2><ul class="asked">${asked.join('')}</ul>
<form method="post" action="/sandbox/wallet">
<input type="hidden" name="uri" value="${escapeHtml(link)}">
<fieldset><legend>How the wallet is asked</legend>${choice('way', 'link', 'opens the link, and answers by itself')}${ways.join('')}</fieldset>
<fieldset><legend>What the wallet does</legend>${choices.join('')}</fieldset>
${inspection.transaction.length === 0 ? '' : `<fieldset><legend>What the wallet signs of what you agree to</legend>${choice('transaction', 'signs', 'exactly that')}<details><summary>Something else</summary>${signing.join('')}</details></fieldset>`}
<div class="act"><button class="button" type="submit" name="answer" value="consent">Consent and present</button>
<button class="button quiet" type="submit" name="answer" value="decline">Decline</button></div>
</form>`
  return framed('A verifier asks', body)
}

/** As a wallet of the EU shows it: the merchant and its service, never who stands between. */
function registrationPart({ party, service, purposes, privacyPolicy, warnings }: ShownRegistration): string {
  const who = [party, service].filter((name) => name !== null).map((name) => `<strong>${escapeHtml(name)}</strong>`)
  const why = purposes.map(
    ({ lang, text }) =>
      `<p class="purpose" lang="${escapeHtml(lang)}"><strong>Registered for:</strong> ${escapeHtml(text)}</p>`,
  )
  const policy =
    privacyPolicy === null ? '' : `<p><a href="${escapeHtml(privacyPolicy)}" rel="noreferrer">Privacy policy</a></p>`
  const warned = warnings.map(({ code, text }) => `<li>⚠ ${escapeHtml(text)} <code>${escapeHtml(code)}</code></li>`)
  const notice =
    warned.length === 0
      ? ''
      : `<section role="alert"><p>Your wallet warns you:</p><ul>${warned.join('')}</ul></section>`
  return `${notice}${who.length === 0 ? '' : `<p>Registered: ${who.join(', ')}</p>`}${why.join('')}${policy}`
}

/** The usual one of each group is checked. */
function choice(group: 'scenario' | 'way' | 'transaction', name: string, title: string): string {
  const checked = ['good', 'link', 'signs'].includes(name) ? ' checked' : ''
  return `<label class="choice"><input type="radio" name="${group}" value="${escapeHtml(name)}"${checked}><span><code>${escapeHtml(name)}</code> ${escapeHtml(title)}</span></label>`
}

export function outcomePage(
  presented: Extract<Presentation, { outcome: 'answered' }>,
  status: VerificationStatus,
): Page {
  const shown = presented.disclosed.map(
    ({ type, claims }) => `<li><code>${escapeHtml(type)}</code>: ${escapeHtml(claims.join(', '))}</li>`,
  )
  const mark = status === 'completed' ? '✓' : status === 'pending' ? '…' : '✕'
  const onward =
    presented.redirectUri === null
      ? ''
      : `<p><a class="button" href="${escapeHtml(presented.redirectUri)}" rel="noreferrer">Go on to the merchant</a></p>`
  const body = `<section class="state ${status}" role="status"><p class="outcome">${mark} The verification is ${status}</p>
<p>The verifier answered ${presented.status}.</p></section>
${presented.registration === null ? '' : registrationPart(presented.registration)}
${shown.length === 0 ? '<p>Nothing was disclosed.</p>' : `<h2>What was disclosed</h2><ul class="asked">${shown.join('')}</ul>`}
${onward}<p><a class="button quiet" href="/sandbox/wallet">Open another link</a></p>`
  return framed('Answered', body)
}

function framed(heading: string, body: string): Page {
  return {
    language: 'en',
    title: `${heading} – ${TITLE}`,
    body: `${RIBBON}<main class="card wide"><p class="small">${TITLE}</p><h1>${escapeHtml(heading)}</h1>${body}</main>`,
  }
}
