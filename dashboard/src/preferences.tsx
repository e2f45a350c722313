// Language and colours: from the device, or chosen here and stored in the browser.

import { createContext, type ReactNode, startTransition, use, useEffect, useState } from 'react'
import { type OnDemand, onDemand, useLoaded } from './on-demand.ts'
import type { Words } from './words/en.ts'

export type Language = 'en' | 'de'
export type Theme = 'system' | 'light' | 'dark'

/** One language is loaded with the first page, the other when it is chosen. */
const WORDS: Record<Language, OnDemand<Words>> = {
  en: onDemand(async () => (await import('./words/en.ts')).en),
  de: onDemand(async () => (await import('./words/de.ts')).de),
}

export const firstWords = (): Promise<Words> => WORDS[firstLanguage()].start()

interface Preferences {
  language: Language
  theme: Theme
  words: Words
  setLanguage(language: Language): void
  setTheme(theme: Theme): void
}

const Context = createContext<Preferences | null>(null)

export function usePreferences(): Preferences {
  const preferences = use(Context)
  if (preferences === null) throw new Error('bug: outside of PreferencesProvider')
  return preferences
}

export const useWords = (): Words => usePreferences().words

/** Words that only some pages load. */
export const usePageWords = <W,>(words: Record<Language, W>): W => words[usePreferences().language]

/** Must be within a `Suspense`, because the other language is loaded when it is chosen. */
export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [language, chooseLanguage] = useState<Language>(firstLanguage)
  const words = useLoaded(WORDS[language])
  // The current words stay until the other ones are loaded.
  const setLanguage = (chosen: Language) => startTransition(() => chooseLanguage(chosen))
  const [theme, setTheme] = useState<Theme>(firstTheme)
  useEffect(() => {
    document.documentElement.lang = language
    localStorage.setItem('vidimus-language', language)
  }, [language])
  useEffect(() => {
    const device = matchMedia('(prefers-color-scheme: dark)')
    const apply = () => {
      const dark = theme === 'dark' || (theme === 'system' && device.matches)
      document.documentElement.dataset.theme = dark ? 'dark' : 'light'
    }
    apply()
    localStorage.setItem('vidimus-theme', theme)
    device.addEventListener('change', apply)
    return () => device.removeEventListener('change', apply)
  }, [theme])
  return <Context value={{ language, theme, words, setLanguage, setTheme }}>{children}</Context>
}

function firstLanguage(): Language {
  const kept = localStorage.getItem('vidimus-language')
  if (kept === 'en' || kept === 'de') return kept
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'
}

function firstTheme(): Theme {
  const kept = localStorage.getItem('vidimus-theme')
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
