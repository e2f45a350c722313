// Signs in through the small test provider, like a browser.

import assert from 'node:assert/strict'
import type { Answer } from './answer.ts'
import type { TestProvider } from './servers/oidc-provider.ts'
import type { TestService } from './service.ts'
import { post } from './staff.ts'

let address = 1
/** From another address each time, because the budget of an address has its own test. */
export const elsewhere = () => ({ from: `198.51.100.${(address++ % 250) + 1}` })

export interface Begun {
  readonly url: string
  /** name=value of the sign-in's cookie. */
  readonly cookie: string
}

export async function begin(service: TestService): Promise<Begun> {
  const answer = await post(service, '/sign-in/oidc', {}, elsewhere())
  assert.equal(answer.status, 200, answer.text)
  return begunOf(answer)
}

export function begunOf(answer: Answer): Begun {
  return { url: answer.json.url, cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' }
}

export function comeBack(service: TestService, path: string, cookie: string): Promise<Answer> {
  return service.call('GET', path, { headers: { cookie, 'sec-fetch-site': 'cross-site' }, ...elsewhere() })
}

/** Goes to the provider and back. */
export async function throughProvider(service: TestService, provider: TestProvider): Promise<Answer> {
  const { url, cookie } = await begin(service)
  return comeBack(service, provider.visit(url), cookie)
}

/** name=value of the session's cookie. */
export function sessionOf(answer: Answer): string {
  assert.equal(answer.status, 303, answer.text)
  assert.equal(answer.headers.location, '/dashboard/signed-in', String(answer.headers.location))
  const [session, , round] = [answer.headers['set-cookie']].flat()
  assert.match(
    String(session),
    /^__Host-vidimus=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
  )
  assert.match(String(round), /^__Host-vidimus-oidc=; Path=\/; Max-Age=0;/)
  return String(session).split(';')[0] ?? ''
}

/** Asserts that no one was signed in, what the sign-in page shows, and what the log says. */
export function assertTurnedAway(service: TestService, answer: Answer, code: string, reason?: string | RegExp): void {
  assert.equal(answer.status, 303, answer.text)
  const to = new URL(String(answer.headers.location), 'https://verify.example.com')
  assert.equal(to.pathname, '/dashboard/sign-in')
  const id = answer.headers['request-id']
  const lines = service.logged.map((line) => JSON.parse(line))
  const noted = lines.find((line) => line.request_id === id && String(line.msg).startsWith('sign-in through'))
  assert.deepEqual(Object.fromEntries(to.searchParams), { refused: code, request: id }, JSON.stringify(noted))
  assert.equal(answer.headers['set-cookie'], undefined)
  assert.equal(noted?.code, code)
  if (reason instanceof RegExp) assert.match(noted.outcome, reason)
  else assert.equal(noted.outcome, reason)
}
