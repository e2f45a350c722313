// Checks every source file against the import rules of its module. As a program it prints the violations and fails.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { importCircles } from '../circles.ts'
import { codeOnly, type Import, importsOf, ownTarget, sourceFiles } from '../imports.ts'
import type { ImportRule } from './rule.ts'
import { IMPORT_RULES } from './table.ts'

export interface Finding {
  readonly file: string
  readonly line: number
  readonly problem: string
}

/** The packages that each workspace declares, by its folder. */
type Declared = ReadonlyMap<string, ReadonlySet<string>>

/** Folders with import rules. Tests, benchmarks and tools may import everything. */
const WATCHED = ['engine/src', 'service/src', 'sdk/typescript/src', 'wallet/src', 'wire', 'dashboard', 'till']
/** Folders that may have no import cycles, including tests and tools. */
const EVERYWHERE = ['engine', 'service', 'sdk', 'wallet', 'wire', 'dashboard', 'till', 'bench', 'tools', 'examples']

export function checkFile(
  file: string,
  source: string,
  declared: Declared,
  rules: readonly ImportRule[] = IMPORT_RULES,
): Finding[] {
  const module = moduleOf(file, rules)
  if (module === null)
    return [{ file, line: 1, problem: 'belongs to no module: give it one in tools/import-rules/table.ts' }]
  const findings: Finding[] = []
  for (const found of importsOf(source)) {
    const problem = importProblem({ file, module, declared, rules }, found)
    if (problem !== null) findings.push({ file, line: found.line, problem })
  }
  const code = codeOnly(source)
  for (const { word, pattern, why } of module.bans) {
    const at = code.search(pattern)
    if (at >= 0) findings.push({ file, line: code.slice(0, at).split('\n').length, problem: `uses ${word}: ${why}` })
  }
  return findings
}

interface Importer {
  readonly file: string
  readonly module: ImportRule
  readonly declared: Declared
  readonly rules: readonly ImportRule[]
}

function importProblem(importer: Importer, { specifier, typeOnly }: Import): string | null {
  const { file, module } = importer
  if (specifier.startsWith('node:')) {
    return module.builtins.includes(specifier.slice('node:'.length))
      ? null
      : `${specifier} is not open to ${module.module}`
  }
  const target = ownTarget(file, specifier)
  if (target !== null) {
    const other = moduleOf(target, importer.rules)
    if (other === module) return null
    const fits = (open: string) => target === open || target.startsWith(`${open}/`)
    if (module.modules.some(fits) || (typeOnly && module.types.some(fits))) return null
    if (module.types.some(fits)) return `imports more than types from ${other?.module ?? target}`
    return `${other?.module ?? target} is not open to ${module.module}`
  }
  const name = packageOf(specifier)
  if (!module.packages.includes(name)) return `package ${name} is not open to ${module.module}`
  const workspace = file.split('/')[0] ?? ''
  return importer.declared.get(workspace)?.has(name) === true
    ? null
    : `package ${name} is not declared in ${workspace}/package.json`
}

/** The narrowest module that contains the file. */
function moduleOf(file: string, rules: readonly ImportRule[]): ImportRule | null {
  const modules = modulesOf(rules)
  for (let path = file; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    const found = modules.get(path)
    if (found !== undefined) return found
  }
  return null
}

/** Cached, because each import of the tree needs it. */
const tables = new WeakMap<readonly ImportRule[], ReadonlyMap<string, ImportRule>>()

function modulesOf(rules: readonly ImportRule[]): ReadonlyMap<string, ImportRule> {
  const modules = tables.get(rules) ?? new Map(rules.map((rule) => [rule.module, rule]))
  tables.set(rules, modules)
  return modules
}

export function checkImports(root: string): Finding[] {
  const declared = declaredPackages(root)
  const files = WATCHED.filter((folder) => present(root, folder))
    .flatMap((folder) => sourceFiles(root, folder))
    .filter((file) => !/(^|\/)test\//.test(file))
  const everything = EVERYWHERE.filter((folder) => present(root, folder)).flatMap((folder) => sourceFiles(root, folder))
  const circles = importCircles(root, everything).map(([file = '', ...others]) => ({
    file,
    line: 1,
    problem: `is in an import cycle with ${others.join(', ')}`,
  }))
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const found = [...sources].flatMap(([file, source]) => checkFile(file, source, declared))
  return [...found, ...circles, ...findUnused(sources)]
}

/** Packages and builtins that a rule allows, and that no file of its modules imports. */
export function findUnused(
  sources: ReadonlyMap<string, string>,
  rules: readonly ImportRule[] = IMPORT_RULES,
): Finding[] {
  const lists = new Map<readonly string[], { readonly modules: string[]; readonly used: Set<string> }>()
  for (const { module, packages, builtins } of rules) {
    for (const list of [packages, builtins]) {
      const { modules, used } = lists.get(list) ?? { modules: [], used: new Set() }
      lists.set(list, { modules: [...modules, module], used })
    }
  }
  for (const [file, source] of sources) {
    const { packages = [], builtins = [] } = moduleOf(file, rules) ?? {}
    for (const { specifier } of importsOf(source)) {
      if (specifier.startsWith('node:')) lists.get(builtins)?.used.add(specifier.slice('node:'.length))
      else lists.get(packages)?.used.add(packageOf(specifier))
    }
  }
  return [...lists].flatMap(([list, { modules, used }]) =>
    list
      .filter((name) => !used.has(name))
      .map((name) => ({
        file: 'tools/import-rules/table.ts',
        line: 1,
        problem: `${modules[0]} may import ${name}, but does not`,
      })),
  )
}

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function present(root: string, folder: string): boolean {
  const [workspace = '', ...rest] = folder.split('/')
  const entries = readdirSync(root).includes(workspace) ? readdirSync(join(root, workspace)) : []
  return rest.length === 0 || entries.includes(rest[0] ?? '')
}

function declaredPackages(root: string): Declared {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return new Map(
    workspaces.map((workspace: string) => {
      const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
        readFileSync(join(root, workspace, 'package.json'), 'utf8'),
      )
      return [workspace, new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)])]
    }),
  )
}

if (import.meta.main) {
  const findings = checkImports(relative(process.cwd(), dirname(dirname(import.meta.dirname))) || '.')
  for (const { file, line, problem } of findings) console.log(`${file}:${line} ${problem}`)
  process.exitCode = findings.length > 0 ? 1 : 0
}
