// The timeline of a verification. Steps still to come are last.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import { usePreferences, useWords } from '../../../preferences.tsx'
import { useHere } from '../../../session.tsx'
import { Card } from '../../../ui/parts.tsx'
import { duration, localeOf } from '../../../ui/time.tsx'
import { type Step, stepsOf } from './steps.ts'
import { useVerificationWords } from './words.ts'

export function Timeline({ verification }: { verification: VerificationDetail }) {
  const words = useWords()
  const { seeWebhooks } = useVerificationWords()
  const here = useHere()
  const steps = stepsOf(verification)
  return (
    <Card title={words.detail.timeline}>
      <ol className="relative">
        {steps.map((step, index) => (
          <StepItem
            key={`${step.kind} ${step.at}`}
            step={step}
            verification={verification}
            isLast={index === steps.length - 1}
          />
        ))}
      </ol>
      {verification.deliveries.length > 0 && (
        <p className="mt-4 text-sm">
          <Link to={here.page('/webhooks')} className="text-accent underline">
            {seeWebhooks}
          </Link>
        </p>
      )}
    </Card>
  )
}

type Look = 'plain' | 'good' | 'bad' | 'ahead'

const DOTS: Record<Look, string> = {
  plain: 'bg-accent border-accent',
  good: 'bg-good border-good',
  bad: 'bg-bad border-bad',
  ahead: 'bg-surface border-soft',
}

function StepItem({ step, verification, isLast }: { step: Step; verification: VerificationDetail; isLast: boolean }) {
  const look = lookOf(step, verification)
  return (
    <li className="relative pb-5 pl-6 last:pb-0">
      {!isLast && <span aria-hidden="true" className="absolute top-3 bottom-0 left-[5px] border-l border-line" />}
      <span
        aria-hidden="true"
        className={`absolute top-[7px] left-0 size-[11px] rounded-full border-2 ${DOTS[look]}`}
      />
      <p className={`leading-snug font-medium ${step.isAhead === true ? 'text-soft' : ''}`}>
        <Title step={step} />
      </p>
      <When step={step} since={verification.created_at} />
      <About step={step} verification={verification} />
    </li>
  )
}

function lookOf(step: Step, { status }: VerificationDetail): Look {
  if (step.isAhead === true) return 'ahead'
  if (step.kind === 'answered') return status === 'completed' ? 'good' : 'bad'
  if (step.kind === 'attempt' && step.attempt.outcome !== null)
    return step.attempt.outcome === 'delivered' ? 'good' : 'bad'
  return 'plain'
}

function Title({ step }: { step: Step }): ReactNode {
  const words = useVerificationWords()
  if (step.kind === 'attempt') return words.attempt(step.number)
  if (step.kind === 'next_attempt') return words.nextAttempt(step.number)
  return words.steps[step.kind]
}

/** Shows times with seconds, because steps follow each other quickly. */
function When({ step: { at, kind, isAhead }, since }: { step: Step; since: string }) {
  const { language } = usePreferences()
  const { after } = useVerificationWords()
  const date = new Date(at)
  const text = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'medium' }).format(date)
  const passed = date.getTime() - Date.parse(since)
  return (
    <p className="text-sm text-soft tabular-nums">
      <time dateTime={at} title={`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`}>
        {text}
      </time>
      {kind !== 'created' && isAhead !== true && passed >= 1000 && ` · ${after(duration(passed))}`}
    </p>
  )
}

function About({ step, verification }: { step: Step; verification: VerificationDetail }) {
  const all = useWords()
  const { actor } = verification
  if (step.kind === 'created') {
    return (
      <p className="mt-0.5 text-sm text-soft">
        {actor.name ?? actor.id} · {all.verifications.actors[actor.type] ?? actor.type}
      </p>
    )
  }
  return step.kind === 'attempt' ? <Attempt attempt={step.attempt} /> : null
}

function Attempt({ attempt }: { attempt: Extract<Step, { kind: 'attempt' }>['attempt'] }) {
  const all = useWords()
  const words = useVerificationWords()
  const { outcome, http_status: status, started_at: started, finished_at: finished, trigger, url } = attempt
  const text =
    outcome === null
      ? words.attemptRunning
      : status !== null
        ? words.attemptAnswered(status)
        : (words.attemptFailures[outcome] ?? outcome)
  const took = finished === null ? null : Date.parse(finished) - Date.parse(started)
  return (
    <>
      <p className="mt-0.5 text-sm">
        {text}
        {took !== null && (
          <span className="text-soft">
            {' '}
            · {words.attemptTook(took < 1000 ? `${took < 1 ? '< 1' : took} ms` : duration(took))}
          </span>
        )}
        {trigger === 'manual' && <span className="text-soft"> · {all.webhooks.manual}</span>}
      </p>
      {url !== null && <p className="font-mono text-[13px] break-all text-soft">{url}</p>}
    </>
  )
}
