// Makes Chromium's virtual wallet return the test wallet's answer to a page's offer.

import assert from 'node:assert/strict'
import { answerDcApi, type DcApiAnswer, type DcApiOptions } from '@vidimus/wallet'
import type { Page } from 'playwright-core'
import type { TestWallet } from '../wallet.ts'

export interface VirtualWallet {
  respond(answer: Pick<DcApiAnswer, 'protocol' | 'data'>): Promise<void>
  decline(): Promise<void>
  /** Keeps the chooser open without a choice. */
  wait(): Promise<void>
}

export async function virtualWallet(page: Page): Promise<VirtualWallet> {
  const session = await page.context().newCDPSession(page)
  // Playwright does not know the command yet.
  const send = session.send.bind(session) as (method: string, parameters: object) => Promise<unknown>
  const behave = async (behaviour: object) => {
    await send('DigitalCredentials.setVirtualWalletBehavior', behaviour)
  }
  return {
    respond: ({ protocol, data }) => behave({ action: 'respond', protocol, response: data }),
    decline: () => behave({ action: 'decline' }),
    wait: () => behave({ action: 'wait' }),
  }
}

/** Returns the offer that a page, or a frame in it, fetches during `open`. */
export async function offerOf(page: Page, id: string, open: () => Promise<unknown>): Promise<unknown> {
  const fetched = page.waitForResponse(
    (response) => response.url().endsWith(`/wallet/dc-api/${id}`) && response.request().method() === 'GET',
  )
  await open()
  const response = await fetched
  assert.equal(response.status(), 200)
  return response.json()
}

export function answerOffer(
  wallet: TestWallet,
  offer: unknown,
  options: Pick<DcApiOptions, 'origin' | 'protocols' | 'formats' | 'misbehaviour' | 'scenario'>,
): Promise<DcApiAnswer> {
  const { issuer, now } = wallet.options
  return answerDcApi(offer, { ...options, issuer, now })
}
