// GET /v1/templates: the templates that this API credential may use.

import { TemplateList } from '../../../../../wire/templates.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { refusals } from '../../http/envelope-schema.ts'
import { principalOf, withScope } from '../../http/principal.ts'
import { listAskableTemplates } from '../usecases/list-askable-templates.ts'

export function addTemplateListRoute(app: App, deps: Deps): void {
  app.get(
    '/v1/templates',
    {
      ...withScope(deps, 'verifications:create'),
      schema: {
        operationId: 'listTemplates',
        tags: ['Templates'],
        summary: 'List the templates that you may use',
        description: 'With a device token: those of its `allowed_templates` that exist.',
        response: { 200: TemplateList, ...refusals('invalid_api_key', 'api_key_expired', 'insufficient_scope') },
      },
    },
    async (request) => listAskableTemplates(deps, principalOf(request)),
  )
}
