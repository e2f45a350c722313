// The Digital Credentials API in tests: a page that fetches the offer and posts what the test wallet answers to it.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { answerDcApi, type DcApiOptions, mintAuthority, mintReader } from '@vidimus/wallet'
import type { Environment } from '../../src/domain/world.ts'
import { installCertificate } from '../../src/usecases/trust/manage-certificates.ts'
import type { Answer } from './answer.ts'
import { OPERATOR, type TestService } from './service.ts'
import type { TestWallet } from './wallet.ts'

/** Where the hosted page stands. */
export const OWN_ORIGIN = 'https://verify.example.com'

export const fetchOffer = (service: TestService, id: string, origin?: string): Promise<Answer> =>
  service.call('GET', `/wallet/dc-api/${id}`, origin === undefined ? {} : { headers: { origin } })

export const postAnswer = (service: TestService, id: string, answer: unknown, origin?: string): Promise<Answer> =>
  service.call('POST', `/wallet/dc-api/${id}`, {
    body: answer,
    ...(origin === undefined ? {} : { headers: { origin } }),
  })

/** What the browser gives to a page of that origin. */
export async function browserAnswer(wallet: TestWallet, offer: unknown, change: Partial<DcApiOptions> = {}) {
  const { issuer, now } = wallet.options
  const { protocol, data } = await answerDcApi(offer, { origin: OWN_ORIGIN, issuer, now, ...change })
  return { protocol, data }
}

/** A certificate that also authenticates a reader of mdocs. */
export async function installReader(
  service: TestService,
  owner: { readonly tenantId: string | null; readonly environment: Environment },
): Promise<void> {
  const now = Math.floor(service.clock.now() / 1000)
  const period = { notBefore: now - 1000, notAfter: now + 1_000_000 }
  const reader = mintReader(mintAuthority({ commonName: 'Reader CA' }, period), { commonName: 'Shop' }, period)
  const privateKey = createPrivateKey({ key: { ...reader.key }, format: 'jwk' })
  const done = await installCertificate(service.deps, {
    owner,
    chain: [new Uint8Array(Buffer.from(reader.certificate, 'base64'))],
    privateKey: new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' })),
    actor: OPERATOR,
  })
  assert.equal(done.outcome, 'installed', JSON.stringify(done))
}
