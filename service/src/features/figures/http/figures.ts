// Routes for the figures of the overview.

import { Closed, oneOf } from '../../../../../wire/parts.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, schemaOf, staffOf } from '../../staff/index.ts'
import { CREATED_BY_SIGN_IN, CREATED_BY_STAFF } from '../domain/counts.ts'
import { readFigures, type Span } from '../usecases/read-figures.ts'

const spans: readonly [Span, Span, Span] = ['day', 'week', 'month']

export function addFigureRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/figures'),
    schema: { ...schemaOf('GET @/figures'), querystring: Closed({ span: oneOf(...spans) }) },
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
  if (name === CREATED_BY_STAFF || name === CREATED_BY_SIGN_IN) return { by: name, id: null }
  return { by: 'api_key', id: name } as const
}
