// Lists the CRLs that the certificates of a signer's path name (RFC 5280 §4.2.1.13), each with the issuer that publishes it.

import type { StatusReference } from '../examination.ts'
import type { VouchedFormat } from './anchor.ts'
import type { ChainAnswer } from './chain.ts'
import { OID } from './extensions.ts'

/** Empty if no certificate below the anchor names a CRL. A CRL that we cannot use has no address: its status is unknown, not absent. */
export function signerStatus(
  { issued }: Extract<ChainAnswer, { outcome: 'trusted' }>,
  format: VouchedFormat,
): readonly Extract<StatusReference, { kind: 'crl' }>[] {
  return issued
    .filter(({ certificate }) => certificate.extensions.has(OID.crlDistributionPoints))
    .map(({ certificate: { crlAddresses, serial }, issuer }) => {
      const uri = crlAddresses?.find((address) => /^https?:\/\//i.test(address)) ?? ''
      return { kind: 'crl', source: { uri, kind: 'crl', format }, serial, authority: issuer }
    })
}
