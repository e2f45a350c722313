// Fails a test if axe-core finds an accessibility problem on a page.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { CDPSession, Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export async function assertAccessible(page: Page): Promise<void> {
  assert.equal(await violationsOf(page, { resultTypes: ['violations'] }), '[]')
}

/** The whole page, and its colours in the other theme: nothing else depends on the theme. */
export async function assertAccessibleInBothThemes(page: Page): Promise<void> {
  await assertAccessible(page)
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  await showTheme(page, isDark ? 'light' : 'dark')
  const found = await violationsOf(page, { resultTypes: ['violations'], runOnly: ['color-contrast'] })
  assert.equal(found, '[]', `in the ${isDark ? 'light' : 'dark'} theme`)
  await showTheme(page, isDark ? 'dark' : 'light')
}

/** Pages of ours that set a theme by script say which in an attribute; the others leave it to the style sheet. */
async function showTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction((wanted) => {
    const isShown = matchMedia(`(prefers-color-scheme: ${wanted})`).matches
    return isShown && (document.documentElement.dataset.theme ?? wanted) === wanted
  }, colorScheme)
}

/** While a dialog is open, the rest of the page is out of reach. */
const REACHED = `[...document.querySelectorAll('dialog:modal')].at(-1) ?? document.documentElement`
/** Rows of a long table: the same code made them as the twelve before. Judging all of them takes a third of the time of a walk. */
const ALIKE = 'tbody > tr:nth-child(n + 13)'

/** A world of its own belongs to the session that made it: kept, axe-core is read once a document. */
const sessions = new WeakMap<Page, CDPSession>()

/** In a world of its own: the page's policy lets no script in but its own. */
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
