// Simulates AWS with moto, a package of PyPI, in a separate process.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { once } from '../wait.ts'
import { installPython } from './python.ts'

/** Without its extra `server`, which needs three times as much. */
const PACKAGES = ['moto==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.2']
const PROGRAM = join(import.meta.dirname, 'moto_server.py')

export interface Moto {
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly roleArn: string
}

/** Returns null if moto is not installed here, and then prints the reason. */
export async function startMoto(): Promise<Moto | null> {
  const packages = await installPython(PACKAGES, { what: 'moto', loss: 'AWS KMS was not tried' })
  if (packages === null) return null
  const child = spawn(packages.python, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  after(async () => {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
    await packages.remove()
  })
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as Moto
  throw new Error('moto did not start')
}
