import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Ban, DOORS } from '../door-table.ts'
import { checkFile } from '../doors.ts'
import { codeOnly, importsOf } from '../imports.ts'

const EVERY_ROOM = DOORS.map(({ room }) => room)
/** main.ts itself puts everything together. */
const OTHERS = DOORS.filter(({ room }) => room !== 'service/src/main.ts')
const BUILTINS = ['fs', 'http', 'crypto', 'child_process', 'worker_threads', 'vm']
const SAMPLES: Record<string, string> = {
  fetch: 'await fetch(url)',
  'Date.now': 'const t = Date.now()',
  'Math.random': 'const r = Math.random()',
  process: 'if (process.pid > 1) go()',
  'process.env': 'const home = process.env.HOME',
  setTimeout: 'setTimeout(go, 5)',
  console: "console.log('x')",
}

describe('every door of the table', () => {
  for (const door of DOORS) {
    const file = fileIn(door.room)
    const declared = new Map([[file.split('/')[0] ?? '', new Set([...door.packages, 'stranger'])]])
    const problems = (source: string) => checkFile(file, source, declared).map(({ problem }) => problem)

    it(`${door.room} may import what is listed`, () => {
      const lines = [
        ...door.rooms.map((room) => `import { a } from '${pathTo(file, room)}'`),
        ...door.types.map((room) => `import type { A } from '${pathTo(file, room)}'`),
        ...door.packages.map((name) => `import { a } from '${name}'`),
        ...door.builtins.map((name) => `import { a } from 'node:${name}'`),
      ]
      assert.deepEqual(problems(lines.join('\n')), [])
    })

    for (const other of EVERY_ROOM.filter((room) => room !== door.room && !opens(door.rooms, room))) {
      const typesOnly = opens(door.types, other)
      it(`${door.room} is refused ${typesOnly ? 'values' : 'anything'} of ${other}`, () => {
        const specifier = pathTo(file, other)
        assert.equal(problems(`import { a } from '${specifier}'`).length, 1)
        assert.equal(problems(`import '${specifier}'`).length, 1)
        assert.equal(problems(`const a = await import('${specifier}')`).length, 1)
        assert.equal(problems(`export { a } from '${specifier}'`).length, 1)
        assert.equal(problems(`import type { A } from '${specifier}'`).length, typesOnly ? 0 : 1)
      })
    }

    it(`${door.room} is refused other packages and builtins`, () => {
      assert.deepEqual(problems(`import { a } from 'stranger'`), [`package stranger is not open to ${door.room}`])
      for (const name of BUILTINS.filter((builtin) => !door.builtins.includes(builtin))) {
        assert.deepEqual(problems(`import { a } from 'node:${name}'`), [`node:${name} is not open to ${door.room}`])
      }
    })

    for (const ban of door.bans) {
      it(`${door.room} is refused ${ban.word}`, () =>
        assert.deepEqual(problems(sampleOf(ban)), [`uses ${ban.word}: ${ban.why}`]))
    }
  }
})

describe('beyond the table', () => {
  const declared = new Map([['service', new Set(['fastify'])]])

  it('a file in no room is refused', () => {
    assert.match(checkFile('service/src/stray/file.ts', '', declared)[0]?.problem ?? '', /no room/)
  })

  it('a listed package that the workspace does not declare is refused', () => {
    assert.deepEqual(checkFile('service/src/http/app.ts', `import fastify from 'fastify'`, declared), [])
    const [finding] = checkFile('service/src/http/app.ts', `\nimport a from 'ajv'`, declared)
    assert.deepEqual(finding, {
      file: 'service/src/http/app.ts',
      line: 2,
      problem: 'package ajv is not declared in service/package.json',
    })
  })

  it('packages of ours are rooms too', () => {
    const problems = (source: string) =>
      checkFile('service/src/http/app.ts', source, declared).map(({ problem }) => problem)
    assert.deepEqual(problems(`import { verify } from '@vidimus/engine'`), [
      'engine/src is not open to service/src/http',
    ])
    assert.deepEqual(problems(`import { parseJson } from '@vidimus/engine/json'`), [])
  })

  it('nobody imports main.ts, and only what puts the process together and the command line import the sandbox', () => {
    assert.deepEqual(
      OTHERS.filter(({ rooms, types }) => opens([...rooms, ...types], 'service/src/main.ts')),
      [],
    )
    const open = OTHERS.filter(({ rooms, types }) => opens([...rooms, ...types], 'service/src/sandbox')).map(
      ({ room }) => room,
    )
    assert.deepEqual(open.sort(), ['service/src/cli', 'service/src/wire.ts'])
  })
})

describe('the scanner', () => {
  it('finds every form of import, with its line', () => {
    const source = [
      `import a, { type B } from 'one'`,
      `import type { C } from "two"`,
      "import {\n  d,\n} from 'three'",
      `export * from 'four'`,
      `export type { E } from 'five'`,
      `import 'six'`,
      `const f = await import('seven')`,
      `import type from 'eight'`,
    ].join('\n')
    const found = importsOf(source).map(({ specifier, typeOnly, line }) => `${specifier} ${typeOnly} ${line}`)
    assert.deepEqual(found.sort(), [
      'eight false 10',
      'five true 7',
      'four false 6',
      'one false 1',
      'seven false 9',
      'six false 8',
      'three false 5',
      'two true 2',
    ])
  })

  it('takes no word in comments, strings, templates and regular expressions for code', () => {
    const source = `// fetch\n/* fetch */ const a = 'fetch' + "it's fetch" + \`fetch \${b + 'fetch'} fetch\` ; const r = /fetch['"]/u ; x = c / d / e`
    assert.doesNotMatch(codeOnly(source), /fetch/)
    assert.match(codeOnly(source), /\$\{b \+ /)
    assert.match(codeOnly(source), /x = c \/ d \/ e/)
    assert.equal(codeOnly(source).length, source.length)
  })

  it('sees code inside a template', () => {
    assert.match(codeOnly(['const a = `x $', '{`y $', '{fetch(1)}`} z`; fetch'].join('')), /fetch\(1\).*fetch$/)
  })
})

function fileIn(room: string): string {
  return room.endsWith('.ts') ? room : `${room}/sample.ts`
}

function pathTo(from: string, room: string): string {
  const up = '../'.repeat(from.split('/').length - 1)
  return `./${up}${fileIn(room)}`
}

function opens(list: readonly string[], room: string): boolean {
  return list.some((open) => room === open || room.startsWith(`${open}/`))
}

function sampleOf({ word }: Ban): string {
  const sample = SAMPLES[word]
  if (sample === undefined) throw new Error(`no sample for the ban of ${word}`)
  return sample
}
