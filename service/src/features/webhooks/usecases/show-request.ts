// Shows a webhook's request in the dashboard, without a usable signature and without the salt of a receipt.

import type { Deps } from '../../../deps.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ShownRequest } from '../domain/shown-request.ts'
import { type Webhook, webhookHeaders } from './send-webhook.ts'

const HIDDEN = '••••••'
/** Headers whose values are shown. All other values are hidden. */
const SHOWN_HEADERS = new Set(['content-type', 'user-agent', 'x-service-delivery', 'x-service-test'])

export function showRequest(
  webhook: Pick<Webhook, 'deliveryId' | 'url' | 'secrets' | 'moreHeaders'> & {
    readonly sentAt: Instant
    readonly receiptSalt: string | null
  },
  body: string | null,
): ShownRequest {
  const clock: Deps['clock'] = { now: () => Date.parse(webhook.sentAt) }
  // Does not sign the body, which may be long, because the signature is hidden.
  const sentHeaders = { ...webhookHeaders({ clock }, webhook, Buffer.alloc(0)), ...webhook.moreHeaders }
  const headers = Object.entries(sentHeaders).map(([name, value]) => {
    if (SHOWN_HEADERS.has(name.toLowerCase())) return [name, value]
    return [name, name === 'X-Service-Signature' ? value.replace(/v1=[0-9a-f]+/g, `v1=${HIDDEN}`) : HIDDEN]
  })
  return { url: webhook.url, headers: Object.fromEntries(headers), body }
}
