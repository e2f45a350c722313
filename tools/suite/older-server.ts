// What runs a second time, on the oldest PostgreSQL that operators may bring: whatever is about the server itself, and of the
// rest as few files as run every statement. Which names ran there is noted, and one that did not is a failure: a new
// statement needs a test in one of these files, or its file a place among them.

import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sourceFiles } from '../imports.ts'
import { usesDatabase } from './choose-files.ts'

/** Migrations, plans, values, connections. */
const ABOUT_SERVER = 'service/test/store/'
/** Each runs statements that no other of them does. */
const EVERY_STATEMENT = [
  'cli/apply',
  'cli/client',
  'cli/transaction-type',
  'cli/wallet-side',
  'dashboard/answers',
  'dashboard/ended-sessions',
  'dashboard/figures',
  'dashboard/trail',
  'dashboard/usage',
  'evidence/bundle',
  'http/displays',
  'http/page-brand',
  'log/epoch',
  'log/second-restore',
  'log/witness',
  'oidc/browser-binding',
  'oidc/forwarded',
  'oidc/token',
  'oidc/universal',
  'registration/going-live',
  'registration/registers',
  'registration/watch',
  'spec/part-5-devices',
  'transactions/confirmation',
  'usecases/audit-head-macs',
  'usecases/checkpoints',
  'usecases/creation-origin',
  'usecases/erasure',
  'usecases/jobs',
  'usecases/master-key-rotation',
  'usecases/origins',
  'usecases/replay-erasures',
  'wallet/anchors',
  'wallet/list-providers',
  'webhooks/deliveries',
  'webhooks/plain-http',
].map((name) => `service/test/${name}.test.ts`)
/** Where time does not matter, these too: the same statements with everything that callers do to them. */
const WITH_TIME = ['service/test/http/', 'service/test/spec/', 'service/test/usecases/']

export function runsOnOlder(root: string, file: string, thorough: boolean): boolean {
  const missing = EVERY_STATEMENT.find((path) => !existsSync(join(root, path)))
  if (missing !== undefined) throw new Error(`bug: ${missing} is not there any more`)
  if (EVERY_STATEMENT.includes(file)) return true
  const folders = thorough ? [ABOUT_SERVER, ...WITH_TIME] : [ABOUT_SERVER]
  return folders.some((folder) => file.startsWith(folder)) && usesDatabase(root, file)
}

/** In `{ name: 'load_x', text: … }` and `defineStatement('write_x', …)`; what a template leaves open may be anything. */
const NAMED = /(?:name: |\bdefine\w+(?:<[^(]*>)?\(\s*)(?:'(\w+)'|`([^`]+)`),(?!\s*type:)/g
/** Sent over the connection of a migration, which nobody watches; the tests of migrations run on both servers. */
const NOT_NOTED = /^migrations_/

export function statementsOf(root: string): string[] {
  const texts = sourceFiles(root, 'service/src').map((file) => readFileSync(join(root, file), 'utf8'))
  const names = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, plain, open]) => plain ?? open ?? ''))
  return [...new Set(names)].filter((name) => !NOT_NOTED.test(name))
}

/** Sentences for those that the noted names lack. */
export async function statementsNotRun(root: string, notedIn: string): Promise<string[]> {
  const lines = (await readFile(notedIn, 'utf8')).split('\n')
  const ran = new Set(lines.map((line) => line.split('\t')[1] ?? ''))
  const isRun = (name: string) => {
    if (!name.includes('${')) return ran.has(name)
    const pattern = new RegExp(`^${name.replace(/\$\{[^}]*\}/g, '\\w+')}$`)
    return [...ran].some((one) => pattern.test(one))
  }
  const missing = statementsOf(root).filter((name) => !isRun(name))
  return missing.map((name) => `no test ran ${name} there: see EVERY_STATEMENT in tools/suite/older-server.ts`)
}
