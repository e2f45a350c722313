// A shop without any wallet code: it signs people in with an OpenID library, and Vidimus is its provider.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as openid from 'openid-client'

export interface ShopOptions {
  /** The shop's own address. */
  readonly address: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The library's allowed difference between clocks, in seconds. */
  readonly clockSkew?: number
}

/** The state between "sign in" and the return, under its own cookie. */
interface Round {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

export async function createShop(
  options: ShopOptions,
): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  const metadata = { client_secret: options.clientSecret, [openid.clockSkew]: options.clockSkew ?? 0 }
  const isLocal = options.issuer.startsWith('http:')
  const config = await openid.discovery(new URL(options.issuer), options.clientId, metadata, undefined, {
    execute: isLocal ? [openid.allowInsecureRequests] : [],
  })
  const rounds = new Map<string, Round>()
  const callback = `${options.address}/callback`

  async function begin(response: ServerResponse): Promise<void> {
    const round = {
      verifier: openid.randomPKCECodeVerifier(),
      state: openid.randomState(),
      nonce: openid.randomNonce(),
    }
    const id = randomBytes(32).toString('base64url')
    rounds.set(id, round)
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid vidimus:age_over_18',
      code_challenge: await openid.calculatePKCECodeChallenge(round.verifier),
      code_challenge_method: 'S256',
      state: round.state,
      nonce: round.nonce,
    })
    response.setHeader('Set-Cookie', `round=${id}; Path=/callback; HttpOnly; SameSite=Lax`)
    response.writeHead(303, { Location: url.href }).end()
  }

  async function finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = /(?:^|; )round=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
    const round = rounds.get(id)
    rounds.delete(id)
    if (round === undefined) return page(response, 400, 'Please begin again.')
    try {
      const tokens = await openid.authorizationCodeGrant(config, new URL(request.url ?? '', options.address), {
        pkceCodeVerifier: round.verifier,
        expectedState: round.state,
        expectedNonce: round.nonce,
        idTokenExpected: true,
      })
      // An answer alone does not mean yes: the claim decides. Claims come from userinfo; the ID token says who signed in.
      const userinfo = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')
      const isOldEnough = userinfo.age_over_18 === true
      page(response, 200, isOldEnough ? 'Sold. To your health!' : 'Juice for you.')
    } catch (error) {
      if (!(error instanceof openid.AuthorizationResponseError)) throw error
      page(response, 200, 'You did not answer, so there is no wine.')
    }
  }

  return async (request, response) => {
    const path = (request.url ?? '').split('?')[0]
    try {
      if (path === '/sign-in') return await begin(response)
      if (path === '/callback') return await finish(request, response)
      page(response, path === '/' ? 200 : 404, '<a href="/sign-in">Buy a bottle: show that you are 18</a>')
    } catch (error) {
      console.error(error instanceof Error ? error.name : 'unknown')
      page(response, 502, 'Something went wrong.')
    }
  }
}

function page(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
  response.end(`<!doctype html><html lang="en"><title>Wine shop</title><h1>Wine shop</h1><p>${text}</p></html>`)
}
