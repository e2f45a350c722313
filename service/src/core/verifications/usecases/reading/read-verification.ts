// Reads a whole verification, or only its status, for callers that may.

import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { inTurnIfLong } from '../../../../platform/event-loop/in-turn.ts'
import { isVerificationId } from '../../../../platform/ids.ts'
import { instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { requireServed } from '../../../tenants/domain/closed.ts'
import { onlyCreatedBy, type Reader } from '../../../tenants/domain/principal.ts'
import type { SensitiveFields } from '../../domain/sensitive-fields.ts'
import { renderVerdict } from '../../domain/verdict.ts'
import {
  receiptSaltOf,
  renderVerification,
  statusAt,
  type Verification,
  type VerificationStatus,
  verificationAt,
} from '../../domain/verification.ts'
import type { StoredVerification } from '../../store/columns.ts'
import { openResult } from '../../store/sealed-results.ts'
import { openSensitiveFields } from '../../store/sealed-sensitive-fields.ts'
import { loadStatusAcrossTenants, readStored } from '../../store/verifications.ts'

type ReadingNeeds = Pick<Deps, 'clock' | 'config' | 'db' | 'batcher' | 'readNotes'>

/** Returns the body of the response. Verifications of another realm, and erased ones, are refused like unknown ones. */
export async function readVerification(
  deps: ReadingNeeds,
  input: Reader & { readonly id: string },
): Promise<VerificationBody> {
  return rendered(deps, await readOne(deps, input))
}

/** Reads yes or no, even if only the merchant can read the claims. */
export async function readVerdict(
  deps: ReadingNeeds,
  input: Reader & { readonly id: string },
): Promise<ReturnType<typeof renderVerdict>> {
  return renderVerdict(await readOne(deps, input))
}

export async function readOne(deps: ReadingNeeds, input: Reader & { readonly id: string }): Promise<Verification> {
  const found = await findOwn(deps, input)
  const verification = decryptVerification(deps, found)
  if (found.respondedAt !== null && found.firstReadAt === null)
    deps.readNotes.note({ id: found.id, tenantId: found.tenantId, day: found.day, at: instantOf(deps.clock.now()) })
  return verification
}

/** Returns the stored verification, with its result paid for. Verifications of another realm or device are refused like unknown ones. */
export async function findOwn(
  deps: Pick<Deps, 'db' | 'batcher'>,
  { principal, pay, id }: Reader & { readonly id: string },
): Promise<StoredVerification> {
  const found = isVerificationId(id)
    ? await readStored(deps, principal, { id, deviceId: onlyCreatedBy(principal) }, pay)
    : null
  if (found === null) throw new Refusal('session_not_found')
  return found
}

/** Called before a result is decrypted, as the last thing to wait for. After `readStored` alone it is not needed. */
export const turnFor = ({ tenantId, sealedResult }: Pick<StoredVerification, 'tenantId' | 'sealedResult'>) =>
  inTurnIfLong(tenantId, sealedResult?.length)

export interface VerificationBody {
  readonly body: string
  /** Sent next to the body; null if there is no receipt. */
  readonly receiptSalt: string | null
}

export const rendered = (deps: Pick<Deps, 'config'>, verification: Verification): VerificationBody => ({
  body: renderVerification(verification, deps.config.baseUrl),
  receiptSalt: receiptSaltOf(verification),
})

/** For everyone who knows the id. Reveals only the status. */
export async function readStatus(deps: Pick<Deps, 'db' | 'clock'>, id: string): Promise<VerificationStatus> {
  const found = isVerificationId(id) ? await loadStatusAcrossTenants(deps.db, id) : null
  if (found === null) throw new Refusal('session_not_found')
  requireServed(found.closed)
  return statusAt(found, deps.clock.now())
}

/** The state of the verification now, or at `nowMs`. */
export function decryptVerification(
  deps: Pick<Deps, 'db' | 'clock'>,
  stored: StoredVerification,
  nowMs = deps.clock.now(),
): Verification {
  return decryptVerificationWith(deps, stored, { sensitiveFields: openSensitiveFields(deps.db, stored), nowMs })
}

/** Like `decryptVerification`, for a caller that has already decrypted the sensitive fields. */
export function decryptVerificationWith(
  deps: Pick<Deps, 'db'>,
  stored: StoredVerification,
  { sensitiveFields, nowMs }: { readonly sensitiveFields: SensitiveFields; readonly nowMs: number },
): Verification {
  const { state, respondedAt, sealedResult, forgetAt, forgottenAt, firstReadAt, answeredBy, ...rest } = stored
  const result = resultAt(deps, stored, nowMs)
  return verificationAt({ ...rest, ...sensitiveFields }, { state, respondedAt, result }, nowMs)
}

/** Overdue content is never read, even while it waits to be deleted. */
export function resultAt(deps: Pick<Deps, 'db'>, stored: StoredVerification, nowMs: number) {
  const { sealedResult, forgetAt, forgottenAt } = stored
  if (forgetAt !== null && millisecondsOf(forgetAt) <= nowMs) return 'forgotten'
  if (sealedResult === null) return forgottenAt === null ? null : 'forgotten'
  return openResult(deps.db, stored, sealedResult)
}

/** null if this process cannot decrypt the fields. */
export function sensitiveFieldsOrNull(
  deps: Pick<Deps, 'db'>,
  stored: Parameters<typeof openSensitiveFields>[1],
): SensitiveFields | null {
  try {
    return openSensitiveFields(deps.db, stored)
  } catch {
    // Readers of the whole verification get the error. Here an error must not fail other deliveries.
    return null
  }
}
