// Problems of a registration or of a step of going live, in the reader's language.

import type { RegistrationConcern, RegistrationProblem } from '../../../../wire/registration.ts'
import { claimNames } from '../../claims-in-words.ts'
import { useLabels } from '../../labels.ts'
import { usePageWords } from '../../preferences.tsx'
import { Note } from '../../ui/parts.tsx'
import { registrationProblemWords } from '../../words/registration-problems.ts'

/** Codes for many kinds of faults. Only the check's own message says which one. */
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

interface ConcernTextProps {
  readonly concern: RegistrationConcern
  /** `missing` and `names` list only the claims; `sentence` also names the purpose. */
  readonly form?: 'sentence' | 'missing' | 'names'
  /** Returns the name of an intended use. Absent: its identifier is shown. */
  nameOfUse?(use: string): string
}

/** What live refuses and test warns about. Lists in words what is not registered. */
export function ConcernText({ concern, form = 'sentence', nameOfUse = (use) => use }: ConcernTextProps) {
  const words = usePageWords(registrationProblemWords)
  const labels = useLabels()
  const { reason, intended_use: use, unregistered } = concern
  if (unregistered.length > 0) {
    const [use = '', , covering = ''] = reason.values
    const names = claimNames(labels, unregistered)
    const left = names.length - NAMED_MAX
    const listed = [...names.slice(0, NAMED_MAX), ...(left > 0 ? [words.more(left)] : [])].join(', ')
    if (form === 'names') return listed
    return form === 'missing'
      ? words.missing(listed, names.length)
      : words.problems.beyond(nameOfUse(use), listed, covering)
  }
  return (
    <>
      {use !== null && `${words.unusable(nameOfUse(use))} `}
      <ProblemText problem={reason} />
    </>
  )
}
