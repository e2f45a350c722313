// The till's data in the browser's storage: tokens, templates, the current verification and settings.

import type { DeviceState, DeviceStorage } from '../../../sdk/typescript/src/device/device-storage.ts'
import type { TemplateList } from '../../../wire/templates.ts'
import { type Look, readLook } from '../look.ts'
import type { Recent } from '../recent.ts'
import { type PinBox, readStoredPin, type StoredPin } from './pin.ts'

const PAIR = 'vidimus.till.pair'
const CURRENT = 'vidimus.till.current'
const CANCELLED = 'vidimus.till.cancelled'
const TEMPLATES = 'vidimus.till.templates'
const SHOP = 'vidimus.till.shop'
const LOOK = 'vidimus.till.look'
const LANGUAGE = 'vidimus.till.language'
const SOUND = 'vidimus.till.sound'
const PIN = 'vidimus.till.pin'
const PIN_NOTES = 'vidimus.till.pin-notes'
const DISPLAY = 'vidimus.till.display'
/** For this window only, until it is closed. */
const RECENT = 'vidimus.till.recent'

/** Tabs of one till share the storage. The lock ensures that only one of them refreshes the tokens. */
export function browserStorage(): DeviceStorage {
  let last: Promise<unknown> = Promise.resolve()
  return {
    load: async () => read<DeviceState>(PAIR),
    save: async (state) => localStorage.setItem(PAIR, JSON.stringify(state)),
    clear: async () => localStorage.removeItem(PAIR),
    async exclusively<T>(work: () => Promise<T>): Promise<T> {
      // Only pages in a secure context have locks. Without them, a till has one tab.
      if ('locks' in navigator) return navigator.locks.request(PAIR, work) as Promise<T>
      const turn = last.then(work, work)
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

/** The current verification, as far as a reload needs it. No result is stored. */
export interface Current {
  readonly id: string
  readonly template: string
  readonly walletUri: string
  /** When it expires, by the till's own clock in milliseconds. */
  readonly deadline: number
}

export const loadCurrent = () => read<Current>(CURRENT)
export const saveCurrent = (current: Current) => localStorage.setItem(CURRENT, JSON.stringify(current))
export const clearCurrent = () => localStorage.removeItem(CURRENT)
/** Verifications whose cancellation was not sent yet. */
export const loadCancelled = () => read<string[]>(CANCELLED) ?? []
export const saveCancelled = (ids: readonly string[]) =>
  ids.length === 0 ? localStorage.removeItem(CANCELLED) : localStorage.setItem(CANCELLED, JSON.stringify(ids))
export const loadTemplates = () => read<TemplateList>(TEMPLATES)
export const saveTemplates = (templates: TemplateList) => localStorage.setItem(TEMPLATES, JSON.stringify(templates))
export const loadShop = () => localStorage.getItem(SHOP)
export const saveShop = (name: string) => localStorage.setItem(SHOP, name)
export const loadLook = () => readLook(read<unknown>(LOOK))
export const saveLook = (look: Look) => localStorage.setItem(LOOK, JSON.stringify(look))
/** An earlier version did not store the template. */
export const loadRecent = () =>
  (read<Recent[]>(RECENT, sessionStorage) ?? []).map((one): Recent => ({ ...one, template: one.template ?? null }))
export const saveRecent = (recent: readonly Recent[]) => sessionStorage.setItem(RECENT, JSON.stringify(recent))

/** Deletes everything that belongs to a pairing. The client deletes the tokens. */
export function clearPairing(): void {
  for (const name of [CURRENT, CANCELLED, TEMPLATES, SHOP, LOOK, PIN, PIN_NOTES, DISPLAY]) localStorage.removeItem(name)
  sessionStorage.removeItem(RECENT)
}

export const loadLanguage = () => localStorage.getItem(LANGUAGE)
export const saveLanguage = (language: string) => localStorage.setItem(LANGUAGE, language)

export const isSoundOn = () => localStorage.getItem(SOUND) !== 'off'
export const setSound = (on: boolean) => (on ? localStorage.removeItem(SOUND) : localStorage.setItem(SOUND, 'off'))

/** Any stored value locks the till. An unreadable value does not mean "no PIN". */
export const pinBox: PinBox & { readonly key: string } = {
  key: PIN,
  load() {
    const text = localStorage.getItem(PIN)
    if (text === null) return null
    try {
      return readStoredPin(JSON.parse(text))
    } catch {
      return 'damaged'
    }
  },
  save: (pin) => savePin(pin),
}
export const savePin = (pin: StoredPin) => localStorage.setItem(PIN, JSON.stringify(pin))
export const clearPin = () => localStorage.removeItem(PIN)
export type PinChange = 'set' | 'removed'
/** Changes that were not sent to the service yet. */
export const loadPinNotes = () => read<PinChange[]>(PIN_NOTES) ?? []
export const savePinNotes = (changes: readonly PinChange[]) =>
  changes.length === 0 ? localStorage.removeItem(PIN_NOTES) : localStorage.setItem(PIN_NOTES, JSON.stringify(changes))

export const loadDisplay = () => localStorage.getItem(DISPLAY)
export const saveDisplay = (code: string) => localStorage.setItem(DISPLAY, code)
export const clearDisplay = () => localStorage.removeItem(DISPLAY)

function read<T>(name: string, storage: Storage = localStorage): T | null {
  const text = storage.getItem(name)
  if (text === null) return null
  try {
    return JSON.parse(text) as T
  } catch {
    storage.removeItem(name)
    return null
  }
}
