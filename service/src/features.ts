// Lists what features add to the creation, the ending and the deletion of a verification, in lock order.

import { type ComposedEndings, composeEndings } from './core/verifications/usecases/answering/contributions.ts'
import { type ComposedCreations, composeCreations } from './core/verifications/usecases/asking/contributions.ts'
import type { ForgettingContribution } from './core/verifications/usecases/forgetting/contributions.ts'
import type { Deps } from './deps.ts'
import { auditCreation, auditEnding, auditForgetting } from './features/audit/usecases/contributions.ts'
import { evidenceEnding } from './features/evidence/usecases/evidence-contribution.ts'
import { evidenceForgetting } from './features/evidence/usecases/evidence-forgetting.ts'
import { countEnding } from './features/figures/usecases/count-contribution.ts'
import { linkForgetting } from './features/links/usecases/link-forgetting.ts'
import { userinfoForgetting } from './features/oidc/usecases/userinfo-forgetting.ts'
import { codeForgetting } from './features/retention/usecases/code-forgetting.ts'
import { receiptEnding } from './features/transparency/usecases/receipt-contribution.ts'
import { listFailureForgetting } from './features/trust/usecases/list-failure-forgetting.ts'
import { announcementEnding, deliveryEnding } from './features/webhooks/usecases/contributions.ts'
import { deliveryForgetting } from './features/webhooks/usecases/delivery-forgetting.ts'

type EndingWorld = Parameters<typeof receiptEnding>[0] & Pick<Deps, 'audit' | 'random' | 'bundleWriter'>

/** Each contribution sees the rows of those before it. Lock order: business rows, deliveries, the last statement. */
export const endingContributions = (world: EndingWorld): ComposedEndings =>
  composeEndings([
    auditEnding(world.audit),
    receiptEnding(world),
    deliveryEnding(world.random),
    evidenceEnding(world),
    announcementEnding,
    countEnding,
  ])

export const creationContributions = ({ audit }: Pick<Deps, 'audit'>): ComposedCreations =>
  composeCreations([auditCreation(audit)])

export const FORGETTING: readonly ForgettingContribution[] = [
  deliveryForgetting,
  evidenceForgetting,
  auditForgetting,
  userinfoForgetting,
  linkForgetting,
  listFailureForgetting,
  codeForgetting,
]
