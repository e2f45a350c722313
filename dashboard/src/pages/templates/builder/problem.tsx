// Why a template is not sound, in the reader's language: where in it, and what.

import type { TemplatePreview as Preview } from '../../../../../wire/templates.ts'
import { useBuilderWords } from './words.ts'

export type Invalid = Extract<Preview, { outcome: 'invalid' }>

/** These cover many faults: which one it is, only the check itself says. */
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
