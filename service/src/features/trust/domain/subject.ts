// Defines and checks the subject of a certificate signing request.

import type { CertificatePurpose } from './certificate.ts'
import { refuseTrust, type TrustRefusal } from './problem.ts'

export interface Subject {
  readonly commonName: string
  readonly organization?: string
  readonly organizationalUnit?: string
  /** The EU-wide unique identifier, as EN 319 412-1 writes it: `VATDE-…`. */
  readonly organizationIdentifier?: string
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
  readonly state?: string
  readonly locality?: string
  readonly email?: string
}

const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i
/** IA5String allows only ASCII. */
const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]{1,190}$/
const COUNTRY = /^[A-Z]{2}$/

/** Returns why an authority would reject the subject; null if no reason is known. */
export function subjectFault(subject: Subject, purpose: CertificatePurpose): TrustRefusal | null {
  if (subject.country !== undefined && !COUNTRY.test(subject.country))
    return refuseTrust('country', 'the country must be two capital letters, like DE')
  if (subject.email !== undefined && !EMAIL.test(subject.email))
    return refuseTrust('email', 'the e-mail address is not valid')
  return purpose === 'apple' ? appleFault(subject) : null
}

/** Checks what Apple's form for a signing request requires. */
function appleFault({ commonName, organization, country, state, locality, email }: Subject): TrustRefusal | null {
  if (!DOMAIN.test(commonName))
    return refuseTrust('apple_name', 'for Apple Wallet the common name is the domain that asks, like shop.example.com')
  const missing = [
    ...(organization === undefined ? ['organization'] : []),
    ...(country === undefined ? ['country'] : []),
    ...(state === undefined && locality === undefined ? ['state or locality'] : []),
    ...(email === undefined ? ['e-mail address'] : []),
  ]
  if (missing.length === 0) return null
  return refuseTrust('apple_subject', `for Apple Wallet the subject also needs: ${missing.join(', ')}`)
}
