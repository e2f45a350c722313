// What a process remembers of certificates, opened and parsed, so that signing a request costs a signature and no more.
// A change anywhere empties it through NOTIFY; a lost notification is made good within seconds.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createLanes, type Work } from '../../domain/lanes.ts'
import type { Sealer } from '../../domain/seal/seal.ts'
import {
  certificateSealContext,
  hashClientIdOf,
  hostsOf,
  type OpenedCertificate,
} from '../../domain/trust/certificate.ts'
import { type Environment, instantOf } from '../../domain/world.ts'
import type { Db } from '../postgres/db.ts'
import { CERTIFICATES_CHANNEL, loadUsableCertificates, type SealedCertificate } from './certificates.ts'

/** Stated staleness of a replaced certificate. */
const REMEMBER_MS = 5_000
const ENTRIES_MAX = 5_000

interface Wanted {
  readonly tenantId: string
  readonly environment: Environment
  readonly nowMs: number
}

/** Of many tenants that are looked for at once: one query for an environment. */
const LOOK_UP: Work<Db, Wanted, readonly SealedCertificate[]> = {
  itemsMax: 64,
  async run(db, wanted) {
    const [first] = wanted
    if (first === undefined) return []
    const { environment, nowMs } = first
    const tenantIds = wanted.map(({ tenantId }) => tenantId)
    return loadUsableCertificates(db, tenantIds, { environment, now: instantOf(nowMs) })
  },
}

export interface CertificateMemory {
  /** Of every purpose. A tenant's own first, then the service's; current ones before recently retired ones. */
  find(tenantId: string, environment: Environment, nowMs: number): Promise<readonly OpenedCertificate[]>
  forget(): void
  close(): Promise<void>
}

export async function createCertificateMemory(db: Db, sealer: Sealer): Promise<CertificateMemory> {
  const realms = new Map<string, { keys: readonly OpenedCertificate[]; until: number }>()
  const opened = new Map<string, OpenedCertificate>()
  const lanes = createLanes()
  let generation = 0
  const forget = () => {
    generation += 1
    realms.clear()
    opened.clear()
  }
  const open = (sealed: SealedCertificate) => {
    // A row changes once, when it retires; its name in this memory changes with it.
    const name = `${sealed.id} ${sealed.retiredAt}`
    const known = opened.get(name) ?? openCertificate(sealed, sealer)
    if (opened.size >= ENTRIES_MAX) opened.clear()
    opened.set(name, known)
    return known
  }
  const stop = await db.listen(CERTIFICATES_CHANNEL, forget, forget)
  return {
    async find(tenantId, environment, nowMs) {
      const realm = `${tenantId} ${environment}`
      const remembered = realms.get(realm)
      if (remembered !== undefined && nowMs < remembered.until) return remembered.keys
      const began = generation
      const sealed = await lanes.add(LOOK_UP, db, { lane: environment, item: { tenantId, environment, nowMs } })
      const keys = sealed.map(open)
      if (began === generation) {
        if (realms.size >= ENTRIES_MAX) realms.clear()
        realms.set(realm, { keys, until: nowMs + REMEMBER_MS })
      }
      return keys
    },
    forget,
    close: stop,
  }
}

/** Throws when the master key is another one, or the row was tampered with. */
export function openCertificate(sealed: SealedCertificate, sealer: Pick<Sealer, 'open'>): OpenedCertificate {
  const [leaf] = sealed.chain
  if (leaf === undefined) throw new Error('bug: a current certificate without its leaf')
  const { sealedKey, ...key } = sealed
  const privateKey = createPrivateKey({
    key: sealer.open(sealedKey, certificateSealContext(sealed)),
    format: 'der',
    type: 'pkcs8',
  })
  const certificates = sealed.chain.map((certificate) => new X509Certificate(certificate))
  return {
    ...key,
    leaf,
    privateKey,
    validFromMs: Math.max(...certificates.map(({ validFromDate }) => validFromDate.getTime())),
    validUntilMs: Math.min(...certificates.map(({ validToDate }) => validToDate.getTime())),
    hashClientId: hashClientIdOf(leaf),
    hosts: hostsOf(certificates[0]?.subjectAltName),
  }
}
