// The part of the form for developers: the wallet's scenario. Folded: the channel, and faults in a signature.

import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { BROWSER_PROTOCOLS, type Inspection, type Sandbox } from '../../trust/index.ts'
import type { WalletWords } from './wallet-words/words.ts'

export function trialPart(
  words: WalletWords,
  { signed, transaction }: Extract<Inspection, { outcome: 'understood' }>,
  { scenarios, transactionScenarios }: Pick<Sandbox, 'scenarios' | 'transactionScenarios'>,
): string {
  const { trial, channels: ways } = words
  // Declining has its own button.
  const cases = scenarios.filter(({ name }) => name !== 'declined')
  const group = (label: string, fails: boolean) =>
    `<optgroup label="${escapeHtml(label)}">${cases
      .filter(({ expected }) => (expected !== null) === fails)
      .map(({ name, title }) => option(name, words.scenarios[name] ?? title))
      .join('')}</optgroup>`
  const channels = signed ? (['link', ...BROWSER_PROTOCOLS] as const).map((name) => option(name, ways[name])) : []
  // Names of signature faults come from the protocol and are in English only.
  const signs =
    transaction.length === 0
      ? []
      : [option('signs', trial.exactly), ...transactionScenarios.map(({ name, title }) => option(name, title, 'en'))]
  const more = [
    choice('way', trial.channel, channels.join('')),
    choice('transaction', trial.transaction, signs.join('')),
  ]
  const folded = more.join('')
  return `<div class="trial">${choice('scenario', trial.scenario, `${group(trial.succeeds, false)}${group(trial.fails, true)}`)}
${folded === '' ? '' : `<div class="notes small"><details><summary>${escapeHtml(trial.more)}</summary>${folded}</details></div>`}</div>`
}

const option = (name: string, title: string, lang?: Language) =>
  `<option value="${escapeHtml(name)}"${lang === undefined ? '' : ` lang="${lang}"`}>${escapeHtml(title)}</option>`

/** `options` is HTML. If empty, the choice is omitted. */
const choice = (name: string, label: string, options: string) =>
  options === ''
    ? ''
    : `<label for="${name}">${escapeHtml(label)}</label><span class="select"><select id="${name}" name="${name}">${options}</select></span>`
