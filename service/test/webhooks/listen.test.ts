// Tests `vidimus listen`: a real process forwards the exact bytes and signature of test events to a receiver.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { verifyWebhook } from '@vidimus/sdk'
import { showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { assertRefused, OPERATOR, testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { decline, startReceiver } from '../harness/webhooks.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const service = await testService()

test('events of the test environment reach localhost with bytes and signature that verify', async () => {
  const tenantId = await service.tenant()
  const key = await service.key(tenantId)
  const other = await service.key(await service.tenant())
  const base = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const receiver = await startReceiver()
  const child = spawn(process.execPath, [MAIN, 'listen', '--forward-to', receiver.url, '--service', base], {
    // On a developer's machine there is no store, and the command opens none.
    env: { ...BARE_ENVIRONMENT, VIDIMUS_API_KEY: key, DATABASE_URL: 'postgres://127.0.0.1:1/none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Output is collected from the start, because output without a listener would be lost.
  let [errors, printed] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await waitUntil('the command names the signing secret', () => errors.includes('Signed with'))
  assert.match(errors, /Signed with the tenant's test secret: `vidimus webhook-secret show/)
  const ids: string[] = []
  for (const creator of [key, other, key]) {
    const created = await service.call('POST', '/v1/verifications', {
      key: creator,
      body: { template: 'identity', metadata: { note: 'ünï/\u2028' } },
    })
    await decline(service, created.json.id)
    if (creator === key) ids.push(created.json.id)
  }
  await waitUntil('each event has its line', () => printed.split('\n').length > ids.length)
  child.kill('SIGTERM')
  await once(child, 'exit')
  assert.equal(receiver.received.length, 2, "another tenant's events are not forwarded")
  const { secret } = await showWebhookSecret(service.deps, {
    realm: { tenantId, environment: 'test' },
    actor: OPERATOR,
  })
  const seen = new Set<string>()
  for (const { headers, body } of receiver.received) {
    const now = new Date(service.clock.now())
    const event = await verifyWebhook(body, String(headers['x-service-signature']), [secret], { now })
    assert.equal(event.type, 'verification.failed')
    seen.add((event.verification as { id: string }).id)
  }
  assert.deepEqual([...seen].sort(), ids.sort())
})

test('there is no stream for live keys, or for keys without the read scope', async () => {
  const tenantId = await service.tenant()
  assertRefused(
    await service.call('GET', '/dev/events', { key: await service.key(tenantId, { environment: 'live' }) }),
    404,
    'not_found',
  )
  const blind = await service.key(tenantId, { scopes: ['verifications:create'] })
  assertRefused(await service.call('GET', '/dev/events', { key: blind }), 403, 'insufficient_scope')
})
