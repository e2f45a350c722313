// A site that signs people in with Auth.js; Vidimus is its provider.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Auth, type AuthConfig } from '@auth/core'

export interface SiteOptions {
  /** The site's own address. */
  readonly address: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Encrypts the site's own session cookie. */
  readonly secret: string
}

const AUTH_PATH = '/api/auth'

export function createSite(
  options: SiteOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { address, issuer, clientId, clientSecret, secret } = options
  const config: AuthConfig = {
    basePath: AUTH_PATH,
    secret,
    trustHost: true,
    providers: [
      {
        ...{ id: 'vidimus', name: 'Wallet', type: 'oidc', issuer, clientId, clientSecret },
        authorization: { params: { scope: 'openid vidimus:identity' } },
        checks: ['pkce', 'state', 'nonce'],
        // Reads claims from userinfo, because the ID token may not have them.
        idToken: false,
      },
    ],
  }
  const ask = (path: string, request: IncomingMessage, init: RequestInit = {}) =>
    Auth(new Request(`${address}${path}`, { ...init, headers: { cookie: request.headers.cookie ?? '' } }), config)

  return async (request, response) => {
    try {
      const path = request.url ?? '/'
      if (!path.startsWith(`${AUTH_PATH}/`)) return await home(await ask(`${AUTH_PATH}/session`, request), response)
      const form = request.method === 'POST' ? { method: 'POST', body: new URLSearchParams(await bodyOf(request)) } : {}
      await send(await ask(path, request, form), response)
    } catch (error) {
      console.error(error instanceof Error ? error.name : 'unknown')
      response.writeHead(502).end('Something went wrong.')
    }
  }
}

async function home(session: Response, response: ServerResponse): Promise<void> {
  const { user } = ((await session.json()) ?? {}) as { user?: { name?: string } }
  const text =
    user === undefined ? `<a href="${AUTH_PATH}/signin">Sign in</a>` : `Welcome, ${escapeHtml(user.name ?? '')}.`
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
  response.end(`<!doctype html><html lang="en"><title>Site</title><p>${text}</p></html>`)
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  answer.headers.forEach((value, name) => {
    if (name !== 'set-cookie') response.setHeader(name, value)
  })
  response.setHeader('set-cookie', answer.headers.getSetCookie())
  response.writeHead(answer.status).end(await answer.text())
}

/** The forms of Auth.js are small. */
const BODY_BYTES_MAX = 8_192

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) throw new Error('the form is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
