// Staff of the dashboard, for tests: created and signed in by the real use cases, calling like a browser.

import assert from 'node:assert/strict'
import type { Role } from '../../src/features/staff/domain/person.ts'
import { invite } from '../../src/features/staff/usecases/manage-team.ts'
import type { Environment } from '../../src/platform/world.ts'
import type { Answer } from './answer.ts'
import { type Call, OPERATOR, type TestService } from './service.ts'

export const PASSWORD = 'a horse that counts to nine'

/** The headers that our pages send with every change. */
export const FROM_PAGE = { 'vidimus-dashboard': '1', 'sec-fetch-site': 'same-origin' }

export interface Person {
  readonly email: string
  readonly cookie: string
  readonly id: string
  /** `@` means the person's tenant in `test`, or the given environment. */
  call(method: string, path: string, call?: Call & { tenant?: string; environment?: Environment }): Promise<Answer>
}

let people = 0

/** Creates a person whom the operator invited, who signed in by the link and has a password. */
export async function person(
  service: TestService,
  tenantId: string,
  role: Role,
  email = `person-${++people}@example.com`,
): Promise<Person> {
  const invitation = await invite(service.deps, { tenantId, email, role, actor: OPERATOR, byOperator: true })
  assert.ok(invitation !== null)
  const token = tokenOf(invitation.url)
  const answer = await post(service, '/links/use', { token, password: PASSWORD })
  assert.equal(answer.status, 200, answer.text)
  return signedIn(service, tenantId, { email, cookie: cookieOf(answer) })
}

export async function signedIn(
  service: TestService,
  tenantId: string,
  { email, cookie }: { email: string; cookie: string },
): Promise<Person> {
  const send: Person['call'] = (method, path, { tenant = tenantId, environment = 'test', ...call } = {}) =>
    service.call(method, `/dashboard/api${path.replace('@', `/tenants/${tenant}/${environment}`)}`, {
      ...(method === 'GET' || call.body !== undefined || call.raw !== undefined ? {} : { body: {} }),
      ...call,
      headers: { ...(method === 'GET' ? {} : FROM_PAGE), cookie, ...call.headers },
    })
  const me = await send('GET', '/me')
  assert.equal(me.status, 200, me.text)
  return { email, cookie, id: me.json.id, call: send }
}

/** Calls without a session. */
export function post(service: TestService, path: string, body: object = {}, call: Call = {}): Promise<Answer> {
  return service.call('POST', `/dashboard/api${path}`, { ...call, body, headers: { ...FROM_PAGE, ...call.headers } })
}

export const tokenOf = (url: string) => url.split('#')[1] ?? ''

/** name=value of the session's cookie. */
export function cookieOf(answer: Answer): string {
  const [pair = ''] = String(answer.headers['set-cookie'] ?? '').split(';')
  return pair
}
