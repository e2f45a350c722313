// Routes of templates: the built-in ones and the tenant's own, with their requests in plain words.

import { renderTemplate } from '../../../core/templates/domain/listed-template.ts'
import { removeTemplate, saveTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { restOfTurn } from '../../../platform/event-loop/batch.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import type { Budget } from '../../../platform/rate.ts'
import { drawSample, loadAssets } from '../../pages/index.ts'
import {
  listTemplatesWithUse,
  measureComparison,
  renderConcernForPage,
  type TemplateWithUse,
} from '../../registration/index.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { previewTemplate } from '../usecases/preview-template.ts'

/** Per tenant. Describing the longest templates of an environment takes 120 ms, and most pages of the dashboard do. */
const LISTS: Budget = { perSecond: 20, burst: 400 }
const BYTES_OF_A_UNIT = 50_000
/** Of the built-in templates, about. */
const BUILT_IN_BYTES = 40_000

export function addTemplateRoutes(app: App, deps: Deps): void {
  app.register((routes: App) => addPreview(routes, deps))
  app.route({
    ...permitted(deps, 'GET @/templates'),
    handler: async (request, reply) => {
      const { realm } = staffOf(request)
      const bytes = BUILT_IN_BYTES + (await measureComparison(deps, realm))
      const amount = Math.min(LISTS.burst, Math.ceil(bytes / BYTES_OF_A_UNIT))
      await spendBudget(deps, reply, { name: 'template_list', key: realm.tenantId, budget: LISTS, amount })
      const templates = await listTemplatesWithUse(deps, realm)
      const data: ReturnType<typeof forPage>[] = []
      for (const template of templates) {
        data.push(forPage(template))
        // Describing the claim sets of one template takes up to 5 ms.
        await restOfTurn()
      }
      return { data }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/templates/:key'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const saved = await saveTemplate(deps, { realm, key: request.params.key, document: request.body.document, actor })
      if (saved.outcome === 'invalid') throw new Refusal('invalid_request', { message: saved.problem })
      if (saved.outcome === 'no_tenant') throw new Refusal('not_found')
      return forPage({ ...saved.template, builtIn: false, isInUse: true, concerns: saved.concerns })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/templates/:key/remove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeTemplate(deps, { realm, key: request.params.key, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}

function forPage(template: TemplateWithUse) {
  const { query, transaction, ...rest } = renderTemplate(template)
  return {
    ...rest,
    query: { ...query },
    transaction: transaction === null ? null : { ...transaction },
    in_use: template.isInUse,
    concerns: template.concerns.map(renderConcernForPage),
  }
}

async function addPreview(routes: App, deps: Deps): Promise<void> {
  const assets = await loadAssets()
  routes.route({
    ...permitted(deps, 'POST @/templates/preview'),
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
        over_asking: overAsking.map(({ credential, path, wouldBeCoveredBy }) => ({
          credential: credential.id,
          claim: path === null ? null : nameOfPath(path),
          covered_by: [...wouldBeCoveredBy],
        })),
        intended_use: intendedUse,
        html: page === undefined ? null : await drawSample(deps, assets, { realm, shown, ...page }),
      }
    },
  })
}

/** Returns the last name in the path. List indexes may follow it. */
const nameOfPath = (path: readonly unknown[]) => String(path.findLast((part) => typeof part === 'string') ?? '')
