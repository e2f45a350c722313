// What became of a verification? One, a page of them, or only the status, for whoever may know it.

import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { isVerificationId } from '../../domain/ids.ts'
import { onlyCreatedBy, type Principal } from '../../domain/tenant/principal.ts'
import { openParticulars } from '../../domain/verification/sealed-particulars.ts'
import { openResult } from '../../domain/verification/sealed-result.ts'
import {
  receiptSaltOf,
  renderVerification,
  statusAt,
  type Verification,
  type VerificationStatus,
  verificationAt,
} from '../../domain/verification/verification.ts'
import type { Instant } from '../../domain/world.ts'
import type { StoredVerification } from '../../store/verifications/columns.ts'
import { listVerifications, loadStatusAcrossTenants } from '../../store/verifications/verifications.ts'
import { readStored } from './read-together.ts'

type Needs = Pick<Deps, 'clock' | 'sealer' | 'config'>

/** The body of the answer. Another tenant's, another environment's and an erased one are as if they had never been. */
export async function readVerification(
  deps: Needs & Pick<Deps, 'db' | 'lanes'>,
  input: { readonly principal: Principal; readonly id: string },
): Promise<ReadVerification> {
  const { principal, id } = input
  const found = isVerificationId(id)
    ? await readStored(deps, principal, { id, deviceId: onlyCreatedBy(principal) })
    : null
  if (found === null) throw new Refusal('session_not_found')
  return rendered(deps, opened(deps, found))
}

export interface ReadVerification {
  readonly body: string
  /** Beside the body; null where there is no receipt. */
  readonly receiptSalt: string | null
}

export const rendered = (deps: Pick<Deps, 'config'>, verification: Verification): ReadVerification => ({
  body: renderVerification(verification, deps.config.baseUrl),
  receiptSalt: receiptSaltOf(verification),
})

export interface Page {
  readonly limit: number
  /** Only what was created strictly earlier; null: from the newest on. */
  readonly before: Instant | null
}

/** Later than every row: the first page has no bound. */
const END_OF_TIME: Instant = '9999-12-31T23:59:59.999999Z'

export async function listPage(
  deps: Needs & Pick<Deps, 'db'>,
  input: Page & { readonly principal: Principal },
): Promise<string> {
  const { principal, limit } = input
  const before = input.before ?? END_OF_TIME
  const rows = await listVerifications(deps.db, principal, { limit, before, deviceId: onlyCreatedBy(principal) })
  const nowMs = deps.clock.now()
  const texts = rows.map((row) => renderVerification(opened(deps, row, nowMs), deps.config.baseUrl))
  return `{"data":[${texts.join(',')}]}`
}

/** For anyone who knows the id; it tells nothing but this. */
export async function readStatus(deps: Pick<Deps, 'db' | 'clock'>, id: string): Promise<VerificationStatus> {
  const found = isVerificationId(id) ? await loadStatusAcrossTenants(deps.db, id) : null
  if (found === null) throw new Refusal('session_not_found')
  return statusAt(found, deps.clock.now())
}

/** As it reads now, or at that moment. */
export function opened(
  deps: Pick<Deps, 'sealer' | 'clock'>,
  stored: StoredVerification,
  nowMs = deps.clock.now(),
): Verification {
  const { state, respondedAt, sealedResult, ...rest } = stored
  const result = sealedResult === null ? null : openResult(deps.sealer, stored, sealedResult)
  return verificationAt({ ...rest, ...openParticulars(deps.sealer, stored) }, { state, respondedAt, result }, nowMs)
}

/** null where there is none, or none that this process can open. */
export function webhookUrlOf(deps: Pick<Deps, 'sealer'>, stored: StoredVerification): string | null {
  try {
    return openParticulars(deps.sealer, stored).webhookUrl
  } catch {
    // Whoever reads the whole verification is told; here its other deliveries must not suffer.
    return null
  }
}
