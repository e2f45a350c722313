// What the till knows: its language, which device it is, and what it may ask.

import type { Language } from '../../labels/catalogue.ts'
import type { DeviceInfo } from '../../sdk/typescript/src/device/device-storage.ts'
import type { TemplateList } from '../../wire/templates.ts'
import { loadLanguage } from './device/browser-storage.ts'
import { type Look, NO_LOOK } from './look.ts'
import { answeredTitleOf, chooseLanguage, titleOf, WORDS, type Words } from './words/words.ts'

export interface State {
  language: Language
  device: DeviceInfo | null
  /** As the service said last; null until it has. */
  templates: TemplateList | null
  /** The name that guests know; null until the service has said it. */
  shop: string | null
  /** The merchant's look on its tills. */
  look: Look
}

export const state: State = {
  language: chooseLanguage([loadLanguage() ?? '', ...navigator.languages]),
  device: null,
  templates: null,
  shop: null,
  look: NO_LOOK,
}

export const words = (): Words => WORDS[state.language]
export const title = (template: string): string => titleOf(words(), state.templates?.data ?? [], template)
/** Beside an answer. */
export const answeredTitle = (template: string): string =>
  answeredTitleOf(words(), state.templates?.data ?? [], template)
/** A till that does not know yet says so too: only the service's word takes the mark away. */
export const isTest = (): boolean => state.templates?.environment !== 'live'
