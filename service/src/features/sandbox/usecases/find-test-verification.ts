// Finds a verification of the test environment by id, or the newest open one, for the operator's test wallet.

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
  /** While it waits for an answer. */
  readonly wallet_uri?: string
  /** As the merchant reads it. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: string; readonly message: string }
}

/** null: the test environment has none of that id, or none is open. */
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
