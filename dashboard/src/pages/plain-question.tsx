// What a template asks, in plain words.

import type { Question } from '../answers.ts'
import { useWords } from '../preferences.tsx'
import { Note } from '../ui/parts.tsx'

export function PlainQuestion({ question, warn }: { question: Question; warn: boolean }) {
  const words = useWords()
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
                : credential.claims.map(plainName).join(credential.alternatives ? ` ${words.signIn.or} ` : ', ')}
            </strong>{' '}
            <span className="text-soft">
              {from} {credential.types.join(', ')} ({credential.format})
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

const plainName = (name: string) => name.replace(/[_.]/g, ' ')
