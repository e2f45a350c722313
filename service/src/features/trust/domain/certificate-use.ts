// The owner and the use of a certificate or anchor: each use has one current certificate.

import type { Environment } from '../../../platform/world.ts'
import type { CertificatePurpose } from './certificate.ts'

/** A tenant, or the service itself if null. */
export interface Owner {
  readonly tenantId: string | null
  readonly environment: Environment
}

/** A certificate's purpose and owner. */
export interface CertificateUse {
  readonly owner: Owner
  readonly purpose: CertificatePurpose
  /** The tenant's service that it is for; absent or null: all of them. */
  readonly serviceId?: string | null
}
