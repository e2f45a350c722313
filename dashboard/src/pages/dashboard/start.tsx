// The first page of a tenant: the steps to its first verified claim with their live state, and a test run of the whole flow.

import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { Link } from 'react-router'
import type { Overview } from '../../../../wire/usage.ts'
import type { Verification } from '../../../../wire/verifications.ts'
import { post } from '../../api.ts'
import { onDemand, useLoaded } from '../../on-demand.ts'
import { useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { FiguresSkeleton } from '../../ui/figure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Button, buttonClass, Card, Code, ErrorNote, Note, PageTitle } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'

const OVERVIEW = onDemand(async () => (await import('./overview.tsx')).OverviewPage)

const STEPS = [
  ['verification', '/verifications?new='],
  ['completed', '/verifications?status=completed'],
  ['key', '/keys'],
  ['webhook', '/webhooks'],
  ['device', '/devices'],
] as const

export function StartPage() {
  const words = useWords()
  const here = useHere()
  const { me, environment } = here
  const [isBegun, setBegun] = useState(false)
  // A run that was started here shows its result here.
  const [run, setRun] = useState<Verification | null>(null)
  // Polls, so that each step shows when it is done.
  const overview = useAnswer('@/overview', { everyMs: isBegun ? 15_000 : 3_000 })
  const begun = overview.data !== undefined && hasBegun(overview.data.steps)
  useEffect(() => setBegun(begun), [begun])
  useTitle(words.overview.title)
  // Preloads the overview for tenants that have completed the first steps.
  useEffect(() => void OVERVIEW.start(), [])
  const notice: ReactNode = !me.has_password && !me.has_oidc && me.passkeys.length === 0 && (
    <Note tone="warn">
      {words.me.noWayIn}{' '}
      <Link to={here.page('/account')} className="font-medium underline">
        {words.account}
      </Link>
    </Note>
  )
  if (overview.data !== undefined && begun && run === null) {
    return (
      <Suspense fallback={<FiguresSkeleton />}>
        <Begun overview={overview.data}>{notice}</Begun>
      </Suspense>
    )
  }
  // In live, the introduction is in the card about going live.
  const lead = overview.data === undefined || environment === 'live' ? {} : { lead: words.start.lead }
  return (
    <>
      <PageTitle title={words.overview.title} {...lead} />
      {notice}
      <ErrorNote error={overview.error} again={() => overview.refetch()} />
      {overview.data === undefined ? (
        overview.error === null && <FiguresSkeleton />
      ) : (
        <>
          <div className={`grid items-start gap-5 ${environment === 'live' ? '' : 'xl:grid-cols-[3fr_2fr]'}`}>
            {environment === 'live' && <ToLive />}
            <Card title={words.start.title}>
              <Steps steps={overview.data.steps} />
            </Card>
            {environment === 'test' && (
              <div className="space-y-5">
                {here.mayChange && <TestRun created={run} onCreated={setRun} />}
                <ToLive />
              </div>
            )}
          </div>
          <div className="mt-5 max-sm:hidden">
            <Card title={words.start.curl}>
              <Code>{curlOf(me.service.base_url, environment)}</Code>
              <p className="mt-3 text-sm">
                <a href="/docs/quickstart" target="_blank" rel="noreferrer" className="text-accent underline">
                  {words.start.guide}
                </a>
              </p>
            </Card>
          </div>
        </>
      )}
    </>
  )
}

function Begun(shown: { overview: Overview; children: ReactNode }) {
  const OverviewPage = useLoaded(OVERVIEW)
  return <OverviewPage {...shown} />
}

/** After the first verified claim, the remaining steps are optional. */
const hasBegun = ({ verification, completed }: Overview['steps']) => verification && completed

export function curlOf(baseUrl: string, environment: string): string {
  return `curl ${baseUrl}/v1/verifications \\
  -H 'Authorization: Bearer vk_${environment}_…' \\
  -H 'Content-Type: application/json' \\
  -d '{"template":"age_over_18","purpose":"To sell you wine"}'`
}

function Steps({ steps }: { steps: Overview['steps'] }) {
  const words = useWords()
  const here = useHere()
  return (
    <ol className="space-y-1">
      {STEPS.map(([name, path], index) => {
        const done = steps[name]
        const [title = '', lead = ''] = words.start.steps[name]
        return (
          <li key={name}>
            <Link to={here.page(path)} className="flex gap-4 rounded-xl p-3 hover:bg-sunken">
              <span
                aria-hidden="true"
                className={`grid size-8 shrink-0 place-items-center rounded-full text-sm font-semibold ${done ? 'bg-good-soft text-good' : 'bg-sunken text-soft'}`}
              >
                {done ? <Icon name="check" className="size-4" /> : index + 1}
              </span>
              <span className="grow">
                <span className="font-medium">{title}</span>
                <span className="sr-only">, {done ? words.start.done : words.start.open}</span>
                <span className="block text-sm text-soft">{lead}</span>
              </span>
              <Icon name="next" className="size-4 self-center text-soft" />
            </Link>
          </li>
        )
      })}
    </ol>
  )
}

/** The card about going live. It comes after the first steps in test, and before them in live. */
function ToLive() {
  const { goingLive: words } = useWords()
  const here = useHere()
  const isLive = here.environment === 'live'
  return (
    <Card title={words.title}>
      <p className="mb-4 text-soft">{isLive ? words.lead : words.testLead}</p>
      <Link to={here.page('/going-live')} className={buttonClass(isLive ? 'primary' : 'plain')}>
        {words.toLive}
      </Link>
    </Card>
  )
}

function TestRun({ created, onCreated }: { created: Verification | null; onCreated(created: Verification): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    setError(null)
    const request = { template: 'age_over_18', purpose: 'To try Vidimus', idempotency_key: crypto.randomUUID() }
    try {
      onCreated(await act(() => post('@/verifications', request, here.at())))
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return (
    <Card title={words.start.tryTitle}>
      <p className="mb-4 text-soft">{words.start.tryLead}</p>
      <ErrorNote error={error} />
      {created !== null && <Run created={created} />}
      <Button
        icon={created === null ? 'run' : 'again'}
        tone={created === null ? 'primary' : 'plain'}
        busy={busy}
        onClick={run}
      >
        {created === null ? words.start.tryButton : words.start.tryAgain}
      </Button>
    </Card>
  )
}

function Run({ created }: { created: Verification }) {
  const words = useWords()
  const here = useHere()
  const verification = useAnswer('@/verifications/:id', { id: created.id, everyMs: 1_500 })
  const status = verification.data?.status ?? 'pending'
  return (
    <div className="mb-4 rounded-xl bg-sunken p-4">
      <p role="status" className="mb-3">
        <StatusMark name={status} />
      </p>
      <div className="flex flex-wrap gap-2">
        {status === 'pending' ? (
          <>
            <a href={`/verify/${created.id}`} target="_blank" rel="noreferrer" className={buttonClass('primary')}>
              {words.start.holderPage}
            </a>
            {here.me.service.sandbox && created.wallet_uri !== undefined ? (
              <a
                href={`/sandbox/wallet?uri=${encodeURIComponent(created.wallet_uri)}`}
                target="_blank"
                rel="noreferrer"
                className={buttonClass('plain')}
              >
                {words.start.testWallet}
              </a>
            ) : (
              <p className="text-sm text-soft">{words.start.noSandbox}</p>
            )}
          </>
        ) : (
          <Link to={here.page(`/verifications/${created.id}`)} className={buttonClass('primary')}>
            {words.start.seeResult}
          </Link>
        )}
      </div>
    </div>
  )
}
