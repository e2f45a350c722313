// Redeems the code that came back with the holder's browser, once, and returns the verification.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import { instantOf } from '../../../../platform/world.ts'
import { hashSecret } from '../../../tenants/domain/api-key.ts'
import { requireServed } from '../../../tenants/domain/closed.ts'
import { onlyCreatedBy, type Principal } from '../../../tenants/domain/principal.ts'
import { loadClosed } from '../../../tenants/store/closed.ts'
import { redeemCode } from '../../store/response-codes.ts'
import { loadVerification } from '../../store/verifications.ts'
import { decryptVerification, rendered, turnFor, type VerificationBody } from './read-verification.ts'

/** A wrong code, a spent code and an unknown verification get the same refusal (spec 7). */
export async function redeemResponseCode(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  input: { readonly principal: Principal; readonly id: string; readonly code: string },
): Promise<VerificationBody> {
  const { principal, id, code } = input
  if (!isVerificationId(id)) throw new Refusal('invalid_response_code')
  const nowMs = deps.clock.now()
  const deviceId = onlyCreatedBy(principal)
  // Reads in the same transaction. Otherwise an erasure in between would leave a spent code and no result.
  const found = await deps.db.transaction(async (tx) => {
    const redemption = { id, codeHash: hashSecret(code), deviceId, now: instantOf(nowMs) }
    if (await redeemCode(tx, principal, redemption)) return loadVerification(tx, principal, { id, deviceId })
    requireServed(await loadClosed(tx, principal.tenantId))
    return null
  })
  if (found === null) throw new Refusal('invalid_response_code')
  await turnFor(found)
  return rendered(deps, decryptVerification(deps, found, nowMs))
}
