// The till's words in each language, with the labels of templates, claims and reasons.

import { LANGUAGES, type Labels, type Language } from '../../../labels/catalogue.ts'
import { de as germanLabels } from '../../../labels/de.ts'
import { en as englishLabels } from '../../../labels/en.ts'
import { es as spanishLabels } from '../../../labels/es.ts'
import { fr as frenchLabels } from '../../../labels/fr.ts'
import { it as italianLabels } from '../../../labels/it.ts'
import { nl as dutchLabels } from '../../../labels/nl.ts'
import { de } from './de.ts'
import { en, type Text } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'

export type Words = Text & { readonly labels: Labels }

export const WORDS: Readonly<Record<Language, Words>> = {
  en: { ...en, labels: englishLabels },
  de: { ...de, labels: germanLabels },
  fr: { ...fr, labels: frenchLabels },
  it: { ...it, labels: italianLabels },
  es: { ...es, labels: spanishLabels },
  nl: { ...nl, labels: dutchLabels },
}

/** The first language that the till has, otherwise English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const known = wanted.map((tag) => LANGUAGES.find((language) => language === tag.slice(0, 2)))
  return known.find((language) => language !== undefined) ?? 'en'
}

/** The merchant's own templates, by key and title. */
export type Titles = readonly { readonly key: string; readonly title: string }[]

const AGE = /^age_over_(\d+)$/

/** Built-in titles are in the till's language. A removed template is shown by its key. */
export function titleOf(words: Words, titles: Titles, template: string): string {
  const builtIn = known(words.labels.templates, template)
  const [, years] = AGE.exec(template) ?? []
  // At a till the title is a question, and the outcome is the answer in large letters.
  if (builtIn !== undefined) return years === undefined ? builtIn.title : words.ageQuestion(years)
  return titles.find(({ key }) => key === template)?.title ?? readable(template)
}

/** "Yes" answers a question; any other template is "confirmed". */
export const outcomeWord = (words: Words, template: string | null, kind: 'yes' | 'no' | 'unproven'): string =>
  kind === 'yes' && template !== null && !AGE.test(template) ? words.confirmed : words[kind]

/** For the customer screen: what to confirm, and what the shop learns. null: the template does not ask for an age. */
export function ageSentencesOf(words: Words, shop: string | null, template: string): readonly [string, string] | null {
  const [, years] = AGE.exec(template) ?? []
  return years === undefined ? null : [words.ageSentence(years), words.ageShared(shop ?? words.thisShop, years)]
}

export function labelOf(words: Words, claim: string): string {
  const [, years] = AGE.exec(claim) ?? []
  // The label catalogue addresses the holder: "that you are 18 or older".
  return years === undefined ? (known(words.labels.claims, claim) ?? readable(claim)) : words.age(years)
}

export function failureOf(words: Words, code: string): string {
  return known(words.labels.reasons, code) ?? words.notGenuine
}

/** "4:59", for use after words that say what is counted. */
export const countdownText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** With units, because "in 4:59" could be a time of day. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`
}

/** Own members only, because a template may be called "constructor". */
function known<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function readable(key: string): string {
  const text = key.replace(/[_.-]+/g, ' ').trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
