// Waits for what a page shows, because a page draws some time after a click.

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'

/** Long, so that a slow machine does not fail a test. Only failing tests wait this long. */
const TIMEOUT_MS = 60_000
const BETWEEN_READS_MS = 20

export async function assertText(place: Locator, wanted: string | RegExp): Promise<void> {
  const fits = (text: string) => (typeof wanted === 'string' ? text === wanted : wanted.test(text))
  const text = await readUntil(() => place.innerText(), fits)
  if (typeof wanted === 'string') assert.equal(text, wanted)
  else assert.match(text, wanted)
}

export async function assertCount(places: Locator, wanted: number): Promise<void> {
  const found = await readUntil(
    () => places.count(),
    (count) => count === wanted,
  )
  assert.equal(found, wanted)
}

/** Scrolls to the page's only frame before it waits, because a browser need not draw what is out of sight. */
export async function waitInFrame(page: Page, place: Locator): Promise<void> {
  await page.locator('iframe').scrollIntoViewIfNeeded()
  await place.waitFor()
}

/** Returns the matching value, or the last one that was read. */
async function readUntil<T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  const until = performance.now() + TIMEOUT_MS
  // bounded: by the remaining time.
  for (;;) {
    const value = await read()
    if (fits(value) || performance.now() > until) return value
    await delay(BETWEEN_READS_MS)
  }
}
