// Tests that docs/settings.md is up to date.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { renderSettingsPage, SETTINGS_PAGE } from '../../../tools/generate-settings-page.ts'

test('docs/settings.md is what the generator writes', async () => {
  assert.equal(
    await readFile(SETTINGS_PAGE, 'utf8'),
    renderSettingsPage(),
    'run "node tools/generate-settings-page.ts" and commit what it writes',
  )
})
