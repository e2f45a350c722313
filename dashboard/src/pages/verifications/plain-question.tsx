// A template's request in words.

import { lineText, sayQuestion } from '../../../../labels/say-question.ts'
import type { Question } from '../../../../wire/templates.ts'
import { useLabels } from '../../labels.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { Note } from '../../ui/parts.tsx'

export function PlainQuestion({ question, warn }: { question: Question; warn: boolean }) {
  const words = useWords()
  const labels = useLabels()
  const { language } = usePreferences()
  return (
    <div className="text-sm">
      {sayQuestion(question, { labels, language }).map(({ heading, lines }) => (
        <div key={JSON.stringify([heading, lines])} className="mb-1">
          {heading !== null && <p className="mb-1 text-soft">{heading}:</p>}
          <ul className="list-disc space-y-1 pl-5">
            {lines.map(({ items, from }) => (
              <li key={lineText({ items, from })}>
                <strong className="font-medium">{lineText({ items, from: null })}</strong>{' '}
                <span className="text-soft">{from}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
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
