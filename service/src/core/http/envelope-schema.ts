// Describes the error envelope (spec 2.7), and lists the possible refusals of a route.

import type { TSchema } from 'typebox'
import { ErrorEnvelope } from '../../../../wire/errors.ts'
import type { RefusalCode } from '../../platform/errors.ts'
import { INTERNAL_ERROR, PROBLEMS } from '../../platform/http/problems.ts'

const HELP = { schema: { type: 'string' }, description: 'The page of the code, as `rel="help"`' }

/** Responses for a route's schema: the envelope under each status, with its codes in the description. */
export function refusals(...codes: RefusalCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, string[]>([[INTERNAL_ERROR.status, [INTERNAL_ERROR.code]]])
  for (const code of [...codes, 'rate_limit_exceeded' as const, 'unavailable' as const]) {
    const { status } = PROBLEMS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const responses: Record<number, TSchema> = {}
  for (const [status, known] of byStatus) {
    const description = known.map((code) => `\`${code}\``).join(', ')
    responses[status] = Object.assign({}, ErrorEnvelope, { description, sends: { Link: HELP } })
  }
  return responses
}
