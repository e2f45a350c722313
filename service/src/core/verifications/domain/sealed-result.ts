// Defines the seal context of a result.

import type { RealmRow } from '../../tenants/domain/realm.ts'

/** The length of a result's salt. Published commitments to the result can be recomputed only with the salt. */
export const RESULT_SALT_BYTES = 32
/** The header of the salt, which is sent with every result and nowhere else. */
export const RECEIPT_SALT_HEADER = 'X-Vidimus-Receipt-Salt'

export const resultSealContext = ({ tenantId, environment, id }: RealmRow) =>
  `verification_results.sealed|${tenantId}|${environment}|${id}`
