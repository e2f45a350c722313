// Whom a tenant's environment trusts, from which lists, and with which certificate it asks. Others' own are not shown.

import type { Deps } from '../../deps.ts'
import type { RegisterLook } from '../../domain/registration/drift.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { AnchorView, TrustList } from '../../domain/trust/anchor.ts'
import type { CertificateView } from '../../domain/trust/certificate.ts'
import { loadLook } from '../../store/registration/register-looks.ts'
import { listTrustLists } from '../../store/trust/trust-lists.ts'
import { listAnchors } from './manage-anchors.ts'
import { listCertificates } from './manage-certificates.ts'

export interface TrustView {
  readonly anchors: readonly AnchorView[]
  readonly lists: readonly TrustList[]
  readonly certificates: readonly CertificateView[]
  /** The built-in issuer of the test environment. */
  readonly sandbox: boolean
  /** What the last look at the tenant's register found; null where there was none. */
  readonly register: RegisterLook | null
}

export async function readTrust(deps: Pick<Deps, 'db' | 'sandbox'>, realm: Realm): Promise<TrustView> {
  const seen = (row: { tenantId: string | null; environment: string }) =>
    row.environment === realm.environment && (row.tenantId === null || row.tenantId === realm.tenantId)
  return {
    anchors: (await listAnchors(deps)).filter(seen),
    lists: (await listTrustLists(deps.db)).filter(seen),
    certificates: (await listCertificates(deps)).filter(seen).filter(({ state }) => state !== 'retired'),
    sandbox: deps.sandbox !== null && realm.environment === 'test',
    register: await loadLook(deps.db, realm),
  }
}
