// Templates: the built-in ones and the tenant's own, with what they ask in plain words.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { plainQuestion } from '../../domain/template/plain-question.ts'
import {
  type ListedTemplate,
  listTemplates,
  removeTemplate,
  saveTemplate,
} from '../../usecases/templates/manage-templates.ts'
import { previewTemplate } from '../../usecases/templates/preview-template.ts'
import type { App } from '../app.ts'
import { permitted, staffOf } from './access.ts'
import { Empty, RealmAndKey, RealmParams } from './fields.ts'

/** Its members are judged by the use case, with the path of what is wrong. */
const Document = Type.Object({})

export function addTemplateRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/templates'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => ({ data: (await listTemplates(deps, staffOf(request).realm)).map(render) }),
  })
  app.route({
    ...permitted(deps, 'POST @/templates/preview'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object({ key: Type.String({ maxLength: 200 }), document: Document }, { additionalProperties: false }),
    },
    handler: async (request) => previewTemplate(request.body.key, request.body.document),
  })
  app.route({
    ...permitted(deps, 'POST @/templates/:key'),
    schema: {
      hide: true,
      params: RealmAndKey,
      body: Type.Object({ document: Document }, { additionalProperties: false }),
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const saved = await saveTemplate(deps, { realm, key: request.params.key, document: request.body.document, actor })
      if (saved.outcome === 'invalid') throw new Refusal('invalid_request', { message: saved.problem })
      if (saved.outcome === 'no_tenant') throw new Refusal('not_found')
      return render({ ...saved.template, builtIn: false })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/templates/:key/remove'),
    schema: { hide: true, params: RealmAndKey, body: Empty },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeTemplate(deps, { realm, key: request.params.key, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}

function render(template: ListedTemplate) {
  return {
    key: template.key,
    title: template.title,
    description: template.description,
    built_in: template.builtIn,
    query: template.query,
    outputs: template.outputs,
    question: plainQuestion(template),
  }
}
