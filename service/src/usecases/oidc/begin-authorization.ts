// A client sends somebody's browser here: what it asks becomes a verification like any other, bound to that browser. A browser
// that has just answered the same is answered at once, where its client wants that.

import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { isClientId, newAuthorizationId } from '../../domain/ids.ts'
import type { OidcClient, QuotaClient } from '../../domain/oidc/client.ts'
import { OidcFailure } from '../../domain/oidc/failure.ts'
import { returnPathOf } from '../../domain/oidc/issuer.ts'
import { type ChosenTemplate, chooseTemplate } from '../../domain/oidc/question.ts'
import {
  type AskedAuthorization,
  type AuthorizationRequest,
  answerWay,
  type Parameters,
  readAuthorization,
  requestBytes,
  requestSealContext,
} from '../../domain/oidc/request.ts'
import { newSecret } from '../../domain/oidc/tokens.ts'
import type { ClientPrincipal } from '../../domain/tenant/principal.ts'
import { utcDayOf } from '../../domain/tenant/quota.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type Instant, instantOf, millisecondsOf } from '../../domain/world.ts'
import { createVerification } from '../verifications/asking/create-verification.ts'
import { type AuthorizationAnswer, codeAnswer, failureAnswer, refusesAnswer } from './answer-authorization.ts'
import { asksTheSame, findRemembered } from './remember-browser.ts'
import { writeAuthorization } from './together.ts'

type Needs = Pick<
  Deps,
  | 'db'
  | 'clients'
  | 'clock'
  | 'random'
  | 'sealer'
  | 'log'
  | 'egress'
  | 'config'
  | 'certificates'
  | 'metrics'
  | 'lanes'
  | 'auditSeal'
  | 'registrations'
>

/** As long as a person needs to find the phone, and its wallet. */
const SIGN_IN_SECONDS = 600
/** A page that was left open is answered for so long after its verification has ended. */
const AFTERWARDS_SECONDS = 600

export interface AuthorizationInput {
  readonly realm: Realm
  readonly parameters: Parameters
  /** What the browser has of an earlier answer; null: nothing. */
  readonly remembered: string | null
}

export type Begun =
  /** It cannot be known whom to answer: the person is told, nobody else. */
  | { readonly outcome: 'no_client' | 'no_redirect_uri' }
  | { readonly outcome: 'answered'; readonly answer: AuthorizationAnswer }
  | {
      readonly outcome: 'asked'
      readonly authorizationId: string
      readonly verificationId: string
      /** For the browser alone. */
      readonly browserSecret: string
      readonly seconds: number
      readonly locales: readonly string[]
    }

/** What strangers may do in the name of a client has bounds. */
export interface BeginAdmission {
  /** Called once it is known for which client. */
  readonly named: (client: OidcClient) => Promise<void>
  /** Around what costs the tenant one of its verifications. */
  readonly asking: <T>(known: QuotaClient, ask: () => Promise<T>) => Promise<T>
}

export async function beginAuthorization(
  deps: Needs,
  input: AuthorizationInput,
  admit: BeginAdmission,
): Promise<Begun> {
  const { realm, parameters } = input
  const clientId = parameters.get('client_id') ?? ''
  const known = isClientId(clientId) ? await deps.clients.find(realm, clientId, deps.clock.now()) : null
  if (known === null) return { outcome: 'no_client' }
  const { client } = known
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri === undefined || !client.redirectUris.includes(redirectUri)) return { outcome: 'no_redirect_uri' }
  await admit.named(client)
  try {
    // Before anybody shows anything: it could not be told.
    if (known.hasEncryptedResults) throw new OidcFailure('unauthorized_client', 'results are encrypted to the merchant')
    const asked = readAuthorization(parameters, { redirectUri, client })
    const chosen = chooseTemplate(client, asked)
    const answered = await answerRemembered(deps, input, { client, asked, chosen })
    if (answered !== null) return answered
    if (asked.prompts.includes('none')) throw new OidcFailure('interaction_required')
    return await admit.asking(known, () => ask(deps, { client, asked, chosen }))
  } catch (error) {
    const failure = failureOf(error)
    if (failure === null) throw error
    return {
      outcome: 'answered',
      answer: failureAnswer(deps, realm, { redirectUri, ...answerWay(parameters) }, failure),
    }
  }
}

interface Understood {
  readonly client: OidcClient
  readonly asked: AskedAuthorization
  readonly chosen: ChosenTemplate
}

async function answerRemembered(deps: Needs, input: AuthorizationInput, understood: Understood): Promise<Begun | null> {
  const { client, asked, chosen } = understood
  const found = asked.prompts.some((prompt) => prompt !== 'none')
    ? null
    : await findRemembered(deps, { client, token: input.remembered, maxAgeSeconds: asked.maxAgeSeconds })
  if (found === null || found.template !== chosen.template || refusesAnswer(client, asked, found) !== null) return null
  if (!(await asksTheSame(deps, client, found))) return null
  const request = requestOf(understood)
  const id = newAuthorizationId(deps.random)
  // Nobody comes back to this one: its secret is thrown away.
  const { hash } = newSecret(deps.random, 'browser')
  const { code, answer } = codeAnswer(deps, client, request)
  await insert(deps, {
    client,
    request,
    id,
    verificationId: found.id,
    browserHash: hash,
    seconds: SIGN_IN_SECONDS,
    // Nothing new is asked.
    shareDay: null,
    code,
  })
  return { outcome: 'answered', answer }
}

async function ask(deps: Needs, understood: Understood): Promise<Begun> {
  const { client, asked, chosen } = understood
  const id = newAuthorizationId(deps.random)
  const created = await createVerification(deps, {
    principal: principalOf(client),
    request: {
      template: chosen.template,
      redirect_url: `${deps.config.baseUrl}${returnPathOf(client, id)}`,
      ttl_seconds: SIGN_IN_SECONDS,
    },
    idempotencyKey: null,
  })
  const { id: verificationId, created_at: createdAt }: { id: string; created_at: Instant } = JSON.parse(created.answer)
  const shareDay = utcDayOf(millisecondsOf(createdAt))
  const { text: browserSecret, hash: browserHash } = newSecret(deps.random, 'browser')
  const seconds = SIGN_IN_SECONDS + AFTERWARDS_SECONDS
  const request = requestOf(understood)
  await insert(deps, { client, request, id, verificationId, browserHash, seconds, shareDay, code: null })
  return { outcome: 'asked', authorizationId: id, verificationId, browserSecret, seconds, locales: asked.locales }
}

function requestOf({ asked, chosen }: Understood): AuthorizationRequest {
  const { redirectUri, responseMode, state, nonce, codeChallenge, acrEssential, presReqConfId } = asked
  return { redirectUri, responseMode, state, nonce, codeChallenge, acrEssential, presReqConfId, claims: chosen.claims }
}

export function principalOf(client: OidcClient): ClientPrincipal {
  const { tenantId, environment, id, name, templates } = client
  const base = { kind: 'oidc_client', scopes: ['verifications:create'] } as const
  return { ...base, tenantId, environment, clientId: id, clientName: name, allowedTemplates: templates }
}

async function insert(
  deps: Needs,
  made: {
    readonly client: OidcClient
    readonly request: AuthorizationRequest
    readonly id: string
    readonly verificationId: string
    readonly browserHash: Uint8Array
    readonly seconds: number
    readonly shareDay: string | null
    readonly code: { readonly hash: Uint8Array; readonly expiresAt: string } | null
  },
): Promise<void> {
  const { client, request, id, verificationId, browserHash, seconds, shareDay, code } = made
  const { tenantId, environment } = client
  const nowMs = deps.clock.now()
  const sealedRequest = deps.sealer.seal(requestBytes(request), requestSealContext({ tenantId, environment, id }))
  const times = { createdAt: instantOf(nowMs), endsAt: instantOf(nowMs + seconds * 1000) }
  const owner = { tenantId, environment, clientId: client.id }
  await writeAuthorization(deps, { id, ...owner, verificationId, sealedRequest, browserHash, shareDay, code, ...times })
}

/** What of a refusal concerns the client; null: it is none. */
function failureOf(error: unknown): OidcFailure | null {
  if (error instanceof OidcFailure) return error
  if (!(error instanceof Refusal)) return null
  if (error.code === 'quota_exceeded' || error.code === 'unavailable') return new OidcFailure('temporarily_unavailable')
  return NOT_TO_BE_HAD.has(error.code) ? new OidcFailure('invalid_scope') : null
}

/** A template that was allowed for the client once and is gone; or more than the tenant is registered for. */
const NOT_TO_BE_HAD: ReadonlySet<Refusal['code']> = new Set([
  'unknown_template',
  'template_not_allowed',
  'not_registered',
  'over_asking',
  // One that wants values for what is agreed to: nobody gives them here.
  'invalid_transaction',
  'transaction_not_supported_for_credential',
])
