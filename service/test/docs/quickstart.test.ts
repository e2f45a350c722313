// Runs every block of README.md and docs/quickstart.md in order, as a reader would.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { type Block, blocksOf, npmStart, ROOT, runShell, stopGroup } from './blocks.ts'

// Inside the clone, so that programs find the SDK, but in a folder that git ignores.
await mkdir(join(ROOT, 'data'), { recursive: true })
const folder = await mkdtemp(join(ROOT, 'data', 'quickstart-'))
const reader = { PATH: process.env.PATH, HOME: process.env.HOME, VIDIMUS_DATA_DIR: folder }
const service = await npmStart({ ...reader, PORT: '0' })
const env = { ...reader, PORT: String(service.port) }
after(async () => {
  await stopGroup(service)
  await rm(folder, { recursive: true, force: true })
})

const own = ({ code }: Block) =>
  code
    .replaceAll('localhost:8080', `localhost:${service.port}`)
    .replaceAll('data/', `${relative(ROOT, folder)}/`)
    .replaceAll(/vk_test_(?:…|\.\.\.)/g, service.key)

test('every block of the quick start works, in its order, to the first verified claim', async () => {
  const [start, key, ask, answer, read, program, run, ...more] = await blocksOf('docs/quickstart.md')
  assert.deepEqual(start, { language: 'sh', code: 'npm start\n' })
  assert.ok(key && ask && answer && read && program && run && more.length === 0, 'the guide has other blocks now')
  assert.ok([key, ask, answer, read, run].every(({ language }) => language === 'sh') && program.language === 'ts')

  const requested = await runShell(`${own(key)}\n${own(ask)}`, env)
  assert.equal(JSON.parse(requested).status, 'pending')
  assert.match(await runShell(own(answer), env), /^Verification ver_\w+: completed$/m)
  const result = JSON.parse(await runShell(`${own(key)}\n${own(read)}`, env))
  assert.equal(result.status, 'completed')
  assert.deepEqual(result.claims, { age_over_18: true })

  await writeFile(join(folder, 'first.ts'), own(program))
  let answered: Promise<string> | null = null
  const printed = await runShell(`${own(key)}\n${own(run)}`, env, (output) => {
    const [, line] = /^answer with: (.*)$/m.exec(output) ?? []
    if (line !== undefined) answered ??= runShell(line, env)
  })
  assert.match(await (answered ?? ''), /^Verification ver_\w+: completed$/m)
  assert.match(printed, /^completed \{/m)
})

test('every block of the README works, in its order', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  const known: Record<string, string> = {}
  let exported = ''
  let last: Record<string, unknown> = {}
  for (const block of await blocksOf('README.md')) {
    if (block.language === 'json') {
      for (const [name, value] of Object.entries(JSON.parse(block.code)))
        assert.deepEqual(last[name], value, block.code)
      continue
    }
    assert.equal(block.language, 'sh', `this test cannot run the block: ${block.code}`)
    const code = own(block).replaceAll(/<(wallet_uri|id)>/g, (_, name: string) => known[name] ?? assert.fail(name))
    const commands = code.trim().split('\n')
    if (commands.every((line) => /^(?:git clone|cd|npm) /.test(line) && !line.includes('vidimus --'))) {
      // Blocks that start or test the service are known to work: this test has run them.
      const named = commands.flatMap((line) => /^npm (?:run )?([\w:]+)/.exec(line)?.[1] ?? [])
      for (const name of named) assert.ok(Object.hasOwn(scripts, name), `there is no "npm run ${name}"`)
      continue
    }
    const output = await runShell(`${exported}\n${code}`, env)
    exported += commands.filter((line) => line.startsWith('export ')).join('\n')
    const [json] = /\{.*\}\s*$/s.exec(output) ?? []
    last = json === undefined ? last : JSON.parse(json)
    for (const name of ['id', 'wallet_uri']) if (typeof last[name] === 'string') known[name] = String(last[name])
  }
  assert.equal(last.status, 'completed')
})
