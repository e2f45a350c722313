// docs/quickstart.md, done by a reader: every block is run in its order, with nothing changed but the port, the folder and
// the key, which are the reader's own.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import test from 'node:test'
import { type Block, blocksOf, npmStart, ROOT, runShell, stopGroup } from './blocks.ts'

test('every block of the quick start works, in its order, to the first verified claim', async () => {
  // In the clone, for a program there finds the SDK; in the folder that is not part of it.
  await mkdir(join(ROOT, 'data'), { recursive: true })
  const folder = await mkdtemp(join(ROOT, 'data', 'quickstart-'))
  const port = await freePort()
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), VIDIMUS_DATA_DIR: folder }
  const [start, ...blocks] = await blocksOf('docs/quickstart.md')
  assert.deepEqual(start, { language: 'sh', code: 'npm start\n' })
  const service = await npmStart(env)
  try {
    const own = ({ code }: Block) =>
      code
        .replaceAll('localhost:8080', `localhost:${port}`)
        .replaceAll('data/', `${relative(ROOT, folder)}/`)
        .replaceAll('vk_test_…', service.key)
    const [key, ask, answer, read, program, run, ...more] = blocks
    assert.ok(key && ask && answer && read && program && run && more.length === 0, 'the guide has other blocks now')
    assert.ok([key, ask, answer, read, run].every(({ language }) => language === 'sh') && program.language === 'ts')

    const asked = await runShell(`${own(key)}\n${own(ask)}`, env)
    assert.equal(JSON.parse(asked).status, 'pending')
    assert.match(await runShell(own(answer), env), /The verifier answered 200/)
    const result = JSON.parse(await runShell(`${own(key)}\n${own(read)}`, env))
    assert.equal(result.status, 'completed')
    assert.deepEqual(result.claims, { age_over_18: true })

    await writeFile(join(folder, 'first.ts'), own(program))
    let answered: Promise<string> | null = null
    const printed = await runShell(`${own(key)}\n${own(run)}`, env, (output) => {
      const [, line] = /^answer with: (.*)$/m.exec(output) ?? []
      if (line !== undefined) answered ??= runShell(line, env)
    })
    assert.match(await (answered ?? ''), /The verifier answered 200/)
    assert.match(printed, /^completed \{/m)
  } finally {
    await stopGroup(service)
    await rm(folder, { recursive: true, force: true })
  }
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
