// The till in a real browser, for tests: opened, paired, read like a phone's camera and a person would.

import assert from 'node:assert/strict'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { registerDevice } from '../devices.ts'
import type { TestService } from '../service.ts'

export const TEMPLATES = ['age_over_18', 'identity']

export interface Till {
  readonly page: Page
  readonly context: BrowserContext
  readonly deviceId: string
  readonly complaints: readonly string[]
}

export interface TillOptions {
  readonly locale?: string
  readonly dark?: boolean
  readonly hash?: string
  readonly clock?: boolean
  readonly width?: number
}

export interface Tills {
  open(options?: TillOptions): Promise<Omit<Till, 'deviceId'>>
  /** Registered with the key, and paired by typing the code. */
  paired(options?: TillOptions & { readonly key?: string; readonly templates?: readonly string[] }): Promise<Till>
}

export function tillsOf(service: TestService & { readonly base: string }, browser: Browser, key: string): Tills {
  async function open(options: TillOptions = {}) {
    const context = await browser.newContext({
      locale: options.locale ?? 'en-GB',
      colorScheme: options.dark === true ? 'dark' : 'light',
      viewport: options.width === undefined ? { width: 820, height: 1180 } : { width: options.width, height: 844 },
      hasTouch: true,
    })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text())
    })
    if (options.clock === true) await page.clock.install()
    await page.goto(`${service.base}/till${options.hash ?? ''}`)
    await page.waitForSelector('h1')
    return { page, context, complaints }
  }
  return {
    open,
    async paired(options = {}) {
      const templates = options.templates ?? TEMPLATES
      const { json } = await registerDevice(service, options.key ?? key, { name: 'Bar 3', templates })
      const opened = await open(options)
      await opened.page.fill('#code', json.pairing_code)
      await opened.page.click('button[type=submit]')
      await opened.page.waitForSelector('.choices')
      return { ...opened, deviceId: json.device.id }
    },
  }
}

export async function close({ context, complaints }: Pick<Till, 'context' | 'complaints'>): Promise<void> {
  await context.close()
  assert.deepEqual(complaints, [])
}

/** What a phone's camera would read. */
export async function readCode(page: Page): Promise<string> {
  return decodeQR(await readCodeIn(page, '.code svg'))
}

/** Pixels per module. */
const SCALE = 4

/** Returns the picture of a QR code that is drawn as one path, one unit per module. */
export async function readCodeIn(
  page: Page,
  selector: string,
): Promise<{ width: number; height: number; data: Uint8ClampedArray }> {
  await page.waitForSelector(selector)
  const rows = await page.evaluate((wanted) => {
    const svg = document.querySelector<SVGSVGElement>(wanted)
    const path = svg?.querySelector('path')
    if (!svg || !path) throw new Error('no code is drawn')
    const side = svg.viewBox.baseVal.width
    const isDark = (x: number, y: number) => path.isPointInFill(new DOMPoint(x + 0.5, y + 0.5))
    return Array.from({ length: side }, (_, y) => Array.from({ length: side }, (_, x) => isDark(x, y)))
  }, selector)
  const side = rows.length * SCALE
  const data = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let at = 0; at < side * side; at += 1) {
    const dark = rows[Math.floor(at / side / SCALE)]?.[Math.floor((at % side) / SCALE)]
    if (dark === true) data.fill(0, at * 4, at * 4 + 3)
  }
  return { width: side, height: side, data }
}

/** Reads the answer at once, because it disappears after a while. */
export const outcome = async (page: Page): Promise<{ kind: string; text: string }> => {
  const shown = await page.waitForFunction(() => {
    const kind = document.querySelector('[data-outcome]')?.getAttribute('data-outcome')
    return kind ? { kind, text: document.querySelector('main')?.innerText ?? '' } : null
  })
  const read = await shown.jsonValue()
  assert.ok(read !== null)
  return read
}

/** Stops the page's clock, so that no answer disappears while it is read. */
export async function stopTime(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 30_000)
}

/** Lets the till poll until it shows the answer. */
export async function askUntilAnswered(page: Page): Promise<void> {
  for (let step = 0; step < 30; step += 1) {
    await page.clock.runFor(1_500)
    const answered = page.waitForSelector('[data-outcome]', { timeout: 1_000 })
    if (await answered.then(Boolean, () => false)) return
  }
  assert.fail('the till does not show the answer')
}
