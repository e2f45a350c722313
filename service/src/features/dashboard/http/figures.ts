// The figures of the overview.

import { Type } from 'typebox'
import { ASKED_BY_SIGN_IN, ASKED_BY_STAFF } from '../../../core/verifications/domain/counts.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import { Answer, Count, Instant, List, oneOf, orNull, Part, RealmParams } from '../../staff/http/fields.ts'
import { readFigures, type Span } from '../usecases/read-figures.ts'

const Outcomes = { completed: Count, failed: Count, expired: Count }

const Figures = Answer('Figures', {
  from: Instant,
  to: Instant,
  step_seconds: Count,
  bars: List(Part(Outcomes)),
  total: Part(Outcomes),
  before: Part(Outcomes),
  answer_ms: orNull(Part({ median: Count, p90: Count })),
  reasons: List(Part({ code: Type.String(), count: Count })),
  templates: List(Part({ template: orNull(Type.String()), ...Outcomes })),
  channels: List(Part({ channel: Type.String(), ...Outcomes })),
  devices: List(
    Part({ id: Type.String(), name: orNull(Type.String({ description: 'null: no longer there' })), ...Outcomes }),
  ),
  keys: List(
    Part({
      by: oneOf('api_key', 'staff', 'openid'),
      id: orNull(Type.String({ description: 'Of a key' })),
      name: orNull(Type.String({ description: 'null: no longer there, or no key' })),
      ...Outcomes,
    }),
  ),
})

const spans: readonly [Span, Span, Span] = ['day', 'week', 'month']

export function addFigureRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/figures'),
    schema: {
      hide: true,
      params: RealmParams,
      querystring: Type.Object({ span: oneOf(...spans) }, { additionalProperties: false }),
      response: { 200: Figures },
    },
    handler: async (request) => {
      const figures = await readFigures(deps, staffOf(request).realm, request.query.span)
      return {
        from: figures.from,
        to: figures.to,
        step_seconds: figures.stepSeconds,
        bars: figures.bars,
        total: figures.total,
        before: figures.before,
        answer_ms: figures.answerMs,
        reasons: figures.reasons,
        templates: figures.templates.map(({ name, ...rest }) => ({ template: name === '' ? null : name, ...rest })),
        channels: figures.channels.map(({ name, ...rest }) => ({ channel: name, ...rest })),
        devices: figures.devices.map(({ name, label, ...rest }) => ({ id: name, name: label, ...rest })),
        keys: figures.keys.map(({ name, label, ...rest }) => ({ ...askerOf(name), name: label, ...rest })),
      }
    },
  })
}

function askerOf(name: string) {
  if (name === ASKED_BY_STAFF || name === ASKED_BY_SIGN_IN) return { by: name, id: null }
  return { by: 'api_key', id: name } as const
}
