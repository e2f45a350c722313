// An authority that issues access certificates for signing requests, like a member state's.

import { createPublicKey, type KeyObject } from 'node:crypto'
import { mintAuthority, mintCertificate, type PublicJwk, toPem } from '@vidimus/wallet'
import {
  authorityKeyId,
  basicConstraints,
  extKeyUsage,
  keyUsage,
  OID,
  subjectAltName,
} from '../../../../wallet/src/pki.ts'

export function accessAuthority(nowMs: number, host: string) {
  const now = Math.floor(nowMs / 1000)
  const period = { notBefore: now - 1000, notAfter: now + 40_000_000 }
  const authority = mintAuthority({ commonName: 'Access CA' }, period)
  /** PEM. */
  const certifyKey = (key: KeyObject, purpose: 'openid4vp' | 'iso-reader' = 'openid4vp'): string => {
    const extensions = [
      basicConstraints(false),
      keyUsage('digitalSignature'),
      authorityKeyId(authority.key),
      subjectAltName({ dns: [host] }),
      ...(purpose === 'iso-reader' ? [extKeyUsage([OID.mdlReaderAuth])] : []),
    ]
    const { kty, crv, x, y } = createPublicKey(
      key.type === 'private' ? key : key.export({ format: 'pem', type: 'spki' }),
    ).export({ format: 'jwk' })
    const certificate = mintCertificate({
      subject: { commonName: 'Corner shop' },
      subjectKey: { kty, crv, x, y } as unknown as PublicJwk,
      issuer: authority.name,
      signingKey: authority.key,
      ...period,
      extensions,
    })
    return toPem(certificate, 'CERTIFICATE')
  }
  return {
    certifyKey,
    /** Issues a certificate for the public key of a signing request. */
    certify(csr: string, purpose: 'openid4vp' | 'iso-reader' = 'openid4vp'): string {
      const der = Buffer.from(csr.replace(/-----[^-]+-----|\s/g, ''), 'base64')
      const at = der.indexOf(Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107', 'hex'))
      return certifyKey(createPublicKey({ key: der.subarray(at, at + 91), format: 'der', type: 'spki' }), purpose)
    },
  }
}
