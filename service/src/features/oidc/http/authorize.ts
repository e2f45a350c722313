// Serves the authorization endpoint: redirects a browser from a client to the hosted page of its verification.

import { MalformedForm, parseForm } from '@vidimus/engine/form'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { setBrowserSecret } from '../../../core/verifications/http/browser-cookie.ts'
import { FORM_TYPE } from '../../../core/verifications/http/wallet/form.ts'
import { bodiesAreBytes, bytesOf } from '../../../core/verifications/http/wallet/guards.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { inTurnIfLong } from '../../../platform/event-loop/in-turn.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import { addressBucket, wideNetwork } from '../../../platform/http/address.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget, spendOrReserve } from '../../../platform/http/bounds/budget.ts'
import { type Assets, busyAsPage } from '../../pages/index.ts'
import type { OidcClient } from '../domain/client.ts'
import type { Parameters } from '../domain/request.ts'
import { type BeginAdmission, beginAuthorization } from '../usecases/begin-authorization.ts'
import { SIGN_IN_SECONDS } from '../usecases/open-sign-ins.ts'
import { rememberedOf } from './cookies.ts'
import { languageOf } from './language.ts'
import { sendAuthorizationResponse, sendStop } from './pages.ts'
import { realmOf } from './realm.ts'
import { REALM_PATH, RealmParams } from './schema.ts'

const BODY_BYTES_MAX = 32 * 1024
/** Networks that are new at a client have a reserve in addition to the client's rate: a quarter of that rate. */
const RESERVE_PART = 4

export function addAuthorizeRoutes(routes: App, deps: Deps, assets: Assets): void {
  routes.get(
    `${REALM_PATH}/authorize`,
    {
      ...withoutKey(deps),
      onSend: busyAsPage(assets),
      exposeHeadRoute: false,
      schema: { hide: true, params: RealmParams },
    },
    (request, reply) => {
      const url = request.raw.url ?? ''
      const mark = url.indexOf('?')
      return authorize(deps, {
        request,
        reply,
        assets,
        sent: Buffer.from(mark < 0 ? '' : url.slice(mark + 1), 'latin1'),
      })
    },
  )
  routes.post(
    `${REALM_PATH}/authorize`,
    {
      ...withoutKey(deps),
      onSend: busyAsPage(assets),
      bodyLimit: BODY_BYTES_MAX,
      validatorCompiler: bodiesAreBytes,
      schema: { hide: true, params: RealmParams, consumes: [FORM_TYPE] },
    },
    (request, reply) => authorize(deps, { request, reply, assets, sent: bytesOf(request) }),
  )
}

interface Sent {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly assets: Assets
  readonly sent: Uint8Array
}

async function authorize(deps: Deps, { request, reply, assets, sent }: Sent): Promise<FastifyReply> {
  const realm = realmOf(request.params as { tenant: string; environment: string })
  await inTurnIfLong(addressBucket(request.ip), sent.length)
  const parameters = readParameters(sent)
  const language = languageOf(request, parameters?.get('ui_locales') ?? null)
  // A repeated parameter is ambiguous, so we do not know the client to respond to.
  if (parameters === null) return sendStop(reply, assets, { stop: 'malformed', language })
  const remembered = rememberedOf(deps, request, parameters.get('client_id') ?? '')
  const admit: BeginAdmission = {
    named: ({ id }) => spendBudget(deps, reply, { ...beginningAt(request, id), budget: deps.config.signIns.address }),
    fetching: async (client) => {
      await spendOrReserve(deps, { ...FETCHES, key: client.id, budget: fetchesOfClient(deps) }, null)
      await spendOrReserve(deps, { ...FETCHES, key: 'all', budget: FETCHES_IN_ALL }, [
        { name: 'oidc_request_uri_reserve', key: client.tenantId, budget: FETCHES_RESERVE.tenant },
        { name: 'oidc_request_uri_reserve', key: 'all', budget: FETCHES_RESERVE.all },
      ])
    },
    recognised: (client) => spendBeginning(deps, request, { client, isNew: false }),
    async asking(client, { isNew, reserve }) {
      requireVisiblePage(request)
      if (reserve !== null) await spendReserve(deps, request, { client, reserve })
      await spendBeginning(deps, request, { client, isNew })
    },
  }
  const network = addressBucket(request.ip, 48)
  const begun = await beginAuthorization(deps, { realm, parameters, network, remembered }, admit)
  switch (begun.outcome) {
    case 'no_client':
    case 'no_redirect_uri':
    case 'no_request':
      return sendStop(reply, assets, { stop: begun.outcome, language })
    case 'responded':
      return sendAuthorizationResponse(reply, begun.response, languageOf(request, begun.uiLocales))
    case 'begun': {
      const { verificationId, browserSecret: secret, seconds } = begun
      setBrowserSecret(deps, { request, reply }, { verificationId, secret, seconds })
      return reply.redirect(`/verify/${verificationId}?lang=${languageOf(request, begun.uiLocales)}`, 303)
    }
  }
}

/**
 * Refuses requests that show no page, such as images and frames. With them, another site could begin sign-ins for all
 * of its visitors, and each would count as open.
 */
function requireVisiblePage({ headers }: FastifyRequest): void {
  const { 'sec-fetch-dest': destination = 'document', 'sec-purpose': purpose } = headers
  if (destination === 'document' && purpose === undefined) return
  throw new Refusal('invalid_request', {
    message: 'A sign-in needs a page of its own: it cannot begin in a frame, by a script or by prefetching.',
  })
}

const FETCHES = { name: 'oidc_request_uri' } as const
const FETCHES_IN_ALL = { perSecond: 20, burst: 100 }
/** One client gets a quarter of the total, because strangers may use its id. If the total is spent, each tenant has a reserve. */
const FETCHES_PART = 4
const FETCHES_RESERVE = { tenant: { perSecond: 1, burst: 5 }, all: { perSecond: 5, burst: 25 } }

function fetchesOfClient({ config }: Deps) {
  const { perSecond, burst } = config.signIns.client
  return {
    perSecond: Math.min(perSecond, FETCHES_IN_ALL.perSecond / FETCHES_PART),
    burst: Math.min(burst, FETCHES_IN_ALL.burst / FETCHES_PART),
  }
}

/** One budget per /48. A home connection has a /56, so with one budget per /64 it would have 256 budgets. */
const beginningAt = (request: FastifyRequest, clientId: string) =>
  ({ name: 'oidc_sign_in', key: `${addressBucket(request.ip, 48)} ${clientId}` }) as const

/**
 * One attacker can easily own all addresses of a /24, or all /48s of a provider's /32. So each of these wide networks gets
 * only an eighth of each reserve.
 */
const NEIGHBOURS_PART = 8
const neighboursOf = ({ ip }: FastifyRequest, { id }: OidcClient) => `${wideNetwork(ip)} ${id}`

function spendReserve(
  deps: Deps,
  request: FastifyRequest,
  { client, reserve }: { readonly client: OidcClient; readonly reserve: number },
): Promise<void> {
  const burst = Math.ceil(reserve / NEIGHBOURS_PART)
  const budget = { perSecond: burst / SIGN_IN_SECONDS, burst }
  return spendOrReserve(deps, { name: 'oidc_open_reserve', key: neighboursOf(request, client), budget }, null)
}

/** Spends the client's rate. Once it is used up, networks that are new at the client use the reserve. */
function spendBeginning(
  deps: Deps,
  request: FastifyRequest,
  { client, isNew }: { readonly client: OidcClient; readonly isNew: boolean },
): Promise<void> {
  const { client: budget } = deps.config.signIns
  const part = (fraction: number) => ({
    perSecond: budget.perSecond / fraction,
    burst: Math.max(1, budget.burst / fraction),
  })
  const name = 'oidc_client_reserve'
  const reserve = [
    { name, key: neighboursOf(request, client), budget: part(RESERVE_PART * NEIGHBOURS_PART) },
    { name, key: client.id, budget: part(RESERVE_PART) },
  ] as const
  return spendOrReserve(deps, { name: 'oidc_client', key: client.id, budget }, isNew ? reserve : null)
}

/** RFC 6749 §3.1: no parameter may repeat, and one without a value counts as absent. null if it is not a form. */
export function readParameters(sent: Uint8Array): Parameters | null {
  try {
    return new Map([...parseForm(sent)].filter(([, value]) => value !== ''))
  } catch (error) {
    if (!(error instanceof MalformedForm)) throw error
    return null
  }
}
