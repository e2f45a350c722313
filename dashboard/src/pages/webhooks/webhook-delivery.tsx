// One delivery: the reason for its state, and every attempt with request and response.

import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'react-router'
import type { DeliveryDetail } from '../../../../wire/webhooks.ts'
import { post } from '../../api.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useSubmit } from '../../submit.ts'
import { Button, Card, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { webhookWords } from '../../words/webhooks.ts'
import { Exchange } from './webhook-exchange.tsx'
import { reasonOf } from './webhook-reason.ts'
import { DeliveryState } from './webhook-state.tsx'
import { TestMark } from './webhook-test-mark.tsx'

export function WebhookDeliveryPage() {
  const words = usePageWords(webhookWords)
  const here = useHere()
  const { id = '' } = useParams<'id'>()
  useTitle(words.delivery.title)
  const delivery = useAnswer('@/deliveries/:id', { id, everyMs: 5_000 })
  return (
    <>
      <p className="mb-3">
        <Link to={here.page('/webhooks')} className="text-sm text-accent underline">
          ← {words.delivery.back}
        </Link>
      </p>
      {delivery.data === undefined ? (
        <>
          <PageTitle title={words.delivery.title} />
          <ErrorNote error={delivery.error} again={() => delivery.refetch()} />
          {delivery.error === null && <Skeleton lines={6} />}
        </>
      ) : (
        <Detail delivery={delivery.data} />
      )}
    </>
  )
}

function Detail({ delivery }: { delivery: DeliveryDetail }) {
  const shared = useWords()
  const words = usePageWords(webhookWords)
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [result, setResult] = useState<{ outcome: string; http_status: number | null } | null>(null)
  const last = delivery.attempts.at(-1)
  const isTest = delivery.verification_id === null
  const resend = async () => {
    setResult(null)
    await run(async () => {
      setResult(await act(() => post('@/deliveries/:id/resend', {}, here.at({ id: delivery.id }))))
    })
  }
  const facts: readonly (readonly [string, ReactNode])[] = [
    [words.delivery.event, <Mono key="type">{delivery.type}</Mono>],
    [
      words.delivery.verification,
      delivery.verification_id === null ? (
        words.delivery.noVerification
      ) : (
        <Link
          key="verification"
          to={here.page(`/verifications/${delivery.verification_id}`)}
          className="font-mono text-[13px] break-all text-accent underline"
        >
          {delivery.verification_id}
        </Link>
      ),
    ],
    [words.delivery.id, <Mono key="id">{delivery.id}</Mono>],
    [words.delivery.created, <Time key="created" at={delivery.created_at} exact />],
  ]
  return (
    <>
      <PageTitle title={words.delivery.title} lead={last === undefined ? words.log.waiting : reasonOf(words, last)}>
        {here.mayChange && !isTest && (
          <Button tone="primary" onClick={resend} busy={busy}>
            {words.delivery.resend}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={error} />
      {result !== null && (
        <Note tone={result.outcome === 'delivered' ? 'good' : 'warn'}>
          {words.delivery.resending} {reasonOf(words, result)}
        </Note>
      )}
      <div className="mb-6">
        <Card>
          <p className="mb-4 flex flex-wrap items-center gap-3">
            <DeliveryState delivery={delivery} />
            {isTest && <TestMark />}
            {delivery.next_at !== null && (
              <span className="text-sm text-soft">
                {words.log.next} <Time at={delivery.next_at} exact />
              </span>
            )}
          </p>
          <dl className="grid gap-x-6 text-sm sm:gap-y-2 sm:grid-cols-[max-content_minmax(0,1fr)]">
            {facts.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-soft">{name}</dt>
                <dd className="mb-3 min-w-0 sm:mb-0">{value}</dd>
              </div>
            ))}
          </dl>
        </Card>
      </div>
      <h2 className="mb-3 font-semibold">{shared.webhooks.attempts}</h2>
      {delivery.attempts.length === 0 ? (
        <p className="text-soft">{words.log.waiting}</p>
      ) : (
        <Attempts delivery={delivery} />
      )}
      <p className="mt-4 text-sm text-soft">
        {isTest
          ? words.exchange.testsKept(here.me.terms.webhook_test_events_kept, here.me.terms.webhook_answer_days)
          : words.exchange.kept(here.me.terms.webhook_answer_days)}
      </p>
    </>
  )
}

/** Newest first. The newest is open, because it explains the delivery's state. */
function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const shared = useWords()
  const words = usePageWords(webhookWords)
  const { language } = usePreferences()
  const number = new Intl.NumberFormat(language)
  const { attempts } = delivery
  return (
    <ol reversed className="space-y-3">
      {attempts.toReversed().map((attempt, nth) => (
        <li key={attempt.started_at} className="rounded-2xl border border-line bg-surface">
          <details open={nth === 0}>
            <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-5 py-4">
              <span className="font-medium">{words.delivery.attempt(attempts.length - nth)}</span>
              <StatusMark
                name={attempt.outcome === null ? 'pending' : attempt.outcome === 'delivered' ? 'delivered' : 'failed'}
              />
              <span className="text-sm text-soft">
                <Time at={attempt.started_at} exact />
                {attempt.took_ms !== null && ` · ${words.delivery.took(number.format(attempt.took_ms))}`}
                {attempt.trigger === 'manual' && ` · ${shared.webhooks.manual}`}
              </span>
              <span className="basis-full text-sm">{reasonOf(words, attempt)}</span>
            </summary>
            <div className="border-t border-line px-5 py-4">
              <Exchange
                request={attempt.request}
                answer={attempt.answer}
                status={attempt.http_status}
                showsContent={delivery.shows_content}
              />
            </div>
          </details>
        </li>
      ))}
    </ol>
  )
}
