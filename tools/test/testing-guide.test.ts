// Tests that docs/testing.md has a row for every folder of tests, and names no other folder.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { sourceFiles } from '../imports.ts'

const ROOT = dirname(dirname(import.meta.dirname))

it('every folder with tests has its row in docs/testing.md', () => {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] }
  const rooms = new Set([...workspaces.map((workspace) => workspace.split('/')[0] ?? workspace), 'tools'])
  const files = [...rooms].flatMap((folder) => sourceFiles(ROOT, folder))
  const folders = new Set(files.filter((file) => file.endsWith('.test.ts')).map((file) => dirname(file)))
  const guide = readFileSync(join(ROOT, 'docs', 'testing.md'), 'utf8')
  const rows = [...guide.matchAll(/^\| `((?:[a-z0-9-]+\/)+test(?:\/[a-z0-9-]+)*)` \|/gm)].map(
    ([, folder = '']) => folder,
  )
  assert.deepEqual(rows.sort(), [...folders].sort())
})
