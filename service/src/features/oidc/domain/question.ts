// Chooses the template for a client's request: by scope, by acr_values, by the requested claims, or else the client's default.

import { BUILT_IN_TEMPLATES } from '../../../core/templates/domain/built-in/built-in.ts'
import type { Template } from '../../../core/templates/domain/template.ts'
import { outputsFor } from './claims.ts'
import type { OidcClient } from './client.ts'
import { OidcFailure } from './failure.ts'
import type { AskedAuthorization } from './request.ts'

const SCOPE_PREFIX = 'vidimus:'
const ACR_PREFIX = 'urn:vidimus:template:'

export interface ChosenTemplate {
  readonly template: string
  /** The only claims that the client receives, if claims chose the template; null: all of the template's. */
  readonly claims: readonly string[] | null
}

/** Throws OidcFailure: `invalid_scope` for a name that is not available, and if nothing is named and there is no default. */
export function chooseTemplate(
  client: Pick<OidcClient, 'templates' | 'defaultTemplate'>,
  asked: Pick<AskedAuthorization, 'scopes' | 'acrValues' | 'claimNames' | 'presReqConfId'>,
): ChosenTemplate {
  const named = [...after(asked.scopes, SCOPE_PREFIX), ...(asked.presReqConfId === null ? [] : [asked.presReqConfId])]
  if (named.length > 1) throw new OidcFailure('invalid_scope', 'one template can be asked for at a time')
  const template = named[0] ?? after(asked.acrValues, ACR_PREFIX)[0] ?? null
  if (template !== null) {
    // The refusal is the same for a template that does not exist and one that this client may not use.
    if (!client.templates.includes(template))
      throw new OidcFailure('invalid_scope', 'there is no such template for this client')
    return { template, claims: null }
  }
  const covering = smallestCovering(client.templates, asked.claimNames)
  if (covering !== null) return covering
  if (client.defaultTemplate === null) throw new OidcFailure('invalid_scope', 'no template is named')
  return { template: client.defaultTemplate, claims: null }
}

const after = (texts: readonly string[], prefix: string) =>
  texts.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length))

/** Claims that no template provides are ignored (Core §5.5.1). */
function smallestCovering(allowed: readonly string[], names: readonly string[]): ChosenTemplate | null {
  const wanted = names.flatMap((name) => {
    const outputs = outputsFor(name)
    return outputs === null ? [] : [{ name, outputs }]
  })
  if (wanted.length === 0) return null
  const needed = new Set(wanted.flatMap(({ outputs }) => outputs))
  const fitting = BUILT_IN_TEMPLATES.filter(({ key }) => allowed.includes(key))
    .filter((template) => [...needed].every((output) => namesOf(template).includes(output)))
    .sort((a, b) => namesOf(a).length - namesOf(b).length)
  const [smallest] = fitting
  return smallest === undefined ? null : { template: smallest.key, claims: wanted.map(({ name }) => name) }
}

const namesOf = ({ outputs }: Template) => Object.keys(outputs ?? {})
