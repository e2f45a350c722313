// Templates: the built-in ones and the tenant's own, with what they ask in plain words.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { renderTemplate } from '../../domain/template/listed-template.ts'
import { QUESTION_WARNINGS } from '../../domain/template/plain-question.ts'
import { listTemplates, removeTemplate, saveTemplate } from '../../usecases/templates/manage-templates.ts'
import { previewTemplate } from '../../usecases/templates/preview-template.ts'
import type { App } from '../app.ts'
import { permitted, staffOf } from './access.ts'
import { Answer, Concern, Done, Empty, List, Open, oneOf, orNull, Part, RealmAndKey, RealmParams } from './fields.ts'

/** Its members are judged by the use case, with the path of what is wrong. */
const Document = Type.Object({})

const Question = Answer('Question', {
  credentials: List(
    Part({
      id: Type.String(),
      format: Type.String(),
      types: List(Type.String()),
      claims: List(Type.String({ description: 'Empty with `everything`' })),
      alternatives: Type.Boolean({ description: 'One of the claims is enough' }),
      everything: Type.Boolean({ description: 'The whole credential is asked for' }),
    }),
  ),
  choice: Type.Boolean({ description: 'The holder may choose among several credentials' }),
  warnings: List(oneOf(...QUESTION_WARNINGS)),
})
const Template = Answer('Template', {
  key: Type.String(),
  title: Type.String(),
  description: Type.String(),
  built_in: Type.Boolean(),
  query: Open,
  outputs: orNull(Open),
  intended_use: orNull(Type.String()),
  transaction: orNull(Open),
  concerns: List(Concern),
  question: Question,
})
const Preview = Type.Union(
  [
    Part({ outcome: Type.Literal('sound'), question: Question }),
    Part({ outcome: Type.Literal('invalid'), problem: Type.String() }),
  ],
  { $id: 'Preview' },
)

export function addTemplateRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/templates'),
    schema: { hide: true, params: RealmParams, response: { 200: Part({ data: List(Template) }) } },
    handler: async (request) => ({ data: (await listTemplates(deps, staffOf(request).realm)).map(renderTemplate) }),
  })
  app.route({
    ...permitted(deps, 'POST @/templates/preview'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ key: Type.String({ maxLength: 200 }), document: Document }, { additionalProperties: false }),
      response: { 200: Preview },
    },
    handler: async (request) => previewTemplate(request.body.key, request.body.document),
  })
  app.route({
    ...permitted(deps, 'POST @/templates/:key'),
    schema: {
      hide: true,
      params: RealmAndKey,
      body: Type.Object({ document: Document }, { additionalProperties: false }),
      response: { 200: Template },
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const saved = await saveTemplate(deps, { realm, key: request.params.key, document: request.body.document, actor })
      if (saved.outcome === 'invalid') throw new Refusal('invalid_request', { message: saved.problem })
      if (saved.outcome === 'no_tenant') throw new Refusal('not_found')
      return renderTemplate({ ...saved.template, builtIn: false, concerns: saved.concerns })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/templates/:key/remove'),
    schema: { hide: true, params: RealmAndKey, body: Empty, response: { 200: Done } },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeTemplate(deps, { realm, key: request.params.key, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}
