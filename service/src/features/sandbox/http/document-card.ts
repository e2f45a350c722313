// Renders a document of the test wallet: its card as a picture, and the shared claims with their values.

import { isCredentialFormat, queriedFormatOf } from '@vidimus/engine/formats'
import { answerLabel, documentLabel, type Labels, type Language, pathLabel } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import { LABELS } from '../../pages/index.ts'
import { type ClaimPath, pathText, type SharedDocument, WALLET_FORMATS } from '../../trust/index.ts'
import type { Shown } from './wallet-frame.ts'
import { WALLET_WORDS } from './wallet-words/languages.ts'

type Look = 'id' | 'licence' | 'age' | 'payment' | 'other'

const LOOKS: Readonly<Record<string, Look>> = {
  'urn:eudi:pid:1': 'id',
  'eu.europa.ec.eudi.pid.1': 'id',
  'org.iso.18013.5.1.mDL': 'licence',
  'eu.europa.ec.av.1': 'age',
  'urn:vidimus:sandbox:payment-card:1': 'payment',
}

/** All cards of the wallet: one for each look, and the ID in both formats. */
const SHELF = [
  { types: ['eu.europa.ec.av.1'], format: WALLET_FORMATS.mdoc },
  { types: ['org.iso.18013.5.1.mDL'], format: WALLET_FORMATS.mdoc },
  { types: ['urn:vidimus:sandbox:payment-card:1'], format: WALLET_FORMATS.sdjwt },
  { types: ['eu.europa.ec.eudi.pid.1'], format: WALLET_FORMATS.mdoc },
  { types: ['urn:eudi:pid:1'], format: WALLET_FORMATS.sdjwt },
]

const DRAWINGS: Readonly<Record<Look, string>> = {
  id: '<circle cx="12" cy="8.5" r="4.2"/><path d="M3.5 21.5c0-5 3.8-7.6 8.5-7.6s8.5 2.6 8.5 7.6z"/>',
  licence:
    '<path d="M5.2 9.2 6.7 5.4A2 2 0 0 1 8.6 4h6.8a2 2 0 0 1 1.9 1.4l1.5 3.8A3 3 0 0 1 21 12v7h-3v-2H6v2H3v-7a3 3 0 0 1 2.2-2.8zM7.6 9h8.8l-1.1-3H8.7zM7 14.5A1.3 1.3 0 1 0 7 12a1.3 1.3 0 0 0 0 2.5zm10 0a1.3 1.3 0 1 0 0-2.5 1.3 1.3 0 0 0 0 2.5z"/>',
  age: '<path d="M12 2 4 5v6c0 5 3.4 9 8 11 4.600-2 8-6 8-11V5zm-1.300 14.200L7 12.500l1.500-1.500 2.200 2.200 4.800-4.800L17 9.900z"/>',
  payment:
    '<rect x="2" y="5" width="20" height="14" rx="3"/><path class="line" d="M2 10h7v4H2m20-4h-7v4h7M9 5v14m6-14v14"/>',
  other: '<path d="M6 2h8l5 5v15H6zm7 1.500V8h4.500z"/>',
}

/** Decorative: the document's name and format are next to it as text. */
export function cardPicture(
  { types: [type = ''], format }: Pick<SharedDocument, 'types' | 'format'>,
  { language, person }: Shown,
  size: 'large' | 'small',
): string {
  const look = lookOf(type)
  const drawing = `<svg viewBox="0 0 24 24">${DRAWINGS[look]}</svg>`
  const name = look === 'payment' ? person.cardNumber : look === 'age' ? '18+' : person.name
  const written =
    size === 'small'
      ? ''
      : `<b>${escapeHtml(nameOf(LABELS[language], type))}</b><i>${escapeHtml(name)}</i><s>${escapeHtml(formatName(format))}</s>`
  return `<span class="art ${look} ${size}" aria-hidden="true">${drawing}${written}</span>`
}

const lookOf = (type: string): Look => (Object.hasOwn(LOOKS, type) ? LOOKS[type] : undefined) ?? 'other'

/** All cards of the wallet, one behind the other. */
export function shelfPart(shown: Shown): string {
  const items = SHELF.map(
    (document) =>
      `<li>${cardPicture(document, shown, 'large')}<span class="unseen">${escapeHtml(namesOf(document, shown.language))}</span></li>`,
  )
  return `<ul class="shelf">${items.join('')}</ul>`
}

const nameOf = (labels: Labels, type: string) => documentLabel(labels, type) ?? type

export const namesOf = ({ types }: Pick<SharedDocument, 'types'>, language: Language) =>
  [...new Set(types.map((type) => nameOf(LABELS[language], type)))].join(' / ')

/** Developers test both formats of one document, so the format is shown. */
export const formatName = (format: string) => (isCredentialFormat(format) ? queriedFormatOf(format).label : format)

/** The names of the shared claims, in one line. */
export function claimNames(document: SharedDocument, language: Language): string {
  const names = new Set(document.paths.map((path) => labelOf(LABELS[language], document.format, path)))
  if (names.size === 0) return WALLET_WORDS[language].holdsIt
  return new Intl.ListFormat(language, { type: 'unit' }).format(names)
}

/** The shared claims with their values. */
export function claimList(document: SharedDocument, language: Language): string {
  if (document.paths.length === 0) return `<p class="claims">${escapeHtml(WALLET_WORDS[language].holdsIt)}</p>`
  const items = document.paths.map((path, at) => {
    const value = valueText(document.values[at], language)
    const written = value === null ? '' : ` <strong>${escapeHtml(value)}</strong>`
    return `<li><span>${escapeHtml(labelOf(LABELS[language], document.format, path))}</span>${written}</li>`
  })
  return `<ul class="claims">${items.join('')}</ul>`
}

function labelOf(labels: Labels, format: string, path: ClaimPath): string {
  // A claim of an unsupported format has no label, so its path is shown.
  return isCredentialFormat(format)
    ? pathLabel(labels, queriedFormatOf(format).claimNames(path), answerLabel)
    : pathText(path)
}

/** Longer texts are encoded pictures, which are not shown. */
const VALUE_LENGTH_MAX = 80

/** Returns null for a value that a person cannot read. */
function valueText(value: unknown, language: Language): string | null {
  const { yes, no } = LABELS[language].question
  if (typeof value === 'boolean') return capitalized(value ? yes : no)
  if (typeof value === 'string') return textOf(value, language)
  if (typeof value !== 'object' || value === null) return null
  const formatted: unknown = 'formatted' in value ? value.formatted : undefined
  if (typeof formatted === 'string') return formatted
  // A driving licence category is shown by its letter only.
  const parts = 'vehicle_category_code' in value ? [value.vehicle_category_code] : Object.values(value)
  const texts = parts.map((part) => valueText(part, language)).filter((text) => text !== null)
  return texts.length === 0 ? null : texts.join(', ')
}

function textOf(value: string, language: Language): string | null {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value))
    return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      dateStyle: 'long',
      timeZone: 'UTC',
    }).format(new Date(value))
  return value.length > VALUE_LENGTH_MAX ? null : value
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
