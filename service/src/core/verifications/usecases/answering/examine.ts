// Examines a presentation with trust anchors, status lists, and the proof verifier.

import { type ChainCache, verifyPresentation, type ZkStatement } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { inTurn } from '../../../../platform/event-loop/in-turn.ts'
import type { ZkAnswer, ZkVerifier } from '../../../ports/zk-verifier.ts'
import type { WalletVerification } from '../asking/wallet-verification.ts'
import type { Examine } from './ending.ts'

/** After this time, a few of the proofs in the queue have been checked. */
const PROOF_RETRY_SECONDS = 5

type Needs = Pick<Deps, 'anchors' | 'statusLists' | 'zkVerifier' | 'config'> & {
  readonly certificateChainCache: ChainCache
}

export const createExamine =
  (needs: Needs): Examine =>
  async ({ verification, presented, expected, budget, nowMs }) => {
    const { environment, settings } = verification
    const { zkVerifier, statusLists, certificateChainCache, config } = needs
    const anchors = await needs.anchors.find(verification, nowMs)
    const verdict = await verifyPresentation(
      presented,
      expected,
      {
        anchors,
        statusPolicy: environment === 'live' ? settings.statusPolicyLive : settings.statusPolicyTest,
        async fetchStatus(source, left) {
          const owner = verification.tenantId
          const answer = await statusLists.find({ source, environment, nowMs, owner, budget: left })
          // Many answers may have waited for this list.
          await inTurn(owner)
          return answer
        },
        cache: certificateChainCache,
        haip: settings.haip || config.haip,
        ...(zkVerifier !== null && { verifyZk: (statement) => checkProof(zkVerifier, verification, statement) }),
      },
      budget,
    )
    return { verdict, anchors }
  }

/** Without room or time for the check nothing is known about the proof, so the verification stays open. */
async function checkProof(
  verifier: ZkVerifier,
  { tenantId, id }: WalletVerification,
  statement: ZkStatement,
): Promise<Exclude<ZkAnswer, 'later'>> {
  const answer = await verifier.verify(statement, { tenantId, verificationId: id })
  if (answer === 'later') throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: PROOF_RETRY_SECONDS })
  return answer
}
