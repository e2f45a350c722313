// WordPress on this machine: a database and a copy of the program in a temporary folder, with the plugin of examples/wordpress.

import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPhp } from '../../../../tools/setup/programs.mjs'
import type { ReservedPort } from '../../../src/platform/reserved-port.ts'
import { endOf, waitUntil, within } from '../../harness/wait.ts'
import { ROOT } from '../blocks.ts'

const run = promisify(execFile)

/** Where Debian's packages are installed. */
const WORDPRESS = '/usr/share/wordpress'
const DATABASE = '/usr/sbin/mariadbd'
const PREPARE_DATABASE = '/usr/bin/mariadb-install-db'
const INSTALL_MS_MAX = 600_000

/** Returns the first program that is missing on this machine; null: everything is installed. */
export async function missingProgram(): Promise<string | null> {
  for (const [name, path] of [
    ['WordPress', WORDPRESS],
    ['MariaDB', DATABASE],
    ['MariaDB', PREPARE_DATABASE],
  ] as const)
    if (!existsSync(path)) return `${name} (${path})`
  const php = findPhp()
  if (php === null) return 'PHP'
  const { stdout } = await run(php, ['-r', 'echo extension_loaded("mysqli") ? "yes" : "no";'])
  return stdout === 'yes' ? null : 'mysqli for PHP'
}

export interface Account {
  readonly login: string
  readonly roles: readonly string[]
  readonly email: string
  readonly name: string
  /** Whether a password, its reset, and application passwords work for the account. */
  readonly password: boolean
  readonly reset: boolean
  readonly applications: boolean
}

export interface WordPress {
  /** Serves it at that port, and returns the address; `settings` become constants of wp-config.php. */
  serve(reserved: ReservedPort, settings: Readonly<Record<string, string>>): Promise<string>
  readAccounts(): Promise<readonly Account[]>
  close(): Promise<void>
}

export async function installWordPress(): Promise<WordPress> {
  const php = String(findPhp())
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-wp-'))
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
  const close = async () => {
    // The database last, and then its folder.
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  const data = join(folder, 'database')
  const socket = join(folder, 'socket')
  const copy = join(folder, 'wordpress')
  const env = {
    ...{ PATH: process.env.PATH, WORDPRESS_FOLDER: copy, WORDPRESS_SOCKET: socket },
    ...{ WORDPRESS_URL: 'http://localhost', WORDPRESS_PASSWORD: 'of the administrator' },
  }
  const runPhp = (file: string) => run(php, [join(import.meta.dirname, file)], { env, timeout: INSTALL_MS_MAX })

  /** Resolves when it reports that it is ready; `close` ends it. */
  const start = async (program: string, args: readonly string[], more: NodeJS.ProcessEnv, ready: RegExp) => {
    const child = spawn(program, args, { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = endOf(child, 'close')
    stops.push(async () => {
      child.kill('SIGTERM')
      await within(`${program} has ended`, ended)
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    await waitUntil(`${program} is ready`, () => {
      if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`)
      return ready.test(output)
    })
  }

  try {
    const own = ['--no-defaults', `--datadir=${data}`, `--user=${userInfo().username}`]
    const prepare = [...own, '--auth-root-authentication-method=normal', '--skip-test-db']
    await run(PREPARE_DATABASE, prepare, { timeout: INSTALL_MS_MAX })
    await start(DATABASE, [...own, `--socket=${socket}`, '--skip-networking'], {}, /ready for connections/)
    await cp(WORDPRESS, copy, { recursive: true, verbatimSymlinks: true })
    await cp(join(import.meta.dirname, 'wp-config.php'), join(copy, 'wp-config.php'), { force: true })
    const plugin = join(ROOT, 'examples/wordpress/vidimus-sign-in')
    await cp(plugin, join(copy, 'wp-content/plugins/vidimus-sign-in'), { recursive: true })
    const create = `(new mysqli('localhost', 'root', '', '', 0, getenv('WORDPRESS_SOCKET')))->query('CREATE DATABASE wordpress');`
    await run(php, ['-r', create], { env })
    await runPhp('install.php')
  } catch (error) {
    await close()
    throw error
  }

  return {
    close,
    async serve({ port, release }, settings) {
      const address = `http://localhost:${port}`
      await release()
      // Caches compiled code, so that it is not compiled at each request.
      const args = ['-d', 'opcache.enable_cli=1', '-S', `127.0.0.1:${port}`, '-t', copy]
      await start(php, args, { WORDPRESS_URL: address, ...settings }, /Development Server .* started/)
      return address
    },
    async readAccounts() {
      return JSON.parse((await runPhp('accounts.php')).stdout)
    },
  }
}
