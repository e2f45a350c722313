// Tests that a process caches clients for at most a second, and only until it is notified of a change.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createClientCache } from '../../src/features/oidc/store/client-cache.ts'
import { CLIENT_CHANNEL } from '../../src/features/oidc/store/clients.ts'
import { changeClient, removeClient, rotateClientSecret } from '../../src/features/oidc/usecases/manage-clients.ts'
import { testClient } from '../harness/openid-client.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { within } from '../harness/wait.ts'
import { CALLBACK } from './callers.ts'

const service = await testService()
const { deps } = service
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const registered = await testClient(service, realm.tenantId, { redirectUris: [CALLBACK] })
const { id } = registered.client

/** Another process's cache, and when it has received the notifications. */
async function elsewhere(t: { after(close: () => Promise<void>): void }) {
  const memory = await createClientCache(deps.db)
  t.after(() => memory.close())
  const find = (nowMs = 0) => memory.find(realm, id, nowMs)
  const heard = async (change: () => Promise<unknown>) => {
    const notified = Promise.withResolvers<void>()
    const stop = await deps.db.listen(CLIENT_CHANNEL, () => notified.resolve())
    await change()
    await within('the change is heard', notified.promise)
    await stop()
  }
  return { find, heard }
}

test('another process is notified of changed terms, of a new secret, and of a removal', async (t) => {
  const { find, heard } = await elsewhere(t)
  assert.deepEqual([(await find())?.client.name, (await find())?.secrets.length], ['Shop', 1])
  const change = (before: typeof registered.client) => ({ ...before, name: 'Other' })
  await heard(() => changeClient(deps, { realm, actor: OPERATOR, id, change }))
  assert.equal((await find())?.client.name, 'Other')
  await heard(() => rotateClientSecret(deps, { realm, actor: OPERATOR, id }))
  assert.equal((await find())?.secrets.length, 2)
  await heard(() => removeClient(deps, { realm, actor: OPERATOR, id }))
  assert.equal(await find(), null)
})

test('a change without a notification is known after a second; a new client, immediately', async (t) => {
  const { find } = await elsewhere(t)
  assert.equal(await find(), null)
  const rename = (name: string) =>
    deps.db.query({ name: `test_rename_${name}`, text: `update oidc_clients set name = '${name}' where id = '${id}'` })
  await deps.db.query({
    name: 'test_insert_client',
    text: `insert into oidc_clients select '${id}', tenant_id, environment, 'Again', auth_method, jwks, redirect_uris, templates,
             default_template, subject_mode, subject_claims, require_true, vp_data, verified_claims, id_token_alg,
             remember_minutes, created_at from oidc_clients where id = '${other.client.id}'`,
  })
  assert.equal((await find())?.client.name, 'Again')
  await rename('Late')
  assert.equal((await find(999))?.client.name, 'Again')
  assert.equal((await find(1_000))?.client.name, 'Late')
})

const other = await testClient(service, realm.tenantId, { redirectUris: [CALLBACK] })
