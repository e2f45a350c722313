// Adds the evidence bundle to the ending of a verification, if the merchant keeps evidence.

import { DeviceDocuments } from '@vidimus/engine'
import type { WalletVerification } from '../../../core/verifications/store/columns.ts'
import type { EndingContribution } from '../../../core/verifications/usecases/answering/contributions.ts'
import type { Answer } from '../../../core/verifications/usecases/answering/ending.ts'
import { findAnsweredRequest } from '../../../core/verifications/usecases/asking/sent-request.ts'
import type { Deps } from '../../../deps.ts'
import { partOf, rowKey } from '../../../platform/postgres/fragments.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { CREDENTIAL_FACTS, EVIDENCE_HASH } from '../../transparency/index.ts'
import { EVIDENCE_KEPT_MS, makesEvidence } from '../domain/bundle.ts'
import { type NewBundles, WRITING_BUNDLES } from '../store/bundles.ts'
import { sealEvidence } from './seal-evidence.ts'

type Needs = Pick<Deps, 'db' | 'config' | 'bundleWriter'>

const JWE = rowKey<string>('the evidence of an answer')
const BUNDLES = rowKey<NewBundles>('evidence bundles')

export function evidenceEnding(deps: Needs): EndingContribution {
  const isWanted = (verification: WalletVerification) => makesEvidence(verification, deps.config.forwardOnly)
  return {
    name: 'evidence',
    own: partOf(BUNDLES, WRITING_BUNDLES),
    hasOwn: ({ prepared }) => prepared.find(JWE) !== undefined,
    keepsRequest: isWanted,
    async prepare(answer, prepared) {
      const { verification, judgement } = answer
      // Failed verifications have no evidence bundle.
      if (judgement === null || judgement.result.outcome === 'failed' || !isWanted(verification)) return
      const { jwe, sha256 } = await sealEvidence(deps, verification, {
        ...judgement,
        id: verification.id,
        request: findAnsweredRequest(deps, verification, answer),
        response: responseOf(judgement),
        credentials: prepared.get(CREDENTIAL_FACTS),
      })
      prepared.put(JWE, jwe)
      prepared.put(EVIDENCE_HASH, sha256)
    },
    collect(ended, { now, keyedRows }) {
      const bundles = ended.flatMap(({ realm, verification, prepared }) => {
        const jwe = prepared.find(JWE)
        return jwe === undefined ? [] : [{ realm, verificationId: verification.id, jwe }]
      })
      keyedRows.put(BUNDLES, { bundles, dropAt: instantOf(millisecondsOf(now) + EVIDENCE_KEPT_MS) })
      return bundles.length > 0
    },
  }
}

const responseOf = ({ presented }: NonNullable<Answer['judgement']>) =>
  presented instanceof DeviceDocuments ? { deviceResponse: presented.bytes } : { vpToken: presented }
