// The till's state: language, device, templates, shop and look.

import type { Language } from '../../labels/catalogue.ts'
import type { DeviceInfo } from '../../sdk/typescript/src/device/device-storage.ts'
import type { TemplateList } from '../../wire/templates.ts'
import { loadLanguage } from './device/browser-storage.ts'
import { type Look, NO_LOOK } from './look.ts'
import { chooseLanguage, titleOf, WORDS, type Words } from './words/words.ts'

export interface State {
  language: Language
  device: DeviceInfo | null
  /** The service's last answer; null: none yet. */
  templates: TemplateList | null
  /** The name that guests know; null: not known yet. */
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
/** Also true while it is unknown: only the service's answer removes the mark. */
export const isTest = (): boolean => state.templates?.environment !== 'live'
