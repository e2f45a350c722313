// Renders the request in words: what the merchant receives, and what the wallet may present for it.

import { claimLabel, documentLabel, type Language } from '../../../../../labels/catalogue.ts'
import { lineText, type QuestionPart, sayQuestion } from '../../../../../labels/say-question.ts'
import type { DescribedQuery } from '../../../core/templates/domain/describe-query.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { ShownQuestion } from '../usecases/read-hosted-page.ts'
import { LABELS, WORDS } from './words/languages.ts'

/** Longer lists get two columns where there is room. */
const MANY = 5

/** Items of the request have a check mark; items in folded rows do not. */
type List = 'asked' | 'presented'

type Shown = Pick<ShownQuestion, 'outputs' | 'question'>

/** The newest sentences about a question, because a page has them several times. */
const remembered = new WeakMap<
  DescribedQuery,
  { readonly language: Language; readonly parts: readonly QuestionPart[] }
>()

function sentencesOf(question: DescribedQuery, language: Language): readonly QuestionPart[] {
  const known = remembered.get(question)
  if (known?.language === language) return known.parts
  const parts = sayQuestion(question, { labels: LABELS[language], language })
  remembered.set(question, { language, parts })
  return parts
}

/** Requests beyond the first, one for each 16 KiB: its words take longer than the rest of the page. */
export const surchargeOfQuestion = ({ question }: Shown) => Math.floor(JSON.stringify(question).length / (16 * 1024))

/** Names everything that the merchant receives. Empty if that depends on what the holder has or chooses. */
export function receivedNames({ outputs, question }: Shown): readonly string[] {
  if (outputs !== null) return outputs
  const [only, ...others] = question.credentials
  const isCertain = only !== undefined && others.length === 0 && only.choices.length === 0
  if (!isCertain || !question.sets.every(({ required }) => required)) return []
  return only.always.flatMap((at) => only.claims[at] ?? []).map(nameOf)
}

/** Joins the path of a claim for its label: mdocs name an age as `age_equal_or_over` with the element `18`. */
function nameOf({ names }: DescribedQuery['credentials'][number]['claims'][number]): string {
  const [whole, age] = names
  return whole === 'age_equal_or_over' && age !== undefined ? `age_over_${age}` : (names.at(-1) ?? '')
}

export function ageOf(name: string): number | null {
  const [, age] = /^age_over_([1-9]\d?)$/.exec(name) ?? []
  return age === undefined ? null : Number(age)
}

/** Lists what the merchant receives: a template's outputs, otherwise what the wallet presents. Empty if nothing is received. */
export function receivedList({ outputs, question }: Shown, language: Language, list: List = 'asked'): string {
  if (outputs !== null) return outputs.length === 0 ? '' : listOf(outputs.map(labelIn(language)), list)
  const sentences = sentencesOf(question, language)
  const line = onlyLine(sentences)
  return line === null ? questionPart(sentences, language, list) : listOf(line.items, list)
}

/** The list of `receivedList` as plain lines. */
export function receivedItems({ outputs, question }: Shown, language: Language): readonly string[] {
  if (outputs !== null) return outputs.map(labelIn(language))
  const sentences = sentencesOf(question, language)
  return onlyLine(sentences)?.items ?? sentences.flatMap(({ lines }) => lines.map(lineText))
}

/** Labels a claim. For an age, the label says that the merchant receives only yes or no. */
const labelIn = (language: Language) => (name: string) => {
  const age = ageOf(name)
  return age === null ? claimLabel(LABELS[language], name) : WORDS[language].yesOrNo(age)
}

function listOf(items: readonly string[], list: List): string {
  const many = items.length > MANY ? ' many' : ''
  return `<ul class="${list}${many}">${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
}

/** Returns the only line of a request that offers no choice of documents; null for other requests. */
function onlyLine(sentences: readonly QuestionPart[]): QuestionPart['lines'][number] | null {
  const [first, ...others] = sentences
  return first !== undefined && others.length === 0 && first.heading === null ? (first.lines[0] ?? null) : null
}

/** The whole request, each line with its documents. */
export function questionPart(sentences: readonly QuestionPart[], language: Language, list: List = 'asked'): string {
  const { colon } = WORDS[language]
  return sentences
    .map(({ heading, lines }) => {
      const items = lines.map((line) => `<li>${lineHtml(line)}</li>`).join('')
      return `${heading === null ? '' : `<p>${escapeHtml(heading + colon)}</p>`}<ul class="${list}">${items}</ul>`
    })
    .join('')
}

/** The documents follow in their own element, because they apply to the whole line and not only to its last option. */
function lineHtml({ items, from }: QuestionPart['lines'][number]): string {
  const what = escapeHtml(lineText({ items, from: null }))
  return from === null ? what : `${what} <small>${escapeHtml(from)}</small>`
}

/** Lists what the wallet presents; null if the merchant receives exactly that. */
export function presentedList({ outputs, question, birthDateOnlyForAge }: ShownQuestion, language: Language) {
  if (outputs === null) return null
  const sentences = sentencesOf(question, language)
  const birthDate = birthDateOnlyForAge ? `<p>${escapeHtml(WORDS[language].birthDateForAge)}</p>` : ''
  return `${questionPart(sentences, language, 'presented')}${birthDate}`
}

/** The list of `presentedList` as plain lines. */
export function presentedLines({ outputs, question, birthDateOnlyForAge }: ShownQuestion, language: Language) {
  if (outputs === null) return null
  const { colon, birthDateForAge } = WORDS[language]
  const sentences = sentencesOf(question, language)
  const headings = sentences.flatMap(({ heading }) => (heading === null ? [] : [heading + colon]))
  return {
    texts: [...headings, ...(birthDateOnlyForAge ? [birthDateForAge] : [])],
    items: sentences.flatMap(({ lines }) => lines.map(lineText)),
  }
}

/** Lists documents of which one is enough. Empty if several are needed, or if the lines above name the documents. */
export function acceptedDocuments({ outputs, question }: Shown, language: Language): readonly string[] {
  const { credentials, sets } = question
  const isOneOfThem = sets.length === 1 && sets.every(({ options }) => options.every(({ length }) => length === 1))
  const sentences = sentencesOf(question, language)
  if (!isOneOfThem || (outputs === null && onlyLine(sentences) === null)) return []
  const names = credentials.flatMap(({ types }) => types.map((type) => documentLabel(LABELS[language], type)))
  return [...new Set(names.filter((name) => name !== null))]
}
