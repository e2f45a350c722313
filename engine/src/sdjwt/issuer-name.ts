// Does the credential name the issuer that its certificate names? Only a certificate that carries such names can be
// contradicted: SD-JWT VC takes the certificate's subject for the issuer and leaves `iss` optional.

import type { Fault } from '../examination.ts'
import { member } from '../json.ts'
import type { Certificate } from '../trust/certificate.ts'
import { alternativeNames } from '../trust/extensions.ts'
import type { JsonObject } from '../verdict.ts'

/** SD-JWT VC -09 §3.5: an https `iss` is a URI of the certificate's alternative names, or on a host of theirs. */
export function issuerNameFault(payload: JsonObject, signer: Certificate): Fault | null {
  const issuer = member(payload, 'iss')
  if (issuer === undefined) return null
  if (typeof issuer !== 'string') return OTHER_NAME
  if (!issuer.startsWith('https://')) return null
  const names = alternativeNames(signer, 'subjectAltName')
  if (names === null || (names.uris.length === 0 && names.dns.length === 0)) return null
  if (names.uris.includes(issuer)) return null
  const host = URL.parse(issuer)?.hostname
  return names.dns.some((name) => name.toLowerCase() === host) ? null : OTHER_NAME
}

const OTHER_NAME: Fault = {
  code: 'issuer_untrusted',
  detail: 'the credential names another issuer than its certificate does',
}
