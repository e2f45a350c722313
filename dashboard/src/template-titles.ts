// What a template is called: a built-in one in the reader's language, a merchant's own as the merchant wrote it.

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

/** By its key. */
export function useTemplateTitle(): (key: string) => string {
  const words = useWords()
  const templates = useAnswer('@/templates')
  return (key) => {
    const found = templates.data?.data.find((template) => template.key === key)
    // Until they are read, and for one that was removed: a built-in one is known by its key.
    return found === undefined ? (words.builtIns[key]?.title ?? key) : titleOf(words, found)
  }
}
