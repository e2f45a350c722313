// What may I ask here, and is it for real? For a till that shows titles and says when nothing it shows is proof of anything.

import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import type { Principal } from '../../tenants/domain/principal.ts'
import { givenFields } from '../../transactions/domain/template-transaction.ts'
import { listBuiltInTemplates } from '../domain/question.ts'
import { listTitles } from '../store/templates.ts'

export interface AskableTemplates {
  readonly environment: Environment
  readonly data: {
    readonly key: string
    readonly title: string
    /** Values that it wants from whoever asks, for what its holder agrees to; absent: none. */
    readonly fields?: ReturnType<typeof givenFields>
  }[]
}

/** All of the realm, built-in ones first; for a device those that it was allowed and that there are. */
export async function listAskableTemplates(deps: Pick<Deps, 'db'>, principal: Principal): Promise<AskableTemplates> {
  const allowed = principal.kind === 'device' ? principal.allowedTemplates : null
  const builtIn = listBuiltInTemplates().map(({ key, title }) => ({ key, title }))
  const own = (await listTitles(deps.db, principal, allowed)).map(({ key, title, transaction }) => ({
    key,
    title,
    ...(transaction === null ? {} : { fields: givenFields(transaction) }),
  }))
  const data = [...builtIn, ...own].filter(({ key }) => allowed?.includes(key) ?? true)
  return { environment: principal.environment, data }
}
