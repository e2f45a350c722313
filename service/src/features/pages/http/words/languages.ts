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
import type { Words } from './words.ts'

export { chooseLanguage } from '../../../../../../labels/choose-language.ts'

export const WORDS: Readonly<Record<Language, Words>> = { en, de, fr, it, es, nl }

export const LABELS: Readonly<Record<Language, Labels>> = {
  en: enLabels,
  de: deLabels,
  fr: frLabels,
  it: itLabels,
  es: esLabels,
  nl: nlLabels,
}
