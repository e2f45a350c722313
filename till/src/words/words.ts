// What the till says in each language: its own words, and those of the label catalogue for templates, claims and reasons.

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

/** The first that the till speaks; English where it speaks none. */
export function chooseLanguage(wanted: readonly string[]): Language {
  const known = wanted.map((tag) => LANGUAGES.find((language) => language === tag.slice(0, 2)))
  return known.find((language) => language !== undefined) ?? 'en'
}

/** A merchant's own templates by their keys, as the merchant calls them. */
export type Titles = readonly { readonly key: string; readonly title: string }[]

const AGE = /^age_over_(\d+)$/

/** Built-in ones in the till's language; of a template that is no longer there, only the key is left. */
export function titleOf(words: Words, titles: Titles, template: string): string {
  const builtIn = known(words.labels.templates, template)
  const [, years] = AGE.exec(template) ?? []
  // At a till it is a question: the answer to it is the large word.
  if (builtIn !== undefined) return years === undefined ? builtIn.title : words.ageAsked(years)
  return titles.find(({ key }) => key === template)?.title ?? readable(template)
}

/** What an answer is about: a statement, where the template asks a question. */
export function answeredTitleOf(words: Words, titles: Titles, template: string): string {
  const [, years] = AGE.exec(template) ?? []
  return years === undefined ? titleOf(words, titles, template) : words.age(years)
}

/** Yes answers a question; what is no question is confirmed. */
export const outcomeWord = (words: Words, template: string | null, kind: 'yes' | 'no' | 'unproven'): string =>
  kind === 'yes' && template !== null && !AGE.test(template) ? words.confirmed : words[kind]

/** For the customer's screen: what to confirm, and what the shop learns. null: not a question of age. */
export function ageSentencesOf(words: Words, shop: string | null, template: string): readonly [string, string] | null {
  const [, years] = AGE.exec(template) ?? []
  return years === undefined ? null : [words.ageSentence(years), words.ageShared(shop ?? words.thisShop, years)]
}

export function labelOf(words: Words, claim: string): string {
  const [, years] = AGE.exec(claim) ?? []
  // The catalogue speaks to the holder: "that you are 18 or older".
  return years === undefined ? (known(words.labels.claims, claim) ?? readable(claim)) : words.age(years)
}

export function failureOf(words: Words, code: string): string {
  return known(words.labels.reasons, code) ?? words.notGenuine
}

/** "4:59", after words that say what it is. */
export const countdownText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** Minutes and seconds by their names: "in 4:59" could be a time of day. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`
}

/** Own members only: a template may be called "constructor". */
function known<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function readable(key: string): string {
  const text = key.replace(/[_.-]+/g, ' ').trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
