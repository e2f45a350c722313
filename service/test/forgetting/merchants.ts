// Creates merchants for these tests: a tenant with settings, verifications that complete or fail, and what is left of
// them.

import assert from 'node:assert/strict'
import type { issueAll, ScenarioName, WalletOptions } from '@vidimus/wallet'
import type { TenantSettings } from '../../src/core/tenants/domain/settings.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { OPERATOR, type TestService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { type Created, create, FORM, read, validBody } from '../wallet/verifications.ts'

export interface StoredResult {
  readonly sealed: Buffer | null
  readonly forget_at: string | null
  readonly forgotten_at: string | null
  readonly unrecorded_forgetting: string | null
}

export async function merchant(service: TestService, settings: Partial<TenantSettings>) {
  const tenantId = await service.tenant()
  await changeSettings(service.deps, { tenantId, change: settings, actor: OPERATOR })
  const key = await service.key(tenantId)
  const wallet = await testWallet(service)
  const realm = { tenantId, environment: 'test' } as const
  return {
    realm,
    key,
    /** Returns a verification that a wallet has answered. */
    async ended(body: object = {}, scenario: ScenarioName = 'good'): Promise<string> {
      const created = await create(service, key, { template: 'identity', ...body })
      await wallet.present(created.wallet_uri, scenario)
      return created.id
    },
    read: (id: string) => read(service, key, id),
    async forget(id: string) {
      const answer = await service.call('POST', `/v1/verifications/${id}/forget`, { key })
      assert.equal(answer.status, 200, answer.text)
      return answer.json
    },
    async stored(id: string): Promise<StoredResult> {
      const [row] = await service.deps.db.query<StoredResult>(
        {
          name: 'test_stored_result',
          text: `select sealed, forget_at, forgotten_at, unrecorded_forgetting from verification_results
                 where verification_id = $1`,
        },
        [id],
      )
      assert.ok(row !== undefined)
      return row
    },
    /** Actor and object of every entry of forgetting, oldest first. */
    async forgettings(): Promise<string[]> {
      const entries = await service.deps.db.query<{ bytes: Buffer }>(
        {
          name: 'test_forgettings',
          text: `select bytes from audit_entries where tenant_id = $1 and environment = 'test' order by seq`,
        },
        [tenantId],
      )
      return entries
        .map(({ bytes }) => JSON.parse(bytes.toString()))
        .filter(({ action }) => action === 'verification.forgotten')
        .map(({ actor, object }) => `${actor.type} ${actor.id.replace(/^key_.*/, 'key')} ${object.id}`)
    },
  }
}

export interface Sender {
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers with credentials that the test created, from the given address. */
export async function present(
  service: TestService,
  created: Created,
  issued: (issuer: WalletOptions['issuer'], now: number) => ReturnType<typeof issueAll>,
  sender: Sender = {},
): Promise<void> {
  const wallet = await testWallet(service)
  const base = service.deps.config.baseUrl
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const headers = { ...(init?.headers as Record<string, string>), ...sender.headers }
    const answer = await service.call(init?.method ?? 'GET', String(url).slice(base.length), {
      ...sender,
      headers,
      ...(init?.body == null ? {} : { raw: String(init.body) }),
    })
    return new Response(answer.text, {
      status: answer.status,
      headers: { 'content-type': String(answer.headers['content-type']) },
    })
  }
  const request = await wallet.request(created.wallet_uri, { fetch })
  const raw = await validBody(wallet, request, { credentials: issued(wallet.options.issuer, wallet.options.now) })
  const answer = await service.call('POST', `/wallet/response/${created.id}`, {
    ...sender,
    headers: { ...FORM, ...sender.headers },
    raw,
  })
  assert.equal(answer.status, 200, answer.text)
}

/** Asserts that a verification still has its outcome, and none of its content. */
export function assertWithoutContent(verification: object, status: 'completed' | 'failed'): void {
  assert.equal('claims' in verification, false)
  assert.equal('credentials' in verification, false)
  assert.equal((verification as { status: string }).status, status)
  assert.ok('responded_at' in verification)
  assert.equal('error' in verification, status === 'failed')
}
