// Checks a tenant's access certificates against the register's profile, if the tenant has a registration.

import { type LintFinding, lintAccessCertificate } from '@vidimus/engine'
import type { Registration } from '../../../core/registrations/domain/registration.ts'
import { loadIdentity } from '../../../core/registrations/store/identities.ts'
import { listRegistrations } from '../../../core/registrations/store/registrations.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import type { CertificateUse } from '../domain/certificate-use.ts'
import { refuseTrust, type TrustRefusal } from '../domain/problem.ts'
import type { Subject } from '../domain/subject.ts'

type Named = { readonly outcome: 'named'; readonly subject: Subject; readonly serviceUri: string | null } | TrustRefusal

/** Finds the identifier and service address that the register has for the tenant (ARF Reg_32, Reg_34a). */
export async function nameRelyingParty(
  deps: Pick<Deps, 'db'>,
  { owner, purpose, serviceId = null, subject }: CertificateUse & { readonly subject: Subject },
): Promise<Named> {
  const own = await loadIdentity(deps.db, { tenantId: null, environment: owner.environment })
  const identity = owner.tenantId === null ? null : await loadIdentity(deps.db, owner)
  const asks = own?.isIntermediary === true ? own : (identity ?? own)
  const isNamed = subject.organizationIdentifier !== undefined || asks === null || purpose !== 'openid4vp'
  const named = isNamed ? subject : { ...subject, organizationIdentifier: asks.identifier }
  if (serviceId === null) return { outcome: 'named', subject: named, serviceUri: null }
  if (identity === null || identity.registryUri === null)
    return refuseTrust(
      'identity_missing',
      'say first who the tenant is and in which register: `vidimus registration identity`',
    )
  const { registryUri, identifier } = identity
  const path = `/wrp/${encodeURIComponent(identifier)}/services/${encodeURIComponent(serviceId)}`
  return { outcome: 'named', subject: named, serviceUri: `${registryUri.replace(/\/+$/, '')}${path}` }
}

/** Also compares the certificate with the registration certificates that requests contain. */
export async function lintForRegistration(
  deps: Pick<Deps, 'db' | 'clock'>,
  { owner, purpose, serviceId = null, leaf }: CertificateUse & { readonly leaf: Uint8Array },
): Promise<readonly LintFinding[]> {
  if (purpose !== 'openid4vp') return []
  const { tenantId, environment } = owner
  const nowMs = deps.clock.now()
  const own = await loadIdentity(deps.db, { tenantId: null, environment })
  const identity = tenantId === null ? null : await loadIdentity(deps.db, owner)
  if (own === null && identity === null) return []
  const all = tenantId === null ? [] : await listRegistrations(deps.db, { tenantId, environment }, instantOf(nowMs))
  const sent = all.filter((one) => one.removedAt === null && isSentWith(one, serviceId))
  const now = nowMs / 1000
  const general = lintAccessCertificate(leaf, { now, registration: null })
  const fitting = sent.flatMap(({ certificate, intendedUse }) =>
    lintAccessCertificate(leaf, { now, registration: certificate })
      .filter(({ check }) => check === 'registration')
      .map((finding) => ({ ...finding, detail: `${intendedUse}: ${finding.detail}` })),
  )
  return [...general, ...fitting]
}

const isSentWith = ({ certificate }: Registration, serviceId: string | null) =>
  serviceId === null || certificate.serviceId === serviceId
