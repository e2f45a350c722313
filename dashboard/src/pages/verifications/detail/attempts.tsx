// The attempts of one delivery, one line each.

import type { Delivery } from '../../../../../wire/webhooks.ts'
import { useWords } from '../../../preferences.tsx'
import { Mono } from '../../../ui/parts.tsx'
import { Time } from '../../../ui/time.tsx'

export function Attempts({ delivery }: { delivery: Delivery }) {
  const words = useWords()
  return (
    <ul className="mt-2 space-y-1 text-sm">
      {delivery.attempts.map((attempt, index) => (
        <li key={attempt.started_at}>
          {index + 1}. <Time at={attempt.started_at} exact />{' '}
          <Mono>{attempt.http_status ?? attempt.outcome ?? words.webhooks.running}</Mono>
          {attempt.trigger === 'manual' && <span className="text-soft"> {words.webhooks.manual}</span>}{' '}
          <span className="break-all text-soft">{attempt.url}</span>
        </li>
      ))}
    </ul>
  )
}
