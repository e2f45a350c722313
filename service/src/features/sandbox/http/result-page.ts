// The page after an answer: the outcome and its reason, whether the test case expects this outcome, and the shared claims.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import {
  type Brand,
  drawingOf,
  type HostedVerification,
  LABELS,
  noteRow,
  type Page,
  subjectOf,
  WORDS,
} from '../../pages/index.ts'
import { type Presentation, pathText, type WalletScenario } from '../../trust/index.ts'
import { documentList } from './answers-part.ts'
import { warningText } from './registration-part.ts'
import { framed, type Shown } from './wallet-frame.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

type Answered = Extract<Presentation, { outcome: 'answered' }>

export interface Result {
  readonly presented: Answered
  /** The state after the answer. */
  readonly verification: HostedVerification
  readonly brand: Brand
  readonly errorCode: string | null
  /** The simulated scenarios; null if the holder declined. */
  readonly played: readonly WalletScenario[] | null
}

export function resultPage(shown: Shown, result: Result): Page {
  const { language } = shown
  const words = WALLET_WORDS[language]
  const { presented, brand } = result
  const { tone, title, text } = outcomeOf(shown, result)
  const [address, label] =
    presented.redirectUri === null
      ? [`/verify/${encodeURIComponent(result.verification.id)}?lang=${language}`, words.back]
      : [presented.redirectUri, words.onward(brand.name)]
  const shared =
    presented.disclosed.length === 0
      ? ''
      : `<h2>${escapeHtml(words.shared)}</h2>${documentList(shown, presented.disclosed)}`
  const body = `<section class="state ${tone}" role="status"><span class="mark" aria-hidden="true"></span><h1 class="outcome">${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></section>
${verdictPart(shown, result)}
<p><a class="button" href="${escapeHtml(address)}" rel="noreferrer">${escapeHtml(label)}</a></p>
<p><a class="button quiet" href="/sandbox/wallet?lang=${language}">${escapeHtml(words.link.another)}</a></p>
${shared}<div class="notes small">${noteRow(words.technical, technicalPart(shown, result))}</div>`
  return framed(shown, { title: `${words.answered}${WORDS[language].colon} ${title}`, body, link: null })
}

/** Like the end of the hosted page. The reader is a developer, so a failed check also shows its reason. */
function outcomeOf({ language }: Shown, { verification, brand, errorCode }: Result) {
  const words = WALLET_WORDS[language]
  const drawing = drawingOf(verification, { language, brand, mayKnowReason: true })
  const { steps, done } = drawing.words
  const { step, onward } = verification
  switch (step) {
    case 'completed': {
      const { title, text } = onward === null ? done[subjectOf(verification)] : steps.completed
      return { tone: step, title, text: text(brand.name) }
    }
    case 'failed':
      return { tone: step, title: words.failed, text: reasonOf(language, errorCode) ?? steps.failed.text(brand.name) }
    case 'declined':
      return { tone: step, title: steps.declined.title, text: words.declined }
    case 'expired':
      return { tone: step, title: steps.expired.title, text: steps.expired.text(brand.name) }
    default:
      return { tone: 'declined', ...words.stillOpen }
  }
}

function reasonOf(language: Shown['language'], errorCode: string | null): string | null {
  const { reasons } = LABELS[language]
  return errorCode !== null && Object.hasOwn(reasons, errorCode) ? (reasons[errorCode] ?? null) : null
}

/** Whether the simulated scenario should end this way. Empty after a plain success, or if the holder declined. */
function verdictPart({ language }: Shown, { verification, errorCode, played }: Result): string {
  const words = WALLET_WORDS[language]
  const isOver = verification.status === 'completed' || verification.status === 'failed'
  if (played === null || !isOver) return ''
  const faults = played.filter(({ name }) => name !== 'good')
  const [last] = faults.length === 0 ? played : faults
  if (last === undefined) return ''
  const titles = (faults.length === 0 ? played : faults).map(({ name, title }) => words.scenarios[name] ?? title)
  const called = titles.join(' + ')
  const ends = new Set(faults.map(({ expected }) => expected))
  const isExpected = ends.size === 0 ? errorCode === null : ends.has(errorCode)
  if (isExpected) return faults.length === 0 ? '' : `<p class="verdict">${escapeHtml(words.expected(called))}</p>`
  const end = faults.find(({ expected }) => expected !== null)?.expected ?? null
  return `<p class="verdict warned">${escapeHtml(words.unexpected(called, end))}</p>`
}

function technicalPart({ language }: Shown, { presented, verification, errorCode }: Result): string {
  const { facts } = WALLET_WORDS[language]
  const { colon } = WORDS[language]
  const lines = [
    [facts.status, verification.status],
    ...(errorCode === null ? [] : [[facts.error, errorCode]]),
    [facts.http, String(presented.status)],
  ].map(([name = '', value = '']) => `<li>${escapeHtml(name + colon)} <code>${escapeHtml(value)}</code></li>`)
  const names = presented.disclosed.flatMap(({ format, types, paths }) => [format, ...types, ...paths.map(pathText)])
  const codes = [...new Set(names)].map((name) => `<li><code>${escapeHtml(name)}</code></li>`)
  const warnings = (presented.registration?.warnings ?? []).map(
    (warning) => `<li>${escapeHtml(warningText(language, warning))} <code>${escapeHtml(warning.code)}</code></li>`,
  )
  return `<ul>${lines.join('')}${warnings.join('')}${codes.join('')}</ul>`
}
