// Chooses the template for a client's request: by scope, acr_values or requested claims, or the client's default.

import type { Template } from '../../../core/templates/domain/template.ts'
import { BINDING_CLAIM, standardNames } from './claims.ts'
import type { OidcClient } from './client.ts'
import { OidcFailure } from './failure.ts'
import type { ParsedAuthorization } from './request.ts'
import { claimsOfScopes } from './standard-scopes.ts'

const SCOPE_PREFIX = 'vidimus:'
const ACR_PREFIX = 'urn:vidimus:template:'

export interface ChosenTemplate {
  readonly template: string
  /** The only claims that the client gets from userinfo; null: all, because the request names the template itself. */
  readonly userinfoClaims: readonly string[] | null
  /** The only claims that the client gets in the ID token. */
  readonly idTokenClaims: readonly string[]
  /** acr_values is a preference: if the template is not available, the sign-in continues without it. */
  readonly isPreference: boolean
}

/** `browser`: it can edit its request. `client`: the request was signed or pushed. */
export type RequestSource = 'browser' | 'client'

type Client = Pick<OidcClient, 'templates' | 'defaultTemplate' | 'subjectClaims' | 'requireTrue'>
type Question = Pick<ParsedAuthorization, 'scopes' | 'acrValues' | 'claimNames' | 'verified' | 'presReqConfId'>

/**
 * `templates` are the client's templates that exist. Throws OidcFailure `invalid_scope` for a scope that is not
 * available, and if the request names nothing and the client has no default.
 */
export function chooseTemplate(
  client: Client,
  { question, sentBy }: { readonly question: Question; readonly sentBy: RequestSource },
  templates: readonly Template[],
): ChosenTemplate {
  // A person whose answer would be refused could otherwise edit the address, or leave the signature out, so that another
  // template is asked for, without the claim that must be true.
  if (client.requireTrue && sentBy === 'browser' && client.templates.length > 1)
    throw new OidcFailure('invalid_request', NOT_BY_BROWSER)
  const keys = [
    ...after(question.scopes, SCOPE_PREFIX),
    ...(question.presReqConfId === null ? [] : [question.presReqConfId]),
  ]
  if (keys.length > 1) throw new OidcFailure('invalid_scope', 'only one template can be requested at a time')
  const [template] = keys
  const { idToken: idTokenClaims } = question.claimNames
  if (template !== undefined) {
    // The same refusal for a template that does not exist and for one that this client may not use.
    if (!client.templates.includes(template))
      throw new OidcFailure('invalid_scope', 'there is no such template for this client')
    return { template, userinfoClaims: null, idTokenClaims, isPreference: false }
  }
  // Core §3.1.2.1 and §15.1: values that this client cannot use are ignored.
  const usable = templates.filter((one) => identifies(client, one))
  const preferred = after(question.acrValues, ACR_PREFIX).find((key) => usable.some((one) => one.key === key))
  if (preferred !== undefined) return { template: preferred, userinfoClaims: null, idTokenClaims, isPreference: true }
  const byScope = claimsOfScopes(question.scopes)
  const named = namesIn(question)
  const isNothing = named.length + byScope.length === 0
  const userinfoClaims = isNothing ? null : [...new Set([...question.claimNames.userinfo, ...byScope])]
  const best = findBestCovering(client, usable, { named, byScope })
  const chosen = best ?? client.defaultTemplate
  if (chosen === null) throw new OidcFailure('invalid_scope', 'no template is named')
  return { template: chosen, userinfoClaims, idTokenClaims, isPreference: false }
}

const NOT_BY_BROWSER =
  'with require_true and several templates, requests must be pushed or signed: do that, or use a client for each template'

/** Whether the choice depends on the content of the client's templates. */
export const readsTemplates = (question: Question) =>
  namesIn(question).length + claimsOfScopes(question.scopes).length + after(question.acrValues, ACR_PREFIX).length > 0

/** Leaves out our own claim about the token: like `amr`, it does not limit what is asked about the person. */
function namesIn({ claimNames, verified }: Pick<Question, 'claimNames' | 'verified'>): string[] {
  const inVerified = [...verified.idToken, ...verified.userinfo].flatMap(({ claims }) => Object.keys(claims))
  return [...claimNames.userinfo, ...claimNames.idToken, ...inVerified].filter((name) => name !== BINDING_CLAIM)
}

const after = (texts: readonly string[], prefix: string) =>
  texts.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length))

/**
 * The template that covers most of the requested claims; named claims count before claims of scopes. Of equal ones, the
 * smaller wins, then the client's default. null if none has any of the claims, which is not an error (Core §5.5.1).
 */
function findBestCovering(
  client: Client,
  templates: readonly Template[],
  wanted: { readonly named: readonly string[]; readonly byScope: readonly string[] },
): string | null {
  const ranked = templates.flatMap((template) => {
    const { reach, length } = namesOf(template)
    const [named, byScope] = [count(wanted.named, reach), count(wanted.byScope, reach)]
    const isDefault = template.key === client.defaultTemplate ? 1 : 0
    return named + byScope === 0 ? [] : [{ key: template.key, rank: [named, byScope, -length, isDefault] }]
  })
  // The sort is stable: of equal templates, the client's first one wins.
  const [best] = ranked.sort((a, b) => compareRanks(b.rank, a.rank))
  return best?.key ?? null
}

/** Without the subject's claims, every sign-in with this template would fail. */
const identifies = ({ subjectClaims }: Client, template: Template) =>
  subjectClaims.every((name) => namesOf(template).outputs.has(name.split('.')[0] ?? ''))

const count = (names: readonly string[], reach: ReadonlySet<string>) =>
  new Set(names.filter((name) => reach.has(name))).size

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

interface Names {
  readonly outputs: ReadonlySet<string>
  /** Their OpenID names. */
  readonly reach: ReadonlySet<string>
  readonly length: number
}

/** Of cached templates, because strangers begin sign-ins, and a client can have many long templates. */
const NAMES = new WeakMap<Template, Names>()

function namesOf(template: Template): Names {
  const known = NAMES.get(template)
  if (known !== undefined) return known
  const listed = outputNames(template)
  const outputs = new Set(listed)
  const names = { outputs, reach: standardNames([...outputs]), length: listed.length }
  NAMES.set(template, names)
  return names
}

/** Without outputs, the result has the claims of the credentials under their own names. */
function outputNames({ outputs, query }: Template): readonly string[] {
  if (outputs !== null) return Object.keys(outputs)
  const paths = query.credentials.flatMap(({ claims }) => (claims ?? []).map(({ path }) => path))
  return paths.flatMap((path) => path.filter((part) => typeof part === 'string'))
}
