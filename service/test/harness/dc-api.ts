// The Digital Credentials API in tests: a page that fetches the offer and posts what the test wallet answers to it.

import { answerDcApi, type DcApiOptions } from '@vidimus/wallet'
import type { Answer } from './answer.ts'
import type { TestService } from './service.ts'
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
