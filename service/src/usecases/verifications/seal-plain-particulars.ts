// What an earlier release wrote in plain (metadata, redirect and webhook addresses) is sealed, in steps that are whole each.

import type { Deps } from '../../deps.ts'
import { indexMetadata, sealParticulars } from '../../domain/verification/sealed-particulars.ts'
import {
  forgetAttemptUrlsAcrossTenants,
  lockPlainParticularsAcrossTenants,
  replacePlainParticulars,
} from '../../store/verifications/particulars.ts'

const STEP_ROWS = 200

type Needs = Pick<Deps, 'db' | 'sealer'>

/** How many verifications were sealed. Ends when nothing is left that nobody else holds. */
export async function sealPlainParticulars(deps: Needs): Promise<number> {
  let total = 0
  for (;;) {
    const count = await deps.db.transaction(async (tx) => {
      const rows = await lockPlainParticularsAcrossTenants(tx, STEP_ROWS)
      const sealed = rows.map((row) => ({
        id: row.id,
        sealedParticulars: sealParticulars(deps.sealer, row, row),
        metadataIndex: indexMetadata(deps.sealer, row, row.metadata),
      }))
      await replacePlainParticulars(tx, sealed)
      return rows.length
    })
    total += count
    if (count < STEP_ROWS) break
  }
  while ((await forgetAttemptUrlsAcrossTenants(deps.db, STEP_ROWS)) === STEP_ROWS);
  return total
}
