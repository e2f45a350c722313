// Tests a missing language runtime: it is reported if optional, and a failure if set-up promised it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'

async function lookFor(name: string, ci: boolean): Promise<{ status: number | null; output: string }> {
  const empty = await mkdtemp(join(tmpdir(), 'vidimus-path-'))
  const { CI: _, NODE_TEST_CONTEXT: __, ...rest } = process.env
  const env = { ...rest, PATH: empty, ...(ci ? { CI: '1' } : {}) }
  const program = `import { findLanguage } from './language.ts'
    console.log(findLanguage('${name}'))`
  const args = ['--input-type=module', '-e', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    env,
    encoding: 'utf8',
  })
  await rm(empty, { recursive: true })
  return { status, output: `${stdout}${stderr}` }
}

it('is reported, and fails in CI where set-up installs it', async () => {
  for (const name of ['Python', 'PHP']) {
    const { status, output } = await lookFor(name, false)
    assert.equal(status, 0, output)
    assert.match(output, new RegExp(`^skipped: no ${name} on this machine.*\\nnull\\n$`))
    const inCi = await lookFor(name, true)
    assert.notEqual(inCi.status, 0)
    assert.match(inCi.output, new RegExp(`set-up installs ${name}, and there is none`))
  }
})
