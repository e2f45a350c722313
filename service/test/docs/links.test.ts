// Tests that every link between the guides leads somewhere, and that every command they name exists.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/program.ts'
import type { CliWorld } from '../../src/cli/world.ts'
import { ROOT } from './blocks.ts'

const files = (await readdir(join(ROOT, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name))
const guides = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join(ROOT, file), 'utf8') })))

test('links between the guides lead to a file, and to a heading of it', async () => {
  for (const { file, text } of guides) {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', heading] = target.split('#')
      const found = path === '' ? join(ROOT, file) : join(ROOT, dirname(file), path)
      assert.ok(existsSync(found), `${file}: ${target} leads nowhere`)
      if (heading === undefined) continue
      const headings = [...(await readFile(found, 'utf8')).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      )
      assert.ok(headings.includes(heading), `${file}: ${target} names no heading`)
    }
  }
})

test('commands and options the guides name exist', async () => {
  const program = await buildProgram({ out: () => undefined, err: () => undefined } as unknown as CliWorld)
  for (const { file, text } of guides) {
    for (const [, line = ''] of text.matchAll(/(?:npm run -s vidimus -- |`vidimus )([^`\n|>]*)/g)) {
      const words = line.split(/\s+/)
      let command: Command = program
      while (command.commands.length > 0) {
        const next = command.commands.find((child) => child.name() === words[0])
        if (next === undefined) break
        command = next
        words.shift()
      }
      assert.notEqual(command, program, `${file}: there is no command "${line}"`)
      for (const option of words.filter((word) => word.startsWith('--'))) {
        const known = command.options.some(({ long }) => long === option)
        assert.ok(known, `${file}: "${command.name()}" has no option ${option}`)
      }
    }
  }
})
