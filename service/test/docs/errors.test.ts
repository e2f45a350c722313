// Tests that docs/errors.md is up to date.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { ERRORS_PAGE, renderErrorsPage } from '../../../tools/generate-errors-page.ts'

test('docs/errors.md is what the generator writes', async () => {
  assert.equal(
    await readFile(ERRORS_PAGE, 'utf8'),
    renderErrorsPage(),
    'run "node tools/generate-errors-page.ts" and commit what it writes',
  )
})
