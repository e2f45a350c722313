// The webhooks page: health, endpoints, secret and delivery log.

import { useState } from 'react'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Button, Card, ErrorNote, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { webhookWords } from '../../words/webhooks.ts'
import { EndpointForm, Endpoints } from './webhook-endpoints.tsx'
import { Events } from './webhook-events.tsx'
import { type Destination, FailingDestination } from './webhook-failing.tsx'
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
          <Endpoints webhooks={data} onAdd={() => setAdding(true)} />
          <Destinations
            destinations={data.destinations.filter(
              ({ origin }) => !data.endpoints.some(({ url }) => new URL(url).origin === origin),
            )}
          />
          <div className="grid gap-5 xl:grid-cols-2">
            <Health health={data.health} />
            <SecretCard webhooks={data} />
          </div>
        </div>
      )}
      <Log />
      {data !== undefined && (
        <div className="mt-9">
          <Events events={data.events} />
        </div>
      )}
      {adding && data !== undefined && (
        <EndpointForm endpoint={null} isFirst={data.endpoints.length === 0} onClose={() => setAdding(false)} />
      )}
    </>
  )
}

/** Destinations that verifications named themselves. A saved endpoint shows its state in its own row. */
function Destinations({ destinations }: { destinations: readonly Destination[] }) {
  const words = useWords()
  if (destinations.length === 0) return null
  return (
    <Card title={words.webhooks.destinations}>
      <ul className="space-y-3">
        {destinations.map((destination) => (
          <li key={destination.origin}>
            <p className="font-medium break-all">{destination.origin}</p>
            <FailingDestination destination={destination} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
