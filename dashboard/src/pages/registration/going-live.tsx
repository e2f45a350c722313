// The page for going live: test run, approval, first verification, connection. The same in test and in live.

import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { GoingLive, GoingLiveStep } from '../../../../wire/going-live.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { type Here, HereProvider, hereOf, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { SecretDialog } from '../../ui/dialog.tsx'
import { Progress } from '../../ui/figure.tsx'
import { Button, buttonClass, ErrorNote, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { registrationWords } from '../../words/registration.ts'
import { CreateKey } from '../tenants/create-key.tsx'
import { AskOperator, enteredIdentityOf } from './ask-operator.tsx'
import { isForMerchant, isRequested, Step, type StepDialog, StepFrame } from './going-live-step.tsx'
import { RecordMandate } from './mandate.tsx'
import { AddCertificate } from './registration-certificates.tsx'

/** Steps that need the operator or a register. The others connect the merchant's own systems. */
const APPROVAL: readonly GoingLiveStep['name'][] = [
  'identity',
  'mandate',
  'registration',
  'access_certificate',
  'trusted_lists',
]

export function GoingLivePage() {
  const { goingLive: words } = usePageWords(registrationWords)
  const { me, tenant, environment } = useHere()
  useTitle(words.title)
  const [test, live] = (['test', 'live'] as const).map((one) => hereOf(me, { tenant: tenant.id, environment: one }))
  if (test === undefined || test === null || live === undefined || live === null) throw new Error('bug: no such tenant')
  return (
    <>
      <PageTitle title={words.title} lead={environment === 'test' ? words.leadInTest : words.lead} />
      <HereProvider value={test}>
        <Path live={live} test={test} />
      </HereProvider>
    </>
  )
}

/** Reads the overview of test, where the first step happens. */
function Path({ test, live }: Record<'test' | 'live', Here>) {
  const overview = useAnswer('@/overview')
  const isTried = overview.data?.steps.completed === true
  return (
    <HereProvider value={live}>
      <ToLive isTried={isTried}>
        <HereProvider value={test}>
          <Tried isDone={isTried} />
        </HereProvider>
      </ToLive>
    </HereProvider>
  )
}

/** Only advice: going live does not require a test run. */
function Tried({ isDone }: { isDone: boolean }) {
  const { goingLive: words } = usePageWords(registrationWords)
  const here = useHere()
  const [title = '', lead = ''] = words.tried
  return (
    <Phase title={words.phases.test}>
      <StepFrame
        number={1}
        title={title}
        lead={lead}
        isDone={isDone}
        isNext={false}
        actions={
          <Link to={here.page('')} className={buttonClass('plain')}>
            {isDone ? words.see : words.tryNow}
          </Link>
        }
      />
    </Phase>
  )
}

function ToLive({ isTried, children }: { isTried: boolean; children: ReactNode }) {
  const { goingLive: words } = usePageWords(registrationWords)
  const found = useAnswer('@/going-live', { everyMs: 15_000 })
  const overview = useAnswer('@/overview')
  if (found.data === undefined) {
    return found.error === null ? (
      <Skeleton lines={7} />
    ) : (
      <ErrorNote error={found.error} again={() => found.refetch()} />
    )
  }
  const needed = found.data.steps.filter(({ name }) => APPROVAL.includes(name))
  const open = needed.filter(({ state }) => state === 'open')
  // Includes the test run and the first verification. Optional steps do not count.
  const all = needed.length + 2
  const done = needed.length - open.length + Number(isTried) + Number(overview.data?.steps.completed === true)
  return (
    <>
      {open.length === 0 && <Note tone="good">{words.ready}</Note>}
      <div className="mb-7">
        <Progress text={words.progress(done, all)} {...{ done, all }} />
      </div>
      {children}
      <Steps found={found.data}>
        <Phase title={words.phases.ask}>
          <FirstAsk number={needed.length + 2} isReady={open.length === 0} />
        </Phase>
      </Steps>
      <Requests requests={found.data.requests} />
    </>
  )
}

/** `children`: what follows the approval. */
function Steps({ found, children }: { found: GoingLive; children: ReactNode }) {
  const { mayChange } = useHere()
  const { keys } = useWords()
  const { goingLive: words } = usePageWords(registrationWords)
  const [dialog, setDialog] = useState<StepDialog | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setDialog(null)
  const toAsk = found.steps.flatMap((step) =>
    step.state === 'open' && step.request !== null && !isRequested(step, found) ? [step.request] : [],
  )
  // First the requests to the operator, then what only the merchant can do.
  const next =
    toAsk.length > 0
      ? null
      : found.steps.find((step) => APPROVAL.includes(step.name) && isForMerchant(step, found))?.name
  const listed = (isIn: (name: GoingLiveStep['name']) => boolean, isNumbered: boolean) =>
    found.steps
      .filter(({ name }) => isIn(name))
      .map((step, index) => (
        <Step
          key={step.name}
          // The test run is step 1.
          number={isNumbered ? index + 2 : null}
          isNext={step.name === next}
          {...{ step, found }}
          open={setDialog}
        />
      ))
  return (
    <>
      {mayChange && toAsk.length > 0 && (
        <div className="mb-7 flex flex-wrap items-center justify-between gap-4 rounded-2xl border border-accent bg-accent-soft p-5">
          <div className="max-w-[58ch]">
            <p className="font-medium">{words.askAllTitle(toAsk.length)}</p>
            <p className="text-sm">{words.askAllLead}</p>
          </div>
          <Button icon="mail" tone="primary" onClick={() => setDialog({ ask: toAsk })}>
            {words.request}
          </Button>
        </div>
      )}
      <Phase title={words.phases.approval}>{listed((name) => APPROVAL.includes(name), true)}</Phase>
      {children}
      <Phase title={words.phases.connect} lead={words.connectLead}>
        {listed((name) => !APPROVAL.includes(name), false)}
      </Phase>
      {dialog === 'mandate' && <RecordMandate kinds={found.mandate_kinds} onClose={close} />}
      {dialog === 'registration' && <AddCertificate onClose={close} />}
      {dialog === 'live_key' && (
        <CreateKey
          onClose={close}
          onCreated={(key) => {
            close()
            setSecret(key)
          }}
        />
      )}
      {typeof dialog === 'object' && dialog !== null && (
        <AskOperator kinds={dialog.ask} identity={enteredIdentityOf(found.requests)} onClose={close} />
      )}
      {secret !== null && (
        <SecretDialog
          title={keys.shownOnce}
          lead={keys.shownOnceLead}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  )
}

function FirstAsk({ number, isReady }: { number: number; isReady: boolean }) {
  const words = useWords()
  const { goingLive: goingLiveWords } = usePageWords(registrationWords)
  const here = useHere()
  const overview = useAnswer('@/overview')
  const [title = '', lead = ''] = goingLiveWords.firstAsk
  const isDone = overview.data?.steps.completed === true
  const page = isDone ? '/verifications' : '/verifications?new='
  return (
    <StepFrame
      {...{ number, title, lead, isDone }}
      isNext={isReady && !isDone}
      actions={
        here.mayChange &&
        (isReady ? (
          <Link to={here.page(page)} className={buttonClass(isDone ? 'plain' : 'primary')}>
            {isDone ? goingLiveWords.see : words.asking.create}
          </Link>
        ) : (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span id="first-ask-after" className="text-sm text-soft">
              {goingLiveWords.afterApproval(number - 1)}
            </span>
            <Button disabled aria-describedby="first-ask-after">
              {words.asking.create}
            </Button>
          </span>
        ))
      }
    />
  )
}

function Phase({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section className="mb-7">
      <h2 className="text-sm font-semibold text-soft">{title}</h2>
      {lead !== undefined && <p className="text-sm text-soft">{lead}</p>}
      <ol className="mt-2 space-y-2">{children}</ol>
    </section>
  )
}

const REQUEST_MARKS = { open: 'pending', done: 'ok', declined: 'failed' } as const

function Requests({ requests }: Pick<GoingLive, 'requests'>) {
  const { goingLive: words } = usePageWords(registrationWords)
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
          { head: words.sent, cell: (one) => <Time at={one.made_at} /> },
          {
            head: words.state,
            cell: ({ state }) => <StatusMark name={REQUEST_MARKS[state]} word={words.requestStates[state]} />,
          },
          { head: words.answer, cell: ({ answer }) => answer ?? '–' },
        ]}
      />
    </section>
  )
}
