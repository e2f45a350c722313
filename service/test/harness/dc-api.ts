// Simulates a page that fetches the offer and posts the test wallet's answer.

import { answerDcApi, type DcApiOptions } from '@vidimus/wallet'
import type { Answer } from './answer.ts'
import type { TestService } from './service.ts'
import type { TestWallet } from './wallet.ts'

/** The origin of the hosted page. */
export const OWN_ORIGIN = 'https://verify.example.com'

const cookies = new WeakMap<TestService, Map<string, string>>()

/**
 * Opens the hosted page like a browser: stores its cookie, and binds the verification to the browser as its script
 * does.
 */
export async function openHostedPage(service: TestService, id: string): Promise<Record<string, string>> {
  const known = cookies.get(service) ?? new Map<string, string>()
  cookies.set(service, known)
  const kept = known.get(id)
  if (kept !== undefined) return kept === '' ? {} : { cookie: kept }
  const page = await service.app.inject({ url: `/verify/${id}` })
  const cookie = String([page.headers['set-cookie'] ?? ''].flat()[0]).split(';')[0] ?? ''
  known.set(id, cookie)
  if (cookie === '') return {}
  await service.app.inject({ method: 'POST', url: `/verify/${id}/hold`, headers: { cookie } })
  return { cookie }
}

const headersOf = async (service: TestService, id: string, origin: string | undefined) => ({
  ...(await openHostedPage(service, id)),
  ...(origin === undefined ? {} : { origin }),
})

export const fetchOffer = async (service: TestService, id: string, origin?: string): Promise<Answer> =>
  service.call('GET', `/wallet/dc-api/${id}`, { headers: await headersOf(service, id, origin) })

export const postAnswer = async (service: TestService, id: string, answer: unknown, origin?: string): Promise<Answer> =>
  service.call('POST', `/wallet/dc-api/${id}`, { body: answer, headers: await headersOf(service, id, origin) })

/** Returns the browser's answer for a page of that origin. */
export async function browserAnswer(wallet: TestWallet, offer: unknown, change: Partial<DcApiOptions> = {}) {
  const { issuer, now } = wallet.options
  const { protocol, data } = await answerDcApi(offer, { origin: OWN_ORIGIN, issuer, now, ...change })
  return { protocol, data }
}
