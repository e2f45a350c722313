// The page of the web test wallet: the verifier, the claims to present in plain words, and folded details for developers.

import { askedFormatOf, isCredentialFormat } from '@vidimus/engine/formats'
import { documentLabel, type Labels, type Language, pathLabel, toldLabel } from '../../../../../labels/catalogue.ts'
import { sayQuestion } from '../../../../../labels/say-question.ts'
import type { VerificationStatus } from '../../../core/verifications/domain/verification.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { LABELS, languageLinks, type Page, questionPart, WORDS } from '../../pages/index.ts'
import {
  type AskedDocument,
  BROWSER_PROTOCOLS,
  type ClaimPath,
  type Inspection,
  type Presentation,
  pathText,
  type Sandbox,
  type ShownRegistration,
} from '../../trust/index.ts'
import { agreementOf } from './sandbox-agreement.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'
import type { Closed, WalletWords } from './wallet-words/words.ts'

/** Language and look. */
export interface Shown {
  readonly language: Language
  readonly style: string
}

export function linkPage(shown: Shown, link = '', notice = ''): Page {
  const { link: words } = WALLET_WORDS[shown.language]
  const body = `${notice}<form method="get" action="/sandbox/wallet">
<input type="hidden" name="lang" value="${shown.language}">
<label for="uri">${escapeHtml(words.label)}</label>
<textarea id="uri" name="uri" required spellcheck="false" autocomplete="off" placeholder="openid4vp://?client_id=…&amp;request_uri=…">${escapeHtml(link)}</textarea>
<p><button class="button" type="submit">${escapeHtml(words.open)}</button></p></form>`
  return framed(shown, { heading: words.heading, body, link })
}

/** `reason`: the violated rule, if there is one. */
export function refusedPage(
  shown: Shown,
  { link, about, reason }: { readonly link: string; readonly about: Closed; readonly reason?: string },
): Page {
  const { refused, closed } = WALLET_WORDS[shown.language]
  const rule = reason === undefined ? '' : `<p lang="en"><code>${escapeHtml(reason)}</code></p>`
  const notice = `<section role="alert"><p class="outcome">${escapeHtml(refused)}</p><p>${escapeHtml(closed[about])}</p>${rule}</section>`
  return { ...linkPage(shown, link, notice), status: 422 }
}

export function askPage(
  shown: Shown,
  link: string,
  about: {
    readonly inspection: Extract<Inspection, { outcome: 'understood' }>
    readonly sandbox: Pick<Sandbox, 'scenarios' | 'transactionScenarios'>
  },
): Page {
  const { inspection, sandbox } = about
  const { language } = shown
  const [words, { why, colon }] = [WALLET_WORDS[language], WORDS[language]]
  const purposes = inspection.purposes.map(
    (purpose) => `<p class="purpose"><strong>${escapeHtml(why + colon)}</strong> ${escapeHtml(purpose)}</p>`,
  )
  const phrases = sayQuestion(inspection.question, { labels: LABELS[language], language })
  const who = inspection.signed ? words.who : words.nobodySigned
  const body = `<p class="who">${escapeHtml(who + colon)} <strong>${escapeHtml(inspection.verifier)}</strong></p>
${purposes.join('')}${registrationPart(language, inspection.registration)}
${agreementOf(inspection.transaction, language)}
<h2>${escapeHtml(words.what)}</h2>${questionPart(phrases, language)}${technicalPart(words, inspection.asked)}
<form method="post" action="/sandbox/wallet">
<input type="hidden" name="uri" value="${escapeHtml(link)}">
<input type="hidden" name="lang" value="${language}">
${trialPart(words, inspection, sandbox)}
<div class="act"><button class="button" type="submit" name="answer" value="consent">${escapeHtml(words.consent)}</button>
<button class="button second" type="submit" name="answer" value="decline">${escapeHtml(words.decline)}</button></div>
</form>`
  return framed(shown, { heading: words.asks(inspection.verifier), body, link })
}

/** Folded: for developers who test errors. */
function trialPart(
  words: WalletWords,
  { signed, transaction }: Extract<Inspection, { outcome: 'understood' }>,
  { scenarios, transactionScenarios }: Pick<Sandbox, 'scenarios' | 'transactionScenarios'>,
): string {
  const { trial, ways } = words
  const choices = (['link', ...(signed ? BROWSER_PROTOCOLS : [])] as const).map((name) =>
    choice('way', name, ways[name]),
  )
  const does = scenarios.map(({ name, title }) => choice('scenario', name, words.scenarios[name] ?? title))
  // Signature faults have protocol names, which are English only.
  const signs = transactionScenarios.map(({ name, title }) => choice('transaction', name, title, 'en'))
  const group = (legend: string, choices: readonly string[]) =>
    `<fieldset><legend>${escapeHtml(legend)}</legend>${choices.join('')}</fieldset>`
  return `<details class="trial"><summary>${escapeHtml(trial.title)}</summary>
${group(trial.scenario, does)}${group(trial.way, choices)}${transaction.length === 0 ? '' : group(trial.transaction, [choice('transaction', 'signs', trial.exactly), ...signs])}</details>`
}

/** The default of each group is checked. */
function choice(group: 'scenario' | 'way' | 'transaction', name: string, title: string, lang?: Language): string {
  const checked = ['good', 'link', 'signs'].includes(name) ? ' checked' : ''
  const language = lang === undefined ? '' : ` lang="${lang}"`
  return `<label class="choice"><input type="radio" name="${group}" value="${escapeHtml(name)}"${checked}><span${language}>${escapeHtml(title)}<code>${escapeHtml(name)}</code></span></label>`
}

/** As an EU wallet shows it: the merchant and its service, never the intermediary. */
function registrationPart(language: Language, registration: ShownRegistration | null): string {
  if (registration === null) return ''
  const { party, service, purposes, privacyPolicy, warnings } = registration
  const [words, { colon, privacyPolicy: policy }] = [WALLET_WORDS[language], WORDS[language]]
  const who = [party, service].filter((name) => name !== null).map((name) => `<strong>${escapeHtml(name)}</strong>`)
  const why = purposes.map(
    ({ lang, text }) =>
      `<p class="purpose"><strong>${escapeHtml(words.registeredFor + colon)}</strong> <span lang="${escapeHtml(lang)}">${escapeHtml(text)}</span></p>`,
  )
  const link =
    privacyPolicy === null
      ? ''
      : `<p><a href="${escapeHtml(privacyPolicy)}" rel="noreferrer">${escapeHtml(policy)}</a></p>`
  const warned = warnings.map(({ code, text, detail }) => {
    const known = words.warnings?.[code]
    const message = known === undefined ? text : `${known}${detail === null ? '' : ` (${detail})`}`
    return `<li>${escapeHtml(message)} <code>${escapeHtml(code)}</code></li>`
  })
  const notice =
    warned.length === 0
      ? ''
      : `<section role="alert"><p class="outcome">${escapeHtml(words.warns + colon)}</p><ul>${warned.join('')}</ul></section>`
  return `${notice}${who.length === 0 ? '' : `<p class="who">${escapeHtml(words.registered + colon)} ${who.join(', ')}</p>`}${why.join('')}${link}`
}

/** A document and its claims, in words; the query's names are folded. */
function documentPart(language: Language, { types, format, paths }: AskedDocument): string {
  const [words, labels] = [WALLET_WORDS[language], LABELS[language]]
  const names = [...new Set(types.map((type) => documentLabel(labels, type) ?? type))]
  const claims = paths.map((path) => labelOf(labels, format, path))
  const listed = new Intl.ListFormat(language, { type: 'unit' }).format(new Set(claims))
  return `<li><h3>${escapeHtml(names.join(' / '))}<small>${escapeHtml(isCredentialFormat(format) ? askedFormatOf(format).label : format)}</small></h3>
<div>${escapeHtml(paths.length === 0 ? words.holdsIt : listed)}</div>
${technicalPart(words, [{ types, format, paths }])}</li>`
}

function technicalPart({ technical }: WalletWords, documents: readonly AskedDocument[]): string {
  const names = new Set(documents.flatMap(({ format, types, paths }) => [format, ...types, ...paths.map(pathText)]))
  const items = [...names].map((name) => `<li><code>${escapeHtml(name)}</code></li>`)
  return `<details class="technical"><summary>${escapeHtml(technical)}</summary><ul>${items.join('')}</ul></details>`
}

function labelOf(labels: Labels, format: AskedDocument['format'], path: ClaimPath): string {
  // A claim in a format that we do not support has no label: it is shown by its path.
  return isCredentialFormat(format)
    ? pathLabel(labels, askedFormatOf(format).claimNames(path), toldLabel)
    : pathText(path)
}

export function outcomePage(
  shown: Shown,
  {
    presented,
    status,
    id,
  }: {
    readonly presented: Extract<Presentation, { outcome: 'answered' }>
    readonly status: VerificationStatus
    readonly id: string
  },
): Page {
  const { language } = shown
  const words = WALLET_WORDS[language]
  const documents = presented.disclosed.map((one) => documentPart(language, one))
  const address = `/verify/${encodeURIComponent(id)}?lang=${language}`
  const onward =
    presented.redirectUri === null
      ? `<p><a class="button" href="${escapeHtml(address)}">${escapeHtml(words.back)}</a></p>`
      : `<p><a class="button" href="${escapeHtml(presented.redirectUri)}" rel="noreferrer">${escapeHtml(words.onward)}</a></p>`
  const body = `<section class="state ${status}" role="status"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(words.outcomes[status])}</h1>
<p class="small">${escapeHtml(words.verifierSaid(presented.status))}</p></section>
${registrationPart(language, presented.registration)}
${documents.length === 0 ? `<p class="state">${escapeHtml(words.nothingDisclosed)}</p>` : `<h2>${escapeHtml(words.disclosed)}</h2><ul class="held">${documents.join('')}</ul>`}
${onward}<p><a class="button quiet" href="/sandbox/wallet?lang=${language}">${escapeHtml(words.link.another)}</a></p>`
  return framed(shown, { title: words.answered, body })
}

function framed(
  { language, style }: Shown,
  page: { readonly body: string } & ({ readonly heading: string; readonly link: string } | { readonly title: string }),
): Page {
  const words = WALLET_WORDS[language]
  const title = 'heading' in page ? page.heading : page.title
  const heading = 'heading' in page ? `<h1>${escapeHtml(page.heading)}</h1>` : ''
  // The result page has no address to read it at in another language.
  const footer =
    'heading' in page
      ? `<footer>${languageLinks(WORDS[language], language, page.link === '' ? {} : { uri: page.link })}</footer>`
      : ''
  return {
    language,
    title: `${title} – ${words.title}`,
    body: `<header class="ribbon">${escapeHtml(words.ribbon)}</header><main class="card"><p class="brand"><span class="letter" aria-hidden="true">W</span><span>${escapeHtml(words.title)}</span></p>${heading}${page.body}</main>${footer}`,
    styles: [style],
  }
}
