// Who signs a request by ISO 18013-7 Annex C: those of the realm's certificates that may authenticate a reader of mdocs.

import { sign, X509Certificate } from 'node:crypto'
import type { ReaderSigner } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { OpenedCertificate } from '../../domain/trust/certificate.ts'

/** ISO 18013-5 Annex B: the extended key usage of reader authentication. */
const READER_AUTHENTICATION = '1.0.18013.5.1.6'

/** A tenant's own before the service's; empty where there is none, and then Annex C is not offered. */
export async function readersFor(
  deps: Pick<Deps, 'certificates' | 'clock'>,
  { tenantId, environment }: Realm,
): Promise<readonly ReaderSigner[]> {
  const nowMs = deps.clock.now()
  const certificates = await deps.certificates.find(tenantId, environment, nowMs)
  const usable = certificates.filter(
    (one) => one.retiredAt === null && one.validFromMs <= nowMs && nowMs <= one.validUntilMs && isReader(one),
  )
  const [first] = usable
  return first === undefined ? [] : [signerOf(first)]
}

function isReader({ leaf, privateKey }: OpenedCertificate): boolean {
  const isP256 = privateKey.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  return isP256 && (new X509Certificate(leaf).keyUsage ?? []).includes(READER_AUTHENTICATION)
}

function signerOf({ chain, privateKey }: OpenedCertificate): ReaderSigner {
  return {
    chain,
    algorithm: 'ES256',
    sign: (bytes) => sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  }
}
