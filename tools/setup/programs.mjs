// The programs that only tests need: a browser, a PostgreSQL that is not ours, a Redis. Found, or installed where we are
// root on a system with apt; otherwise we say plainly what to install, and the tests that need it fail.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt, findProgram, run, say } from './actions.mjs'

const MAC_BROWSERS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
/** Debian's. Ours is 18; the oldest release we support is 15. */
const POSTGRES_ROOT = '/usr/lib/postgresql'
const OLDEST_POSTGRES = 15

const PROGRAMS = [
  { what: 'a browser (Chromium or Chrome)', find: findBrowser, debian: 'chromium' },
  { what: `PostgreSQL ${OLDEST_POSTGRES} or newer, its server programs`, find: findPostgres, debian: 'postgresql' },
  { what: 'redis-server or valkey-server', find: findRedis, debian: 'redis-server' },
]

/** For each program whether something was done. */
export function installTestPrograms() {
  const missing = PROGRAMS.filter(({ find }) => find() === null)
  if (missing.length === 0) return []
  const packages = missing.map(({ debian }) => debian)
  if (process.getuid?.() !== 0 || findProgram('apt-get') === null) {
    for (const { what, debian } of missing)
      say(`please install ${what} (Debian: apt-get install ${debian}); its tests fail without`)
    return [true]
  }
  const restore = keepServicesDown()
  try {
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    if (!attempt('apt-get', ['install', '--simulate', ...packages], { env: environment }).ok) {
      run('updating the package lists (apt-get update)', 'apt-get', ['update', '-qq'], '/')
    }
    const options = ['-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold']
    const command = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', ...options, ...packages]
    run(`installing ${packages.join(', ')} (apt-get)`, 'env', command, '/')
  } finally {
    restore()
  }
  for (const { what, find } of missing) if (find() === null) say(`${what} is still missing; its tests fail without`)
  return [true]
}

/** The path of a Chromium or Chrome, or null. */
export function findBrowser() {
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
export function findRedis() {
  return findProgram('redis-server') ?? findProgram('valkey-server')
}

/** We want the programs, not the daemons: Debian would create a cluster and start both. */
function keepServicesDown() {
  const made = []
  const write = (path, text, mode) => {
    if (existsSync(path)) return
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
    made.push(path)
  }
  write('/etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n', 0o644)
  write('/usr/sbin/policy-rc.d', '#!/bin/sh\nexit 101\n', 0o755)
  return () => {
    for (const path of made) rmSync(path, { force: true })
  }
}
