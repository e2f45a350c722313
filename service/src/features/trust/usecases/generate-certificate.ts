// Generates the service's own certificate for a purpose. Replicas that start together share one.

import { createPrivateKey } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { newCertificateId } from '../../../platform/ids.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import { type GeneratedPurpose, hostOf, type OpenedCertificate } from '../domain/certificate.ts'
import { issueAuthority, issueLeaf, type Signer } from '../outbound/certificate.ts'
import { openCertificate } from '../store/certificate-cache.ts'
import {
  insertAuthority,
  insertCurrentCertificate,
  listAllCertificates,
  loadAuthority,
  openAuthorityKey,
  retireCertificate,
} from '../store/certificates.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'remoteKeys'>

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
const LEAF_DAYS = 397
const RENEW_DAYS = 60
/** Certificates begin earlier than now, because the clocks of wallets may be slow. */
const BACKDATED_MS = 3_600_000

/** Whether a generated certificate is about to expire, or names an address that the service no longer has. */
export function mustBeRenewed(
  key: Pick<OpenedCertificate, 'provenance' | 'hosts' | 'validUntilMs'>,
  nowMs: number,
  baseUrl: string,
): boolean {
  if (key.provenance !== 'generated') return false
  return key.validUntilMs - nowMs < RENEW_DAYS * DAY_MS || !key.hosts.includes(hostOf(baseUrl))
}

export async function generateCertificate(
  deps: Needs,
  { environment, purpose }: { environment: Environment; purpose: GeneratedPurpose },
): Promise<void> {
  const nowMs = deps.clock.now()
  const authority = await authorityFor(deps, environment)
  const host = hostOf(deps.config.baseUrl)
  const leaf = issueLeaf(
    authority,
    {
      subject: { commonName: host, organization: 'Vidimus' },
      host,
      purpose,
      period: { notBeforeMs: nowMs - BACKDATED_MS, notAfterMs: nowMs + LEAF_DAYS * DAY_MS },
    },
    deps.random,
  )
  const now = instantOf(nowMs)
  const realm = { id: newCertificateId(deps.random), tenantId: null, environment, purpose }
  await deps.db.transaction(async (tx) => {
    const current = (await listAllCertificates(tx)).find(
      (key) =>
        key.tenantId === null &&
        key.environment === environment &&
        key.purpose === purpose &&
        key.installedAt !== null &&
        key.retiredAt === null,
    )
    if (current !== undefined) {
      // Another replica has generated one, or an operator has installed one, in the meantime.
      if (!mustBeRenewed(openCertificate(tx, current, deps.remoteKeys.open), nowMs, deps.config.baseUrl)) return
      if (!(await retireCertificate(tx, { ...current, at: now }))) return
    }
    await insertCurrentCertificate(tx, {
      ...realm,
      serviceId: null,
      provenance: 'generated',
      chain: [leaf.certificate],
      createdAt: now,
      installedAt: now,
      retiredAt: null,
      privateKey: leaf.privateKeyBytes,
    })
  })
}

const authoritySubject = (environment: Environment) => ({
  commonName: `Vidimus access authority (${environment})`,
  organization: 'Vidimus',
})

async function authorityFor(
  deps: Needs,
  environment: Environment,
): Promise<Signer & { subject: ReturnType<typeof authoritySubject> }> {
  const subject = authoritySubject(environment)
  const known = (await loadAuthority(deps.db, environment)) ?? (await makeAuthority(deps, environment))
  return {
    subject,
    certificate: known.certificate,
    privateKey: createPrivateKey({ key: openAuthorityKey(deps.db, known), format: 'der', type: 'pkcs8' }),
  }
}

async function makeAuthority(deps: Needs, environment: Environment) {
  const nowMs = deps.clock.now()
  const period = { notBeforeMs: nowMs - BACKDATED_MS, notAfterMs: nowMs + AUTHORITY_DAYS * DAY_MS }
  const issued = issueAuthority(authoritySubject(environment), period, deps.random)
  await insertAuthority(deps.db, {
    environment,
    certificate: issued.certificate,
    privateKey: issued.privateKeyBytes,
    createdAt: instantOf(nowMs),
  })
  const winner = await loadAuthority(deps.db, environment)
  if (winner === null) throw new Error('bug: an authority was stored and cannot be found')
  return winner
}
