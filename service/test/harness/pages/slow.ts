// Delays each answer that a page gets, as a slow network does.

import type { Page } from 'playwright-core'

export async function delayAnswers(page: Page, latency: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const conditions = { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 }
  await session.send('Network.emulateNetworkConditions', conditions)
}
