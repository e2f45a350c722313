// Lists merchants' requests for the operator, and records the operator's answers.

import type { AuditActor } from '../../../../core/ports/audit.ts'
import type { Deps } from '../../../../deps.ts'
import type { Diagnosis } from '../../../../platform/diagnosis.ts'
import { instantOf } from '../../../../platform/world.ts'
import { ANSWERED_MAX, isAnswer, type OperatorRequest } from '../../domain/going-live/operator-request.ts'
import { setMandateChecked } from '../../store/mandates.ts'
import {
  answerRequest,
  forgetAnswered,
  listRequestsAcrossTenants,
  lockOpenRequestAcrossTenants,
} from '../../store/operator-requests.ts'

/** More than a person reads at once. */
const LISTED_MAX = 1000

export const readRequests = (
  deps: Pick<Deps, 'db'>,
  filter: { readonly answeredToo: boolean },
): Promise<OperatorRequest[]> => listRequestsAcrossTenants(deps.db, { ...filter, most: LISTED_MAX })

export type Answering =
  | { readonly outcome: 'answered'; readonly request: OperatorRequest }
  | { readonly outcome: 'refused'; readonly problem: string }

/** Marks a mandate as checked. For other kinds, the operator must have run the command that fulfils the request. */
export async function answerOperatorRequest(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  input: {
    readonly id: string
    readonly state: 'done' | 'declined'
    /** The answer for the merchant. */
    readonly answer: string | null
    readonly actor: AuditActor
  },
): Promise<Answering> {
  const { id, state, answer, actor } = input
  if (answer !== null && !isAnswer(answer)) return refused('the answer must be a line of 1 to 300 characters')
  const at = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx): Promise<Answering> => {
    const request = await lockOpenRequestAcrossTenants(tx, id)
    if (request === null) return refused(`no request ${id} waits`)
    const { sha256 } = request.wanted
    if (request.kind === 'mandate' && state === 'done') {
      const isChecked = sha256 !== undefined && (await setMandateChecked(tx, request, { sha256, at }))
      if (!isChecked) return refused('the mandate was replaced in the meantime')
    }
    await answerRequest(tx, request, { id, state, answer, at })
    await forgetAnswered(tx, request, ANSWERED_MAX)
    const object = { type: 'operator_request', id }
    const events = [{ action: `request.${state}`, actor, object, details: { kind: request.kind } }] as const
    await deps.audit.recordAll(tx, request, { now: at, events })
    return { outcome: 'answered', request: { ...request, state, answer, answeredAt: at } }
  })
}

/** Reports open requests. */
export async function diagnoseRequests(deps: Pick<Deps, 'db'>): Promise<Diagnosis[]> {
  const { length } = await readRequests(deps, { answeredToo: false })
  if (length === 0) return []
  const finding = length === 1 ? 'one request of a merchant waits' : `${length} requests of merchants wait`
  return [{ area: 'requests', status: 'warning', finding, remedy: 'see `vidimus requests list`' }]
}

const refused = (problem: string) => ({ outcome: 'refused', problem }) as const
