// Fetches a request object from an address that the client has registered.

import { type Egress, request } from '../../../platform/egress/client.ts'

const BYTES_MAX = 32 * 1024
const TOTAL_MS = 5_000

/** null if there was no usable response. Does not follow redirects. */
export async function fetchRequestObject(egress: Egress, url: string): Promise<string | null> {
  const answer = await request(egress, {
    method: 'GET',
    url,
    headers: { accept: 'application/oauth-authz-req+jwt, application/jwt' },
    bodyBytesMax: BYTES_MAX,
    limits: { totalMilliseconds: TOTAL_MS },
  })
  if (answer.outcome !== 'answered' || answer.status !== 200) return null
  return Buffer.from(answer.body).toString('utf8').trim()
}
