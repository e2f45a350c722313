// Chooses the template for a request among the client's existing templates.

import { builtInTemplate } from '../../../core/templates/domain/question.ts'
import type { Deps } from '../../../deps.ts'
import type { OidcClient } from '../domain/client.ts'
import { type ChosenTemplate, chooseTemplate, type RequestSource, readsTemplates } from '../domain/question.ts'
import type { ParsedAuthorization } from '../domain/request.ts'

/** Throws OidcFailure. */
export async function chooseFor(
  deps: Pick<Deps, 'templates' | 'clock'>,
  client: OidcClient,
  { parsed, sentBy }: { readonly parsed: ParsedAuthorization; readonly sentBy: RequestSource },
): Promise<ChosenTemplate> {
  const found = readsTemplates(parsed)
    ? await Promise.all(
        client.templates.map((key) => builtInTemplate(key) ?? deps.templates.find(client, key, deps.clock.now())),
      )
    : []
  const existing = found.filter((template) => template !== null)
  return chooseTemplate(client, { question: parsed, sentBy }, existing)
}
