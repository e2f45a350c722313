// The languages of the hosted page.

import type { Labels, Language } from '../../../../../../labels/catalogue.ts'
import { de as deLabels } from '../../../../../../labels/de.ts'
import { en as enLabels } from '../../../../../../labels/en.ts'
import { es as esLabels } from '../../../../../../labels/es.ts'
import { fr as frLabels } from '../../../../../../labels/fr.ts'
import { it as itLabels } from '../../../../../../labels/it.ts'
import { nl as nlLabels } from '../../../../../../labels/nl.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import { PAYMENT_WORDS } from './payment.ts'
import type { StepText, Words } from './words.ts'

export { chooseLanguage } from '../../../../../../labels/choose-language.ts'

export const WORDS: Readonly<Record<Language, Words>> = { en, de, fr, it, es, nl }

/** The words of a language. A payment replaces some of them. */
export function wordsOf(language: Language, isPayment: boolean): Words {
  const words = WORDS[language]
  if (!isPayment) return { ...words, reasons: eachReason(words.reasons, (text) => `${text} ${words.notPassedOn}`) }
  const { progress, steps, notPaid, reasons, ...replaced } = PAYMENT_WORDS[language]
  const merged = <Key extends string>(
    all: Readonly<Record<Key, StepText>>,
    some: Readonly<Partial<Record<Key, object>>>,
  ) =>
    Object.fromEntries(
      Object.entries<StepText>(all).map(([key, text]) => [key, { ...text, ...some[key as Key] }]),
    ) as Record<Key, StepText>
  return {
    ...words,
    ...replaced,
    progress: { ...words.progress, ...progress },
    steps: merged(words.steps, steps),
    reasons: eachReason(merged(words.reasons, reasons), (text) => `${notPaid} ${text}`),
  }
}

/** Applies `say` to the text of each reason except a cancelled request, whose own text says that nothing was shared or paid. */
function eachReason(reasons: Words['reasons'], say: (text: string) => string): Words['reasons'] {
  const reasonEntry = ([reason, { title, text }]: [string, StepText]) => [
    reason,
    { title, text: (merchant: string) => (reason === 'cancelled' ? text(merchant) : say(text(merchant))) },
  ]
  return Object.fromEntries(Object.entries(reasons).map(reasonEntry)) as Words['reasons']
}

export const LABELS: Readonly<Record<Language, Labels>> = {
  en: enLabels,
  de: deLabels,
  fr: frLabels,
  it: itLabels,
  es: esLabels,
  nl: nlLabels,
}
