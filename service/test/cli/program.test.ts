// Tests that the command table names the module of each command, so that only this module is loaded.

import assert from 'node:assert/strict'
import test from 'node:test'
import { Command } from 'commander'
import { buildProgram, COMMANDS } from '../../src/cli/program.ts'
import type { CliWorld } from '../../src/cli/world.ts'
import type { Deps } from '../../src/deps.ts'
import { commandLine } from '../harness/servers/command-line.ts'

const SILENT = { out: () => undefined, err: () => undefined } as unknown as CliWorld
const namesOf = (program: Command) => program.commands.map((command) => command.name())

test('every entry adds exactly the commands that it names', async () => {
  for (const { names, load } of COMMANDS) {
    const program = new Command()
    ;(await load())(program, SILENT)
    assert.deepEqual(namesOf(program), names)
  }
  const all = COMMANDS.flatMap(({ names }) => names)
  assert.equal(new Set(all).size, all.length)
})

test('a requested command is loaded without the others; without a requested command all are loaded', async () => {
  assert.deepEqual(namesOf(await buildProgram(SILENT, 'migrate')), ['serve', 'migrate'])
  assert.equal(namesOf(await buildProgram(SILENT)).length, COMMANDS.flatMap(({ names }) => names).length)
})

test('an unknown command is refused with the closest one, and help lists all commands', async () => {
  const { run } = commandLine({ deps: {} as Deps })
  const unknown = await run('tenent', 'list')
  assert.equal(unknown.code, 2)
  assert.match(unknown.err, /unknown command 'tenent'[\s\S]*Did you mean tenant\?/)
  const help = await run('--json', '--help')
  assert.equal(help.code, 0)
  for (const { names } of COMMANDS) for (const name of names) assert.match(help.out, new RegExp(`\n {2}${name} `))
  assert.deepEqual(await run('--help', 'key'), help)
  assert.equal((await run('--json', 'audit', 'verify', '--no-such-option')).code, 3)
})
