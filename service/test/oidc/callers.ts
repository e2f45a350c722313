// Shared by the tests of the provider's endpoints: a client, its requests, and its calls without a library.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Answer } from '../harness/answer.ts'
import { quickSignIn, type TestClient } from '../harness/openid-client.ts'
import type { TestService } from '../harness/service.ts'
import type { TestWallet } from '../harness/wallet.ts'

export const CALLBACK = 'https://shop.example/callback'
export const VERIFIER = 'v'.repeat(43)
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export function authorizeUrl(registered: TestClient, change: Record<string, string | null> = {}): URL {
  const url = new URL(`${registered.issuer}/authorize`)
  const parameters = {
    client_id: registered.client.id,
    redirect_uri: registered.client.redirectUris[0] ?? '',
    response_type: 'code',
    scope: 'openid',
    state: 'st',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...change,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
  return url
}

export async function codeFor(
  service: TestService,
  wallet: TestWallet,
  registered: TestClient,
  change: Record<string, string | null> = {},
): Promise<string> {
  const { location } = await quickSignIn(service, { url: authorizeUrl(registered, change), wallet })
  const code = location.searchParams.get('code')
  assert.ok(code !== null, location.href)
  return code
}

export function callToken(
  service: TestService,
  registered: TestClient,
  form: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER, ...form }
  const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return service.call('POST', pathOf(registered, '/token'), {
    headers: { ...FORM, ...headers },
    raw: new URLSearchParams(sent as [string, string][]).toString(),
  })
}

/** Returns the client's credentials in the form of client_secret_post. */
export const ownSecret = (registered: TestClient) => ({
  client_id: registered.client.id,
  client_secret: registered.secret ?? undefined,
})

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})

export const pathOf = ({ issuer }: TestClient, path: string) => new URL(issuer + path).pathname

export function callUserinfo(service: TestService, registered: TestClient, token: string): Promise<Answer> {
  return service.call('GET', pathOf(registered, '/userinfo'), { headers: { authorization: `Bearer ${token}` } })
}

export function payloadOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}

/** Runs `work` while a full disk refuses these rows: `before insert on oidc_assertions for each row`. */
export async function withFullDisk<T>({ deps }: TestService, rows: string, work: () => Promise<T>): Promise<T> {
  const [, table = ''] = / on (\w+) /.exec(rows) ?? []
  const run = (text: string) => deps.db.query({ name: `test_${createHash('sha256').update(text).digest('hex')}`, text })
  await run(`create or replace function test_full_disk() returns trigger language plpgsql as $$
             begin raise exception using errcode = '53100'; end $$`)
  await run(`create trigger test_full_disk ${rows} execute function test_full_disk()`)
  try {
    return await work()
  } finally {
    await run(`drop trigger test_full_disk on ${table}`)
  }
}
