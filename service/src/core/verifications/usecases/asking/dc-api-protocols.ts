// Which protocols a verification is offered by to a browser. It follows from the verification and its tenant, so nothing is kept of it.

import { type DcApiProtocol, ISO_PROTOCOL } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { effectiveSettings } from '../../../tenants/domain/settings.ts'
import { type AskedVerification, isAskedByAnnexC } from './asked-verification.ts'

/** What the tenant allows its own tests; live is never asked. */
export function loosenedIn({ config }: Pick<Deps, 'config'>, { environment, settings }: AskedVerification) {
  if (environment !== 'test') return { unsigned: false, clear: false }
  const { dcApiUnsignedInTest: unsigned, dcApiClearInTest: clear } = effectiveSettings(settings, config.haip)
  return { unsigned, clear }
}

/** By which an answer may come. Whoever has the key of Annex C has it from the offer: its readers are not looked for again. */
export async function answerableProtocols(
  deps: Pick<Deps, 'signing' | 'config'>,
  asked: AskedVerification,
): Promise<readonly DcApiProtocol[]> {
  const signers = await deps.signing.signersFor(asked, asked.clientId)
  const protocols: DcApiProtocol[] = ['openid4vp-v1-signed']
  if (signers.length > 1) protocols.push('openid4vp-v1-multisigned')
  if (loosenedIn(deps, asked).unsigned) protocols.push('openid4vp-v1-unsigned')
  if (isAskedByAnnexC(asked)) protocols.push(ISO_PROTOCOL)
  return protocols
}
