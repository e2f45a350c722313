// Browser profiles that are used again, without a past: a new one starts a process of the browser, which costs more than most pages.

import type { Browser, Page } from 'playwright-core'

export interface Profile {
  readonly locale: string
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
}

const HEIGHT = 900
const free = new Map<string, Page[]>()
const localeOf = new WeakMap<Page, string>()

export async function takePage(browser: Browser, { locale, colorScheme, width }: Profile): Promise<Page> {
  const viewport = { width, height: HEIGHT }
  const kept = free.get(locale)?.pop()
  if (kept !== undefined) {
    await kept.setViewportSize(viewport)
    await kept.emulateMedia({ colorScheme })
    return kept
  }
  const context = await browser.newContext({ locale, colorScheme, viewport, reducedMotion: 'reduce' })
  const page = await context.newPage()
  localeOf.set(page, locale)
  return page
}

/** For a page whose test changed nothing but what it shows and stores: no routes, no scripts, no other clock. */
export async function leavePage(page: Page): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  page.removeAllListeners()
  await context.clearCookies()
  await page.goto('about:blank')
  const session = await context.newCDPSession(page)
  await session.send('Page.resetNavigationHistory')
  await session.detach()
  const locale = localeOf.get(page)
  if (locale === undefined) throw new Error('bug: this page was not taken')
  free.set(locale, [...(free.get(locale) ?? []), page])
}
