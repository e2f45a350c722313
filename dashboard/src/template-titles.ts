// A template's title: translated if built in, otherwise as the merchant wrote it.

import type { Template } from '../../wire/templates.ts'
import { useWords } from './preferences.tsx'
import { useAnswer } from './session.tsx'
import type { Words } from './words/en.ts'

export function titleOf(words: Words, { key, title, built_in }: Pick<Template, 'key' | 'title' | 'built_in'>): string {
  return (built_in ? words.builtIns[key]?.title : undefined) ?? title
}

export function descriptionOf(words: Words, template: Template): string {
  return (template.built_in ? words.builtIns[template.key]?.description : undefined) ?? template.description
}

/** Returns a function that finds a title by key. */
export function useTemplateTitle(): (key: string) => string {
  const words = useWords()
  const templates = useAnswer('@/templates')
  return (key) => {
    const found = templates.data?.data.find((template) => template.key === key)
    // While titles are loading, and for a removed template: built-in ones are found by key.
    return found === undefined ? (words.builtIns[key]?.title ?? key) : titleOf(words, found)
  }
}
