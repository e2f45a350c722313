// Templates: the built-in ones and the tenant's own, with what they ask in plain words.

import { Type } from 'typebox'
import { LANGUAGES } from '../../../../../labels/catalogue.ts'
import { renderConcernForPage } from '../../../core/registrations/domain/choose.ts'
import { type ListedTemplate, renderTemplate } from '../../../core/templates/domain/listed-template.ts'
import { QUESTION_WARNINGS } from '../../../core/templates/domain/plain-question.ts'
import { TEMPLATE_PROBLEMS } from '../../../core/templates/domain/problem.ts'
import { listTemplates, removeTemplate, saveTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { loadAssets } from '../../pages/http/assets.ts'
import { drawSample } from '../../pages/http/sample-page.ts'
import { permitted, staffOf } from '../../staff/http/access.ts'
import {
  Answer,
  Concern,
  Done,
  Empty,
  Enumeration,
  List,
  Open,
  oneOf,
  orNull,
  Part,
  RealmAndKey,
  RealmParams,
} from '../../staff/http/fields.ts'
import { previewTemplate } from '../usecases/preview-template.ts'

/** Its members are judged by the use case, with the path of what is wrong. */
const Document = Type.Object({})

export const Question = Answer('Question', {
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
    Part({
      outcome: Type.Literal('sound'),
      question: Question,
      concerns: List(Concern),
      over_asking: List(
        Part({
          credential: Type.String({ description: 'The id of the credential query' }),
          claim: orNull(Type.String({ description: 'null: the type itself is not registered' })),
          covered_by: List(Type.String({ description: 'Another intended use that registers it' })),
        }),
      ),
      intended_use: orNull(Type.String({ description: 'The registration it would be asked under' })),
      html: orNull(Type.String({ description: 'The hosted page that asks it; null where none was wanted' })),
    }),
    Part({
      outcome: Type.Literal('invalid'),
      path: Type.String({ description: 'Of what is wrong, in the document' }),
      code: Enumeration('TemplateProblem', TEMPLATE_PROBLEMS),
      value: Type.String({ description: 'For the sentence' }),
    }),
  ],
  { $id: 'Preview' },
)
const PagePreview = Type.Object(
  { language: oneOf(...LANGUAGES), phone: Type.Boolean() },
  { additionalProperties: false },
)

export function addTemplateRoutes(app: App, deps: Deps): void {
  app.register((routes: App) => addPreview(routes, deps))
  app.route({
    ...permitted(deps, 'GET @/templates'),
    schema: { hide: true, params: RealmParams, response: { 200: Part({ data: List(Template) }) } },
    handler: async (request) => ({ data: (await listTemplates(deps, staffOf(request).realm)).map(forPage) }),
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
      return forPage({ ...saved.template, builtIn: false, concerns: saved.concerns })
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

const forPage = (template: ListedTemplate) => ({
  ...renderTemplate(template),
  concerns: template.concerns.map(renderConcernForPage),
})

async function addPreview(routes: App, deps: Deps): Promise<void> {
  const assets = await loadAssets()
  routes.route({
    ...permitted(deps, 'POST @/templates/preview'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        { key: Type.String({ maxLength: 200 }), document: Document, page: Type.Optional(PagePreview) },
        { additionalProperties: false },
      ),
      response: { 200: Preview },
    },
    handler: async (request) => {
      const { realm } = staffOf(request)
      const { key, document, page } = request.body
      const preview = await previewTemplate(deps, { realm, key, document })
      if (preview.outcome === 'invalid') return preview
      const { outcome, question, concerns, overAsking, intendedUse, shown } = preview
      return {
        outcome,
        question,
        concerns: concerns.map(renderConcernForPage),
        over_asking: overAsking.map(({ asked, path, wouldBeCoveredBy }) => ({
          credential: asked.id,
          claim: path === null ? null : nameOfPath(path),
          covered_by: [...wouldBeCoveredBy],
        })),
        intended_use: intendedUse,
        html: page === undefined ? null : await drawSample(deps, assets, { realm, shown, ...page }),
      }
    },
  })
}

/** The last name of it; what follows that are places in a list. */
const nameOfPath = (path: readonly unknown[]) => String(path.findLast((part) => typeof part === 'string') ?? '')
