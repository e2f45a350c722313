// Finds the test files, what each needs, and the order in which they run.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf, reaches, sourceFiles } from '../imports.ts'

const WORKSPACES = ['engine', 'service', 'sdk', 'wallet', 'dashboard', 'till', 'bench', 'tools']
const HARNESS = 'service/test/harness'
/** Tests that import this file use a database. */
const DATABASE_HARNESS = `${HARNESS}/servers/cluster.ts`
const BROWSER_HARNESS = `${HARNESS}/pages/browser.ts`
/** Tests that import one of these start a server or a service. */
const PROCESS_HARNESSES = [
  `${HARNESS}/servers/embedded.ts`,
  `${HARNESS}/servers/bare-environment.ts`,
  'service/test/docs/blocks.ts',
]
/** This file starts the helper for zero-knowledge proofs. Of tests without a database, only the helper's own tests import it. */
const HELPER = 'service/src/features/trust/outbound/zk/helper-line.ts'
/** Test files that take at least half a minute each. */
const LONG = ['/test/browser/', '/test/fuzz/', 'service/test/store/embedded-postgres']

const isLong = (file: string) => LONG.some((part) => file.includes(part))

export function testFiles(root: string): string[] {
  return WORKSPACES.flatMap((folder) => sourceFiles(root, folder)).filter((file) => file.endsWith('.test.ts'))
}

export function usesDatabase(root: string, file: string): boolean {
  return reachesOne(root, file, [DATABASE_HARNESS])
}

/** Whether a test needs neither database nor browser nor another process, and is not a fuzz test. */
export function isUnit(root: string, file: string): boolean {
  const others = [DATABASE_HARNESS, BROWSER_HARNESS, ...PROCESS_HARNESSES, HELPER]
  if (/\/fuzz[/.]/.test(file) || reachesOne(root, file, others)) return false
  return !startsProcesses(readFileSync(join(root, file), 'utf8'))
}

const startsProcesses = (text: string) => importsOf(text).some(({ specifier }) => specifier === 'node:child_process')

/**
 * How many files share a process. Starting a process and loading the service takes two seconds of CPU, more than most
 * tests; files with a browser also share the browser, which takes three. What a file opens stays open until the last
 * file has ended, so more files would need more memory and connections than a small machine has.
 */
export const TOGETHER = { plain: 16, browser: 6, starting: 5 } as const
/** Servers and replicas that run until the process of the tests ends. */
const LASTING_HARNESSES = ['embedded', 'own-postgres', 'replicas', 'soft-hsm', 'witness'].map(
  (name) => `${HARNESS}/servers/${name}.ts`,
)
/** Found in a file that kills its own processes. */
export const KILLS = /\bSIGKILL\b|harness\/children\b/
/** Actions of a test that other tests in its process would notice. */
const TO_THE_PROCESS = /\bmock\b|memoryUsage|setFlagsFromString|process\.env\.\w+ =|\b(?:before|after)Each\b/

/** Groups the files. Each group runs in one process. */
export function inGroups(root: string, files: readonly string[]): string[][] {
  const groups: string[][] = []
  const open: Record<keyof typeof TOGETHER, string[]> = { plain: [], browser: [], starting: [] }
  for (const file of files) {
    const kind = kindOf(root, file)
    if (kind === 'alone') {
      groups.push([file])
      continue
    }
    if (open[kind].length === 0) groups.push(open[kind])
    open[kind].push(file)
    if (open[kind].length === TOGETHER[kind]) open[kind] = []
  }
  return groups
}

/** A file that is slow, kills processes, starts lasting servers or changes its process runs in its own process. */
function kindOf(root: string, file: string): keyof typeof TOGETHER | 'alone' {
  const text = readFileSync(join(root, file), 'utf8')
  if (TO_THE_PROCESS.test(text) || KILLS.test(text) || file.includes('/test/faults/')) return 'alone'
  if (reachesOne(root, file, LASTING_HARNESSES)) return 'alone'
  const isStarting = startsProcesses(text) || reachesOne(root, file, PROCESS_HARNESSES)
  if (reachesOne(root, file, [BROWSER_HARNESS])) return isStarting ? 'alone' : 'browser'
  if (isLong(file)) return 'alone'
  if (!isStarting) return 'plain'
  // The runner's own tests, and tests that build or install, take longest of the tests that start processes.
  return file.startsWith('service/test/') && !file.startsWith('service/test/docs/') ? 'starting' : 'alone'
}

/** Most tests import the same few hundred files, so each is read once per run. */
const known = new Map<string, Map<string, readonly string[]>>()

function knownIn(root: string): Map<string, readonly string[]> {
  const files = known.get(root) ?? new Map<string, readonly string[]>()
  known.set(root, files)
  return files
}

/** Throws if a harness was moved, because no import would reach its old path. */
export function reachesOne(root: string, file: string, harnesses: readonly string[]): boolean {
  const missing = harnesses.find((path) => !existsSync(join(root, path)))
  if (missing !== undefined) throw new Error(`bug: ${missing} no longer exists`)
  return reaches(root, file, new Set(harnesses), knownIn(root))
}

/** Orders files by the seed, but long files first: a long file at the end would leave the other workers idle. */
export function inOrder(files: readonly string[], seed: number): string[] {
  const drawn = shuffled(files, seed)
  return [...drawn.filter(isLong), ...drawn.filter((file) => !isLong(file))]
}

/** Shuffles with a small generator (mulberry32), so that the same seed gives the same order everywhere. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const keyed = items.map((item) => ({ item, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}
