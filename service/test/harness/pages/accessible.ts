// Fails a test if axe-core finds an accessibility problem on a page.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { CDPSession, Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export async function assertAccessible(page: Page): Promise<void> {
  assert.equal(await violationsOf(page, { resultTypes: ['violations'] }), '[]')
}

/** Checks the whole page, and its colours also in the other theme, because nothing else depends on the theme. */
export async function assertAccessibleInBothThemes(page: Page): Promise<void> {
  await assertAccessible(page)
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  await showTheme(page, isDark ? 'light' : 'dark')
  const found = await violationsOf(page, { resultTypes: ['violations'], runOnly: ['color-contrast'] })
  assert.equal(found, '[]', `in the ${isDark ? 'light' : 'dark'} theme`)
  await showTheme(page, isDark ? 'dark' : 'light')
}

/** Waits until the page has the theme. Pages that set it by script state it in an attribute. */
async function showTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction((wanted) => {
    const isShown = matchMedia(`(prefers-color-scheme: ${wanted})`).matches
    return isShown && (document.documentElement.dataset.theme ?? wanted) === wanted
  }, colorScheme)
}

/** While a dialog is open, the rest of the page is inert. */
const REACHED = `[...document.querySelectorAll('dialog:modal')].at(-1) ?? document.documentElement`
/**
 * Later rows of a long table are not checked: the same code rendered all rows, and checking takes a third of a test's
 * time.
 */
const ALIKE = 'tbody > tr:nth-child(n + 13)'

/**
 * Keeps sessions, because the isolated world with axe-core ends with its session. So each document loads axe-core once.
 */
const sessions = new WeakMap<Page, CDPSession>()

/** Runs axe-core in an isolated world, because the page's policy allows only its own scripts. */
async function violationsOf(page: Page, options: object): Promise<string> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  const { frameTree } = await session.send('Page.getFrameTree')
  const world = { frameId: frameTree.frame.id, worldName: 'accessible' }
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', world)
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await session.send('Runtime.evaluate', { expression, contextId, awaitPromise: true })
    return answer.result.value
  }
  if ((await evaluate('typeof axe')) === 'undefined') await evaluate(axe)
  const found = `(found) => JSON.stringify(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`
  return String(
    await evaluate(
      `axe.run({ include: [${REACHED}], exclude: [['${ALIKE}']] }, ${JSON.stringify(options)}).then(${found})`,
    ),
  )
}
