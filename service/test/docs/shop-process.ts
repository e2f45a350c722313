// Starts an example shop in another language as a reader would, configured by environment variables.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { reservePort } from '../../src/platform/reserved-port.ts'
import { endOf, within } from '../harness/wait.ts'
import { QUIET } from '../sdk/language.ts'
import { ROOT } from './blocks.ts'
import type { Merchant } from './shop-tests.ts'

export interface ShopProgram {
  readonly program: string
  readonly args: (port: number) => readonly string[]
  /** Its output once it listens. */
  readonly isOpen: RegExp
}

/** Starts a shop and returns its address. The end of the test file closes it. */
export async function openShop(merchant: Merchant, { program, args, isOpen }: ShopProgram): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'vidimus-shop-'))
  const reserved = await reservePort('127.0.0.1')
  const env = {
    ...process.env,
    ...QUIET,
    SHOP_PORT: String(reserved.port),
    SHOP_DATA: data,
    VIDIMUS_URL: merchant.service.base,
    VIDIMUS_API_KEY: merchant.apiKey,
    VIDIMUS_WEBHOOK_SECRET: merchant.webhookSecret,
  }
  await reserved.release()
  const child = spawn(program, [...args(reserved.port)], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = endOf(child, 'close')
  after(async () => {
    child.kill()
    await within('the shop has closed', closed)
    await rm(data, { recursive: true })
  })
  const opened = new Promise<void>((resolve, reject) => {
    let output = ''
    closed.then(() => reject(new Error(`the shop closed: ${output}`)), reject)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (isOpen.test(output)) resolve()
      })
  })
  await within('the shop is open', opened)
  return `http://localhost:${reserved.port}`
}
