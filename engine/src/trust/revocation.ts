// Lists the CRLs that certificates on a signer's path name (RFC 5280 §4.2.1.13), with the issuers that publish them.

import type { StatusReference } from '../examination.ts'
import type { VouchedFormat } from './anchor.ts'
import type { ChainAnswer } from './chain.ts'
import { OID } from './extensions.ts'

/** Empty if no certificate below the anchor names a CRL. An unusable CRL is listed without an address, so its status is unknown. */
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
