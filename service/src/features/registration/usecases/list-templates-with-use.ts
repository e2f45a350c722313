// Lists the templates that a merchant can use, and whether its registration has to cover each.

import type { ListedTemplate } from '../../../core/templates/domain/listed-template.ts'
import { sumTemplates } from '../../../core/templates/store/templates.ts'
import { listTemplates } from '../../../core/templates/usecases/manage-templates.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { readUsedTemplates } from '../../figures/index.ts'
import { measureRegistrations } from '../store/registration-length.ts'

export interface TemplateWithUse extends ListedTemplate {
  /** The merchant's own template, or a built-in one that verifications of the last 30 days used. */
  readonly isInUse: boolean
}

/** Bytes of the templates and registration certificates that are compared for a list of templates. */
export async function measureComparison({ db }: Pick<Deps, 'db'>, realm: Realm): Promise<number> {
  return (await sumTemplates(db, realm)).bytes + (await measureRegistrations(db, realm))
}

export async function listTemplatesWithUse(
  deps: Pick<Deps, 'db' | 'clock' | 'registrations'>,
  realm: Realm,
): Promise<TemplateWithUse[]> {
  const [templates, used] = await Promise.all([listTemplates(deps, realm), readUsedTemplates(deps, realm)])
  return templates.map((template) => ({ ...template, isInUse: !template.builtIn || used.has(template.key) }))
}
