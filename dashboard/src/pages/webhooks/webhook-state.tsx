// The state of a delivery. A pending one that has failed before is shown as retrying.

import type { Delivery } from '../../../../wire/webhooks.ts'
import { usePageWords } from '../../preferences.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { webhookWords } from '../../words/webhooks.ts'

export function DeliveryState({ delivery }: { delivery: Pick<Delivery, 'state'> & { attempts: readonly unknown[] } }) {
  const { log } = usePageWords(webhookWords)
  const isRetried = delivery.state === 'pending' && delivery.attempts.length > 0
  return isRetried ? <StatusMark name="warning" word={log.retrying} /> : <StatusMark name={delivery.state} />
}
