// The problem of a field in the reader's language, instead of the browser's own bubble.

import { type FormEvent, useState } from 'react'
import { ApiError } from '../api.ts'
import { usePreferences } from '../preferences.tsx'
import type { Words } from '../words/en.ts'
import { writeLocal } from './local-time.ts'

export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Shown when the form is sent, until the field is valid. */
export function useFieldProblem() {
  const { words, language } = usePreferences()
  const [wrong, setWrong] = useState<Wrong | null>(null)
  const watch = {
    onInvalid(event: FormEvent<Field>) {
      event.preventDefault()
      const field = event.currentTarget
      setWrong(wrongOf(field))
      if (firstInvalid(field.form) === field) field.focus()
    },
    onInput({ currentTarget }: FormEvent<Field>) {
      if (wrong !== null) setWrong(currentTarget.validity.valid ? null : wrongOf(currentTarget))
    },
  }
  return { problem: wrong === null ? null : problemText(words.fieldProblems, wrong, language), watch }
}

/** Returns the service's refusal of one field; null: it concerns something else. `ErrorNote` omits these. */
export function useProblemOf(error: unknown, ...codes: readonly string[]): string | null {
  const { errors } = usePreferences().words
  if (!(error instanceof ApiError) || !codes.includes(error.code)) return null
  return errors.codes[error.code] ?? error.message
}

interface Wrong {
  readonly kind: keyof Words['fieldProblems']
  readonly limit: string
}

/** Problems that `date-field.tsx` finds. */
const OWN = ['notDate', 'tooEarly', 'tooLate'] as const

const isTime = (field: Field) => field.type === 'datetime-local'

function wrongOf(field: Field): Wrong {
  const { validity } = field
  const limitOf = (name: string) => field.getAttribute(name) ?? ''
  const own = OWN.find((kind) => kind === field.validationMessage)
  if (validity.customError && own !== undefined) return { kind: own, limit: field.dataset.limit ?? '' }
  if (validity.valueMissing) return { kind: 'missing', limit: '' }
  if (validity.tooShort) return { kind: 'tooShort', limit: limitOf('minlength') }
  if (validity.rangeUnderflow && isTime(field)) return { kind: 'tooEarly', limit: limitOf('min') }
  if (validity.rangeOverflow && isTime(field)) return { kind: 'tooLate', limit: limitOf('max') }
  if (validity.rangeUnderflow) return { kind: 'tooSmall', limit: limitOf('min') }
  if (validity.rangeOverflow) return { kind: 'tooLarge', limit: limitOf('max') }
  if (validity.typeMismatch && field.type === 'email') return { kind: 'notEmail', limit: '' }
  if (validity.typeMismatch && field.type === 'url') return { kind: 'notUrl', limit: '' }
  return { kind: 'other', limit: '' }
}

function problemText(words: Words['fieldProblems'], { kind, limit }: Wrong, language: string): string {
  if (kind !== 'tooEarly' && kind !== 'tooLate') return words[kind](limit)
  return words[kind](writeLocal(limit, language))
}

/** As in browsers, the first invalid field gets the focus. */
function firstInvalid(form: HTMLFormElement | null): Element | null {
  const fields = [...(form?.elements ?? [])].filter((one) => !(one instanceof HTMLFieldSetElement))
  return fields.find((one) => 'validity' in one && !(one.validity as ValidityState).valid) ?? null
}
