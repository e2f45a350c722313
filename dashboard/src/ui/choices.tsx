// Language and colours, chosen by the reader.

import { type Language, type Theme, usePreferences } from '../preferences.tsx'

const SELECT = 'min-h-9 min-w-0 grow rounded-lg border border-line bg-surface px-2 text-sm text-ink'

export function Choices() {
  const { language, theme, words, setLanguage, setTheme } = usePreferences()
  return (
    <div className="grid grid-cols-2 gap-2">
      <select
        aria-label={words.language}
        className={SELECT}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value as Language)}
      >
        <option value="en">English</option>
        <option value="de">Deutsch</option>
      </select>
      <select
        aria-label={words.theme}
        className={SELECT}
        value={theme}
        onChange={(event) => setTheme(event.currentTarget.value as Theme)}
      >
        <option value="system">{words.themes.system}</option>
        <option value="light">{words.themes.light}</option>
        <option value="dark">{words.themes.dark}</option>
      </select>
    </div>
  )
}
