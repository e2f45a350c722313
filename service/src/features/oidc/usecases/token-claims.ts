// Reads what a client learns from a sign-in.

import type { Answered } from '../../../core/verifications/domain/answered.ts'
import { findWalletVerification } from '../../../core/verifications/store/wallet-verifications.ts'
import type { Deps } from '../../../deps.ts'
import type { OidcClient } from '../domain/client.ts'
import { type Disclosure, disclose } from '../domain/disclosure.ts'
import type { AuthorizationRequest } from '../domain/request.ts'

export async function readDisclosure(
  deps: Pick<Deps, 'db' | 'batcher' | 'clock'>,
  signIn: { readonly client: OidcClient; readonly request: AuthorizationRequest; readonly verification: Answered },
): Promise<Disclosure> {
  const verification = signIn.client.vpData ? await findWalletVerification(deps, signIn.verification.id) : null
  return disclose({ ...signIn, query: verification?.query ?? null, nowMs: deps.clock.now() })
}
