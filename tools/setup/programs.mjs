// Finds or installs the programs that only tests need; without root and apt, says what to install.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt, findProgram, run, say } from './actions.mjs'

const MAC_BROWSERS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
/** The folder of Debian's PostgreSQL releases. The embedded one is 18; the oldest that we support is 15. */
const POSTGRES_ROOT = '/usr/lib/postgresql'
const OLDEST_POSTGRES = 15

/** Without a needed program, tests fail. Without another program, its tests are skipped with a message, and fail in CI if CI installs it. */
const NEEDED = 'its tests fail without'
const LEFT_OUT = 'without it its client is not tested'
const NO_HSM = 'without it keys in an HSM are not tested'
const PROGRAMS = [
  { what: 'a browser (Chromium or Chrome)', find: findBrowser, debian: ['chromium'], without: NEEDED },
  {
    what: `PostgreSQL ${OLDEST_POSTGRES} or newer, its server programs`,
    find: findPostgres,
    debian: ['postgresql'],
    without: NEEDED,
  },
  { what: 'redis-server or valkey-server', find: findRedis, debian: ['redis-server'], without: NEEDED },
  {
    what: 'Python 3.9 or newer',
    find: findPython,
    // python3-cryptography decrypts results. Without it, only the tests of decryption are skipped.
    debian: ['python3', 'python3-cryptography'],
    without: LEFT_OUT,
  },
  { what: 'PHP 8.1 or newer with curl and openssl', find: findPhp, debian: ['php-cli', 'php-curl'], without: LEFT_OUT },
  // Debian's Go may be older than we require.
  { what: 'Go 1.21 or newer', find: findGo, debian: [], without: LEFT_OUT },
  {
    what: 'SoftHSM 2 with p11-kit',
    find: findSoftHsm,
    debian: ['softhsm2', 'p11-kit', 'p11-kit-modules'],
    without: NO_HSM,
  },
]

/** Arguments of `env`: installs without questions, and keeps edited configuration files. */
const INSTALL = [
  ...['DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install'],
  ...['-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold'],
]

/** The headless browser. If it is installed, pages are tested in it, which takes half the CPU time. */
const QUICKER = 'chromium-headless-shell'

/** Installs missing programs. Returns for each whether something was done. */
export function installTestPrograms() {
  return [...installMissing(), installQuicker()]
}

/** Never ends set-up, because the headless browser is optional: older systems do not have it. */
function installQuicker() {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || findProgram(QUICKER) !== null || !attempt('apt-cache', ['show', QUICKER]).ok) return false
  const once = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10']
  const { ok } = attempt('env', [...INSTALL, ...once, QUICKER])
  say(ok ? `${QUICKER} installed (apt-get)` : `${QUICKER} could not be installed; the tests of pages take longer`)
  return true
}

function installMissing() {
  const missing = PROGRAMS.filter(({ find }) => find() === null)
  const packages = missing.flatMap(({ debian }) => debian)
  const installs = packages.length > 0 && process.getuid?.() === 0 && findProgram('apt-get') !== null
  for (const { what, debian, without } of missing) {
    if (installs && debian.length > 0) continue
    const how = debian.length === 0 ? '' : ` (Debian: apt-get install ${debian.join(' ')})`
    say(`please install ${what}${how}; ${without}`)
  }
  if (!installs) return missing.map(() => true)
  const restore = keepServicesDown()
  try {
    if (!attempt('env', [...INSTALL, '--simulate', ...packages]).ok) {
      run('updating the package lists (apt-get update)', 'apt-get', ['update', '-qq'], '/')
    }
    run(`installing ${packages.join(', ')} (apt-get)`, 'env', [...INSTALL, ...packages], '/')
  } finally {
    restore()
  }
  for (const { what, find, debian, without } of missing)
    if (debian.length > 0 && find() === null) say(`${what} is still missing; ${without}`)
  return [true]
}

/** The path of a Chromium or Chrome, or null. */
function findBrowser() {
  const named = process.env.VIDIMUS_TEST_BROWSER
  if (named !== undefined) return existsSync(named) ? named : null
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']) {
    const path = findProgram(name)
    if (path !== null) return path
  }
  return MAC_BROWSERS.find((path) => existsSync(path)) ?? null
}

/** The oldest installed major version that we support, or null. */
export function findPostgres() {
  if (!existsSync(POSTGRES_ROOT)) return null
  const majors = readdirSync(POSTGRES_ROOT).filter((name) => /^\d+$/.test(name) && Number(name) >= OLDEST_POSTGRES)
  const usable = majors.filter((major) => existsSync(join(POSTGRES_ROOT, major, 'bin', 'postgres')))
  return usable.sort((a, b) => Number(a) - Number(b))[0] ?? null
}

/** The path of a Redis or Valkey server, or null. */
function findRedis() {
  return findProgram('redis-server') ?? findProgram('valkey-server')
}

/** The path of a Python from 3.9 on, or null. */
export function findPython() {
  return findThatRuns('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])
}

/** The path of a Python that has the package `cryptography`, or null. */
export function findPythonWithCryptography() {
  return findPython() === null
    ? null
    : findThatRuns('python3', ['-c', 'import cryptography.hazmat.primitives.ciphers.aead'])
}

/** The path of a PHP from 8.1 on that has curl and openssl, or null. */
export function findPhp() {
  const test = 'PHP_VERSION_ID >= 80100 && extension_loaded("curl") && extension_loaded("openssl")'
  return findThatRuns('php', ['-r', `exit(${test} ? 0 : 1);`])
}

/** The path of a Go from 1.21 on, or null: on the PATH, or where Go's own installer puts it. */
export function findGo() {
  const usual = '/usr/local/go/bin/go'
  const path = findProgram('go') ?? (existsSync(usual) ? usual : null)
  if (path === null) return null
  const [, minor = '0'] = /\bgo1\.(\d+)/.exec(attempt(path, ['version']).output) ?? []
  return Number(minor) >= 21 ? path : null
}

/** The tool of SoftHSM; null if it or p11-kit is missing. p11-kit runs SoftHSM in another process. */
export function findSoftHsm() {
  return findProgram('p11-kit') === null ? null : findProgram('softhsm2-util')
}

function findThatRuns(name, args) {
  const path = findProgram(name)
  return path !== null && attempt(path, args).ok ? path : null
}

/** Keeps Debian from creating a cluster and starting both daemons, because we need only the programs. */
function keepServicesDown() {
  const created = []
  const write = (path, text, mode) => {
    if (existsSync(path)) return
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
    created.push(path)
  }
  write('/etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n', 0o644)
  write('/usr/sbin/policy-rc.d', '#!/bin/sh\nexit 101\n', 0o755)
  return () => {
    for (const path of created) rmSync(path, { force: true })
  }
}
