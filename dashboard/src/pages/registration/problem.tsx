// What is held against a registration or a step on the way to live, in the reader's language.

import type { RegistrationConcern, RegistrationProblem } from '../../../../wire/registration.ts'
import { usePageWords } from '../../preferences.tsx'
import { Note } from '../../ui/parts.tsx'
import { registrationProblemWords } from '../../words/registration-problems.ts'

/** These cover many faults of a certificate: which one it is, only the check itself says. */
const MANY: ReadonlySet<RegistrationProblem['code']> = new Set(['unverified', 'no_certificate'])

export function ProblemText({ problem: { code, values } }: { problem: RegistrationProblem }) {
  const words = usePageWords(registrationProblemWords)
  const [first = '', second = '', third = ''] = values
  return (
    <>
      {words.problems[code](first, second, third)}
      {MANY.has(code) && (
        <>
          {' '}
          {words.technical}: <span lang="en">{first}</span>
        </>
      )}
    </>
  )
}

export function ProblemLines({ problems }: { problems: readonly RegistrationProblem[] }) {
  return problems.map((problem) => (
    <p key={problem.code}>
      <ProblemText problem={problem} />
    </p>
  ))
}

export function ProblemsNote({ lead, problems }: { lead?: string; problems: readonly RegistrationProblem[] }) {
  if (problems.length === 0) return null
  return (
    <Note tone="bad">
      {lead !== undefined && <p className="font-medium">{lead}</p>}
      <ProblemLines problems={problems} />
    </Note>
  )
}

/** What live refuses, and test warns of. */
export function ConcernText({ concern: { reason, intended_use: use } }: { concern: RegistrationConcern }) {
  const words = usePageWords(registrationProblemWords)
  return (
    <>
      {use !== null && `${words.unusable(use)} `}
      <ProblemText problem={reason} />
    </>
  )
}
