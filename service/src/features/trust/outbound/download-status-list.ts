// One status list or revocation list, downloaded under guard. What it says is not judged here.

import type { StatusSource } from '@vidimus/engine'
import { type Egress, request } from '../../../platform/egress/client.ts'

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

/** null for every way not to get one: the caller's policy decides what that means. */
export async function downloadStatusList(
  egress: Egress,
  source: StatusSource,
  bytesMax: number,
): Promise<Served | null> {
  // Revocation lists are published over http and carry their own signature; for status lists https is the rule in live.
  const secure = source.kind === 'crl' || egress.policy.environment === 'test' || /^https:/i.test(source.uri)
  if (!secure) return null
  const outcome = await request(egress, {
    method: 'GET',
    url: source.uri,
    headers: { Accept: ACCEPT[source.kind] },
    bodyBytesMax: bytesMax,
    limits: { totalMilliseconds: TOTAL_MS_MAX },
  })
  if (outcome.outcome !== 'answered' || outcome.status !== 200) return null
  const list = { bytes: outcome.body, contentType: outcome.headers['content-type'] ?? '' }
  return isServedAs(source.kind, list.contentType) ? list : null
}

/** Revocation lists are served under many types. */
function isServedAs(kind: StatusSource['kind'], contentType: string): boolean {
  return kind === 'crl' || (contentType.split(';', 1)[0] ?? '').trim().toLowerCase() === ACCEPT[kind]
}
