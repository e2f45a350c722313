// One step of going live: its state, and a button that does it or leads to its page.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { GoingLive, GoingLiveStep, OperatorRequestKind } from '../../../../wire/going-live.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Button, buttonClass, Mono } from '../../ui/parts.tsx'
import { StatusMark, Tag } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { registrationWords } from '../../words/registration.ts'

export type StepDialog = 'mandate' | 'registration' | 'live_key' | { readonly ask: readonly OperatorRequestKind[] }

/** The page of each step, for steps that are not done in place. */
const PAGES: Record<GoingLiveStep['name'], string | null> = {
  identity: '/registration',
  mandate: null,
  registration: '/registration',
  access_certificate: '/trust',
  trusted_lists: '/trust',
  live_key: '/keys',
  webhook: '/webhooks',
}

interface FrameProps {
  /** null: the step is optional. */
  readonly number: number | null
  readonly title: string
  readonly lead: string
  readonly isDone: boolean
  /** The first open step, marked as the one to do now. */
  readonly isNext: boolean
  readonly marks?: ReactNode
  readonly actions: ReactNode
  readonly children?: ReactNode
}

export function StepFrame({ number, title, lead, isDone, isNext, marks, actions, children }: FrameProps) {
  const { start } = useWords()
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className={`flex gap-4 rounded-2xl border bg-surface p-4 sm:p-5 ${isNext ? 'border-accent' : 'border-line'}`}
    >
      <span
        aria-hidden="true"
        className={`grid size-8 shrink-0 place-items-center rounded-full text-sm font-semibold ${isDone ? 'bg-good-soft text-good' : isNext ? 'bg-accent text-accent-ink' : 'bg-sunken text-soft'}`}
      >
        {isDone ? <Icon name="check" /> : (number ?? <Icon name="plus" className="size-4" />)}
      </span>
      <div className="flex min-w-0 grow flex-wrap items-start justify-between gap-3">
        <div className="max-w-[80ch] min-w-0 basis-64 grow">
          <h3 className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 pb-1 font-medium">
            {title}
            {marks ?? (isDone && <span className="sr-only">, {start.done}</span>)}
          </h3>
          <p className="text-sm text-soft">{lead}</p>
          {children}
        </div>
        <div className="flex flex-wrap gap-2">{actions}</div>
      </div>
    </li>
  )
}

interface StepProps {
  readonly number: number | null
  readonly step: GoingLiveStep
  readonly found: GoingLive
  readonly isNext: boolean
  open(dialog: StepDialog): void
}

const MARKS = { done: 'ok', not_needed: 'expired' } as const

/** Reasons for which the merchant waits for the operator. The merchant made no mistake. */
const WAITING: ReadonlySet<GoingLiveStep['reasons'][number]> = new Set(['operator_unknown', 'unchecked'])

/** Whether the operator must act first, so that the merchant cannot do anything yet. */
const isEarly = ({ reasons }: GoingLiveStep) => reasons.includes('operator_unknown')

/** Whether the step was requested and the operator has not answered yet. */
export const isRequested = (step: GoingLiveStep, { requests }: GoingLive): boolean =>
  requests.some(({ kind, state }) => kind === (step.request ?? step.name) && state === 'open')

/** Whether the merchant can do the step now. */
export const isForMerchant = (step: GoingLiveStep, found: GoingLive): boolean =>
  step.state === 'open' && !isRequested(step, found) && !step.reasons.some((reason) => WAITING.has(reason))

export function Step({ number, step, found, isNext, open }: StepProps) {
  const { goingLive: words } = usePageWords(registrationWords)
  const [title = '', lead = ''] = words.steps[step.name]
  const waits = isRequested(step, found)
  const isDoneHere = useDoneHere(step.name, found)
  return (
    <StepFrame
      {...{ number, title, lead, isNext }}
      isDone={step.state !== 'open'}
      marks={
        <>
          {step.state === 'open' ? (
            <span className="sr-only">{words.states.open}</span>
          ) : (
            <StatusMark name={MARKS[step.state]} word={words.states[step.state]} />
          )}
          {waits ? (
            <StatusMark name="pending" word={words.requested} />
          ) : (
            step.state === 'open' &&
            (step.request !== null || isEarly(step)) && (
              <Tag>{isDoneHere && !isEarly(step) ? words.byEither : words.byOperator}</Tag>
            )
          )}
          {number === null && step.state === 'open' && <Tag>{words.optional}</Tag>}
        </>
      }
      actions={<Actions {...{ step, found, waits, isNext, title, open }} />}
    >
      {step.reasons
        // An open step already says that something is missing.
        .filter((reason) => reason !== 'missing')
        .map((reason) => (
          <p key={reason} className={`mt-1 text-sm ${WAITING.has(reason) ? 'text-soft' : 'text-bad'}`}>
            {words.reasons[reason]}
          </p>
        ))}
      {step.name === 'mandate' && found.mandate !== null && <Recorded mandate={found.mandate} />}
    </StepFrame>
  )
}

function Actions(props: Omit<StepProps, 'number'> & { waits: boolean; title: string }) {
  const { step, found, waits, isNext, title, open } = props
  const { goingLive: words } = usePageWords(registrationWords)
  const here = useHere()
  const page = PAGES[step.name]
  const isDoneHere = useDoneHere(step.name, found)
  const sets = step.state === 'open' && isDoneHere
  const tone = isNext ? 'primary' : 'plain'
  const inPlace = step.name === 'registration' || step.name === 'live_key' ? step.name : null
  // Requests are sent above the steps; here an identity that was sent can be corrected.
  const corrects = here.mayChange && step.state === 'open' && waits && step.request === 'identity'
  const isWaiting = step.reasons.some((reason) => WAITING.has(reason))
  return (
    <>
      {sets && inPlace !== null ? (
        <Button tone={tone} aria-label={`${words.setUp}: ${title}`} onClick={() => open(inPlace)}>
          {words.setUp}
        </Button>
      ) : (
        page !== null && (
          <Link
            to={here.page(page)}
            className={buttonClass(sets ? tone : 'plain')}
            aria-label={`${sets ? words.setUp : words.see}: ${title}`}
          >
            {sets ? words.setUp : words.see}
          </Link>
        )
      )}
      {here.mayChange && step.name === 'mandate' && step.state !== 'not_needed' && !isEarly(step) && (
        <Button tone={step.state === 'open' && !isWaiting ? tone : 'plain'} onClick={() => open('mandate')}>
          {found.mandate === null ? words.record : words.recordAgain}
        </Button>
      )}
      {corrects && (
        <Button aria-label={`${words.correct}: ${title}`} onClick={() => open({ ask: ['identity'] })}>
          {words.correct}
        </Button>
      )}
    </>
  )
}

/** Whether this person can do the step. Otherwise the page asks the operator. */
function useDoneHere(name: GoingLiveStep['name'], { steps, own_issuers: ownIssuers }: GoingLive): boolean {
  const { mayChange, isOwner } = useHere()
  switch (name) {
    case 'identity':
    case 'mandate':
      return false
    case 'registration':
      return mayChange && steps.some((step) => step.name === 'identity' && step.state === 'done')
    case 'access_certificate':
      return isOwner
    case 'trusted_lists':
      return isOwner && ownIssuers
    case 'live_key':
    case 'webhook':
      return mayChange
  }
}

function Recorded({ mandate }: { mandate: NonNullable<GoingLive['mandate']> }) {
  const { goingLive: words } = usePageWords(registrationWords)
  return (
    <p className="mt-1 text-sm text-soft">
      {words.mandateKinds[mandate.kind]}, {mandate.dated}, {words.recorded} <Time at={mandate.recorded_at} />
      {mandate.checked_at !== null && (
        <>
          , {words.checkedAt} <Time at={mandate.checked_at} />
        </>
      )}
      <span className="block">
        SHA-256 <Mono>{mandate.sha256}</Mono>
      </span>
    </p>
  )
}
