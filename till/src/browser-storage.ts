// Where the till keeps its token pair, what it may ask, and which verification it was showing: the browser's own storage.

import type { DeviceState, DeviceStorage } from '../../sdk/typescript/src/device-storage.ts'
import type { TemplateList } from '../../sdk/typescript/src/types.gen.ts'

const PAIR = 'vidimus.till.pair'
const CURRENT = 'vidimus.till.current'
const CANCELLED = 'vidimus.till.cancelled'
const TEMPLATES = 'vidimus.till.templates'
const LANGUAGE = 'vidimus.till.language'

/** Tabs of one till share the storage: the lock keeps a refresh to one of them. */
export function browserStorage(): DeviceStorage {
  let last: Promise<unknown> = Promise.resolve()
  return {
    load: async () => read<DeviceState>(PAIR),
    save: async (state) => localStorage.setItem(PAIR, JSON.stringify(state)),
    clear: async () => localStorage.removeItem(PAIR),
    async exclusively<T>(work: () => Promise<T>): Promise<T> {
      // Only pages served securely have locks; without them a till has one tab.
      if ('locks' in navigator) return navigator.locks.request(PAIR, work) as Promise<T>
      const turn = last.then(work, work)
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

/** What a reload must find again. Nothing of the result is ever kept. */
export interface Current {
  readonly id: string
  readonly template: string
  readonly walletUri: string
  /** When its time is up, by the till's own clock in milliseconds. */
  readonly deadline: number
}

export const loadCurrent = () => read<Current>(CURRENT)
export const saveCurrent = (current: Current) => localStorage.setItem(CURRENT, JSON.stringify(current))
export const clearCurrent = () => localStorage.removeItem(CURRENT)
/** Those whose cancellation has not arrived yet. */
export const loadCancelled = () => read<string[]>(CANCELLED) ?? []
export const saveCancelled = (ids: readonly string[]) =>
  ids.length === 0 ? localStorage.removeItem(CANCELLED) : localStorage.setItem(CANCELLED, JSON.stringify(ids))
export const loadTemplates = () => read<TemplateList>(TEMPLATES)
export const saveTemplates = (templates: TemplateList) => localStorage.setItem(TEMPLATES, JSON.stringify(templates))

/** What belongs to a pairing, and ends with it. The tokens are the client's to forget. */
export function clearPairing(): void {
  for (const name of [CURRENT, CANCELLED, TEMPLATES]) localStorage.removeItem(name)
}

export const loadLanguage = () => localStorage.getItem(LANGUAGE)
export const saveLanguage = (language: string) => localStorage.setItem(LANGUAGE, language)

function read<T>(name: string): T | null {
  const text = localStorage.getItem(name)
  if (text === null) return null
  try {
    return JSON.parse(text) as T
  } catch {
    localStorage.removeItem(name)
    return null
  }
}
