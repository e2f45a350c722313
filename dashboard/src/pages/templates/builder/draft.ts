// A template draft, as choices or as JSON, and the document for the service.

import type { Template } from '../../../../../wire/templates.ts'
import { writeJson } from '../../../json-writing.ts'
import { DOCUMENT_IDS } from './documents.ts'
import { type JsonText, readJsonText } from './json-text.ts'
import { type Choice, choiceOf, questionOf } from './question.ts'

export interface Draft {
  readonly key: string
  /** False: the key follows the title. */
  readonly ownKey: boolean
  readonly title: string
  /** False: the title follows the choices. */
  readonly ownTitle: boolean
  readonly description: string
  readonly intendedUse: string
  readonly tab: 'choices' | 'json'
  readonly choice: Choice
  /** Query and outputs, as written in the JSON tab. */
  readonly json: string
}

const NOTHING_CHOSEN: Choice = { requested: [], documents: DOCUMENT_IDS }

/** What a new template starts from. */
export type Beginning =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit'; readonly template: Template }
  /** A copy of a template in the other environment. */
  | { readonly kind: 'take'; readonly template: Template }
  | { readonly kind: 'copy'; readonly template: Template; readonly title: string; readonly description: string }

export function draftOf(beginning: Beginning): Draft {
  if (beginning.kind === 'new') {
    const nothing = { key: '', ownKey: false, title: '', ownTitle: false, description: '', intendedUse: '' }
    return { ...nothing, tab: 'choices', choice: NOTHING_CHOSEN, json: '' }
  }
  const { template } = beginning
  const { query, outputs, transaction, intended_use: use } = template
  // Transactions are not among the choices, so such a template opens as JSON and loses nothing.
  const choice = transaction === null ? choiceOf({ query, outputs }) : null
  const named =
    beginning.kind === 'copy'
      ? {
          key: `${template.key}_copy`.slice(0, 64),
          ownKey: false,
          title: beginning.title,
          description: beginning.description,
        }
      : { key: template.key, ownKey: true, title: template.title, description: template.description }
  return {
    ...named,
    ownTitle: true,
    intendedUse: use ?? '',
    tab: choice === null ? 'json' : 'choices',
    choice: choice ?? NOTHING_CHOSEN,
    json:
      choice === null
        ? writeJson({
            query,
            ...(outputs === null ? {} : { outputs }),
            ...(transaction === null ? {} : { transaction }),
          })
        : '',
  }
}

/** Switches tabs: to JSON with the choices, or to choices if the JSON can be expressed as such. */
export function turnedTo(draft: Draft, tab: Draft['tab']): Draft {
  if (tab === draft.tab) return draft
  if (tab === 'json') {
    const question = questionOf(draft.choice)
    return { ...draft, tab, json: question === null ? draft.json : writeJson(question) }
  }
  const choice = choiceIn(draft.json)
  return choice === null ? { ...draft, tab } : { ...draft, tab, choice, json: '' }
}

/** Returns null if it is not JSON, or cannot be expressed as choices. */
function choiceIn(json: string): Choice | null {
  if (json.trim() === '') return null
  const read = readJsonText(json)
  if (read.outcome === 'fault' || !isObject(read.value)) return null
  const { query, outputs, ...more } = read.value
  return Object.keys(more).length > 0 ? null : choiceOf({ query, outputs })
}

/** Whether the JSON cannot be shown as choices, so that choosing would overwrite it. */
export const isBeyondChoices = ({ tab, json }: Draft) =>
  tab === 'choices' && json.trim() !== '' && choiceIn(json) === null

export type Written =
  | { readonly outcome: 'document'; readonly document: object; readonly lineOf: (path: string) => number }
  | { readonly outcome: 'incomplete' }
  | Extract<JsonText, { outcome: 'fault' }>
  | { readonly outcome: 'no_object' }

export function documentOf(draft: Draft): Written {
  const { title, key, description, intendedUse } = draft
  const named = {
    title: title.trim() === '' ? key || 'new' : title.trim(),
    description,
    ...(intendedUse === '' ? {} : { intended_use: intendedUse }),
  }
  if (draft.tab === 'choices') {
    const question = isBeyondChoices(draft) ? null : questionOf(draft.choice)
    if (question === null) return { outcome: 'incomplete' }
    return { outcome: 'document', document: { ...named, ...question }, lineOf: () => 1 }
  }
  const read = readJsonText(draft.json)
  if (read.outcome === 'fault') return read
  if (!isObject(read.value)) return { outcome: 'no_object' }
  return { outcome: 'document', document: { ...read.value, ...named }, lineOf: read.lineOf }
}

/** `Größe & Alter` becomes `groesse_alter`. */
export function keyFrom(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .normalize('NFD')
      // In German an umlaut becomes a vowel with e; all other marks are dropped.
      .replace(/(?<=[aou])\u0308/g, 'e')
      .replace(/\p{M}/gu, '')
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 64)
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
