// A real Vault or OpenBao in development mode, if one is installed.

import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { after } from 'node:test'
import { endOf, waitUntil, within } from '../wait.ts'

export interface RealVault {
  readonly program: string
  readonly url: string
  readonly token: string
}

/** Returns null if there is none, and then prints that. */
export async function startVault(): Promise<RealVault | null> {
  const program = ['bao', 'vault'].find((name) => spawnSync(name, ['version']).status === 0)
  if (program === undefined) {
    console.log('not compared: no Vault or OpenBao is installed, so only its double was tested')
    return null
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const token = 'development'
  const flags = ['-dev', '-dev-no-store-token', `-dev-root-token-id=${token}`, `-dev-listen-address=127.0.0.1:${port}`]
  const child = spawn(program, ['server', ...flags], { stdio: 'ignore' })
  const ended = endOf(child)
  after(async () => {
    child.kill()
    await within('Vault ended', ended)
  })
  const ask = (path: string, body?: object) =>
    fetch(`${url}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'X-Vault-Token': token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => null)
  await waitUntil('Vault answers', async () => (await ask('sys/health'))?.status === 200)
  await ask('sys/mounts/transit', { type: 'transit' })
  return { program, url, token }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<number>()
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
  })
  return promise
}
