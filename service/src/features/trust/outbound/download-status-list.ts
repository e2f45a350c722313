// Downloads a status or revocation list through the egress guard, in a thread apart from the event loop.

import type { StatusSource } from '@vidimus/engine'
import { THREAD_LOST, wasCostly } from '../../../platform/egress/outcome.ts'
import type { RequestThread } from '../../../platform/egress/request-thread.ts'
import type { Environment } from '../../../platform/world.ts'
import { HANDSHAKE_BYTE_ITEMS, UNREAD_LIST_ITEMS } from '../domain/list-bounds.ts'
import type { ListFailure } from '../domain/list-failure.ts'

const TOTAL_MS_MAX = 5_000

const ACCEPT = {
  status_list_jwt: 'application/statuslist+jwt',
  status_list_cwt: 'application/statuslist+cwt',
  identifier_list_cwt: 'application/identifierlist+cwt',
  crl: 'application/pkix-crl',
} as const satisfies Record<StatusSource['kind'], string>

export interface Served {
  readonly bytes: Uint8Array
  readonly contentType: string
}

export type Download = (
  | { readonly served: Served }
  /** The caller decides what a failure means. Only the operator sees the cause. */
  | { readonly served: null; readonly failure: ListFailure; readonly isThreadLost?: boolean }
) & {
  /** What the host cost the thread besides bytes, in list entries of the same cost. */
  readonly items: number
  /** The length of the body. Also counts an incomplete body or one that is not a list, because the host chooses it. */
  readonly bytes: number
}

export async function downloadStatusList(
  requests: RequestThread,
  { source, environment }: { readonly source: StatusSource; readonly environment: Environment },
  bytesMax: number,
): Promise<Download> {
  // A revocation list has its own signature and is often published over http. In live, a status list needs https.
  const secure = source.kind === 'crl' || environment === 'test' || /^https:/i.test(source.uri)
  if (!secure) return { served: null, failure: { cause: 'not_https', reason: 'live' }, bytes: 0, items: 0 }
  const { outcome, bodyBytes, handshakeBytes } = await requests.request(environment, {
    method: 'GET',
    url: source.uri,
    headers: { Accept: ACCEPT[source.kind] },
    bodyBytesMax: bytesMax,
    limits: { totalMilliseconds: TOTAL_MS_MAX },
  })
  const bytes = Math.min(bytesMax, bodyBytes)
  if (outcome.outcome !== 'answered')
    return {
      served: null,
      failure: { cause: outcome.outcome, reason: outcome.reason },
      isThreadLost: outcome.reason === THREAD_LOST,
      bytes,
      items: wasCostly(outcome)
        ? UNREAD_LIST_ITEMS
        : Math.min(UNREAD_LIST_ITEMS, handshakeBytes * HANDSHAKE_BYTE_ITEMS),
    }
  const items = 0
  const { status, body, headers } = outcome
  const contentType = headers['content-type'] ?? ''
  if (status !== 200) return { served: null, failure: { cause: 'http_status', reason: String(status) }, bytes, items }
  if (!isServedAs(source.kind, contentType))
    return { served: null, failure: { cause: 'media_type', reason: ACCEPT[source.kind] }, bytes, items }
  return { served: { bytes: body, contentType }, bytes, items }
}

/** Revocation lists are served under many media types, so any type is accepted for them. */
function isServedAs(kind: StatusSource['kind'], contentType: string): boolean {
  return kind === 'crl' || (contentType.split(';', 1)[0] ?? '').trim().toLowerCase() === ACCEPT[kind]
}
