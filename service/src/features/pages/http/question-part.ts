// What a holder is asked for, in words: what the merchant receives, and what the wallet may present for it.

import { claimLabel, documentLabel, type Language } from '../../../../../labels/catalogue.ts'
import { lineText, type Said, sayQuestion } from '../../../../../labels/say-question.ts'
import type { DescribedQuery } from '../../../core/templates/domain/describe-query.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { ShownQuestion } from '../usecases/read-hosted-page.ts'
import { LABELS, WORDS } from './words/languages.ts'

/** More than these are set in two columns if there is room. */
const MANY = 5

type Shown = Pick<ShownQuestion, 'outputs' | 'question'>

/** Names of everything that the merchant receives; empty if that depends on what the holder has or chooses. */
export function receivedNames({ outputs, question }: Shown): readonly string[] {
  if (outputs !== null) return outputs
  const [only, ...others] = question.credentials
  const isCertain = only !== undefined && others.length === 0 && only.choices.length === 0
  return isCertain && question.sets.every(({ required }) => required) ? only.always.map(nameOf) : []
}

/** `age_equal_or_over`, `18` is an age, for which mdocs have a name. */
function nameOf({ names }: DescribedQuery['credentials'][number]['always'][number]): string {
  const [whole, age] = names
  return whole === 'age_equal_or_over' && age !== undefined ? `age_over_${age}` : (names.at(-1) ?? '')
}

export function ageOf(name: string): number | null {
  const [, age] = /^age_over_([1-9]\d?)$/.exec(name) ?? []
  return age === undefined ? null : Number(age)
}

/** What the merchant receives: a template's outputs, otherwise what the wallet presents. */
export function receivedPart({ outputs, question }: Shown, language: Language, merchant: string): string {
  const heading = `<h2>${escapeHtml(WORDS[language].receives(merchant))}</h2>`
  const issuerToo = `<p class="small">${escapeHtml(WORDS[language].issuerToo(merchant))}</p>`
  if (outputs !== null)
    return outputs.length === 0 ? '' : `${heading}${listOf(outputs.map(labelIn(language)))}${issuerToo}`
  const said = sayQuestion(question, { labels: LABELS[language], language })
  const line = onlyLine(said)
  return `${heading}${line === null ? questionPart(said, language) : listOf(line.items)}${issuerToo}`
}

/** The same as plain lines. */
export function receivedItems({ outputs, question }: Shown, language: Language): readonly string[] {
  if (outputs !== null) return outputs.map(labelIn(language))
  const said = sayQuestion(question, { labels: LABELS[language], language })
  return onlyLine(said)?.items ?? said.flatMap(({ lines }) => lines.map(lineText))
}

/** Of an age the merchant receives one bit. */
const labelIn = (language: Language) => (name: string) => {
  const age = ageOf(name)
  return age === null ? claimLabel(LABELS[language], name) : WORDS[language].yesOrNo(age)
}

function listOf(items: readonly string[]): string {
  const many = items.length > MANY ? ' many' : ''
  return `<ul class="asked${many}">${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
}

/** For a question without a choice among documents: a plain list, and the document below. */
function onlyLine(said: readonly Said[]): Said['lines'][number] | null {
  const [first, ...others] = said
  return first !== undefined && others.length === 0 && first.heading === null ? (first.lines[0] ?? null) : null
}

/** The whole question, each line with its documents. */
export function questionPart(said: readonly Said[], language: Language, list: 'asked' | 'presented' = 'asked'): string {
  const { colon } = WORDS[language]
  return said
    .map(({ heading, lines }) => {
      const items = lines.map((line) => `<li>${lineHtml(line)}</li>`).join('')
      return `${heading === null ? '' : `<p>${escapeHtml(heading + colon)}</p>`}<ul class="${list}">${items}</ul>`
    })
    .join('')
}

/** The documents are set apart: they hold for all of the line, not only for the last option of a choice. */
function lineHtml({ items, from }: Said['lines'][number]): string {
  const what = escapeHtml(lineText({ items, from: null }))
  return from === null ? what : `${what} <small>${escapeHtml(from)}</small>`
}

/** Which documents are accepted; and, if the merchant receives something else, what the wallet presents. */
export function presentedPart({ outputs, question, birthDateOnlyForAge }: ShownQuestion, language: Language): string {
  const words = WORDS[language]
  const said = sayQuestion(question, { labels: LABELS[language], language })
  const accepted = outputs === null && onlyLine(said) === null ? null : acceptedDocuments(question, language)
  const note = accepted === null ? '' : `<p>${escapeHtml(`${words.documents}${words.colon} ${accepted}`)}</p>`
  if (outputs === null) return note
  const birthDate = birthDateOnlyForAge ? `<p>${escapeHtml(words.birthDateForAge)}</p>` : ''
  return `${note}<details><summary>${escapeHtml(words.presents)}</summary>${questionPart(said, language, 'presented')}${birthDate}</details>`
}

/** null if more than one document is needed, or a document has no name for people. */
function acceptedDocuments({ credentials, sets }: DescribedQuery, language: Language): string | null {
  const isOneOfThem = sets.length === 1 && sets.every(({ options }) => options.every(({ length }) => length === 1))
  const names = credentials.flatMap(({ types }) => types.map((type) => documentLabel(LABELS[language], type)))
  const known = new Set(names.filter((name) => name !== null))
  if (!isOneOfThem || known.size === 0) return null
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(known)
}
