// Lists the templates that a merchant can use, and whether its registration has to cover each.

import type { ListedTemplate } from '../../../core/templates/domain/listed-template.ts'
import { listTemplates } from '../../../core/templates/usecases/manage-templates.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { readUsedTemplates } from '../../figures/index.ts'

export interface TemplateWithUse extends ListedTemplate {
  /** The merchant's own template, or a built-in one that verifications of the last 30 days used. */
  readonly isInUse: boolean
}

export async function listTemplatesWithUse(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<TemplateWithUse[]> {
  const [templates, used] = await Promise.all([listTemplates(deps, realm), readUsedTemplates(deps, realm)])
  return templates.map((template) => ({ ...template, isInUse: !template.builtIn || used.has(template.key) }))
}
