// Webhooks: the secret, destinations that fail, and every delivery with its attempts.

import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Delivery, Webhooks } from '../answers.ts'
import { post } from '../api.ts'
import { useWords } from '../preferences.tsx'
import { useAct, useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { Confirm, SecretDialog } from '../ui/dialog.tsx'
import {
  Button,
  buttonClass,
  Card,
  CheckField,
  Empty,
  ErrorNote,
  Mono,
  Note,
  PageTitle,
  Skeleton,
} from '../ui/parts.tsx'
import { StatusMark } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { duration, Time, useCountdown } from '../ui/time.tsx'
import { Attempts } from '../verification/attempts.tsx'

export function WebhooksPage() {
  const words = useWords()
  useTitle(words.webhooks.title)
  const webhooks = useAnswer('@/webhooks')
  return (
    <>
      <PageTitle title={words.webhooks.title} lead={words.webhooks.lead} />
      <ErrorNote error={webhooks.error} again={() => webhooks.refetch()} />
      {webhooks.data != null && webhooks.data.plain_http_at !== null && (
        <Note tone="warn">{words.webhooks.plainHttp}</Note>
      )}
      {webhooks.data === undefined ? (
        webhooks.error === null && <Skeleton lines={3} />
      ) : (
        <div className="mb-8 grid gap-5 xl:grid-cols-2">
          <SecretCard secret={webhooks.data.secret} />
          {webhooks.data.destinations.length > 0 && <Destinations destinations={webhooks.data.destinations} />}
        </div>
      )}
      <Log />
    </>
  )
}

function SecretCard({ secret }: { secret: Webhooks['secret'] }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const [shown, setShown] = useState<string | null>(null)
  const [rotating, setRotating] = useState(false)
  const [ending, setEnding] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const left = useCountdown(secret?.previous_until ?? null)
  const show = async () => {
    setError(null)
    try {
      setShown((await act(() => post('@/webhooks/secret/show', {}, here.at()))).secret)
    } catch (caught) {
      setError(caught)
    }
  }
  const rotate = async () => {
    const rotated = await act(() => post('@/webhooks/secret/rotate', { end_previous: ending }, here.at()))
    setShown(rotated.secret)
  }
  return (
    <Card title={words.webhooks.secret}>
      <ErrorNote error={error} />
      <p className="mb-4 text-soft">
        {secret === null ? (
          words.webhooks.noSecret
        ) : (
          <>
            <Mono>whsec_••••••••</Mono> · {words.webhooks.since} <Time at={secret.created_at} exact />
          </>
        )}
      </p>
      {secret !== null && secret.previous_until !== null && left > 0 && (
        <p className="mb-4">
          <StatusMark name="pending" word={`${words.webhooks.both} ${duration(left)}`} />
        </p>
      )}
      {here.mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={show}>{words.webhooks.show}</Button>
          <Button onClick={() => setRotating(true)}>{words.webhooks.rotate}</Button>
        </div>
      )}
      {rotating && (
        <Confirm
          title={words.webhooks.rotateTitle}
          lead={words.webhooks.rotateLead(here.me.terms.secret_overlap_hours)}
          word={words.webhooks.rotate}
          onClose={() => setRotating(false)}
          action={rotate}
        >
          <CheckField
            label={words.webhooks.endPrevious}
            checked={ending}
            onChange={(event) => setEnding(event.currentTarget.checked)}
          />
        </Confirm>
      )}
      {shown !== null && (
        <SecretDialog
          title={words.webhooks.newSecret}
          lead={words.webhooks.secretLead}
          secret={shown}
          onClose={() => setShown(null)}
        />
      )}
    </Card>
  )
}

function Destinations({ destinations }: { destinations: Webhooks['destinations'] }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const enable = (origin: string) =>
    act(() => post('@/webhooks/destinations/enable', { origin }, here.at())).catch(setError)
  return (
    <Card title={words.webhooks.destinations}>
      <ErrorNote error={error} />
      <ul className="space-y-3">
        {destinations.map((destination) => (
          <li key={destination.origin}>
            <p className="font-medium break-all">{destination.origin}</p>
            <p className="text-sm text-soft">
              {words.webhooks.failures(destination.failures)} <Time at={destination.failing_since} exact />
            </p>
            {destination.disabled_at !== null && (
              <p className="mt-1 flex flex-wrap items-center gap-2">
                <StatusMark name="held" word={words.webhooks.disabled} />
                {here.mayChange && <Button onClick={() => enable(destination.origin)}>{words.webhooks.enable}</Button>}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Log() {
  const words = useWords()
  const [params] = useSearchParams()
  const before = params.get('before')
  const query = new URLSearchParams(before === null ? {} : { before })
  const log = useAnswer('@/deliveries', { query, everyMs: 5_000 })
  const [said, setSaid] = useState<{ ok: boolean; outcome: string } | null>(null)
  const [error, setError] = useState<unknown>(null)
  const columns = useColumns(setSaid, setError)
  return (
    <>
      <h2 className="mb-3 font-semibold">{words.webhooks.log}</h2>
      <ErrorNote error={error ?? log.error} />
      {said !== null && (
        <Note tone={said.ok ? 'good' : 'warn'}>
          {said.ok ? words.webhooks.resent : words.webhooks.notResent} ({said.outcome})
        </Note>
      )}
      {log.data === undefined ? (
        log.error === null && <Skeleton />
      ) : log.data.data.length === 0 ? (
        <Empty title={words.webhooks.empty}>{words.webhooks.emptyLead}</Empty>
      ) : (
        <Table caption={words.webhooks.log} columns={columns} rows={log.data.data} keyOf={({ id }) => id} />
      )}
      <nav aria-label={words.older} className="mt-4 flex gap-3">
        {before !== null && (
          <Link to="?" className={buttonClass('plain')}>
            {words.newest}
          </Link>
        )}
        {log.data?.next != null && (
          <Link to={`?before=${encodeURIComponent(log.data.next)}`} className={buttonClass('plain')}>
            {words.older}
          </Link>
        )}
      </nav>
    </>
  )
}

function useColumns(
  say: (said: { ok: boolean; outcome: string }) => void,
  fail: (error: unknown) => void,
): Column<Delivery>[] {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const resend = (delivery: Delivery) =>
    act(() => post('@/deliveries/:id/resend', {}, here.at({ id: delivery.id })))
      .then(({ outcome, http_status }) => say({ ok: outcome === 'delivered', outcome: String(http_status ?? outcome) }))
      .catch(fail)
  return [
    { head: words.keys.state, cell: (delivery) => <StatusMark name={delivery.state} /> },
    {
      head: words.webhooks.verification,
      cell: (delivery) => (
        <Link
          to={here.page(`/verifications/${delivery.verification_id}`)}
          className="font-mono text-[13px] whitespace-nowrap text-accent underline"
        >
          {delivery.verification_id.slice(0, 14)}…
        </Link>
      ),
    },
    { head: words.verifications.created, cell: (delivery) => <Time at={delivery.created_at} /> },
    {
      head: words.webhooks.attempts,
      cell: (delivery) => (
        <details>
          <summary className="min-h-6">
            {delivery.attempts.length} · <Mono>{lastOutcome(delivery)}</Mono>
          </summary>
          <Attempts delivery={delivery} />
        </details>
      ),
    },
    {
      head: words.webhooks.next,
      cell: (delivery) =>
        delivery.state === 'pending' && delivery.next_at !== null ? <Time at={delivery.next_at} /> : '–',
    },
    {
      head: '',
      cell: (delivery) =>
        here.mayChange && (
          <Button aria-label={`${words.webhooks.resend}: ${delivery.verification_id}`} onClick={() => resend(delivery)}>
            {words.webhooks.resend}
          </Button>
        ),
    },
  ]
}

function lastOutcome(delivery: Delivery): string {
  const last = delivery.attempts.at(-1)
  return last === undefined ? '–' : String(last.http_status ?? last.outcome ?? '…')
}
