// The test wallet against a service under test, through its real routes but without a socket.

import assert from 'node:assert/strict'
import {
  type FetchOptions,
  fetchRequest,
  type Presented,
  presentFromLink,
  type ScenarioName,
  type VerifierRequest,
  type WalletOptions,
} from '@vidimus/wallet'
import { loadSandboxIssuer } from '../../src/features/trust/store/sandbox.ts'
import type { TestService } from './service.ts'

export interface TestWallet {
  readonly options: WalletOptions
  request(walletUri: string, change?: Partial<FetchOptions>): Promise<VerifierRequest>
  present(walletUri: string, scenario?: ScenarioName, change?: Partial<WalletOptions>): Promise<Presented>
}

/** Returns the test wallet with credentials of the service's own sandbox issuer. */
export async function testWallet(service: TestService): Promise<TestWallet> {
  const sealed = await loadSandboxIssuer(service.deps.db, 'default')
  assert.ok(sealed !== null, 'the sandbox is off')
  const issuer = JSON.parse(
    service.deps.db.sealer.open(sealed, 'sandbox_issuers.sealed|service|test|default').toString(),
  ) as WalletOptions['issuer']
  const options = (): WalletOptions => ({
    issuer,
    fetch: fetchInto(service),
    now: Math.floor(service.clock.now() / 1000),
  })
  return {
    get options() {
      return options()
    },
    request: (walletUri, change = {}) => fetchRequest(walletUri, { ...options(), ...change }),
    present: (walletUri, scenario = 'good', change = {}) =>
      presentFromLink(walletUri, { ...options(), scenario, ...change }),
  }
}

/** Returns a `fetch` into the application that compares every answer with the OpenAPI document. */
export function fetchInto(service: TestService): typeof globalThis.fetch {
  const base = service.deps.config.baseUrl
  return async (url, init) => {
    const text = String(url)
    assert.ok(text.startsWith(base), `the wallet was sent elsewhere: ${text}`)
    const answer = await service.call(init?.method ?? 'GET', text.slice(base.length), {
      headers: init?.headers as Record<string, string>,
      ...(init?.body === undefined || init.body === null ? {} : { raw: String(init.body) }),
    })
    return new Response(answer.text, {
      status: answer.status,
      headers: { 'content-type': String(answer.headers['content-type']) },
    })
  }
}
