// Webhooks: how they fare, where they go, what signs them, and every delivery.

import { useState } from 'react'
import type { Webhooks } from '../../../../wire/webhooks.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Button, Card, ErrorNote, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { webhookWords } from '../../words/webhooks.ts'
import { EndpointForm, Endpoints } from './webhook-endpoints.tsx'
import { Events } from './webhook-events.tsx'
import { Health } from './webhook-health.tsx'
import { Log } from './webhook-log.tsx'
import { SecretCard } from './webhook-secret.tsx'

export function WebhooksPage() {
  const words = useWords()
  const { add } = usePageWords(webhookWords)
  const here = useHere()
  useTitle(words.webhooks.title)
  const webhooks = useAnswer('@/webhooks')
  const [adding, setAdding] = useState(false)
  const { data } = webhooks
  return (
    <>
      <PageTitle title={words.webhooks.title} lead={words.webhooks.lead}>
        {here.mayChange && data !== undefined && data.endpoints.length > 0 && (
          <Button icon="plus" tone="primary" onClick={() => setAdding(true)}>
            {add}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={webhooks.error} again={() => webhooks.refetch()} />
      {data != null && data.plain_http_at !== null && <Note tone="warn">{words.webhooks.plainHttp}</Note>}
      {data === undefined ? (
        webhooks.error === null && <Skeleton lines={5} />
      ) : (
        <div className="mb-9 space-y-5">
          {data.destinations.length > 0 && <Destinations destinations={data.destinations} />}
          <Endpoints webhooks={data} onAdd={() => setAdding(true)} />
          <div className="grid gap-5 xl:grid-cols-2">
            <Health health={data.health} />
            <SecretCard webhooks={data} />
          </div>
          <Events events={data.events} />
        </div>
      )}
      <Log />
      {adding && data !== undefined && (
        <EndpointForm endpoint={null} isFirst={data.endpoints.length === 0} onClose={() => setAdding(false)} />
      )}
    </>
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
          <li key={destination.origin} className="flex flex-wrap items-center justify-between gap-3">
            <div>
              <p className="flex flex-wrap items-center gap-2 font-medium break-all">
                {destination.origin}
                {destination.disabled_at === null ? (
                  <StatusMark name="warning" word={words.webhooks.retried} />
                ) : (
                  <StatusMark name="held" word={words.webhooks.disabled} />
                )}
              </p>
              <p className="text-sm text-soft">
                {words.webhooks.failures(destination.failures)} <Time at={destination.failing_since} exact />
              </p>
            </div>
            {destination.disabled_at !== null && here.mayChange && (
              <Button onClick={() => enable(destination.origin)}>{words.webhooks.enable}</Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
