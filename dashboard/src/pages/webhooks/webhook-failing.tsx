// The problem of an endpoint, since when, and the remedy.

import { useState } from 'react'
import type { Webhooks } from '../../../../wire/webhooks.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { Button, ErrorNote } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { webhookWords } from '../../words/webhooks.ts'

export type Destination = Webhooks['destinations'][number]

export function FailingDestination({ destination }: { destination: Destination }) {
  const words = useWords()
  const { endpoints: endpointWords, log } = usePageWords(webhookWords)
  const here = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const { origin, disabled_at: disabledAt, failures, failing_since: since } = destination
  const enable = () => act(() => post('@/webhooks/destinations/enable', { origin }, here.at())).catch(setError)
  return (
    <>
      <ErrorNote error={error} />
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        {disabledAt === null ? (
          <StatusMark name="warning" word={failures === 1 ? log.retrying : endpointWords.failing} />
        ) : (
          <StatusMark name="held" word={words.webhooks.disabled} />
        )}
        <span className="text-soft">
          {words.webhooks.failures(failures)} <Time at={since} exact />. {disabledAt === null && words.webhooks.retried}
        </span>
        {disabledAt !== null && here.mayChange ? (
          <Button onClick={enable}>{words.webhooks.enable}</Button>
        ) : (
          <a href="#deliveries" className="text-accent underline">
            {endpointWords.look}
          </a>
        )}
      </div>
    </>
  )
}
