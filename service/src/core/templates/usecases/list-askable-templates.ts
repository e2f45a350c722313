// Lists what a till may ask, and the environment: a till in test must say that nothing it shows is proof.

import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import type { Principal } from '../../tenants/domain/principal.ts'
import { callerFields } from '../../transactions/domain/template-transaction.ts'
import { listBuiltInTemplates } from '../domain/question.ts'
import { listTitles } from '../store/templates.ts'

interface AskableTemplates {
  readonly environment: Environment
  readonly data: {
    readonly key: string
    readonly title: string
    /** Values that the caller must provide for the holder's agreement; absent: none. */
    readonly fields?: ReturnType<typeof callerFields>
  }[]
}

/** All templates of the realm, built-in ones first. For a device, the existing ones that it may use. */
export async function listAskableTemplates(deps: Pick<Deps, 'db'>, principal: Principal): Promise<AskableTemplates> {
  const allowed = principal.kind === 'device' ? principal.allowedTemplates : null
  const builtIn = listBuiltInTemplates().map(({ key, title }) => ({ key, title }))
  const own = (await listTitles(deps.db, principal, allowed)).map(({ key, title, transaction }) => ({
    key,
    title,
    ...(transaction === null ? {} : { fields: callerFields(transaction) }),
  }))
  const data = [...builtIn, ...own].filter(({ key }) => allowed?.includes(key) ?? true)
  return { environment: principal.environment, data }
}
