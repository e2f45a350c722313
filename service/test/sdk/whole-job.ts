// Runs an SDK's program against a real service, and does what its `ask` lines request.

import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { ScenarioName } from '@vidimus/wallet'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { rotateSecret, showWebhookSecret } from '../../src/features/webhooks/usecases/manage-webhook-secret.ts'
import { listeningService } from '../harness/listening.ts'
import { GENEROUS, OPERATOR, type TestService } from '../harness/service.ts'
import { endOf, within } from '../harness/wait.ts'
import { type TestWallet, testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK } from '../harness/webhooks.ts'
import { QUIET } from './language.ts'
import { startTlsServers } from './tls-servers.ts'

/** All steps in this order: a program that leaves one out fails. */
const STEPS = [
  'create',
  'wait',
  'redeem',
  'read',
  'diagnostics',
  'evidence',
  'list',
  'cancel',
  'links',
  'devices',
  'usage',
  'refusals',
  'retry-after',
  'tls',
  'webhook',
  'rotation',
  'erase',
]

/** Polls of one verification before it is refused; the test's clock refills the budget. */
const POLLS = 30

interface Ask {
  readonly ask: string
  readonly url?: string
  readonly wallet_uri?: string
  readonly scenario?: ScenarioName
  readonly seconds?: number
}

export interface Program {
  readonly program: string
  /** Some languages get their authorities as an argument; the others read SSL_CERT_FILE. */
  readonly args: (authorityFile: string) => readonly string[]
  readonly cwd: string
}

export async function doWholeJob({ program, args, cwd }: Program): Promise<void> {
  const rates = { ...GENEROUS.rates, verification: { perSecond: 1, burst: POLLS } }
  const service = await listeningService({ rates }, LOOPBACK)
  const tenantId = await service.tenant({ name: 'Wine shop' })
  const realm = { tenantId, environment: 'test' } as const
  const { secret } = await showWebhookSecret(service.deps, { realm, actor: OPERATOR })
  const tls = await startTlsServers()
  const env = {
    ...process.env,
    ...QUIET,
    VIDIMUS_URL: service.base,
    VIDIMUS_API_KEY: await service.key(tenantId),
    VIDIMUS_POOR_API_KEY: await service.key(await service.tenant({ dailyQuota: 0 })),
    VIDIMUS_WEBHOOK_SECRET: secret,
    VIDIMUS_POLLS: String(POLLS),
    VIDIMUS_TRUSTED_URL: tls.trusted,
    VIDIMUS_UNTRUSTED_URL: tls.untrusted,
    VIDIMUS_MISNAMED_URL: tls.misnamed,
    SSL_CERT_FILE: tls.authorityFile,
  }
  const wallet = await testWallet(service)
  const child = spawn(program, [...args(tls.authorityFile)], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const rotate = async () => (await rotateSecret(service.deps, { realm, actor: OPERATOR, endPrevious: false })).secret
  assert.deepEqual(await converse(child, (ask) => answer({ service, wallet, rotate }, ask)), STEPS)
  assert.equal(tls.leaked(), 0)
}

/** What it has done, once it has succeeded. */
async function converse(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  reply: (ask: Ask) => Promise<object>,
): Promise<string[]> {
  const ended = endOf(child, 'close')
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const done: string[] = []
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const message = JSON.parse(line) as { did?: string; ask?: string }
      if (message.did !== undefined) done.push(message.did)
      if (message.ask !== undefined) child.stdin.write(`${JSON.stringify(await reply(message as Ask))}\n`)
    }
    const { code } = await within('the job has ended', ended)
    assert.equal(code, 0, `after "${done.at(-1)}": ${complaints}`)
  } finally {
    child.kill()
  }
  return done
}

interface World {
  readonly service: TestService
  readonly wallet: TestWallet
  readonly rotate: () => Promise<string>
}

async function answer({ service, wallet, rotate }: World, ask: Ask): Promise<object> {
  const now = () => Math.floor(service.clock.now() / 1000)
  if (ask.ask === 'present') {
    const { redirectUri } = await wallet.present(ask.wallet_uri ?? '', ask.scenario)
    return { redirect_uri: redirectUri ?? null }
  }
  if (ask.ask === 'open') {
    const page = await fetch(ask.url ?? '')
    return { status: page.status, type: page.headers.get('content-type') }
  }
  if (ask.ask === 'deliver') return { delivered: await deliverDue(service), now: now() }
  if (ask.ask === 'grow') return { grown: await growLog(service.deps) }
  if (ask.ask === 'rotate') return { secret: await rotate() }
  if (ask.ask === 'advance') {
    service.clock.advance(Math.ceil((ask.seconds ?? 0) * 1000))
    return { now: now() }
  }
  throw new Error(`the program asked for "${ask.ask}"`)
}
