// PostgreSQL stores no NUL in a text: a NUL in a path or a query names nothing, and causes no fault.

import assert from 'node:assert/strict'
import test from 'node:test'
import { readableTarget } from '../../src/platform/http/request-target.ts'
import { testClient } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { FROM_PAGE, person } from '../harness/staff.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const owner = await person(service, tenant, 'owner')
const { client } = await testClient(service, tenant, { redirectUris: ['https://shop.example/cb'] })
const routes = service.app.knownRoutes.filter(({ url }) => !url.includes('*'))
const CALLERS = [{}, { authorization: `Bearer ${key}` }, { ...FROM_PAGE, cookie: owner.cookie }] satisfies Record<
  string,
  string
>[]
const NAMED: Readonly<Record<string, string>> = { tenant, tenantId: tenant, environment: 'test', clientId: client.id }

/** Read by routes whose queries have no schema. */
const UNDESCRIBED = ['client_id', 'request_uri', 'redirect_uri', 'state', 'id_token_hint', 'code', 'lang']

/** Calls as each caller. The clock moves, so that no budget runs out. */
async function callAsEach(method: string, target: string): Promise<void> {
  for (const headers of CALLERS) {
    service.clock.advance(2_000)
    const { statusCode: status, payload } = await service.app.inject({
      method: method as 'GET',
      url: target,
      headers,
      ...(method === 'GET' || method === 'DELETE' ? {} : { payload: {} }),
    })
    assert.ok(
      status < 500 && status !== 429,
      `${method} ${target} as ${Object.keys(headers)}: ${status} ${payload.slice(0, 200)}`,
    )
  }
}

/** The paths of a route with a NUL in one parameter each, and then those without. */
function pathsOf(url: string, id: string): { readonly broken: readonly string[]; readonly whole: string } {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const fill = (broken: string | null) =>
    url.replaceAll(/:(\w+)/g, (_, name: string) => (name === broken ? 'a%00b' : (NAMED[name] ?? id)))
  return { broken: names.map(fill), whole: fill(null) }
}

test('a NUL in any parameter of any path is an unknown name', async () => {
  const { id } = await create(service, key)
  const targets = routes.flatMap(({ method, url }) => pathsOf(url, id).broken.map((path) => [method, path] as const))
  assert.ok(targets.length > 100, `${targets.length} paths`)
  for (const [method, path] of targets) await callAsEach(method, path)
  assert.deepEqual(errors(), [])
})

test('a NUL in any parameter of any query is an unknown value', async () => {
  const { id } = await create(service, key)
  const targets = routes.flatMap(({ method, url, schema }) => {
    const { properties } = (schema.querystring ?? {}) as { readonly properties?: object }
    const names = properties === undefined && url.startsWith('/oidc/') ? UNDESCRIBED : Object.keys(properties ?? {})
    return names.map((name) => [method, `${pathsOf(url, id).whole}?${name}=a%00b`] as const)
  })
  assert.ok(targets.length > 20, `${targets.length} queries`)
  for (const [method, target] of targets) await callAsEach(method, target)
  assert.deepEqual(errors(), [])
})

test('the Universal OID4VP API finds nothing under a NUL', async () => {
  for (const method of ['GET', 'DELETE'])
    assert.equal((await service.call(method, '/oid4vp/backend/auth/requests/%00', { key })).status, 404)
  assert.equal(readableTarget('/a%00%41?b=%00'), '/a%2500%2541?b=%00')
})

const errors = () => service.logged.filter((line) => line.includes('"level":"error"'))
