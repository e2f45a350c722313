// What a template asks, in plain words.

import { documentLabel, type Labels, pathLabel, toldLabel } from '../../../../labels/catalogue.ts'
import type { Question } from '../../../../wire/templates.ts'
import { useLabels } from '../../labels.ts'
import { useWords } from '../../preferences.tsx'
import { Note } from '../../ui/parts.tsx'

export function PlainQuestion({ question, warn }: { question: Question; warn: boolean }) {
  const words = useWords()
  const labels = useLabels()
  const { choice, all, everything, from } = words.templates
  const asked = ({ everything: isAll, alternatives, claims }: Question['credentials'][number]) =>
    isAll ? everything : namesOf(labels, claims).join(alternatives ? ' / ' : ', ')
  const lines = linesOf(question, asked, (type) => documentLabel(labels, type) ?? type)
  return (
    <div className="text-sm">
      {question.credentials.length > 1 && <p className="mb-1 text-soft">{question.choice ? choice : all}</p>}
      <ul className="list-disc space-y-1 pl-5">
        {lines.map(({ id, what, documents }) => (
          <li key={id}>
            <strong className="font-medium">{what}</strong>{' '}
            <span className="text-soft">
              {from} {documents.join(` ${words.signIn.or} `)}
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

interface Line {
  readonly id: string
  readonly what: string
  readonly documents: readonly string[]
}

/** What may be answered with one of several documents alike is one line, in whichever formats wallets keep them. */
function linesOf(
  { credentials, choice }: Question,
  asked: (credential: Question['credentials'][number]) => string,
  called: (type: string) => string,
): Line[] {
  const lines: Line[] = []
  for (const credential of credentials) {
    const what = asked(credential)
    const document = credential.types.map(called).join(', ')
    const at = choice ? lines.findIndex((line) => line.what === what) : -1
    const like = lines[at]
    if (like === undefined) lines.push({ id: credential.id, what, documents: [document] })
    else lines[at] = { ...like, documents: [...new Set([...like.documents, document])] }
  }
  return lines
}

/** Each once: a licence and an ID may have two names for one thing. */
const namesOf = (labels: Labels, claims: readonly string[]) => [
  ...new Set(claims.map((claim) => pathLabel(labels, claim.split('.'), toldLabel))),
]
