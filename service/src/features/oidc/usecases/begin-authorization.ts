// Begins a sign-in: creates a verification bound to the browser, or reuses the browser's recent answer.

import type { ClientPrincipal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import {
  type CreationNeeds,
  createVerification,
} from '../../../core/verifications/usecases/asking/create-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isClientId, newAuthorizationId } from '../../../platform/ids.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import { instantOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import { signInRuleOf } from '../domain/confirmation.ts'
import { OidcFailure } from '../domain/failure.ts'
import { returnPathOf } from '../domain/issuer.ts'
import type { ChosenTemplate, RequestSource } from '../domain/question.ts'
import {
  type AuthorizationRequest,
  type Parameters,
  type ParsedAuthorization,
  readAuthorization,
  responseOptionsOf,
} from '../domain/request.ts'
import { subjectOf } from '../domain/subject.ts'
import { endPushedRequest } from '../store/pushed-requests.ts'
import { type AuthorizationResponse, codeResponse, failureResponse, unwantedAnswer } from './authorization-response.ts'
import { chooseFor } from './choose-template.ts'
import { requireRoomForSignIn, SIGN_IN_SECONDS, type SignInOrigin } from './open-sign-ins.ts'
import { findRemembered, isSameQuestion } from './remember-browser.ts'
import { resolveRequest } from './resolve-request.ts'
import { writeAuthorization } from './together.ts'

type Needs = CreationNeeds & Pick<Deps, 'clients' | 'metrics' | 'derivedKeys' | 'egress'>

/** How long an open page still gets a response after its verification has ended. */
const AFTERWARDS_SECONDS = 600

interface AuthorizationInput {
  readonly realm: Realm
  readonly parameters: Parameters
  /** The browser's network, as the address limits count it. */
  readonly network: string
  /** The token of an earlier answer in the browser; null if there is none. */
  readonly remembered: string | null
}

export type Begun =
  /** No redirect address can be trusted, so only the person sees the error. */
  | { readonly outcome: 'no_client' | 'no_redirect_uri' | 'no_request' }
  | (BegunForClient & {
      /** The client's preferred languages, as its request spells them; null if there are none. */
      readonly uiLocales: string | null
    })

type BegunForClient =
  | { readonly outcome: 'responded'; readonly response: AuthorizationResponse }
  | {
      readonly outcome: 'begun'
      readonly verificationId: string
      /** Only for the browser, as a cookie. */
      readonly browserSecret: string
      readonly seconds: number
    }

/** Limits what strangers may do in the name of a client. */
export interface BeginAdmission {
  /** Called once the client is known. */
  readonly named: (client: OidcClient) => Promise<void>
  /** Called before a request object is fetched. */
  readonly fetching: (client: OidcClient) => Promise<void>
  /** Called before a browser that is recognised gets a code. */
  readonly recognised: (client: OidcClient) => Promise<void>
  /** Called before a verification is created. */
  readonly asking: (client: OidcClient, origin: SignInOrigin) => Promise<void>
}

export async function beginAuthorization(
  deps: Needs,
  input: AuthorizationInput,
  admit: BeginAdmission,
): Promise<Begun> {
  const { realm } = input
  const clientId = input.parameters.get('client_id') ?? ''
  const known = isClientId(clientId) ? await deps.clients.find(realm, clientId, deps.clock.now()) : null
  if (known === null) return { outcome: 'no_client' }
  const { client } = known
  await admit.named(client)
  const resolved = await resolveRequest(deps, { client, sent: input.parameters }, admit.fetching)
  if (resolved === null) return { outcome: 'no_request' }
  const { parameters, failure: refused, pushedId, sentBy } = resolved
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri === undefined || !client.redirectUris.includes(redirectUri)) return { outcome: 'no_redirect_uri' }
  const uiLocales = parameters.get('ui_locales') ?? null
  try {
    if (refused !== null) throw refused
    if (client.profile === 'fapi2' && pushedId === null)
      throw new OidcFailure('invalid_request', 'this client must push its requests')
    // Refused before the person presents anything, because this service could not read the result.
    if (known.hasEncryptedResults) throw new OidcFailure('unauthorized_client', 'results are encrypted to the merchant')
    const parsed = readAuthorization(parameters, { redirectUri, client })
    const chosen = await chooseFor(deps, client, { parsed, sentBy })
    const understood = { client, parsed, chosen, pushedId, sentBy }
    const responded = await respondToRemembered(deps, input, understood, admit.recognised)
    if (responded !== null) return { ...responded, uiLocales }
    if (parsed.prompts.includes('none'))
      throw new OidcFailure(parsed.subject == null ? 'interaction_required' : 'login_required')
    const origin = await requireRoomForSignIn(deps, known, input.network)
    await admit.asking(client, origin)
    return { ...(await askOrIgnorePreference(deps, understood, origin.hash)), uiLocales }
  } catch (error) {
    const failure = failureOf(error)
    if (failure === null) throw error
    return {
      outcome: 'responded',
      response: failureResponse(deps, realm, { redirectUri, ...responseOptionsOf(parameters) }, failure),
      uiLocales,
    }
  }
}

interface Understood {
  readonly client: OidcClient
  readonly parsed: ParsedAuthorization
  readonly chosen: ChosenTemplate
  readonly pushedId: string | null
  readonly sentBy: RequestSource
}

/** If acr_values prefers a template that is not available (live: not registered), the sign-in continues without it. */
async function askOrIgnorePreference(
  deps: Needs,
  understood: Understood,
  networkHash: Uint8Array,
): Promise<BegunForClient> {
  const { client, chosen, sentBy } = understood
  try {
    return await ask(deps, understood, networkHash)
  } catch (error) {
    if (!chosen.isPreference || failureOf(error)?.code !== 'invalid_scope') throw error
    const parsed = { ...understood.parsed, acrValues: [] }
    return ask(deps, { ...understood, parsed, chosen: await chooseFor(deps, client, { parsed, sentBy }) }, networkHash)
  }
}

async function respondToRemembered(
  deps: Needs,
  input: AuthorizationInput,
  understood: Understood,
  admit: BeginAdmission['recognised'],
): Promise<BegunForClient | null> {
  const { client, parsed, chosen } = understood
  const found = parsed.prompts.some((prompt) => prompt !== 'none')
    ? null
    : await findRemembered(deps, { client, token: input.remembered, maxAgeSeconds: parsed.maxAgeSeconds })
  if (found === null || found.template !== chosen.template || unwantedAnswer(client, parsed, found) !== null)
    return null
  const subject = subjectOf(deps.derivedKeys, client, found)
  // The client may have other claims for it since.
  if (subject === null || subject !== (parsed.subject ?? subject)) return null
  if (!(await isSameQuestion(deps, client, found))) return null
  await admit(client)
  const request = requestOf(understood)
  const id = newAuthorizationId(deps.random)
  // No browser returns to this sign-in, so its secret is discarded.
  const { hash } = newSecret(deps.random, 'browser')
  const { code, response } = codeResponse(deps, client, request)
  await insert(deps, {
    client,
    request,
    id,
    verificationId: found.id,
    browserHash: hash,
    seconds: SIGN_IN_SECONDS,
    // null, because no new verification is created.
    networkHash: null,
    code,
  })
  if (understood.pushedId !== null) await endPushedRequest(deps.db, client, understood.pushedId)
  return { outcome: 'responded', response }
}

async function ask(deps: Needs, understood: Understood, networkHash: Uint8Array): Promise<BegunForClient> {
  const { client, chosen } = understood
  const id = newAuthorizationId(deps.random)
  const { text: browserSecret, hash: browserHash } = newSecret(deps.random, 'browser')
  const created = await createVerification(deps, {
    principal: principalOf(client),
    browser: { rule: signInRuleOf(client.crossDevice, client.environment), hash: browserHash },
    request: {
      template: chosen.template,
      redirect_url: `${deps.config.baseUrl}${returnPathOf(client, id)}`,
      ttl_seconds: SIGN_IN_SECONDS,
    },
    idempotencyKey: null,
  })
  const { id: verificationId }: { id: string } = JSON.parse(created.answer)
  const seconds = SIGN_IN_SECONDS + AFTERWARDS_SECONDS
  const request = requestOf(understood)
  await insert(deps, { client, request, id, verificationId, browserHash, seconds, networkHash, code: null })
  return { outcome: 'begun', verificationId, browserSecret, seconds }
}

/** The part of the request that is stored. */
export function requestOf({
  parsed,
  chosen,
  pushedId,
}: Pick<Understood, 'parsed' | 'chosen' | 'pushedId'>): AuthorizationRequest {
  const { userinfoClaims, idTokenClaims } = chosen
  const claims = userinfoClaims === null ? null : [...new Set([...userinfoClaims, ...idTokenClaims])]
  const named = { claims, userinfoClaims, idTokenClaims, verified: parsed.verified, dpopJkt: parsed.dpopJkt, pushedId }
  return {
    redirectUri: parsed.redirectUri,
    responseMode: parsed.responseMode,
    state: parsed.state,
    nonce: parsed.nonce,
    codeChallenge: parsed.codeChallenge,
    acrEssential: parsed.acrEssential,
    subject: parsed.subject ?? null,
    presReqConfId: parsed.presReqConfId,
    uiLocales: parsed.uiLocales ?? null,
    ...named,
  }
}

export function principalOf(client: OidcClient): ClientPrincipal {
  const { tenantId, environment, id, name, templates } = client
  const base = { kind: 'oidc_client', scopes: ['verifications:create'] } as const
  return { ...base, tenantId, environment, clientId: id, clientName: name, allowedTemplates: templates }
}

async function insert(
  deps: Needs,
  created: {
    readonly client: OidcClient
    readonly request: AuthorizationRequest
    readonly id: string
    readonly verificationId: string
    readonly browserHash: Uint8Array
    readonly seconds: number
    readonly networkHash: Uint8Array | null
    readonly code: { readonly hash: Uint8Array; readonly expiresAt: string } | null
  },
): Promise<void> {
  const { client, request, id, verificationId, browserHash, seconds, networkHash, code } = created
  const { tenantId, environment } = client
  const nowMs = deps.clock.now()
  const times = { createdAt: instantOf(nowMs), endsAt: instantOf(nowMs + seconds * 1000) }
  const owner = { tenantId, environment, clientId: client.id }
  await writeAuthorization(deps, {
    id,
    ...owner,
    verificationId,
    request,
    browserHash,
    networkHash,
    code,
    ...times,
  })
}

/** The failure to report to the client; null if the error is not one for the client. */
function failureOf(error: unknown): OidcFailure | null {
  if (error instanceof OidcFailure) return error
  if (!(error instanceof Refusal)) return null
  if (error.code === 'quota_exceeded' || error.code === 'unavailable') return new OidcFailure('temporarily_unavailable')
  return UNAVAILABLE_SCOPE_CODES.has(error.code) ? new OidcFailure('invalid_scope') : null
}

/** The client's template was deleted, or asks for claims beyond the tenant's registration. */
const UNAVAILABLE_SCOPE_CODES: ReadonlySet<Refusal['code']> = new Set([
  'unknown_template',
  'template_not_allowed',
  'not_registered',
  'over_asking',
  // The template needs transaction values, which a sign-in does not provide.
  'invalid_transaction',
  'transaction_not_supported_for_credential',
])
