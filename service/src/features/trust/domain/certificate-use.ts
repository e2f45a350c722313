// Defines the owner and the use of a certificate or anchor. Each use has one current certificate.

import type { Environment } from '../../../platform/world.ts'
import type { CertificatePurpose } from './certificate.ts'

/** A tenant; null: the service itself. */
export interface Owner {
  readonly tenantId: string | null
  readonly environment: Environment
}

/** A certificate's purpose and owner. */
export interface CertificateUse {
  readonly owner: Owner
  readonly purpose: CertificatePurpose
  /** The tenant's service that the certificate is for; absent or null: all services. */
  readonly serviceId?: string | null
}
