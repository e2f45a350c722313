// Finds a verification of the test environment by id, or the newest pending one, for the operator's test wallet.

import { renderVerification } from '../../../core/verifications/domain/verification.ts'
import { loadVerification } from '../../../core/verifications/store/verifications.ts'
import { decryptVerification } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import { findLatestTestVerificationAcrossTenants, findTestVerificationAcrossTenants } from '../store/sandbox.ts'

export interface TestVerification {
  readonly id: string
  readonly status: string
  /** Only while it is pending. */
  readonly wallet_uri?: string
  /** The claims as the merchant gets them. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: string; readonly message: string }
}

/** Returns null if test has no verification with this id, or none is pending. */
export async function findTestVerification(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  wanted: string,
): Promise<TestVerification | null> {
  const nowMs = deps.clock.now()
  const found =
    wanted === 'latest'
      ? await findLatestTestVerificationAcrossTenants(deps.db, instantOf(nowMs))
      : isVerificationId(wanted)
        ? await findTestVerificationAcrossTenants(deps.db, wanted)
        : null
  const stored = found === null ? null : await loadVerification(deps.db, found, { id: found.id, deviceId: null })
  if (stored === null) return null
  return JSON.parse(renderVerification(decryptVerification(deps, stored, nowMs), deps.config.baseUrl))
}
