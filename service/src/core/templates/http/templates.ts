// GET /v1/templates: what this credential may ask with.

import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { refusals } from '../../http/envelope-schema.ts'
import { principalOf, withScope } from '../../http/principal.ts'
import { listAskableTemplates } from '../usecases/list-askable-templates.ts'

const TemplateList = Type.Object(
  {
    environment: Type.Union([Type.Literal('test'), Type.Literal('live')], {
      description: 'Where the credential belongs: in `test` nothing is proof of anything',
    }),
    data: Type.Array(
      Type.Object(
        {
          key: Type.String({ minLength: 1, maxLength: 64 }),
          title: Type.String({ description: 'For people' }),
          fields: Type.Optional(
            Type.Array(
              Type.Object(
                { name: Type.String(), as: Type.Union([Type.Literal('text'), Type.Literal('number')]) },
                { additionalProperties: false },
              ),
              {
                description:
                  'Of a template that has its holder agree to something: the `values` to give in `transaction`',
              },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'TemplateList', additionalProperties: false },
)

export function addTemplateListRoute(app: App, deps: Deps): void {
  app.get(
    '/v1/templates',
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'listTemplates',
        tags: ['Templates'],
        summary: 'List the templates this credential may ask with',
        description: 'With a device token: those of its `allowed_templates` that there are.',
        response: { 200: TemplateList, ...refusals('invalid_api_key', 'api_key_expired', 'insufficient_scope') },
      },
    },
    async (request) => listAskableTemplates(deps, principalOf(request)),
  )
}
