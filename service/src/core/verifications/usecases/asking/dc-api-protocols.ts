// Derives the protocols that a verification offers to a browser. Nothing is stored.

import { type DcApiProtocol, ISO_PROTOCOL } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { effectiveSettings } from '../../../tenants/domain/settings.ts'
import { canUseAnnexC, type WalletVerification } from './wallet-verification.ts'

/** Relaxations that the tenant chose for its tests. Never in live. */
export function testRelaxations({ config }: Pick<Deps, 'config'>, { environment, settings }: WalletVerification) {
  if (environment !== 'test') return { unsigned: false, clear: false }
  const { dcApiUnsignedInTest: unsigned, dcApiClearInTest: clear } = effectiveSettings(settings, config.haip)
  return { unsigned, clear }
}

/** The protocols that an answer may use. Needs no readers, because only the offer has the key of Annex C. */
export async function answerableProtocols(
  deps: Pick<Deps, 'signing' | 'config'>,
  verification: WalletVerification,
): Promise<readonly DcApiProtocol[]> {
  const signers = await deps.signing.signersFor(verification, verification.clientId)
  const protocols: DcApiProtocol[] = ['openid4vp-v1-signed']
  if (signers.length > 1) protocols.push('openid4vp-v1-multisigned')
  if (testRelaxations(deps, verification).unsigned) protocols.push('openid4vp-v1-unsigned')
  if (canUseAnnexC(verification)) protocols.push(ISO_PROTOCOL)
  return protocols
}
