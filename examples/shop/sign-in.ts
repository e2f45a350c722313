// "Sign in with your wallet": Vidimus is an OpenID provider, and any OpenID library works like this.

import * as openid from 'openid-client'
import type { Visitor } from './orders.ts'

export interface SignInOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The allowed difference between clocks, in seconds. */
  readonly clockSkew?: number
}

export async function createSignIn(address: string, { issuer, clientId, clientSecret, clockSkew = 0 }: SignInOptions) {
  const metadata = { client_secret: clientSecret, [openid.clockSkew]: clockSkew }
  const isLocal = issuer.startsWith('http:')
  const config = await openid.discovery(new URL(issuer), clientId, metadata, undefined, {
    execute: isLocal ? [openid.allowInsecureRequests] : [],
  })
  return {
    /** The address of the provider; the visitor keeps the values that the return is checked with. */
    async begin(visitor: Visitor): Promise<string> {
      const verifier = openid.randomPKCECodeVerifier()
      visitor.signIn = { verifier, state: openid.randomState(), nonce: openid.randomNonce() }
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: `${address}/callback`,
        scope: 'openid profile',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: visitor.signIn.state,
        nonce: visitor.signIn.nonce,
      }).href
    },
    /** The given name; null if the visitor declined. */
    async finish(visitor: Visitor, url: URL): Promise<string | null> {
      const { signIn } = visitor
      visitor.signIn = null
      if (signIn === null) return null
      try {
        const tokens = await openid.authorizationCodeGrant(config, url, {
          pkceCodeVerifier: signIn.verifier,
          expectedState: signIn.state,
          expectedNonce: signIn.nonce,
          idTokenExpected: true,
        })
        const user = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')
        return user.given_name ?? null
      } catch (error) {
        if (error instanceof openid.AuthorizationResponseError) return null
        throw error
      }
    },
  }
}

export type SignIn = Awaited<ReturnType<typeof createSignIn>>
