// Where would the revocation of a verified signer, or of an authority above it, stand? The CRLs that the certificates of
// its path name (RFC 5280 §4.2.1.13), each kept by the issuer of the certificate that names it.

import type { StatusReference } from '../examination.ts'
import type { VouchedFormat } from './anchor.ts'
import type { ChainAnswer } from './chain.ts'
import { OID } from './extensions.ts'

/**
 * Empty where no certificate below the anchor names a revocation list. Where one is named that cannot be read or reached,
 * the reference has no usable address: its status is unknown then, not absent.
 */
export function signerStatus(
  { issued }: Extract<ChainAnswer, { outcome: 'trusted' }>,
  format: VouchedFormat,
): readonly Extract<StatusReference, { kind: 'crl' }>[] {
  return issued
    .filter(({ certificate }) => certificate.extensions.has(OID.crlDistributionPoints))
    .map(({ certificate: { crlAddresses, serial }, issuer }) => {
      const uri = crlAddresses?.find((address) => /^https?:\/\//i.test(address)) ?? ''
      return { kind: 'crl', source: { uri, kind: 'crl', format }, serial, authority: issuer?.der ?? null }
    })
}
