// Which statements a test file ran, noted for a runner that asks: what the newer server runs, the older one must run too.

import { appendFileSync } from 'node:fs'
import type { Db } from '../../../src/platform/postgres/db.ts'

/** The file that they are noted in, a line each: the test file, and the name of the statement. */
const NOTED_IN = 'VIDIMUS_TEST_STATEMENTS'

export const noteStatementsIn = (path: string) => ({ [NOTED_IN]: path })

/** Of every database of this process. */
const names = new Set<string>()
let isNoting = false

export function noteStatements(db: Db): void {
  const path = process.env[NOTED_IN]
  if (path === undefined) return
  if (!isNoting) process.once('exit', () => appendFileSync(path, linesOf(process.argv[1] ?? '')))
  isNoting = true
  // Those that a server refuses prove nothing of it.
  db.watch(({ name, failed }) => {
    if (!failed) names.add(name)
  })
}

const linesOf = (file: string) => [...names].map((name) => `${file}\t${name}\n`).join('')
