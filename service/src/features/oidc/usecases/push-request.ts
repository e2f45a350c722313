// Accepts pushed authorization requests (RFC 9126). The sign-in begins when a browser brings the address.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import { instantOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import { OidcFailure } from '../domain/failure.ts'
import { issuerOf } from '../domain/issuer.ts'
import { PUSHED_BOUNDS, PUSHED_SECONDS, pushedUri } from '../domain/pushed-request.ts'
import { type Parameters, readAuthorization, storedParameters } from '../domain/request.ts'
import { insertPushedRequest } from '../store/pushed-requests.ts'
import { acceptProof } from './accept-proof.ts'
import { type Admission, authenticateClient, type ClientCall } from './authenticate-client.ts'
import { chooseFor } from './choose-template.ts'
import { resolveRequest } from './resolve-request.ts'

type Needs = Pick<Deps, 'db' | 'clients' | 'clock' | 'config' | 'egress' | 'random' | 'metrics' | 'templates'>

interface PushedResponse {
  readonly request_uri: string
  readonly expires_in: number
}

/** Parameters that authenticate the client, and are not part of its request. */
const OF_CLIENT = new Set(['client_secret', 'client_assertion', 'client_assertion_type'])

/** Throws OidcFailure, or a Refusal if too many requests are waiting. */
export async function pushRequest(deps: Needs, call: ClientCall, admit: Admission): Promise<PushedResponse> {
  const client = await authenticateClient(deps, call, admit.named)
  // A client without authentication cannot push: strangers could use up its limit.
  if (client.authMethod === 'none') throw new OidcFailure('unauthorized_client', 'only clients with a secret or a key')
  await admit.proven(client)
  const parameters = await readPushed(deps, client, call)
  const { text, hash } = newSecret(deps.random, 'pushed_request')
  const nowMs = deps.clock.now()
  const isStored = await insertPushedRequest(deps.db, client, {
    clientId: client.id,
    id: hash.toString('hex'),
    request: { parameters: Object.fromEntries(storedParameters(parameters)) },
    now: instantOf(nowMs),
    expiresAt: instantOf(nowMs + PUSHED_SECONDS * 1000),
    bounds: PUSHED_BOUNDS,
  })
  if (!isStored) {
    deps.metrics.rateLimited.inc({ budget: 'oidc_pushed' })
    throw new Refusal('rate_limit_exceeded', { retryAfterSeconds: PUSHED_SECONDS })
  }
  return { request_uri: pushedUri(text), expires_in: PUSHED_SECONDS }
}

/** Checks as the authorization endpoint does, so that the client learns of a mistake before a person is involved. */
async function readPushed(deps: Needs, client: OidcClient, { form, proof }: ClientCall): Promise<Parameters> {
  if (form.has('request_uri')) throw new OidcFailure('invalid_request', 'request_uri cannot be pushed')
  const sent = new Map([...form].filter(([name]) => !OF_CLIENT.has(name)))
  // Nothing is fetched here, because `request_uri` was refused above.
  const resolved = await resolveRequest(deps, { client, sent }, async () => undefined)
  if (resolved === null) throw new Error('bug: a pushed request in a pushed request')
  if (resolved.failure !== null) throw resolved.failure
  const { parameters } = resolved
  const redirectUri = parameters.get('redirect_uri')
  if (redirectUri === undefined || !client.redirectUris.includes(redirectUri))
    throw new OidcFailure('invalid_request', 'redirect_uri is not registered for this client')
  await chooseFor(deps, client, { parsed: readAuthorization(parameters, { redirectUri, client }), sentBy: 'client' })
  return proof === null ? parameters : withKey(deps, client, { parameters, proof })
}

/** RFC 9449 §10.1: a proof binds the code to its key, as `dpop_jkt` does. */
async function withKey(
  deps: Needs,
  client: OidcClient,
  { parameters, proof }: { readonly parameters: Parameters; readonly proof: string },
): Promise<Parameters> {
  const url = `${issuerOf(deps.config.baseUrl, client)}/par`
  const { jkt } = await acceptProof(deps, client, { proof, method: 'POST', url, token: null })
  const named = parameters.get('dpop_jkt')
  if (named !== undefined && named !== jkt) throw new OidcFailure('invalid_dpop_proof')
  return new Map([...parameters, ['dpop_jkt', jkt]])
}
