// What axe-core finds wrong with a page: nothing, or the test fails.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** In a world of its own: the page's policy lets no script in but its own. */
export async function assertAccessible(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = (await session.send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } }
  const { executionContextId: contextId } = (await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })) as { executionContextId: number }
  await session.send('Runtime.evaluate', { expression: axe, contextId })
  const { result } = (await session.send('Runtime.evaluate', {
    expression:
      'axe.run().then((found) => JSON.stringify(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))',
    contextId,
    awaitPromise: true,
  })) as { result: { value: string } }
  assert.equal(result.value, '[]')
}
