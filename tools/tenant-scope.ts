// Checks that every statement binds the `tenant_id` of each tenant table, or is listed as global.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles } from './imports.ts'
import { GLOBAL_STATEMENTS } from './tenant-scope/global-statements.ts'
import { OPEN, tablesWithoutTenant } from './tenant-scope/sql.ts'
import { sqlIn } from './tenant-scope/statements.ts'

const SCHEMA = 'service/src/platform/postgres/schema.sql'
const LIST = 'tools/tenant-scope/global-statements.ts'
/** Files in which code may choose a statement's table. In other files, `from ${…}` is prose. */
const CHOOSES_TABLES = /\/store\/|\/platform\/postgres\/sealing\//

interface SourceFile {
  readonly file: string
  readonly source: string
}

export function tenantProblems(root: string): string[] {
  if (!existsSync(join(root, SCHEMA))) return []
  const tables = tenantTables(readFileSync(join(root, SCHEMA), 'utf8'))
  if (tables.size === 0)
    return [`${SCHEMA} has no table with tenant_id: tools/tenant-scope.ts looks for the wrong words`]
  const files = sourceFiles(root, 'service/src').map((file) => ({
    file,
    source: readFileSync(join(root, file), 'utf8'),
  }))
  return statementProblems(files, tables, GLOBAL_STATEMENTS)
}

/** The tables with a column `tenant_id`. */
export function tenantTables(schema: string): ReadonlySet<string> {
  const tables = [...schema.matchAll(/^create table (\w+) \(\n([^;]*?)\n\)/gm)]
  return new Set(tables.filter(([, , body = '']) => /^ {2}tenant_id /m.test(body)).map(([, name = '']) => name))
}

export function statementProblems(
  files: readonly SourceFile[],
  tables: ReadonlySet<string>,
  listed: Readonly<Record<string, readonly string[]>>,
): string[] {
  const names = Object.values(listed).flat()
  const used = new Set<string>()
  const problems = sqlIn(files).flatMap(({ file, line, name, text }) => {
    const lacking = tablesWithoutTenant(text, tables).filter((table) => table !== OPEN || CHOOSES_TABLES.test(file))
    if (lacking.length === 0) return []
    used.add(name)
    const touched = lacking.map((table) => (table === OPEN ? 'a table that the code chooses' : table)).join(', ')
    return names.includes(name) ? [] : [`${file}:${line} ${name} touches ${touched} without tenant_id: name the tenant`]
  })
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  return [
    ...problems,
    ...names
      .filter((name) => !used.has(name))
      .map((name) => `${LIST} lists ${name}, which names its tenant or is gone`),
    ...twice.map((name) => `${LIST} lists ${name} twice`),
  ]
}

if (import.meta.main) {
  const problems = tenantProblems(join(import.meta.dirname, '..'))
  for (const problem of problems) console.log(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
