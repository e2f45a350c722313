// The steps to a registration: completed steps as one line each, and the button for the next one.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { RegistrationReport } from '../../../../wire/registration.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Button, buttonClass, Note } from '../../ui/parts.tsx'
import { Tag } from '../../ui/status.tsx'
import { registrationWords } from '../../words/registration.ts'
import { StepFrame } from './going-live-step.tsx'
import { TEMPLATES_ID } from './registration-templates.tsx'

interface RegistrationStep {
  readonly name: 'identity' | 'certificate' | 'access' | 'templates'
  readonly isDone: boolean
}

/** Returns the steps in order. Each needs the previous step. */
export function stepsOf(report: RegistrationReport, hasAccess: boolean): readonly RegistrationStep[] {
  const { identity, certificates, templates, access_certificates: findings } = report
  const isRegistered = certificates.some(({ faults }) => faults.length === 0)
  return [
    { name: 'identity', isDone: identity !== null },
    { name: 'certificate', isDone: isRegistered },
    { name: 'access', isDone: hasAccess && findings.every(({ level }) => level !== 'problem') },
    { name: 'templates', isDone: isRegistered && templates.every(({ concerns }) => concerns.length === 0) },
  ]
}

interface StepsProps {
  steps: readonly RegistrationStep[]
  onEnter(): void
  onAdd(): void
}

/** Completed steps, and the next one with its button. */
export function Steps({ steps, onEnter, onAdd }: StepsProps) {
  const { registration: words, goingLive } = usePageWords(registrationWords)
  const here = useHere()
  const next = steps.find(({ isDone }) => !isDone)?.name
  if (next === undefined) return <Note tone="good">{words.allDone}</Note>
  const button = (text: string, onClick: () => void) => (
    <Button tone="primary" onClick={onClick}>
      {text}
    </Button>
  )
  const link = (text: string, page: string) => (
    <Link to={here.page(page)} className={buttonClass('primary')}>
      {text}
    </Link>
  )
  const actions: Record<RegistrationStep['name'], ReactNode> = {
    identity: here.environment === 'test' ? button(words.enter, onEnter) : link(goingLive.request, '/going-live'),
    certificate: button(words.add, onAdd),
    templates: (
      <a href={`#${TEMPLATES_ID}`} className={buttonClass('primary')}>
        {words.toTemplates}
      </a>
    ),
    access: link(words.toTrust, '/trust'),
  }
  return (
    <section>
      <h2 className="mb-2 font-semibold">{words.steps}</h2>
      <ol className="mt-4 space-y-2">
        {steps.map(({ name, isDone }, index) => {
          const [title = '', lead = ''] = words.stepWords[name]
          if (isDone) return <DoneStep key={name} title={title} />
          return (
            <StepFrame
              key={name}
              number={index + 1}
              isNext={name === next}
              isDone={false}
              {...{ title, lead }}
              {...(name === 'identity' && here.environment === 'live'
                ? { marks: <Tag>{goingLive.byOperator}</Tag> }
                : {})}
              actions={
                name === next ? (
                  here.mayChange && actions[name]
                ) : (
                  <span className="text-sm text-soft">{words.afterStep(index)}</span>
                )
              }
            />
          )
        })}
      </ol>
    </section>
  )
}

/** A completed step. Its result is shown below. */
function DoneStep({ title }: { title: string }) {
  const { start } = useWords()
  return (
    <li className="flex items-center gap-4 px-4 py-0.5 text-soft sm:px-5">
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center">
        <span className="grid size-6 place-items-center rounded-full bg-good-soft text-good">
          <Icon name="check" className="size-4" />
        </span>
      </span>
      <h3 className="min-w-0">
        {title}
        <span className="sr-only">, {start.done}</span>
      </h3>
    </li>
  )
}
