// Where would a verified signer's own revocation stand? The CRL its certificate names (RFC 5280 §4.2.1.13).

import type { StatusReference } from '../examination.ts'
import type { CredentialFormat } from '../verdict.ts'
import type { ChainAnswer } from './chain.ts'
import { OID } from './extensions.ts'

/**
 * Empty where the certificate names no revocation list. Where it names one that cannot be read or reached, the reference
 * has no usable address: its status is unknown then, not absent.
 */
export function signerStatus(
  answer: Extract<ChainAnswer, { outcome: 'trusted' }>,
  format: CredentialFormat,
): readonly StatusReference[] {
  const { signer, authority } = answer
  if (!signer.extensions.has(OID.crlDistributionPoints)) return []
  const uri = signer.crlAddresses?.find((address) => /^https?:\/\//i.test(address)) ?? ''
  return [{ kind: 'crl', source: { uri, kind: 'crl', format }, serial: signer.serial, authority: authority.der }]
}
