// Why an attempt ended as it did, and the remedy, in one sentence.

import type { WebhookWords } from '../../words/en/webhooks.ts'

interface Ended {
  readonly outcome: string | null
  readonly http_status: number | null
}

export function reasonOf(words: WebhookWords, { outcome, http_status: status }: Ended): string {
  const { reasons } = words
  if (outcome === null) return reasons.running
  if (outcome === 'delivered' && status !== null) return reasons.delivered(status)
  if (status === null) return reasons.words[outcome] ?? reasons.unknown(outcome)
  if (status >= 300 && status < 400) return reasons.redirect(status)
  if (status === 401 || status === 403) return reasons.unauthorized(status)
  if (status === 404) return reasons.missing
  if (status === 410) return reasons.gone
  if (status === 413) return reasons.tooLarge
  if (status === 429) return reasons.busy
  return status >= 500 ? reasons.broken(status) : reasons.http(status)
}
