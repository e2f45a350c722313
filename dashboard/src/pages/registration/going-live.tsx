// Going live: what is missing, what one does oneself, and what the operator is asked for.

import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { GoingLive, GoingLiveStep, OperatorRequestKind } from '../../../../wire/going-live.ts'
import type { RegistrationProblem } from '../../../../wire/registration.ts'
import { post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Button, buttonClass, Card, Empty, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { RecordMandate } from './mandate.tsx'
import { ProblemsNote } from './problem.tsx'
import { IdentityFields, identityOf, type SaidIdentity } from './registration.tsx'

export function GoingLivePage() {
  const { goingLive: words } = useWords()
  const here = useHere()
  useTitle(words.title)
  if (here.environment === 'live') return <Checklist />
  return (
    <>
      <PageTitle title={words.title} />
      <Empty title={words.testTitle}>
        <p>{words.testLead}</p>
        <Link to={`/${here.tenant.id}/live/going-live`} className={`${buttonClass('primary')} mt-5`}>
          {words.toLive}
        </Link>
      </Empty>
    </>
  )
}

function Checklist() {
  const { goingLive: words } = useWords()
  const found = useAnswer('@/going-live')
  const [asking, setAsking] = useState<OperatorRequestKind | null>(null)
  const [recording, setRecording] = useState(false)
  const open = found.data?.steps.filter(({ state }) => state === 'open').length ?? 0
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <ErrorNote error={found.error} again={() => found.refetch()} />
      {found.data === undefined ? (
        found.error === null && <Skeleton lines={7} />
      ) : (
        <>
          <Note tone={open === 0 ? 'good' : 'warn'}>{open === 0 ? words.ready : words.open(open)}</Note>
          <ol className="space-y-3">
            {found.data.steps.map((step) => (
              <li key={step.name}>
                <StepCard step={step} found={found.data} ask={setAsking} record={() => setRecording(true)} />
              </li>
            ))}
          </ol>
          <Requests requests={found.data.requests} />
        </>
      )}
      {asking !== null && (
        <Ask kind={asking} said={saidOf(found.data?.requests ?? [])} onClose={() => setAsking(null)} />
      )}
      {recording && found.data !== undefined && (
        <RecordMandate kinds={found.data.mandate_kinds} onClose={() => setRecording(false)} />
      )}
    </>
  )
}

const MARKS = { done: 'ok', open: 'warning', not_needed: 'expired' } as const
/** Where a step is seen or done. */
const PAGES: Record<GoingLiveStep['name'], string | null> = {
  identity: '/registration',
  mandate: null,
  registration: '/registration',
  access_certificate: '/trust',
  trusted_lists: '/trust',
  live_key: '/keys',
  webhook: '/webhooks',
}

interface StepProps {
  step: GoingLiveStep
  found: GoingLive
  ask(kind: OperatorRequestKind): void
  record(): void
}

function StepCard({ step, found, ask, record }: StepProps) {
  const { goingLive: words } = useWords()
  const here = useHere()
  const [title, lead] = words.steps[step.name]
  const page = PAGES[step.name]
  const isDoneHere = useDoneHere(step.name, found)
  const sets = step.state === 'open' && isDoneHere
  const see = sets ? words.setUp : words.see
  const waits = found.requests.some(({ kind, state }) => kind === (step.request ?? step.name) && state === 'open')
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="max-w-[58ch]">
          <h2 className="flex flex-wrap items-center gap-3 font-semibold">
            {title} <StatusMark name={MARKS[step.state]} word={words.states[step.state]} />
            {waits && <StatusMark name="pending" word={words.requested} />}
          </h2>
          <p className="mt-1 text-soft">{lead}</p>
          {step.reasons
            // That it is open says as much.
            .filter((reason) => reason !== 'missing')
            .map((reason) => (
              <p key={reason} className="mt-1 text-sm text-bad">
                {words.reasons[reason]}
              </p>
            ))}
          {step.name === 'mandate' && found.mandate !== null && <Recorded mandate={found.mandate} />}
        </div>
        <div className="flex flex-wrap gap-2">
          {page !== null && (
            <Link
              to={here.page(page)}
              className={buttonClass(sets ? 'primary' : 'plain')}
              aria-label={`${see}: ${title}`}
            >
              {see}
            </Link>
          )}
          {here.mayChange && step.name === 'mandate' && step.state !== 'not_needed' && (
            <Button onClick={record}>{found.mandate === null ? words.record : words.recordAgain}</Button>
          )}
          {here.mayChange &&
            step.request !== null &&
            step.state === 'open' &&
            (!waits || step.request === 'identity') && (
              <Button
                aria-label={`${waits ? words.correct : words.request}: ${title}`}
                onClick={() => step.request !== null && ask(step.request)}
              >
                {waits ? words.correct : words.request}
              </Button>
            )}
        </div>
      </div>
    </Card>
  )
}

/** Whether this person can do it on its page; otherwise the operator is asked to. */
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
  const { goingLive: words } = useWords()
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

function Requests({ requests }: Pick<GoingLive, 'requests'>) {
  const { goingLive: words } = useWords()
  if (requests.length === 0) return null
  return (
    <section className="mt-9">
      <h2 className="mb-3 font-semibold">{words.requests}</h2>
      <Table
        caption={words.requests}
        rows={requests}
        keyOf={({ id }) => id}
        columns={[
          { head: words.what, cell: ({ kind }) => words.kinds[kind] },
          { head: words.made, cell: (one) => <Time at={one.made_at} /> },
          { head: words.state, cell: ({ state }) => words.requestStates[state] },
          { head: words.answer, cell: ({ answer }) => answer ?? '–' },
        ]}
      />
    </section>
  )
}

/** Who one said one is, while the operator has not answered: it may be corrected. */
function saidOf(requests: GoingLive['requests']): SaidIdentity | null {
  const waiting = requests.find(({ kind, state }) => kind === 'identity' && state === 'open')
  const { identifier, trade_name: tradeName, registry_uri: registryUri = null } = waiting?.wanted ?? {}
  if (identifier === undefined || tradeName === undefined) return null
  return { identifier, trade_name: tradeName, registry_uri: registryUri }
}

interface AskProps {
  kind: OperatorRequestKind
  said: SaidIdentity | null
  onClose(): void
}

function Ask({ kind, said, onClose }: AskProps) {
  const all = useWords()
  const words = all.goingLive
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [problems, setProblems] = useState<readonly RegistrationProblem[]>([])
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body = kind === 'identity' ? { kind, identity: identityOf(form) } : { kind }
    setProblems([])
    await run(async () => {
      const answer = await act(() => post('@/going-live/requests', body, here.at()))
      if (answer.outcome === 'asked') return onClose()
      setProblems(answer.problems)
    })
  }
  return (
    <Dialog title={words.requestTitle} onClose={onClose}>
      <form onSubmit={submit}>
        <p className="mb-2 font-medium">{words.kinds[kind]}</p>
        <p className="mb-4 text-soft">{kind === 'identity' ? words.identityLead : words.requestLead}</p>
        <ProblemsNote lead={words.notAsked} problems={problems} />
        {kind === 'identity' && <IdentityFields identity={said} />}
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.request}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
