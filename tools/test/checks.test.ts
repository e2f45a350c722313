// Tests the checks of the tree.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { decisionProblems, folderProblems, lockfileProblems, pageProblems } from '../suite/checks.ts'
import { voiceProblems } from '../suite/voice.ts'
import { unboundedWaits } from '../suite/waits.ts'

it('decision records must be numbered from 0001 without gaps', () => {
  assert.deepEqual(decisionProblems(['0001-one.md', '0002-two.md']), [])
  assert.equal(decisionProblems(['0001-one.md', '0003-three.md']).length, 1)
  assert.equal(decisionProblems(['0001-one.md', '0001-again.md']).length, 1)
  assert.equal(decisionProblems(['0002-two.md']).length, 1)
  assert.equal(decisionProblems(['notes.md']).length, 1)
})

it('the lock file must name no host and have a hash for every package', () => {
  const lock = (entry: object) => JSON.stringify({ packages: { '': {}, engine: {}, 'node_modules/a': entry } })
  assert.deepEqual(lockfileProblems(lock({ version: '1.0.0', integrity: 'sha512-AAAA' })), [])
  assert.deepEqual(lockfileProblems(lock({ resolved: 'engine', link: true })), [])
  assert.equal(
    lockfileProblems(lock({ integrity: 'sha512-AAAA', resolved: 'https://registry.example/a.tgz' })).length,
    1,
  )
  assert.equal(lockfileProblems(lock({ version: '1.0.0' })).length, 1)
})

it('a folder may have at most 25 code files', () => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => `service/src/cli/command-${at}.ts`)
  assert.deepEqual(folderProblems([...files(25), 'service/src/features/trust/cli/anchor.ts']), [])
  assert.deepEqual(folderProblems(files(26)), [
    'service/src/cli holds 26 files, more than 25: give some a folder of their own',
  ])
})

it('a loop in a test that waits or spins must name its limit; a loop that counts or iterates a list need not', () => {
  const refused = (text: string) => unboundedWaits('service/test/some.test.ts', `const before = 1\n${text}\n`).length
  for (const text of [
    'while ((await count()) > 0);',
    'while (isBusy());',
    'while (!isOver) await once(socket)',
    'while (\n  !isOver\n)\n  await turn()',
    'while (!isOver) {\n  const answer = await ask()\n  use(answer)\n}',
    'for (;;) {\n  if (await isDone()) break\n}',
    'for (let tries = 0; ; tries += 1) ask()',
    'for (; !isBack; await turn()) spend()',
    'for (const end = now() + 5; !(await holds()); ) assert.ok(now() < end)',
    'do {\n  answer = await ask()\n} while (answer === null)',
    'do answer = await ask()\nwhile (answer === null)',
    "import { once } from 'node:events'",
    "import { EventEmitter, once } from 'node:events'",
    'for (const one of all) while (!(await isDone(one))) turn()',
  ])
    assert.equal(refused(text), 1, text)
  for (const text of [
    '// bounded: by the clock.\nwhile ((await count()) > 0);',
    'for (let at = 0; at < 9; at += 1) await ask()',
    'for (const one of all) await ask(one)',
    'for await (const line of lines) use(line)',
    'while (parts.length > 0) parts.pop()',
    'do {\n  parts.pop()\n} while (parts.length > 0)',
    "// while (true) await ask()\nconst text = 'while (true) await ask()'",
    "import { EventEmitter } from 'node:events'",
    "import { once } from './wait.ts'",
    "await waitUntil('it is over', () => isOver)",
  ])
    assert.equal(refused(text), 0, text)
  assert.equal(refused('// bounded:\nwhile (await isBusy());'), 1, 'by what?')
})

it('refuses banned words in catalogues, comments, messages, test titles and guides, and vague names', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-voice-'))
  t.after(() => rm(folder, { recursive: true }))
  const linesOf = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
    return voiceProblems(folder, [file]).map((problem) => problem.split(':')[1]?.split(' ')[0])
  }
  const catalogue = "// who is told\nexport const en = {\n  told: 'sent',\n  'nobody': 'Alerts are off',\n}\n"
  assert.deepEqual(await linesOf('en.ts', catalogue), [])
  assert.deepEqual(await linesOf('words-en.ts', "a: 'Nobody is told',\nb: () => `It starts anew`,\n"), ['1', '2'])
  assert.deepEqual(await linesOf('other.ts', 'a: \'Nobody is told\'\n// The account "nobody" runs it.\n'), [])
  const comments = '// Whoever asks\n/** is asked anew. */\n  // Nobody waits,\n * and somebody reads.\n'
  assert.deepEqual(await linesOf('comments.ts', comments), ['1', '2', '3', '4'])
  const messages =
    "throw new Malformed('it names nobody')\nlog(`it stands here`)\nsay(\"a page isn't told\")\nconst sent = 'told'\n"
  for (const file of ['service/src/a.ts', 'engine/src/a.ts', 'sdk/typescript/src/a.ts', 'wire/a.ts', 'tools/a.ts'])
    assert.deepEqual(await linesOf(file, messages), ['1', '2', '3'], file)
  assert.deepEqual(await linesOf('service/src/b.ts', 'say(\'PostgreSQL runs as "nobody" here\')\n'), [])
  assert.deepEqual(await linesOf('tools/test/a.test.ts', messages), [])
  const titles =
    "test('nobody is told', run)\n  it(`stands in place`, run)\ntest('nobody', run)\nassert(x, 'is told')\n"
  assert.deepEqual(await linesOf('service/test/a.test.ts', titles), ['1', '2'])
  const turns =
    '// It is asked of wallets.\n// The list cannot be had.\n// It is no token.\n// There is no token.\n// It is no longer one.\n'
  assert.deepEqual(await linesOf('turns.ts', turns), ['1', '2', '3'])
  assert.deepEqual(await linesOf('docs/a.md', 'It stands here.\nThe user `nobody`\nis not used.\nNobody asks.\n'), [
    '1',
    '4',
  ])
  assert.deepEqual(await linesOf('docs/b.md', 'See [the log](0044-where-checkpoints-stand.md).\n'), [])
  assert.deepEqual(await linesOf('sdk/a.py', '# Whoever waits\nasked = 1\n'), ['1'])
  const names =
    'const made = 1\nfor (let held = 0; ; ) {}\nuse((asked) => asked)\nfunction f(given: X) {}\n  given: { readonly x: X },\nconst { status: said } = answer\nconst madeOf = { made: 1, asked: [] }\n'
  assert.deepEqual(await linesOf('wallet/src/a.ts', names), ['1', '2', '3', '4', '5', '6'])
  assert.deepEqual(await linesOf('wallet/test/a.ts', names), ['1', '2', '3', '4', '5', '6'])
  assert.deepEqual(await linesOf('a.ts', "const texts = ['const made = 1']\n"), [])
})

it('a page of the dashboard must be in a folder named after a feature or a subject', () => {
  const service = ['service/src/features/webhooks/index.ts', 'service/src/core/tenants/domain/realm.ts']
  const pages = (...names: string[]) => [...service, ...names.map((name) => `dashboard/src/pages/${name}`)]
  assert.deepEqual(pageProblems(pages('webhooks/log.tsx', 'webhooks/parts/row.tsx', 'tenants/keys.tsx')), [])
  assert.deepEqual(pageProblems(pages('hooks/log.tsx', 'keys.tsx')), [
    'dashboard/src/pages/hooks/log.tsx is not in a folder named after a feature or a subject of core: dashboard/src/pages/<feature>/',
    'dashboard/src/pages/keys.tsx is not in a folder named after a feature or a subject of core: dashboard/src/pages/<feature>/',
  ])
})
