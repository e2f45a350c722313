// Lays out the files of the container image in a new folder (`node tools/lay-out-image.ts FOLDER`).

import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** The workspaces that run in the image. */
const WORKSPACES = ['engine', 'sdk/typescript', 'wallet', 'wire', 'service']

/** Paths that are copied, without tests and without packages. Packages come from the lock file. */
export const SOURCES = [
  'package.json',
  ...WORKSPACES,
  'labels',
  // The pages of /docs.
  'docs',
  'CHANGELOG.md',
  'sdk/python/README.md',
  'sdk/php/README.md',
  'sdk/go/README.md',
]
export const BUILT = ['dashboard/dist', 'till/dist']

interface LockedPackage {
  readonly resolved?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}
export type Lock = Readonly<Record<string, LockedPackage>>

export function layOutImage(root: string, target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already`)
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }
  for (const path of SOURCES) copy(root, target, path, (name) => name !== 'node_modules' && name !== 'test')
  for (const path of BUILT) copy(root, target, path, () => true)
  for (const path of runtimePackages(packages, WORKSPACES)) {
    const { link, resolved } = packages[path] ?? {}
    if (link === true && resolved !== undefined) {
      mkdirSync(dirname(join(target, path)), { recursive: true })
      symlinkSync(relative(dirname(path), resolved), join(target, path))
    } else {
      // A nested folder of packages is a separate path in the lock file.
      copy(root, target, path, (name) => name !== 'node_modules')
    }
  }
}

function copy(root: string, target: string, path: string, isTaken: (name: string) => boolean): void {
  const from = join(root, path)
  if (!existsSync(from)) throw new Error(`${path} is missing: install the packages and build the pages first`)
  const filter = (source: string) => source === from || isTaken(basename(source))
  cpSync(from, join(target, path), { recursive: true, filter })
}

/** Lists the paths of the lock file that the workspaces need at run time: no development packages and no optional packages. */
export function runtimePackages(packages: Lock, workspaces: readonly string[]): string[] {
  const found = new Set<string>()
  const open = [...workspaces]
  for (let user = open.pop(); user !== undefined; user = open.pop()) {
    for (const name of requiredNames(packages[user])) {
      const path = resolvePackage(packages, user, name)
      if (path === null) throw new Error(`${user} needs ${name}, which the lock file does not have`)
      if (found.has(path)) continue
      found.add(path)
      const { link, resolved } = packages[path] ?? {}
      open.push(link === true && resolved !== undefined ? resolved : path)
    }
  }
  return [...found].sort()
}

function requiredNames(locked: LockedPackage | undefined): string[] {
  if (locked === undefined) throw new Error('bug: a path that the lock file does not have')
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = locked
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return [...Object.keys(dependencies), ...peers]
}

/** Resolves a package like Node: searches the nearest node_modules folder upwards. */
function resolvePackage(packages: Lock, user: string, name: string): string | null {
  for (let folder = user; ; folder = dirname(folder)) {
    const path = folder === '.' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (basename(folder) !== 'node_modules' && path in packages) return path
    if (folder === '.') return null
  }
}

if (import.meta.main) {
  const [target] = process.argv.slice(2)
  if (target === undefined) throw new Error('usage: node tools/lay-out-image.ts FOLDER')
  layOutImage(join(import.meta.dirname, '..'), target)
}
