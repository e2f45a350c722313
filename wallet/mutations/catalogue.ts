// Lists all mutations, and the cases of docs/protocol/negative-cases.md that the engine does not judge.

import { DETAIL_MUTATIONS } from './details.ts'
import { ENVELOPE_MUTATIONS } from './envelope.ts'
import { FOREIGN_MUTATIONS } from './foreign.ts'
import { LIBRARY_MUTATIONS } from './library.ts'
import { DEVICE_AUTH_MUTATIONS } from './mdoc/device-auth.ts'
import { MDOC_CERTIFICATE_MUTATIONS } from './mdoc/mdoc-certificates.ts'
import { MDOC_DETAIL_MUTATIONS } from './mdoc/mdoc-details.ts'
import { MDOC_FORM_MUTATIONS } from './mdoc/mdoc-form.ts'
import { MDOC_ISSUER_MUTATIONS } from './mdoc/mdoc-issuer.ts'
import { MISPLACED_MUTATIONS } from './misplaced.ts'
import type { Mutation } from './mutation.ts'
import { DISCLOSURE_MUTATIONS } from './sd-jwt/disclosures.ts'
import { KEY_BINDING_MUTATIONS } from './sd-jwt/key-binding.ts'
import { SD_JWT_CERTIFICATE_MUTATIONS } from './sd-jwt/sd-jwt-certificates.ts'
import { SD_JWT_ISSUER_MUTATIONS } from './sd-jwt/sd-jwt-issuer.ts'
import { STATUS_JWT_MUTATIONS } from './status/jwt.ts'
import { STATUS_MDOC_MUTATIONS } from './status/mdoc.ts'
import { TRANSACTION_MUTATIONS } from './transaction.ts'
import { VP_TOKEN_MUTATIONS } from './vp-token.ts'
import { WITHHELD_MUTATIONS } from './withheld.ts'

export const MUTATIONS: readonly Mutation[] = [
  ...ENVELOPE_MUTATIONS,
  ...VP_TOKEN_MUTATIONS,
  ...SD_JWT_ISSUER_MUTATIONS,
  ...SD_JWT_CERTIFICATE_MUTATIONS,
  ...DISCLOSURE_MUTATIONS,
  ...KEY_BINDING_MUTATIONS,
  ...MDOC_FORM_MUTATIONS,
  ...MDOC_ISSUER_MUTATIONS,
  ...MDOC_CERTIFICATE_MUTATIONS,
  ...DEVICE_AUTH_MUTATIONS,
  ...STATUS_JWT_MUTATIONS,
  ...STATUS_MDOC_MUTATIONS,
  ...MISPLACED_MUTATIONS,
  ...MDOC_DETAIL_MUTATIONS,
  ...DETAIL_MUTATIONS,
  ...LIBRARY_MUTATIONS,
  ...WITHHELD_MUTATIONS,
  ...FOREIGN_MUTATIONS,
  ...TRANSACTION_MUTATIONS,
]

/** Every case from N030 to N215 has a mutation, or is listed here with the reason why not. */
export const ELSEWHERE: { readonly [id: string]: string } = {
  N207: 'redirects are followed by the code that fetches',
  N208: 'addresses are judged by the code that fetches',
  N209: 'body sizes are bounded by the code that fetches',
  N213: 'asserted for every mutation: nothing is fetched for a credential that already failed',
}
