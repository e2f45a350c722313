// Which command loads what: the table of the program says it, and its names are those of the commands.

import assert from 'node:assert/strict'
import test from 'node:test'
import { Command } from 'commander'
import { buildProgram, COMMANDS, runProgram } from '../../src/cli/program.ts'
import type { CliWorld } from '../../src/cli/world.ts'

const SILENT = { out: () => undefined, err: () => undefined } as unknown as CliWorld
const namesOf = (program: Command) => program.commands.map((command) => command.name())

test('every entry adds the commands that it names, and nobody else has them', async () => {
  for (const { names, load } of COMMANDS) {
    const program = new Command()
    ;(await load())(program, SILENT)
    assert.deepEqual(namesOf(program), names)
  }
  const all = COMMANDS.flatMap(({ names }) => names)
  assert.equal(new Set(all).size, all.length)
})

test('a command that is asked for comes without the others, and everything comes where none is', async () => {
  assert.deepEqual(namesOf(await buildProgram(SILENT, 'migrate')), ['serve', 'migrate'])
  assert.equal(namesOf(await buildProgram(SILENT)).length, COMMANDS.flatMap(({ names }) => names).length)
})

test('what is no command is told so, with the one that may have been meant, and help knows all of them', async () => {
  const said = { out: '', err: '' }
  const world = {
    out: (text: string) => {
      said.out += text
    },
    err: (text: string) => {
      said.err += text
    },
  } as unknown as CliWorld
  assert.equal(await runProgram(world, ['tenent', 'list']), 2)
  assert.match(said.err, /unknown command 'tenent'[\s\S]*Did you mean tenant\?/)
  assert.equal(await runProgram(world, ['--json', '--help']), 0)
  for (const { names } of COMMANDS) for (const name of names) assert.match(said.out, new RegExp(`\n {2}${name} `))
  const all = said.out
  said.out = ''
  assert.equal(await runProgram(world, ['--help', 'key']), 0)
  assert.equal(said.out, all)
  assert.equal(await runProgram(world, ['--json', 'audit', 'verify', '--no-such-option']), 3)
})
