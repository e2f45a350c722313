// Begins a sign-in: creates a verification bound to the browser, or reuses its recent answer if allowed.

import type { ClientPrincipal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { newSecret } from '../../../core/verifications/domain/one-time-secret.ts'
import {
  type CreationNeeds,
  createVerification,
} from '../../../core/verifications/usecases/asking/create-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isClientId, newAuthorizationId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import { signInRuleOf } from '../domain/confirmation.ts'
import { OidcFailure } from '../domain/failure.ts'
import { returnPathOf } from '../domain/issuer.ts'
import type { ChosenTemplate } from '../domain/question.ts'
import {
  type AskedAuthorization,
  type AuthorizationRequest,
  type Parameters,
  readAuthorization,
  responseWay,
} from '../domain/request.ts'
import { subjectOf } from '../domain/subject.ts'
import { endPushedRequest } from '../store/pushed-requests.ts'
import { type AuthorizationResponse, codeResponse, failureResponse, unwantedAnswer } from './authorization-response.ts'
import { chooseFor } from './choose-template.ts'
import { requireRoomForSignIn, SIGN_IN_SECONDS, type SignInOrigin } from './open-sign-ins.ts'
import { asksTheSame, findRemembered } from './remember-browser.ts'
import { resolveRequest } from './resolve-request.ts'
import { writeAuthorization } from './together.ts'

type Needs = CreationNeeds & Pick<Deps, 'clients' | 'metrics' | 'derivedKeys' | 'egress'>

/** An open page still gets a response this long after its verification has ended. */
const AFTERWARDS_SECONDS = 600

interface AuthorizationInput {
  readonly realm: Realm
  readonly parameters: Parameters
  /** The browser's network, as addresses are counted. */
  readonly network: string
  /** The token of an earlier answer in the browser; null: none. */
  readonly remembered: string | null
}

export type Begun =
  /** There is no trusted address to respond to: only the person sees the error. */
  | { readonly outcome: 'no_client' | 'no_redirect_uri' | 'no_request' }
  | (BegunForClient & {
      /** The languages that the client prefers, as its request names them; null: it names none. */
      readonly uiLocales: string | null
    })

type BegunForClient =
  | { readonly outcome: 'responded'; readonly response: AuthorizationResponse }
  | {
      readonly outcome: 'asked'
      readonly verificationId: string
      /** For the browser only. */
      readonly browserSecret: string
      readonly seconds: number
    }

/** Limits what strangers may do in the name of a client. */
export interface BeginAdmission {
  /** Called once the client is known. */
  readonly named: (client: OidcClient) => Promise<void>
  /** Called before a request object is fetched. */
  readonly fetching: (client: OidcClient) => Promise<void>
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
  const { parameters, failure: refused, pushedId } = resolved
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri === undefined || !client.redirectUris.includes(redirectUri)) return { outcome: 'no_redirect_uri' }
  const uiLocales = parameters.get('ui_locales') ?? null
  try {
    if (refused !== null) throw refused
    if (client.profile === 'fapi2' && pushedId === null)
      throw new OidcFailure('invalid_request', 'this client must push its requests')
    // Refused before the person presents anything: this service could not read the result.
    if (known.hasEncryptedResults) throw new OidcFailure('unauthorized_client', 'results are encrypted to the merchant')
    const asked = readAuthorization(parameters, { redirectUri, client })
    const chosen = await chooseFor(deps, client, asked)
    const responded = await respondToRemembered(deps, input, { client, asked, chosen, pushedId })
    if (responded !== null) return { ...responded, uiLocales }
    if (asked.prompts.includes('none'))
      throw new OidcFailure(asked.subject == null ? 'interaction_required' : 'login_required')
    const origin = await requireRoomForSignIn(deps, known, input.network)
    await admit.asking(client, origin)
    return { ...(await askOrIgnorePreference(deps, { client, asked, chosen, pushedId }, origin.hash)), uiLocales }
  } catch (error) {
    const failure = failureOf(error)
    if (failure === null) throw error
    return {
      outcome: 'responded',
      response: failureResponse(deps, realm, { redirectUri, ...responseWay(parameters) }, failure),
      uiLocales,
    }
  }
}

interface Understood {
  readonly client: OidcClient
  readonly asked: AskedAuthorization
  readonly chosen: ChosenTemplate
  readonly pushedId: string | null
}

/** A template that acr_values prefers and that cannot be asked for (live: not registered) does not end the sign-in. */
async function askOrIgnorePreference(
  deps: Needs,
  understood: Understood,
  networkHash: Uint8Array,
): Promise<BegunForClient> {
  const { client, chosen } = understood
  try {
    return await ask(deps, understood, networkHash)
  } catch (error) {
    if (!chosen.isPreference || failureOf(error)?.code !== 'invalid_scope') throw error
    const asked = { ...understood.asked, acrValues: [] }
    return ask(deps, { ...understood, asked, chosen: await chooseFor(deps, client, asked) }, networkHash)
  }
}

async function respondToRemembered(
  deps: Needs,
  input: AuthorizationInput,
  understood: Understood,
): Promise<BegunForClient | null> {
  const { client, asked, chosen } = understood
  const found = asked.prompts.some((prompt) => prompt !== 'none')
    ? null
    : await findRemembered(deps, { client, token: input.remembered, maxAgeSeconds: asked.maxAgeSeconds })
  if (found === null || found.template !== chosen.template || unwantedAnswer(client, asked, found) !== null) return null
  if (asked.subject != null && subjectOf(deps.derivedKeys, client, found) !== asked.subject) return null
  if (!(await asksTheSame(deps, client, found))) return null
  const request = requestOf(understood)
  const id = newAuthorizationId(deps.random)
  // No browser returns to this sign-in: its secret is discarded.
  const { hash } = newSecret(deps.random, 'browser')
  const { code, response } = codeResponse(deps, client, request)
  await insert(deps, {
    client,
    request,
    id,
    verificationId: found.id,
    browserHash: hash,
    seconds: SIGN_IN_SECONDS,
    // No new verification is created.
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
  return { outcome: 'asked', verificationId, browserSecret, seconds }
}

/** The part of the request that is stored. */
export function requestOf({ asked, chosen, pushedId }: Omit<Understood, 'client'>): AuthorizationRequest {
  const { userinfoClaims, idTokenClaims } = chosen
  const claims = userinfoClaims === null ? null : [...new Set([...userinfoClaims, ...idTokenClaims])]
  const named = { claims, userinfoClaims, idTokenClaims, verified: asked.verified, dpopJkt: asked.dpopJkt, pushedId }
  return {
    redirectUri: asked.redirectUri,
    responseMode: asked.responseMode,
    state: asked.state,
    nonce: asked.nonce,
    codeChallenge: asked.codeChallenge,
    acrEssential: asked.acrEssential,
    subject: asked.subject ?? null,
    presReqConfId: asked.presReqConfId,
    uiLocales: asked.uiLocales ?? null,
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

/** The failure to report to the client; null: the error does not concern it. */
function failureOf(error: unknown): OidcFailure | null {
  if (error instanceof OidcFailure) return error
  if (!(error instanceof Refusal)) return null
  if (error.code === 'quota_exceeded' || error.code === 'unavailable') return new OidcFailure('temporarily_unavailable')
  return UNAVAILABLE_SCOPE_CODES.has(error.code) ? new OidcFailure('invalid_scope') : null
}

/** A template that the client was once allowed and that is gone, or claims beyond the tenant's registration. */
const UNAVAILABLE_SCOPE_CODES: ReadonlySet<Refusal['code']> = new Set([
  'unknown_template',
  'template_not_allowed',
  'not_registered',
  'over_asking',
  // The template needs transaction values, which a sign-in does not provide.
  'invalid_transaction',
  'transaction_not_supported_for_credential',
])
