// The documents to answer with: one card, or several to choose from, with the claims that each shares.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { AnswerSet, SharedDocument } from '../../trust/index.ts'
import { cardPicture, claimList, claimNames, formatName, namesOf } from './document-card.ts'
import type { Shown } from './wallet-frame.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

/** An optional set is a choice even with one option: the holder can leave it out. */
const isChoice = ({ required, options }: AnswerSet) => options.length > (required ? 1 : 0)

/** `heading` is above the claims that are shared whatever the holder chooses. */
export function answersPart(shown: Shown, answers: readonly AnswerSet[], heading: string): string {
  const fixed = answers.filter((set) => set.required && !isChoice(set)).flatMap(({ options }) => options)
  const documents = fixed.flatMap((option) => option.documents)
  const choices = answers.map((set, at) => (isChoice(set) ? choicePart(shown, set, at) : ''))
  const sure = documents.length === 0 ? '' : `<h2>${escapeHtml(heading)}</h2>${documentList(shown, documents)}`
  return `<div class="answers">${sure}${choices.join('')}</div>`
}

/** A single document is shown as a large card, several as small ones. */
export function documentList(shown: Shown, documents: readonly SharedDocument[]): string {
  const size = documents.length === 1 ? 'large' : 'small'
  const items = documents.map(
    (document) => `<li>${documentHead(shown, document, size)}${claimList(document, shown.language)}</li>`,
  )
  return `<ul class="held ${size}">${items.join('')}</ul>`
}

function documentHead(shown: Shown, document: SharedDocument, size: 'large' | 'small'): string {
  const name = `<h3>${escapeHtml(namesOf(document, shown.language))} <small>${escapeHtml(formatName(document.format))}</small></h3>`
  return `<div class="head">${cardPicture(document, shown, size)}${name}</div>`
}

function choicePart(shown: Shown, { required, options }: AnswerSet, set: number): string {
  const words = WALLET_WORDS[shown.language]
  const picks = options.map(({ at, documents }, index) => {
    const id = `pick-${set}-${at}`
    const cards = documents.map((document) => cardPicture(document, shown, 'small')).join('')
    const names = documents.map((document) => escapeHtml(namesOf(document, shown.language))).join('<br>')
    const formats = [...new Set(documents.map(({ format }) => formatName(format)))].join(', ')
    const claims = documents.map((document) => claimNames(document, shown.language)).join('; ')
    const list = documents.map((document) => claimList(document, shown.language)).join('')
    return `<div class="pick"><input type="radio" id="${id}" name="pick.${set}" value="${at}"${index === 0 ? ' checked' : ''}><label for="${id}"><span class="cards">${cards}</span><span><b>${names}</b><small>${escapeHtml(formats)}<span> · ${escapeHtml(claims)}</span></small></span></label>${list}</div>`
  })
  const none = required
    ? ''
    : `<div class="pick"><input type="radio" id="pick-${set}-none" name="pick.${set}" value="none"><label for="pick-${set}-none"><span><b>${escapeHtml(words.withhold)}</b></span></label></div>`
  return `<fieldset class="picks"><legend>${escapeHtml(required ? words.choose : words.optional)}</legend>${picks.join('')}${none}</fieldset>`
}
