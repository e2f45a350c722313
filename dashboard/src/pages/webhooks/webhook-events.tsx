// The event types: when each is sent, with a complete sample. The service provides the list.

import { useState } from 'react'
import type { Webhooks } from '../../../../wire/webhooks.ts'
import { usePageWords } from '../../preferences.tsx'
import { Card, Code, Copy, Mono } from '../../ui/parts.tsx'
import { webhookWords } from '../../words/webhooks.ts'

export function Events({ events }: Pick<Webhooks, 'events'>) {
  const { catalogue: words } = usePageWords(webhookWords)
  return (
    <Card
      title={words.title}
      action={
        <a href="/docs/webhooks" target="_blank" rel="noreferrer" className="text-sm text-accent underline">
          {words.guide}
        </a>
      }
    >
      <p className="mb-2 max-w-[70ch] text-sm text-soft">{words.lead}</p>
      <ul className="divide-y divide-line">
        {events.map((event) => (
          <Event key={event.type} event={event} />
        ))}
      </ul>
      <p className="mt-3 text-sm text-soft">{words.quota}</p>
    </Card>
  )
}

function Event({ event: { type, sent_when: sentWhen, sample } }: { event: Webhooks['events'][number] }) {
  const { catalogue: words } = usePageWords(webhookWords)
  const [isOpen, setOpen] = useState(false)
  const text = JSON.stringify(JSON.parse(sample), null, 2)
  return (
    <li className="py-3 last:pb-0">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="min-h-8">
          <Mono>{type}</Mono>
          <span className="block text-sm text-soft">{words.when[type] ?? sentWhen}</span>
        </summary>
        {isOpen && (
          <div className="mt-3 space-y-2">
            <Code>{text}</Code>
            <Copy text={text} label={words.copy} />
          </div>
        )}
      </details>
    </li>
  )
}
