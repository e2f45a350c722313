// What is held against a registration or a step on the way to live, in the reader's language.

import type { RegistrationConcern, RegistrationProblem } from '../../../../wire/registration.ts'
import { claimNames } from '../../claims-in-words.ts'
import { useLabels } from '../../labels.ts'
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

const NAMED_MAX = 6

/** What live refuses, and test warns of. What is not registered is listed in words; beside a mark, without the sentence. */
export function ConcernText({ concern, isMarked = false }: { concern: RegistrationConcern; isMarked?: boolean }) {
  const words = usePageWords(registrationProblemWords)
  const labels = useLabels()
  const { reason, intended_use: use, unregistered } = concern
  if (unregistered.length > 0) {
    const [use = '', , covering = ''] = reason.values
    const names = claimNames(labels, unregistered)
    const left = names.length - NAMED_MAX
    const said = [...names.slice(0, NAMED_MAX), ...(left > 0 ? [words.more(left)] : [])].join(', ')
    return isMarked ? words.missing(said) : words.problems.beyond(use, said, covering)
  }
  return (
    <>
      {use !== null && `${words.unusable(use)} `}
      <ProblemText problem={reason} />
    </>
  )
}
