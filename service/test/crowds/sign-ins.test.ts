// Tests that concurrent calls take turns of the event loop for long work, although they arrive together and one batch
// loads what they need.

import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { generateKey, issueAll, PERSON } from '@vidimus/wallet'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { withTurns } from '../harness/event-loop.ts'
import { comeBack, testClient, visit } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { authorizeUrl, CALLBACK, callToken, ownSecret } from '../oidc/callers.ts'
import { respond, validBody } from '../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const CALLS = 6

/** The turns of the event loop in which values are decrypted, if each piece of work takes longer than a turn should. */
async function turnsOf(
  t: TestContext,
  calls: () => Promise<unknown>,
  isCounted: (sealed: Uint8Array, context: string) => boolean,
) {
  const turns: number[] = []
  const open = service.deps.db.sealer.open.bind(service.deps.db.sealer)
  await withTurns(t, 1_000, async (turn) => {
    const { mock } = t.mock.method(service.deps.db.sealer, 'open', (sealed: Uint8Array, context: string) => {
      if (isCounted(sealed, context)) turns.push(turn())
      return open(sealed, context)
    })
    await calls()
    mock.restore()
  })
  return turns
}

function assertApart(turns: readonly number[]) {
  assert.ok(turns.length >= CALLS, `${turns.length}`)
  assert.equal(new Set(turns).size, turns.length, turns.join(' '))
}

const isLong = (sealed: Uint8Array) => sealed.length > 8 * 1024

test('of the results that one batch loads, each is decrypted in another turn of the event loop', async (t) => {
  const client = await testClient(service, await service.tenant(), { redirectUris: [CALLBACK], rememberMinutes: 30 })
  const person = { ...PERSON, givenName: 'x'.repeat(9_000) }
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const url = authorizeUrl(client)
      const { location, cookies } = await visit(service, url.pathname + url.search)
      const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1] ?? assert.fail(location)
      const { walletUri } = await readHostedPage(service.deps, id)
      const { issuer, now } = wallet.options
      const credentials = issueAll(issuer, { holderKey: generateKey(), now, person })
      const body = await validBody(wallet, await wallet.request(walletUri), { credentials })
      return { id, body, cookie: cookies.at(-1)?.split(';')[0] }
    }),
  )
  const backs: { readonly to: string; readonly cookie: string | undefined }[] = []
  const answering = await turnsOf(
    t,
    async () => {
      const taken = await Promise.all(answers.map(({ id, body }) => respond(service, id, body)))
      backs.push(...taken.map(({ json }, at) => ({ to: json.redirect_uri, cookie: answers[at]?.cookie })))
    },
    // Before the answer is examined.
    (_, context) => context.startsWith('verifications.encryption_key'),
  )
  assertApart(answering)
  const codes: string[] = []
  const known: string[] = []
  const finish = async () => {
    const done = await Promise.all(backs.map(({ to, cookie }) => comeBack(service, to, cookie)))
    codes.push(...done.map((back) => new URL(back.location).searchParams.get('code') ?? assert.fail(back.location)))
    known.push(
      ...done.flatMap(({ cookies }) => cookies.find((one) => one.includes('vidimus-known-'))?.split(';')[0] ?? []),
    )
  }
  const redeem = async () => {
    const done = await Promise.all(codes.map((code) => callToken(service, client, { ...ownSecret(client), code })))
    for (const { status } of done) assert.equal(status, 200)
  }
  const recognise = async () => {
    const url = authorizeUrl(client, { prompt: 'none' })
    const done = await Promise.all(known.map((cookie) => visit(service, url.pathname + url.search, cookie)))
    for (const { location } of done) assert.match(location, /[?&]code=/)
  }
  for (const calls of [finish, redeem, recognise]) assertApart(await turnsOf(t, calls, isLong))
})
