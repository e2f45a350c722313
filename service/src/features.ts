// What features add to the creation and to the ending of a verification, in one table. The order counts: each finds what those
// before it made, and rows are written in it (lock order: business rows, deliveries, then what commits).

import { type ComposedEndings, composeEndings } from './core/verifications/usecases/answering/contributions.ts'
import { type ComposedCreations, composeCreations } from './core/verifications/usecases/asking/contributions.ts'
import type { Deps } from './deps.ts'
import { auditCreation, auditEnding } from './features/audit/usecases/contributions.ts'
import { countEnding } from './features/dashboard/usecases/count-contribution.ts'
import { evidenceEnding } from './features/evidence/usecases/evidence-contribution.ts'
import { receiptEnding } from './features/transparency/usecases/receipt-contribution.ts'
import { announcementEnding, deliveryEnding } from './features/webhooks/usecases/contributions.ts'

type EndingWorld = Parameters<typeof receiptEnding>[0] & Pick<Deps, 'audit' | 'random'>

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
