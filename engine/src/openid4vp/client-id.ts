// Derives our client_id from a certificate (OpenID4VP §5.9), and checks certificates before they are used to sign requests.

import { hash, type KeyObject, X509Certificate } from 'node:crypto'

export type ClientIdPrefix = 'x509_hash' | 'x509_san_dns'

/**
 * Returns the full client_id with its prefix, which is the audience of every presentation to us. `dnsName` is for
 * x509_san_dns only.
 */
export function clientIdOf(leaf: Uint8Array, prefix: ClientIdPrefix, dnsName?: string): string {
  if (prefix === 'x509_hash') return `x509_hash:${hash('sha256', leaf, 'base64url')}`
  const certified = dnsName !== undefined && certifiesHost(new X509Certificate(leaf), dnsName)
  if (!certified) throw new Error('the access certificate does not name the DNS name of the client_id')
  return `x509_san_dns:${dnsName}`
}

/** Whether the certificate has exactly this dNSName. Wildcards and the subject do not count. */
function certifiesHost(certificate: X509Certificate, dnsName: string): boolean {
  const isHost = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(dnsName)
  return isHost && certificate.checkHost(dnsName, { subject: 'never', wildcards: false }) === dnsName
}

/** Returns why this chain (leaf first) and key must not sign requests at this time; null if they may (HAIP §5). */
export function requestChainFault(chain: readonly Uint8Array[], publicKey: KeyObject, at: number): string | null {
  const certificates = chain.map((der) => new X509Certificate(der))
  const [leaf] = certificates
  if (leaf === undefined) return 'there is no access certificate'
  if (!leaf.publicKey.equals(publicKey)) return 'the private key does not belong to the access certificate'
  if (isSelfSigned(leaf)) return 'the access certificate is self-signed'
  if (certificates.some(isSelfSigned)) return 'the access certificate chain contains the trust anchor'
  for (const [i, certificate] of certificates.entries()) {
    const above = certificates[i + 1]
    if (above !== undefined && !(certificate.checkIssued(above) && certificate.verify(above.publicKey))) {
      return 'the access certificate chain is not in order'
    }
    if (!isValidAt(certificate, at)) return 'a certificate of the access certificate chain is not valid now'
  }
  return null
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate)
}

function isValidAt(certificate: X509Certificate, at: number): boolean {
  return certificate.validFromDate.getTime() <= at * 1000 && at * 1000 <= certificate.validToDate.getTime()
}
