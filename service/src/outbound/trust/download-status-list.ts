// One status list or revocation list, downloaded under guard. What it says is not judged here.

import type { StatusSource } from '@vidimus/engine'
import { type Egress, request } from '../egress/client.ts'

const BYTES_MAX = 5_000_000
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
export async function downloadStatusList(egress: Egress, source: StatusSource): Promise<Served | null> {
  // Revocation lists are published over http and carry their own signature; for status lists https is the rule in live.
  const secure = source.kind === 'crl' || egress.policy.environment === 'test' || /^https:/i.test(source.uri)
  if (!secure) return null
  const outcome = await request(egress, {
    method: 'GET',
    url: source.uri,
    headers: { Accept: ACCEPT[source.kind] },
    bodyBytesMax: BYTES_MAX,
    limits: { totalMilliseconds: TOTAL_MS_MAX },
  })
  if (outcome.outcome !== 'answered' || outcome.status !== 200) return null
  const list = { bytes: outcome.body, contentType: outcome.headers['content-type'] ?? '' }
  return isList(source.kind, list) ? list : null
}

/** A page that says "come back later" under a 200 must not be remembered as the list. */
function isList(kind: StatusSource['kind'], { bytes, contentType }: Served): boolean {
  // Revocation lists are served under many types; DER begins with a sequence.
  if (kind === 'crl') return bytes[0] === DER_SEQUENCE
  const mediaType = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (mediaType !== ACCEPT[kind]) return false
  if (kind !== 'status_list_jwt') return bytes[0] === COSE_SIGN1
  return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(Buffer.from(bytes).toString('latin1'))
}

const DER_SEQUENCE = 0x30
/** CBOR tag 18 (RFC 9052 §2). */
const COSE_SIGN1 = 0xd2
