// Tests that concurrent calls of sign-ins decrypt long results in turns of their own, although one batch loads them.

import assert from 'node:assert/strict'
import test from 'node:test'
import { generateKey, issueAll, PERSON } from '@vidimus/wallet'
import { readHostedPage } from '../../src/features/pages/usecases/read-hosted-page.ts'
import { comeBack, testClient, visit } from '../harness/openid-client.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { respond, validBody } from '../wallet/verifications.ts'
import { authorizeUrl, CALLBACK, callToken, ownSecret } from './callers.ts'

const service = await testService()
const wallet = await testWallet(service)
const CALLS = 6

test('of the results that one batch loads, each is decrypted in another turn of the event loop', async (t) => {
  const client = await testClient(service, await service.tenant(), { redirectUris: [CALLBACK] })
  const person = { ...PERSON, givenName: 'x'.repeat(9_000) }
  const backs = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const url = authorizeUrl(client)
      const { location, cookies } = await visit(service, url.pathname + url.search)
      const id = /^\/verify\/(ver_\w+)/.exec(location)?.[1] ?? assert.fail(location)
      const { walletUri } = await readHostedPage(service.deps, id)
      const { issuer, now } = wallet.options
      const credentials = issueAll(issuer, { holderKey: generateKey(), now, person })
      const body = await validBody(wallet, await wallet.request(walletUri), { credentials })
      return { to: (await respond(service, id, body)).json.redirect_uri, cookie: cookies.at(-1)?.split(';')[0] }
    }),
  )
  const turnsOf = async (calls: () => Promise<unknown>) => {
    let turn = 0
    let isOver = false
    const count = () => {
      turn += 1
      if (!isOver) setImmediate(count)
    }
    const turns: number[] = []
    const open = service.deps.db.sealer.open.bind(service.deps.db.sealer)
    const mocked = t.mock.method(service.deps.db.sealer, 'open', (sealed: Uint8Array, context: string) => {
      if (sealed.length > 8 * 1024) turns.push(turn)
      return open(sealed, context)
    })
    setImmediate(count)
    await calls()
    isOver = true
    mocked.mock.restore()
    return turns
  }
  const codes: string[] = []
  const finishing = await turnsOf(async () => {
    const done = await Promise.all(backs.map(({ to, cookie }) => comeBack(service, to, cookie)))
    codes.push(...done.map((back) => new URL(back.location).searchParams.get('code') ?? assert.fail(back.location)))
  })
  const redeeming = await turnsOf(async () => {
    const done = await Promise.all(codes.map((code) => callToken(service, client, { ...ownSecret(client), code })))
    for (const { status } of done) assert.equal(status, 200)
  })
  for (const turns of [finishing, redeeming]) {
    assert.ok(turns.length >= CALLS, `${turns.length}`)
    assert.equal(new Set(turns).size, turns.length, turns.join(' '))
  }
})
