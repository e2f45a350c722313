// Does the credential name the issuer that its certificate names? Only a certificate that carries such names can be
// contradicted: SD-JWT VC takes the certificate's subject for the issuer and leaves `iss` optional.

import type { Fault } from '../../examination.ts'
import { member } from '../../json.ts'
import type { Certificate } from '../../trust/certificate.ts'
import type { JsonObject } from '../../verdict.ts'

/**
 * SD-JWT VC -09 §3.5: a web address as `iss` is a URI of the certificate's alternative names, or on a host of theirs, however
 * it is spelt. Other names (did:, urn:, plain words) name no host that a certificate could contradict, and are let be.
 */
export function issuerNameFault(payload: JsonObject, signer: Certificate): Fault | null {
  const issuer = member(payload, 'iss')
  if (issuer === undefined) return null
  if (typeof issuer !== 'string') return OTHER_NAME
  const names = signer.subjectAltNames
  if (names === null || (names.uris.length === 0 && names.dns.length === 0) || names.uris.includes(issuer)) return null
  const url = URL.parse(issuer)
  if (url === null ? !/^\s*https?:/i.test(issuer) : !/^https?:$/.test(url.protocol)) return null
  // A user before the host would make the address look like another's.
  if (url === null || url.username !== '' || url.password !== '') return OTHER_NAME
  return names.dns.some((name) => name.toLowerCase() === url.hostname) ? null : OTHER_NAME
}

const OTHER_NAME: Fault = {
  code: 'issuer_untrusted',
  detail: 'the credential names another issuer than its certificate does',
}
