// Checks the tree as a whole before any test runs. Each check returns its problems.

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkCitations } from '../citations.ts'
import { checkImports } from '../import-rules/check.ts'
import { sourceFiles } from '../imports.ts'
import { nameProblems } from '../record-names.ts'
import { tenantProblems } from '../tenant-scope.ts'
import { namedProblems } from './named.ts'
import { needsProblems } from './needs.ts'
import { sizeProblems } from './sizes.ts'
import { foreignFiles, guideFiles, voiceProblems } from './voice.ts'
import { waitProblems } from './waits.ts'

/** The folders of the tree that hold code. */
const MODULES = [
  'engine',
  'service',
  'wallet',
  'sdk',
  'dashboard',
  'till',
  'labels',
  'wire',
  'examples',
  'bench',
  'tools',
]
/** The maximum of code files in a folder, so that its list can be read at a glance. */
const FILES_MAX = 25

type Check = (root: string) => Promise<readonly string[]>

export const CHECKS = {
  types: checkTypes,
  lint: (root) => command(root, 'biome', ['ci', '--colors=off', '--max-diagnostics=100', '.']),
  imports: async (root) => checkImports(root).map(({ file, line, problem }) => `${file}:${line} ${problem}`),
  citations: async (root) => checkCitations(root),
  records: async (root) => nameProblems(root),
  tenants: async (root) => tenantProblems(root),
  waits: async (root) => waitProblems(root),
  named: async (root) => namedProblems(root),
  needs: async (root) => needsProblems(root),
  sizes: async (root) => sizeProblems(root),
  voice: async (root) => voiceProblems(root, [...codeOf(root), ...foreignFiles(root), ...guideFiles(root)]),
  folders: async (root) => [...folderProblems(codeOf(root)), ...pageProblems(codeOf(root))],
  decisions: async (root) => decisionProblems(listFolder(join(root, 'docs', 'decisions'))),
  lockfile: async (root) => lockfileProblems(readFileSync(join(root, 'package-lock.json'), 'utf8')),
} satisfies Record<string, Check>

async function checkTypes(root: string): Promise<readonly string[]> {
  const projects = ['tsconfig.json', 'dashboard/tsconfig.json', 'till/tsconfig.json'].filter((path) =>
    existsSync(join(root, path)),
  )
  const problems = await Promise.all(
    projects.map((project) => command(root, 'tsc', ['--noEmit', '--pretty', 'false', '-p', project])),
  )
  return problems.flat()
}

function command(root: string, name: string, args: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
    execFile(join(root, 'node_modules', '.bin', name), args, options, (error, stdout, stderr) => {
      resolve(error === null ? [] : [`${stdout}${stderr}`.trim() || error.message])
    })
  })
}

function listFolder(path: string): string[] {
  return existsSync(path) ? readdirSync(path).sort() : []
}

const codeOf = (root: string) =>
  MODULES.filter((module) => existsSync(join(root, module))).flatMap((module) => sourceFiles(root, module))

export function folderProblems(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > FILES_MAX)
    .map(([folder, count]) => `${folder} holds ${count} files, more than ${FILES_MAX}: give some a folder of their own`)
}

const SUBJECT = /^service\/src\/(?:core|features)\/([^/]+)\//
const PAGES = 'dashboard/src/pages/'

/** Finds pages of the dashboard outside of a folder with the name of a feature or of a subject of core. */
export function pageProblems(files: readonly string[]): string[] {
  const subjects = new Set(files.map((file) => SUBJECT.exec(file)?.[1]))
  return files
    .filter((file) => file.startsWith(PAGES) && !subjects.has(file.slice(PAGES.length).split('/')[0]))
    .map((file) => `${file} is not in a folder named after a feature or a subject of core: ${PAGES}<feature>/`)
}

/** Decision records must be numbered 0001, 0002, ... without a gap or a duplicate. */
export function decisionProblems(names: readonly string[]): string[] {
  const problems: string[] = []
  let expected = 1
  for (const name of names) {
    const [, digits] = /^(\d{4})-[a-z0-9-]+\.md$/.exec(name) ?? []
    if (digits === undefined) problems.push(`docs/decisions/${name} is not named NNNN-title.md`)
    else if (Number(digits) !== expected)
      problems.push(`docs/decisions/${name}: ${String(expected).padStart(4, '0')} was expected`)
    if (digits !== undefined) expected = Number(digits) + 1
  }
  return problems
}

/** The lock file must name no host, because that would tie every user to it, and must have hashes, which pin the packages. */
export function lockfileProblems(text: string): string[] {
  const problems: string[] = []
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { link?: boolean; integrity?: string; resolved?: string }>
  }
  for (const [path, { link, integrity, resolved }] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || link === true) continue
    if (resolved !== undefined) problems.push(`package-lock.json: ${path} names where to download it`)
    if (integrity === undefined) problems.push(`package-lock.json: ${path} has no hash`)
  }
  return problems
}
