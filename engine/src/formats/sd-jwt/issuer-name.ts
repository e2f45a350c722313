// Checks that the optional `iss` of a credential does not contradict the issuer's certificate.

import { parseWebAddress, WEB_ADDRESS_LENGTH_MAX } from '../../channels/web-address.ts'
import type { Fault } from '../../examination.ts'
import { member } from '../../json.ts'
import type { Certificate } from '../../trust/certificate.ts'
import type { JsonObject } from '../../verdict.ts'

/**
 * SD-JWT VC -09 §3.5: a web address in `iss` must be a URI among the certificate's alternative names, or on one of its
 * hosts. Other names (did:, urn:, words) have no host to contradict, and are accepted.
 */
export function issuerNameFault(payload: JsonObject, signer: Certificate): Fault | null {
  const issuer = member(payload, 'iss')
  if (issuer === undefined) return null
  if (typeof issuer !== 'string') return OTHER_NAME
  const names = signer.subjectAltNames
  if (names === null || (names.uris.length === 0 && names.dns.length === 0) || names.uris.includes(issuer)) return null
  if (issuer.length > WEB_ADDRESS_LENGTH_MAX) return OTHER_NAME
  const url = parseWebAddress(issuer)
  if (url === null ? !mayBeAddress(issuer) : !/^https?:$/.test(url.protocol)) return null
  // User information in front of the host could disguise the address.
  if (url === null || url.username !== '' || url.password !== '') return OTHER_NAME
  return names.dns.some((name) => name.toLowerCase() === url.hostname) ? null : OTHER_NAME
}

/** Whether a parser may read this text as an address. A non-ASCII text is safe only without a colon. */
function mayBeAddress(text: string): boolean {
  return /[^\x20-\x7e]/.test(text) ? text.includes(':') : /^ *https?:/i.test(text)
}

const OTHER_NAME: Fault = {
  code: 'issuer_untrusted',
  detail: 'the credential names another issuer than its certificate does',
}
