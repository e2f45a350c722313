// Checks the status of a registration certificate by the list that it names. A trusted provider must have signed the list.

import { inflateSync } from 'node:zlib'
import { member } from '../encoding/json.ts'
import type { RegistrationCertificate } from './certificate.ts'
import { readSignedToken } from './signed-token.ts'

interface StatusTerms {
  readonly fetch: typeof globalThis.fetch
  readonly trusted: readonly Uint8Array[]
  readonly now: number
}

/** ARF RPRC_01a: certificates with a longer lifetime must be revocable. */
const WITHOUT_STATUS_SECONDS_MAX = 86_400
const LIST_BYTES_MAX = 1_000_000

export async function registrationStatus(
  certificate: RegistrationCertificate,
  terms: StatusTerms,
): Promise<'valid' | 'revoked' | 'unknown'> {
  const { status, issuedAt, expiresAt } = certificate
  if (status === null)
    return expiresAt !== null && expiresAt - issuedAt <= WITHOUT_STATUS_SECONDS_MAX ? 'valid' : 'unknown'
  const response = await terms
    .fetch(status.uri, { headers: { accept: 'application/statuslist+jwt' }, redirect: 'manual' })
    .catch(() => null)
  if (response === null || response.status !== 200) return 'unknown'
  const token = await readSignedToken((await response.text()).trim(), { ...terms, typ: 'statuslist+jwt' })
  if (token.outcome !== 'read') return 'unknown'
  const { claims } = token
  const ends = member(claims, 'exp')
  if (member(claims, 'sub') !== status.uri || (ends !== undefined && !(Number(ends) > terms.now))) return 'unknown'
  const value = statusAt(member(claims, 'status_list'), status.index)
  return value === null ? 'unknown' : value === 0 ? 'valid' : 'revoked'
}

function statusAt(list: unknown, index: number): number | null {
  const [bits, packed] = [member(list, 'bits'), member(list, 'lst')]
  if ((bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) || typeof packed !== 'string') return null
  const perByte = 8 / bits
  const byte = unpacked(packed)?.[Math.floor(index / perByte)]
  return byte === undefined ? null : (byte >> ((index % perByte) * bits)) & (2 ** bits - 1)
}

function unpacked(text: string): Uint8Array | null {
  try {
    return inflateSync(Buffer.from(text, 'base64url'), { maxOutputLength: LIST_BYTES_MAX })
  } catch {
    return null
  }
}
