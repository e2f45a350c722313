// Finds the parameters of an authorization request: from the browser, a request object, or a pushed request.

import type { Deps } from '../../../deps.ts'
import { hashOf } from '../../../platform/one-time-secret.ts'
import { instantOf } from '../../../platform/world.ts'
import type { OidcClient } from '../domain/client.ts'
import { OidcFailure } from '../domain/failure.ts'
import { issuerOf } from '../domain/issuer.ts'
import { pushedSecretOf } from '../domain/pushed-request.ts'
import type { RequestSource } from '../domain/question.ts'
import type { Parameters } from '../domain/request.ts'
import { peekRequestObject, readRequestObject } from '../domain/request-object.ts'
import { fetchRequestObject } from '../outbound/fetch-request-object.ts'
import { loadPushedRequest } from '../store/pushed-requests.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'config' | 'egress'>

export interface ResolvedRequest {
  readonly parameters: Parameters
  /** Why the request is refused; null if it is accepted. After a refusal, `parameters` say where the error goes. */
  readonly failure: OidcFailure | null
  /** The id of the pushed request; null if it was not pushed. */
  readonly pushedId: string | null
  readonly sentBy: RequestSource
}

/** `admitFetch` limits how often strangers can make us fetch. null if the pushed request does not exist. */
export async function resolveRequest(
  deps: Needs,
  { client, sent }: { readonly client: OidcClient; readonly sent: Parameters },
  admitFetch: (client: OidcClient) => Promise<void>,
): Promise<ResolvedRequest | null> {
  const [object, uri] = [sent.get('request'), sent.get('request_uri')]
  if (object !== undefined && uri !== undefined)
    return refused(sent, new OidcFailure('invalid_request', 'request and request_uri exclude each other'))
  if (object !== undefined) return readObject(deps, client, { sent, object })
  if (uri === undefined) return { parameters: sent, failure: null, pushedId: null, sentBy: 'browser' }
  const secret = pushedSecretOf(uri)
  if (secret !== null) return findPushed(deps, client, secret)
  if (client.requestUris.length === 0) return refused(sent, new OidcFailure('request_uri_not_supported'))
  // Compares byte for byte, so that only the client decides what we fetch.
  if (!client.requestUris.includes(uri))
    return refused(sent, new OidcFailure('invalid_request_uri', 'request_uri is not registered for this client'))
  await admitFetch(client)
  const fetched = await fetchRequestObject(deps.egress[client.environment], uri)
  if (fetched === null)
    return refused(sent, new OidcFailure('invalid_request_uri', 'the request object could not be fetched'))
  return readObject(deps, client, { sent, object: fetched })
}

const refused = (parameters: Parameters, failure: OidcFailure): ResolvedRequest => ({
  parameters,
  failure,
  pushedId: null,
  sentBy: 'browser',
})

function readObject(
  deps: Pick<Deps, 'clock' | 'config'>,
  client: OidcClient,
  { sent, object }: { readonly sent: Parameters; readonly object: string },
): ResolvedRequest {
  try {
    const issuer = issuerOf(deps.config.baseUrl, client)
    const parameters = readRequestObject(object, { client, issuer, nowMs: deps.clock.now() })
    return { parameters, failure: null, pushedId: null, sentBy: 'client' }
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error
    // Sends the error to the registered address and in the mode that the object names.
    const peeked = peekRequestObject(object)
    const redirectUri = peeked.get('redirect_uri')
    const usable = [...peeked].filter(
      ([name]) => name !== 'redirect_uri' || (redirectUri !== undefined && client.redirectUris.includes(redirectUri)),
    )
    return refused(new Map([...sent, ...usable]), error)
  }
}

async function findPushed(deps: Needs, client: OidcClient, secret: string): Promise<ResolvedRequest | null> {
  const hash = hashOf('pushed_request', secret)
  if (hash === null) return null
  const id = hash.toString('hex')
  const now = instantOf(deps.clock.now())
  const pushed = await loadPushedRequest(deps.db, client, { clientId: client.id, id, now })
  return pushed === null
    ? null
    : { parameters: new Map(Object.entries(pushed.parameters)), failure: null, pushedId: id, sentBy: 'client' }
}
