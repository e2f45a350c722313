// Chooses the template for a request, among those of the client that exist.

import { builtInTemplate } from '../../../core/templates/domain/question.ts'
import type { Deps } from '../../../deps.ts'
import type { OidcClient } from '../domain/client.ts'
import { type ChosenTemplate, chooseTemplate, readsTemplates } from '../domain/question.ts'
import type { AskedAuthorization } from '../domain/request.ts'

/** Throws OidcFailure. */
export async function chooseFor(
  deps: Pick<Deps, 'templates' | 'clock'>,
  client: OidcClient,
  asked: AskedAuthorization,
): Promise<ChosenTemplate> {
  const found = readsTemplates(asked)
    ? await Promise.all(
        client.templates.map((key) => builtInTemplate(key) ?? deps.templates.find(client, key, deps.clock.now())),
      )
    : []
  const existing = found.filter((template) => template !== null)
  return chooseTemplate(client, asked, existing)
}
