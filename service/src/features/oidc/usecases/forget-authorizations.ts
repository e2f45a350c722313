// Deletes finished sign-ins with their userinfo, used assertions, pushed requests and replaced secrets.

import type { Deps } from '../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { forgetAuthorizationsAcrossTenants } from '../store/authorizations.ts'
import { forgetAssertionsAcrossTenants, forgetClientSecretsAcrossTenants } from '../store/clients.ts'
import { forgetPushedRequestsAcrossTenants } from '../store/pushed-requests.ts'

/** Small, so that no statement locks many rows for long. */
const BATCH = 1_000

export async function forgetAuthorizations(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const now = instantOf(clock.now())
  for (const forget of [
    forgetAuthorizationsAcrossTenants,
    forgetAssertionsAcrossTenants,
    forgetPushedRequestsAcrossTenants,
  ]) {
    let gone: number
    do {
      stopped.throwIfAborted()
      gone = await forget(db, now, BATCH)
    } while (gone === BATCH)
  }
  await forgetClientSecretsAcrossTenants(db, now)
}
