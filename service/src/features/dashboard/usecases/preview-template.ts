// Checks a template without saving it: whether it is valid, what it asks for, and whether that is registered.

import { bestOfEach, type Concern, chooseRegistration, useOf } from '../../../core/registrations/domain/choose.ts'
import { findOverAsking, type OverAsk, usesCovering } from '../../../core/registrations/domain/over-asking.ts'
import { newEffort } from '../../../core/registrations/domain/path-tree.ts'
import type { InvalidTemplate } from '../../../core/templates/domain/problem.ts'
import { describeTemplate } from '../../../core/templates/domain/question-warnings.ts'
import { judgeTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { type ShownQuestion, shownQuestion } from '../../pages/index.ts'

export type Preview =
  | {
      readonly outcome: 'sound'
      readonly question: ReturnType<typeof describeTemplate>
      /** Why live would refuse the template. Test only warns of these. */
      readonly concerns: readonly Concern[]
      readonly overAsking: readonly (OverAsk & { readonly wouldBeCoveredBy: readonly string[] })[]
      /** The registration that it would use; null if there is none. */
      readonly intendedUse: string | null
      /** The request as the hosted page would show it. */
      readonly shown: ShownQuestion
    }
  /** `path` is the position of the fault in the document. */
  | ({ readonly outcome: 'invalid' } & Pick<InvalidTemplate, 'path' | 'code' | 'value'>)

export async function previewTemplate(
  deps: Pick<Deps, 'clock' | 'registrations'>,
  input: { readonly realm: Realm; readonly key: string; readonly document: unknown },
): Promise<Preview> {
  const read = judgeTemplate(input.key, input.document)
  if ('problem' in read) return { outcome: 'invalid', path: read.path, code: read.code, value: read.value }
  const { template } = read
  const nowMs = deps.clock.now()
  const registered = await deps.registrations.find(input.realm, nowMs)
  const { registration, concerns } = chooseRegistration(registered, template, nowMs)
  const others = bestOfEach(registered, nowMs).filter((one) => one !== registration)
  const uses = others.map(useOf)
  // One budget for all queries together.
  const effort = newEffort()
  return {
    outcome: 'sound',
    question: describeTemplate(template),
    concerns,
    overAsking:
      registration === null
        ? []
        : findOverAsking(template.query, registration.certificate.credentials).map((one) => ({
            ...one,
            wouldBeCoveredBy: usesCovering(one, uses, effort),
          })),
    intendedUse: registration?.intendedUse ?? null,
    shown: { ...shownQuestion(template), registered: registration?.certificate ?? null },
  }
}
