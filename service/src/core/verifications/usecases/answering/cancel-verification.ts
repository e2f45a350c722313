// Cancels a verification before a wallet answers. A later answer is refused, and no webhook is sent.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import { instantOf } from '../../../../platform/world.ts'
import type { AuditEvent } from '../../../ports/audit.ts'
import { actorDetails, actorOf, onlyCreatedBy, type Principal } from '../../../tenants/domain/principal.ts'
import { renderVerification, statusAt } from '../../domain/verification.ts'
import { cancelPending } from '../../store/cancellation.ts'
import { loadVerification } from '../../store/verifications.ts'
import { decryptVerification } from '../reading/read-verification.ts'

/**
 * Returns the body of the response. A second call, or a call after expiry, returns the same and records nothing. After
 * an answer, the call is refused.
 */
export async function cancelVerification(
  deps: Pick<Deps, 'db' | 'clock' | 'audit' | 'config'>,
  input: { readonly principal: Principal; readonly id: string },
): Promise<string> {
  const { principal, id } = input
  if (!isVerificationId(id)) throw new Refusal('session_not_found')
  const deviceId = onlyCreatedBy(principal)
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const found = await deps.db.transaction(async (tx) => {
    const day = await cancelPending(tx, principal, { id, deviceId, at: now })
    if (day !== null) await deps.audit.record(tx, principal, { now, day, ...cancellationOf(principal, id) })
    return loadVerification(tx, principal, { id, deviceId })
  })
  if (found === null) throw new Refusal('session_not_found')
  if (statusAt(found, nowMs) !== 'expired') throw new Refusal('session_already_responded')
  return renderVerification(decryptVerification(deps, found, nowMs), deps.config.baseUrl)
}

function cancellationOf(principal: Principal, id: string): AuditEvent {
  const event = {
    action: 'verification.cancelled',
    actor: actorOf(principal),
    object: { type: 'verification', id },
  } as const
  return principal.kind === 'device' ? { ...event, details: actorDetails(principal) } : event
}
