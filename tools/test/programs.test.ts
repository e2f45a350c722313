// Tests that a language is found only if it is new enough and has what its client needs.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { findGo, findPhp, findPython } from '../setup/programs.mjs'

/** Sets PATH to a folder with only this program. Returns the program's path. */
async function onlyProgram(t: TestContext, name: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-programs-'))
  const before = process.env.PATH
  t.after(async () => {
    process.env.PATH = before
    await rm(folder, { recursive: true })
  })
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  process.env.PATH = folder
  return path
}

for (const [name, find] of [
  ['python3', findPython],
  ['php', findPhp],
] as const) {
  it(`finds ${name} if the program says that it is suitable`, async (t) => {
    const path = await onlyProgram(t, name, 'exit 0')
    assert.equal(find(), path)
    await writeFile(path, '#!/bin/sh\nexit 1\n')
    assert.equal(find(), null)
    await rm(path)
    assert.equal(find(), null)
  })
}

it('finds go if its version is new enough', async (t) => {
  const path = await onlyProgram(t, 'go', 'echo go version go1.21.0 linux/amd64')
  assert.equal(findGo(), path)
  for (const version of ['go1.20.14', 'go1.19', 'go', 'devel']) {
    await writeFile(path, `#!/bin/sh\necho go version ${version} linux/amd64\n`)
    assert.equal(findGo(), null, version)
  }
})
