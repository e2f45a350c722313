// Tests the import rules.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { circlesOf, importCircles } from '../circles.ts'
import { checkFile, type Finding, findUnused } from '../import-rules/check.ts'
import type { Ban, ImportRule } from '../import-rules/rule.ts'
import { IMPORT_RULES } from '../import-rules/table.ts'
import { codeOnly, importsOf } from '../imports.ts'

const EVERY_MODULE = IMPORT_RULES.map(({ module }) => module)
/** main.ts is in no rule, because it puts everything together. */
const OTHERS = IMPORT_RULES.filter(({ module }) => module !== 'service/src/main.ts')
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

/** The checker's result for a source in that module, if every package of the rule is declared. */
function findingsIn(rule: ImportRule, source: string): Finding[] {
  const file = fileIn(rule.module)
  const declared = new Map([[file.split('/')[0] ?? '', new Set([...rule.packages, 'stranger'])]])
  return checkFile(file, source, declared)
}

const problemsIn = (rule: ImportRule, source: string) => findingsIn(rule, source).map(({ problem }) => problem)
const linesRefused = (rule: ImportRule, source: string) =>
  findingsIn(rule, source)
    .map(({ line }) => line)
    .sort()

describe('every rule of the table', () => {
  it('allows the listed imports', () => {
    for (const rule of IMPORT_RULES) {
      const file = fileIn(rule.module)
      const lines = [
        ...rule.modules.map((module) => `import { a } from '${pathTo(file, module)}'`),
        ...rule.types.map((module) => `import type { A } from '${pathTo(file, module)}'`),
        ...rule.packages.map((name) => `import { a } from '${name}'`),
        ...rule.builtins.map((name) => `import { a } from 'node:${name}'`),
      ]
      assert.deepEqual(problemsIn(rule, lines.join('\n')), [], rule.module)
    }
  })

  it('refuses every other module, in every form of import, and values where only types are listed', () => {
    for (const rule of IMPORT_RULES) {
      for (const other of EVERY_MODULE.filter((module) => module !== rule.module && !opens(rule.modules, module))) {
        const specifier = pathTo(fileIn(rule.module), other)
        const forms = [
          `import { a } from '${specifier}'`,
          `import '${specifier}'`,
          `const a = await import('${specifier}')`,
          `export { a } from '${specifier}'`,
          `import type { A } from '${specifier}'`,
        ]
        const refused = opens(rule.types, other) ? [1, 2, 3, 4] : [1, 2, 3, 4, 5]
        assert.deepEqual(linesRefused(rule, forms.join('\n')), refused, `${rule.module}: ${other}`)
      }
    }
  })

  it('refuses other packages and builtins', () => {
    for (const rule of IMPORT_RULES) {
      assert.deepEqual(problemsIn(rule, `import { a } from 'stranger'`), [
        `package stranger is not open to ${rule.module}`,
      ])
      for (const name of BUILTINS.filter((builtin) => !rule.builtins.includes(builtin))) {
        const refused = [`node:${name} is not open to ${rule.module}`]
        assert.deepEqual(problemsIn(rule, `import { a } from 'node:${name}'`), refused)
      }
    }
  })

  it('refuses the words that are banned in its module', () => {
    for (const rule of IMPORT_RULES) {
      for (const ban of rule.bans) {
        assert.deepEqual(problemsIn(rule, sampleOf(ban)), [`uses ${ban.word}: ${ban.why}`], rule.module)
      }
    }
  })
})

describe('import cycles', () => {
  it('are found with all their files, also if other files lead to them', () => {
    const graph = new Map([
      ['a', ['b', 'x']],
      ['b', ['c']],
      ['c', ['a']],
      ['x', ['y']],
      ['y', []],
      ['self', ['self']],
    ])
    assert.deepEqual(circlesOf(graph), [['a', 'b', 'c'], ['self']])
  })

  it('are also found through types and our packages', async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'vidimus-circles-'))
    t.after(() => rm(root, { recursive: true }))
    await mkdir(join(root, 'engine', 'src'), { recursive: true })
    await mkdir(join(root, 'service'))
    await writeFile(join(root, 'engine/src/index.ts'), `import type { B } from '../../service/b.ts'`)
    await writeFile(join(root, 'service/b.ts'), `import { a } from '@vidimus/engine'`)
    const files = ['engine/src/index.ts', 'service/b.ts']
    assert.deepEqual(importCircles(root, files), [files])
  })
})

describe('beyond the table', () => {
  const declared = new Map([['service', new Set(['fastify'])]])

  it('refuses a file that belongs to no module', () => {
    assert.match(checkFile('service/src/stray/file.ts', '', declared)[0]?.problem ?? '', /no module/)
  })

  it('refuses a listed package that the workspace does not declare', () => {
    assert.deepEqual(checkFile('service/src/platform/http/app.ts', `import fastify from 'fastify'`, declared), [])
    const [finding] = checkFile('service/src/platform/http/app.ts', `\nimport a from 'ajv'`, declared)
    assert.deepEqual(finding, {
      file: 'service/src/platform/http/app.ts',
      line: 2,
      problem: 'package ajv is not declared in service/package.json',
    })
  })

  it('treats our packages as modules', () => {
    const problems = (source: string) =>
      checkFile('service/src/platform/http/app.ts', source, declared).map(({ problem }) => problem)
    assert.deepEqual(problems(`import { verify } from '@vidimus/engine'`), [
      'engine/src is not open to service/src/platform/http',
    ])
    assert.deepEqual(problems(`import { parseJson } from '@vidimus/engine/json'`), [])
  })

  it('refuses an import of main.ts', () => {
    assert.deepEqual(
      OTHERS.filter(({ modules, types }) => opens([...modules, ...types], 'service/src/main.ts')),
      [],
    )
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

  it('does not read words in comments, strings, templates and regular expressions as code', () => {
    const source = `// fetch\n/* fetch */ const a = 'fetch' + "it's fetch" + \`fetch \${b + 'fetch'} fetch\` ; const r = /fetch['"]/u ; x = c / d / e`
    assert.doesNotMatch(codeOnly(source), /fetch/)
    assert.match(codeOnly(source), /\$\{b \+ /)
    assert.match(codeOnly(source), /x = c \/ d \/ e/)
    assert.equal(codeOnly(source).length, source.length)
  })

  it('reads code inside a template', () => {
    assert.match(codeOnly(['const a = `x $', '{`y $', '{fetch(1)}`} z`; fetch'].join('')), /fetch\(1\).*fetch$/)
  })
})

function fileIn(module: string): string {
  return module.endsWith('.ts') ? module : `${module}/sample.ts`
}

function pathTo(from: string, module: string): string {
  const up = '../'.repeat(from.split('/').length - 1)
  return `./${up}${fileIn(module)}`
}

function opens(list: readonly string[], module: string): boolean {
  return list.some((open) => module === open || module.startsWith(`${open}/`))
}

function sampleOf({ word }: Ban): string {
  const sample = SAMPLES[word]
  if (sample === undefined) throw new Error(`no sample for the ban of ${word}`)
  return sample
}

describe('what the table allows', () => {
  it('must be imported by one of the modules that share the rule', () => {
    const shared = { modules: [], types: [], packages: ['pg', '@redis/client'], builtins: ['fs', 'net'], bans: [] }
    const rules: ImportRule[] = ['a', 'b'].map((module) => ({ module, ...shared }))
    const report = (sources: Record<string, string>) =>
      findUnused(new Map(Object.entries(sources)), rules).map(({ problem }) => problem)
    const used = "import 'pg'\nconst net = await import('node:net')"
    assert.deepEqual(report({ 'a/one.ts': used, 'b/two.ts': "import type { A } from '@redis/client/x'" }), [
      'a may import fs, but does not',
    ])
    // An import in a module outside the rule does not count.
    assert.equal(report({ 'c/one.ts': used }).length, 4)
  })
})
