// An authority that issues access certificates for signing requests, as a member state's would.

import { createPublicKey } from 'node:crypto'
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
  return {
    /** PEM. */
    certify(csr: string, purpose: 'openid4vp' | 'iso-reader' = 'openid4vp'): string {
      const der = Buffer.from(csr.replace(/-----[^-]+-----|\s/g, ''), 'base64')
      const at = der.indexOf(Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107', 'hex'))
      const spki = createPublicKey({ key: der.subarray(at, at + 91), format: 'der', type: 'spki' })
      const extensions = [
        basicConstraints(false),
        keyUsage('digitalSignature'),
        authorityKeyId(authority.key),
        subjectAltName({ dns: [host] }),
        ...(purpose === 'iso-reader' ? [extKeyUsage([OID.mdlReaderAuth])] : []),
      ]
      const certificate = mintCertificate({
        subject: { commonName: 'Corner shop' },
        subjectKey: spki.export({ format: 'jwk' }) as unknown as PublicJwk,
        issuer: authority.name,
        signingKey: authority.key,
        ...period,
        extensions,
      })
      return toPem(certificate, 'CERTIFICATE')
    },
  }
}
