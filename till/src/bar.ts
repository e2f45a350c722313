// The bar above every screen: till, test mark, connection, language, settings and a pending update.

import { DIRECTIONS, LANGUAGE_NAMES, LANGUAGES } from '../../labels/catalogue.ts'
import type { Connection } from './connection.ts'
import { saveLanguage } from './device/browser-storage.ts'
import { isKiosk } from './device/kiosk.ts'
import { byId, el } from './dom.ts'
import { logoView } from './look.ts'
import type { Shell } from './offline-shell.ts'
import { isScreenIdle } from './screen.ts'
import { isTest, state, words } from './state.ts'

interface BarWorld {
  readonly connection: Pick<Connection, 'isUp'>
  readonly shell: Shell
  readonly onLanguage: () => void
  readonly onSettings: () => void
}

export function openBar({ connection, shell, onLanguage, onSettings }: BarWorld): () => void {
  const language = byId('language') as HTMLSelectElement
  language.append(...LANGUAGES.map((one) => el('option', { value: one, lang: one }, LANGUAGE_NAMES[one])))
  language.addEventListener('change', () => {
    state.language = LANGUAGES.find((one) => one === language.value) ?? state.language
    saveLanguage(state.language)
    onLanguage()
  })
  byId('settings').addEventListener('click', onSettings)
  byId('update').addEventListener('click', () => shell.takeUpdate())

  return () => {
    document.documentElement.lang = state.language
    document.documentElement.dir = DIRECTIONS[state.language]
    language.value = state.language
    byId('language-short').textContent = state.language
    language.setAttribute('aria-label', words().language)
    const names = state.device === null ? [] : [state.shop, state.device.name]
    byId('device').replaceChildren(...logoView(state.look), names.filter((name) => name !== null).join(' · '))
    const test = byId('test')
    test.replaceChildren(el('strong', {}, words().test), words().testMeans)
    test.hidden = state.device === null || !isTest()
    const sign = byId('connection')
    sign.textContent = words().offline
    sign.hidden = connection.isUp()
    const settings = byId('settings')
    // Settings are available only between two guests.
    settings.hidden = state.device === null || !isScreenIdle()
    settings.dataset.locked = String(isKiosk())
    settings.setAttribute('aria-label', isKiosk() ? words().kioskLeave : words().settings)
    const update = byId('update')
    update.textContent = `${words().updateReady}: ${words().update}`
    update.hidden = !shell.hasUpdate() || !isScreenIdle()
  }
}
