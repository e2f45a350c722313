// An OpenID provider whose ID tokens and addresses a test chooses, to see what the plugin refuses.

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from '../../harness/wait.ts'

export const CLIENT = { id: 'oic_shop', secret: 'of the client/+%' }

/** The differences from an honest token. */
export interface Script {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly signedBy?: 'other' | 'small'
  readonly withoutToken?: true
}

export interface ScriptedProvider {
  readonly issuer: string
  /** Returns the code for a request: redeemed with its verifier, it gives the token. */
  issueCode(request: URL, script: Script): string
  /** Token requests that were correct in everything. */
  readonly redeemed: () => number
  close(): void
}

export const nowSeconds = () => Math.floor(Date.now() / 1000)

export async function scriptedProvider(discovery: Readonly<Record<string, string>> = {}): Promise<ScriptedProvider> {
  const pair = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits })
  const keys = { own: pair(2048), other: pair(2048), small: pair(1024) }
  const publicKey = (kid: string, { publicKey }: { readonly publicKey: KeyObject }) => ({
    ...publicKey.export({ format: 'jwk' }),
    ...{ kid, use: 'sig', alg: 'RS256' },
  })
  const codes = new Map<string, { readonly request: URLSearchParams; readonly script: Script }>()
  let redeemed = 0

  const tokenFor = (request: URLSearchParams, { header, claims, signedBy, withoutToken }: Script) => {
    if (withoutToken) return {}
    const now = nowSeconds()
    const head = { alg: 'RS256', kid: signedBy === 'small' ? 'small' : 'own', ...header }
    const honest = { iss: issuer, aud: CLIENT.id, sub: 'Vida', iat: now, exp: now + 300, nonce: request.get('nonce') }
    const input = [head, { ...honest, ...claims }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = head.alg === 'none' ? '' : sign('sha256', Buffer.from(input), keys[signedBy ?? 'own'].privateKey)
    return { token_type: 'Bearer', access_token: 'unused', id_token: `${input}.${signature.toString('base64url')}` }
  }

  const redeem = (form: URLSearchParams, authorization: string | undefined) => {
    const found = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const basic = Buffer.from(`${CLIENT.id}:${encodeURIComponent(CLIENT.secret)}`).toString('base64')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (
      found?.request.get('code_challenge') !== challenge ||
      found.request.get('code_challenge_method') !== 'S256' ||
      found.request.get('redirect_uri') !== form.get('redirect_uri') ||
      authorization !== `Basic ${basic}`
    )
      return null
    redeemed += 1
    return tokenFor(found.request, found.script)
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const answers: Record<string, () => object | null> = {
      '/.well-known/openid-configuration': () => ({
        ...{ issuer, authorization_endpoint: `${issuer}/authorize` },
        ...{ token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` },
        ...discovery,
      }),
      '/jwks': () => ({ keys: [publicKey('small', keys.small), publicKey('own', keys.own)] }),
      '/token': () => redeem(new URLSearchParams(body), request.headers.authorization),
    }
    const answer = answers[request.url ?? '']?.() ?? null
    response.writeHead(answer === null ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    issueCode(request, script) {
      const code = `code-${codes.size}-${Math.random()}`
      codes.set(code, { request: request.searchParams, script })
      return code
    },
    redeemed: () => redeemed,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
