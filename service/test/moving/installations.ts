// Starts two installations with their own stores, addresses and master keys, between which a tenant moves.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Move } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { type TestService, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { type TestWallet, testWallet } from '../harness/wallet.ts'
import { create, newCredentials, respond, validBody } from '../wallet/verifications.ts'

export const OLD = 'https://old.example.com'
export const NEW = 'https://new.example.com'

export interface Installations {
  readonly source: TestService
  readonly target: TestService
}

export async function twoInstallations(): Promise<Installations> {
  const source = await testService({ baseUrl: OLD })
  const target = await testService({ baseUrl: NEW }, {}, { masterKey: randomBytes(32) })
  return { source, target }
}

export const moveOf = (
  { source, target }: Installations,
  tenantId: string,
  onStep: NonNullable<Move['onStep']> = () => undefined,
): Move => ({ source: source.deps, target: target.deps, tenantId, onStep })

/** Calls without comparing the answer with the OpenAPI document: an installation that a tenant left redirects on every route. */
export async function ask(
  { app }: TestService,
  path: string,
  call: {
    readonly key?: string
    readonly method?: 'GET' | 'POST'
    readonly body?: unknown
    readonly raw?: string
  } = {},
) {
  const headers = {
    ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.raw === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  const payload = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
  const answer = await app.inject({
    method: call.method ?? 'GET',
    url: path,
    headers,
    remoteAddress: '203.0.113.9',
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, location: answer.headers.location, headers: answer.headers, text: answer.payload }
}

/** Returns the statuses with which the two installations answer a call with this key. */
export async function whoServes({ source, target }: Installations, key: string): Promise<string> {
  const answers = await Promise.all([source, target].map((one) => ask(one, '/v1/verifications', { key })))
  return answers.map(({ status }) => status).join(' ')
}

/**
 * Waits until the installations answer as expected: a process caches a key for up to a second. `never` must not occur
 * before.
 */
export async function settles(both: Installations, key: string, expected: string, never?: RegExp): Promise<void> {
  let who = ''
  await waitUntil(`calls are answered ${expected}`, async () => {
    for (const { clock } of [both.source, both.target]) clock.advance(1_100)
    who = await whoServes(both, key)
    if (never !== undefined) assert.doesNotMatch(who, never)
    return who === expected
  })
}

export async function completed(service: TestService, key: string, wallet?: TestWallet): Promise<string> {
  const own = wallet ?? (await testWallet(service))
  const created = await create(service, key)
  const request = await own.request(created.wallet_uri)
  const credentials = newCredentials(own)
  assert.equal((await respond(service, created.id, await validBody(own, request, { credentials }))).status, 200)
  return created.id
}

/** Runs a statement on the installation's store, for what no route shows or does. */
export const run = ({ deps }: TestService, text: string, values: unknown[] = []) =>
  deps.db.query<Record<string, unknown>>(
    { name: `test_${createHash('sha256').update(text).digest('hex').slice(0, 20)}`, text, replanEachCall: true },
    values,
  )
