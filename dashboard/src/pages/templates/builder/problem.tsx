// Why a template is invalid, and where, in the reader's language.

import type { TemplatePreview as Preview } from '../../../../../wire/templates.ts'
import { useBuilderWords } from './words.ts'

export type Invalid = Extract<Preview, { outcome: 'invalid' }>

/** Codes for many kinds of faults. Only the check's own message says which one. */
const MANY: ReadonlySet<Invalid['code']> = new Set(['query', 'transaction'])

export function TemplateProblemText({ invalid: { path, code, value } }: { invalid: Invalid }) {
  const words = useBuilderWords()
  return (
    <>
      {path}: {words.problems[code](value)}
      {MANY.has(code) && (
        <>
          {' '}
          {words.technical}: <span lang="en">{value}</span>
        </>
      )}
    </>
  )
}
