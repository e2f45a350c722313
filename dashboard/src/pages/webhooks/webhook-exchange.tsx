// Request and response side by side, of an attempt or a test event.

import type { WebhookAnswer, WebhookRequest } from '../../../../wire/webhooks.ts'
import { usePageWords } from '../../preferences.tsx'
import { Code, Mono } from '../../ui/parts.tsx'
import { webhookWords } from '../../words/webhooks.ts'

interface Props {
  readonly request: WebhookRequest | null
  readonly answer: WebhookAnswer | null
  readonly status: number | null
  /** Whether the reader may see bodies. */
  readonly showsContent: boolean
}

export function Exchange({ request, answer, status, showsContent }: Props) {
  const { exchange } = usePageWords(webhookWords)
  return (
    <div className="grid gap-5 xl:grid-cols-2">
      <section className="min-w-0">
        <h3 className="mb-2 text-sm font-semibold">{exchange.answer}</h3>
        {status === null ? (
          <p className="text-sm text-soft">{exchange.noAnswer}</p>
        ) : (
          <p className="mb-2 text-sm">
            <strong className="font-semibold">HTTP {status}</strong>
          </p>
        )}
        {status !== null && !showsContent && <p className="text-sm text-soft">{exchange.hidden}</p>}
        {status !== null && showsContent && answer === null && (
          <p className="text-sm text-soft">{exchange.onlyStatus}</p>
        )}
        {answer !== null && (
          <>
            <Headers headers={answer.headers} />
            {answer.body === null ? (
              <p className="text-sm text-soft">{exchange.notText}</p>
            ) : (
              answer.body !== '' && <Body body={answer.body} />
            )}
            {answer.truncated && <p className="mt-1 text-sm text-soft">{exchange.truncated}</p>}
          </>
        )}
      </section>
      <section className="min-w-0">
        <h3 className="mb-2 text-sm font-semibold">{exchange.request}</h3>
        {request === null ? (
          <p className="text-sm text-soft">{exchange.notSent}</p>
        ) : (
          <>
            <p className="mb-2 text-sm break-all">
              <strong className="font-semibold">POST</strong> <Mono>{request.url}</Mono>
            </p>
            <Headers headers={request.headers} />
            {request.body === null ? (
              <p className="text-sm text-soft">{showsContent ? exchange.withNewest : exchange.hidden}</p>
            ) : (
              <Body body={request.body} />
            )}
          </>
        )}
      </section>
    </div>
  )
}

function Headers({ headers }: { headers: WebhookRequest['headers'] }) {
  return (
    <dl className="mb-3 space-y-0.5 text-[13px]">
      {headers.map(({ name, value }) => (
        <div key={name} className="flex flex-wrap gap-x-2">
          <dt className="font-mono text-soft">{name}:</dt>
          <dd className="min-w-0 font-mono break-all">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Body({ body }: { body: string }) {
  return (
    <div className="[&>pre]:break-words [&>pre]:whitespace-pre-wrap">
      <Code>{readable(body)}</Code>
    </div>
  )
}

/** Formats JSON; any other text stays as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
