// The languages of the hosted page, and the choice for a visitor.

import { LANGUAGES, type Labels, type Language } from '../../../../../../labels/catalogue.ts'
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
import type { Words } from './words.ts'

export const WORDS: Readonly<Record<Language, Words>> = { en, de, fr, it, es, nl }

export const LABELS: Readonly<Record<Language, Labels>> = {
  en: enLabels,
  de: deLabels,
  fr: frLabels,
  it: itLabels,
  es: esLabels,
  nl: nlLabels,
}

/** The visitor's choice wins over the browser's preference; English if neither is supported. */
export function chooseLanguage(chosen: string | undefined, acceptLanguage: string | undefined): Language {
  const preferred = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find((text) => text !== undefined)
      return { tag: tag.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag.split('-')[0])
  return (
    [chosen, ...preferred]
      .map((tag) => LANGUAGES.find((known) => known === tag))
      .find((known) => known !== undefined) ?? 'en'
  )
}
