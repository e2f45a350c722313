// Caches certificates with their decrypted keys, so that signing a request needs no further work.

import { X509Certificate } from 'node:crypto'
import { createCache } from '../../../platform/cache.ts'
import { type BatchJob, createBatcher } from '../../../platform/event-loop/batch.ts'
import { requestKey } from '../../../platform/keys/signing-key.ts'
import { type OpenPinnedKey, openStoredKey } from '../../../platform/keys/stored-key.ts'
import type { Db, Sealing } from '../../../platform/postgres/db.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import { hashClientIdOf, hostsOf, type OpenedCertificate } from '../domain/certificate.ts'
import {
  CERTIFICATES_CHANNEL,
  loadUsableCertificates,
  openCertificateKey,
  type SealedCertificate,
} from './certificates.ts'

/** If a notification is lost, a replaced certificate takes effect after this time. */
const TTL_MS = 5_000
const BYTES_MAX = 32 * 1024 * 1024
/** Estimated size of a decrypted key with its parsed chain. */
const CERTIFICATE_BYTES = 6_000

interface Wanted {
  readonly tenantId: string
  readonly environment: Environment
  readonly nowMs: number
}

/** Batches concurrent lookups of many tenants: one query per environment. */
const LOOK_UP: BatchJob<Db, Wanted, readonly SealedCertificate[]> = {
  itemsMax: 64,
  async run(db, wanted) {
    const [first] = wanted
    if (first === undefined) return []
    const { environment, nowMs } = first
    const tenantIds = wanted.map(({ tenantId }) => tenantId)
    return loadUsableCertificates(db, tenantIds, { environment, now: instantOf(nowMs) })
  },
}

export interface CertificateCache {
  /** Returns certificates for all purposes: the tenant's before the service's, and current before retired. */
  find(tenantId: string, environment: Environment, nowMs: number): Promise<readonly OpenedCertificate[]>
  forget(): void
  close(): Promise<void>
}

export async function createCertificateCache(db: Db, openPinned: OpenPinnedKey): Promise<CertificateCache> {
  const realms = createCache<readonly OpenedCertificate[]>({
    bytesMax: BYTES_MAX,
    // Only references: the second cache counts the decrypted certificates that entries share.
    bytesOf: (certificates) => 8 * certificates.length,
    ttlMs: TTL_MS,
  })
  const opened = createCache<OpenedCertificate>({
    bytesMax: BYTES_MAX,
    bytesOf: () => CERTIFICATE_BYTES,
    ttlMs: Number.POSITIVE_INFINITY,
  })
  const batcher = createBatcher()
  const forget = () => {
    realms.clear()
    opened.clear()
  }
  const open = (sealed: SealedCertificate, nowMs: number) => {
    // A row changes only when it is retired, and that changes the cache key.
    const key = `${sealed.id} ${sealed.retiredAt}`
    const certificate = opened.get(key, nowMs) ?? openCertificate(db, sealed, openPinned)
    opened.set(key, certificate, nowMs)
    return certificate
  }
  const stop = await db.listen(CERTIFICATES_CHANNEL, forget, forget)
  return {
    find: (tenantId, environment, nowMs) =>
      realms.find(`${tenantId} ${environment}`, nowMs, async () => {
        const sealed = await batcher.add(LOOK_UP, db, { lane: environment, item: { tenantId, environment, nowMs } })
        return sealed.map((one) => open(one, nowMs))
      }),
    forget,
    close: stop,
  }
}

/** Throws if the master key is wrong or the row was tampered with. */
export function openCertificate(db: Sealing, sealed: SealedCertificate, openPinned: OpenPinnedKey): OpenedCertificate {
  const [leaf] = sealed.chain
  if (leaf === undefined) throw new Error('bug: a current certificate without its leaf')
  const { sealedKey: _, ...certificate } = sealed
  const key = requestKey(openStoredKey(openCertificateKey(db, sealed), openPinned))
  const certificates = sealed.chain.map((certificate) => new X509Certificate(certificate))
  return {
    ...certificate,
    leaf,
    key,
    validFromMs: Math.max(...certificates.map(({ validFromDate }) => validFromDate.getTime())),
    validUntilMs: Math.min(...certificates.map(({ validToDate }) => validToDate.getTime())),
    hashClientId: hashClientIdOf(leaf),
    hosts: hostsOf(certificates[0]?.subjectAltName),
  }
}
