// What a template asks, in plain words.

import { documentLabel, type Labels, toldLabel } from '../../../labels/catalogue.ts'
import type { Question } from '../answers.ts'
import { useLabels } from '../labels.ts'
import { useWords } from '../preferences.tsx'
import { Note } from '../ui/parts.tsx'

export function PlainQuestion({ question, warn }: { question: Question; warn: boolean }) {
  const words = useWords()
  const labels = useLabels()
  const { choice, all, everything, from } = words.templates
  return (
    <div className="text-sm">
      {question.credentials.length > 1 && <p className="mb-1 text-soft">{question.choice ? choice : all}</p>}
      <ul className="list-disc space-y-1 pl-5">
        {question.credentials.map((credential) => (
          <li key={credential.id}>
            <strong className="font-medium">
              {credential.everything
                ? everything
                : namesOf(labels, credential.claims).join(credential.alternatives ? ` ${words.signIn.or} ` : ', ')}
            </strong>{' '}
            <span className="text-soft">
              {from} {credential.types.map((type) => documentLabel(labels, type) ?? type).join(', ')} (
              {credential.format})
            </span>
          </li>
        ))}
      </ul>
      {warn && question.warnings.length > 0 && (
        <div className="mt-3">
          {question.warnings.map((warning) => (
            <Note key={warning} tone="warn">
              {words.templates.warnings[warning]}
            </Note>
          ))}
        </div>
      )}
    </div>
  )
}

/** Each once: a licence and an ID may have two names for one thing. */
const namesOf = (labels: Labels, claims: readonly string[]) => [
  ...new Set(claims.map((claim) => nameOf(labels, claim))),
]

/** The whole before its part; `age_equal_or_over.18` is an age. */
function nameOf(labels: Labels, claim: string): string {
  const [, age] = /^age_equal_or_over\.(\d+)$/.exec(claim) ?? []
  if (age !== undefined) return toldLabel(labels, `age_over_${age}`)
  return claim
    .split('.')
    .map((part) => toldLabel(labels, part))
    .join(' – ')
}
