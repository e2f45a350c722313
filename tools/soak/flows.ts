// One verification after the other, from creation to its end and sometimes its erasure, with everything a careless or hostile
// world does in between.

import type { DeviceClient, Verification, Vidimus } from '../../sdk/typescript/src/index.ts'
import { VidimusError } from '../../sdk/typescript/src/index.ts'
import type { Sandbox } from '../../service/src/domain/trust/sandbox.ts'
import type { Ledger } from './ledger.ts'
import type { Receiver } from './receiver.ts'

export interface Merchant {
  readonly tenant: string
  /** One client for each replica; replaced when its key is rotated. */
  clients: readonly Vidimus[]
  /** Keys that still work, the oldest first. */
  readonly keyIds: string[]
  readonly till: DeviceClient
}

export interface Stage {
  readonly merchants: readonly Merchant[]
  readonly ledger: Ledger
  readonly receiver: Receiver
  readonly sandbox: Sandbox
  readonly now: () => number
}

const SCENARIOS = [
  ...new Array<string>(12).fill('good'),
  'declined',
  'expired',
  'revoked',
  'untrusted',
  'wrong_nonce',
  'replayed',
  'tampered',
  'over_disclosing',
]
const COMPLETING = new Set(['good', 'over_disclosing'])
const TEMPLATES = ['age_over_18', 'identity', 'address', 'driving_licence']

export async function runFlow(stage: Stage): Promise<void> {
  const merchant = pick(stage.merchants)
  const made = Math.random() < 0.1 ? await createAtTill(stage, merchant) : await create(stage, merchant)
  // Some are never answered.
  if (Math.random() < 0.05) return
  await answer(stage, merchant, made)
  if (Math.random() < 0.2) await erase(stage, merchant, made.id)
}

async function create(stage: Stage, merchant: Merchant): Promise<Verification> {
  const { ledger, receiver } = stage
  const hasWebhook = Math.random() < 0.6
  const body = {
    template: pick(TEMPLATES),
    purpose: 'To try for a long time',
    metadata: { flow: crypto.randomUUID() },
    redirect_url: 'https://shop.example/done',
    ...(hasWebhook ? { webhook_url: receiver.url(merchant.tenant) } : {}),
  }
  const idempotencyKey = crypto.randomUUID()
  const [client] = merchant.clients
  const isDoubled = Math.random() < 0.05
  // A storm of the same request over both replicas makes one verification.
  const clients = isDoubled ? [...merchant.clients, ...merchant.clients] : client === undefined ? [] : [client]
  const answers = await Promise.all(clients.map((each) => each.verifications.create(body, { idempotencyKey })))
  const [first] = answers
  if (first === undefined) throw new Error('bug: nobody asked')
  if (answers.some(({ id }) => id !== first.id)) ledger.problem('one idempotency key made two verifications')
  if (isDoubled) ledger.count('creations repeated at once')
  note(stage, merchant, { id: first.id, hasWebhook })
  return first
}

async function createAtTill(stage: Stage, merchant: Merchant): Promise<Verification> {
  const made = await merchant.till.createVerification({ template: 'age_over_18' })
  note(stage, merchant, { id: made.id, hasWebhook: false })
  stage.ledger.count('creations at a till')
  return made
}

function note({ ledger }: Stage, { tenant }: Merchant, made: { id: string; hasWebhook: boolean }): void {
  ledger.entries.set(made.id, { ...made, tenant, expected: 'pending', erased: false })
  ledger.charged.set(tenant, (ledger.charged.get(tenant) ?? 0) + 1)
  ledger.count('creations')
}

async function answer(stage: Stage, merchant: Merchant, { id, wallet_uri = '' }: Verification): Promise<void> {
  const { ledger } = stage
  const entry = ledger.entries.get(id)
  if (entry === undefined) throw new Error('bug: not in the ledger')
  const scenario = pick(SCENARIOS)
  entry.expected = COMPLETING.has(scenario) ? 'completed' : 'failed'
  const { status, redirectUri } = await present(stage, wallet_uri, scenario)
  if (status !== 200) ledger.problem(`the answer to ${id} (${scenario}) got ${status}`)
  ledger.count(`answers: ${scenario}`)
  const [reader = pick(merchant.clients)] = [...merchant.clients].reverse()
  const result = await reader.verifications.waitForResult(id)
  if (result.status !== entry.expected) ledger.problem(`${id} (${scenario}) is ${result.status}`)
  if ((result.claims !== undefined) !== (entry.expected === 'completed')) ledger.problem(`${id}: claims do not fit`)
  if (Math.random() < 0.3) await repeat(stage, id, wallet_uri)
  if (redirectUri !== null && Math.random() < 0.5) await redeem(stage, merchant, { id, redirectUri })
}

/** A second answer never counts. A wallet that asks again is told that it is over. */
async function repeat(stage: Stage, id: string, walletUri: string): Promise<void> {
  const again = await stage.sandbox.present(walletUri, { scenario: 'good', exchange: overHttp, nowMs: stage.now() })
  if (again.outcome === 'answered' && again.status === 200) stage.ledger.problem(`${id} took a second answer`)
  stage.ledger.count('answers repeated')
}

async function redeem(stage: Stage, merchant: Merchant, of: { id: string; redirectUri: string }): Promise<void> {
  const code = new URL(of.redirectUri).hash.replace('#response_code=', '')
  const attempts = await Promise.allSettled(merchant.clients.map((client) => client.verifications.redeem(of.id, code)))
  const redeemed = attempts.filter(({ status }) => status === 'fulfilled').length
  if (redeemed !== 1) stage.ledger.problem(`the code of ${of.id} was redeemed ${redeemed} times`)
  stage.ledger.count('codes redeemed by two at once')
}

async function erase(stage: Stage, merchant: Merchant, id: string): Promise<void> {
  const { ledger } = stage
  const entry = ledger.entries.get(id)
  if (entry === undefined) throw new Error('bug: not in the ledger')
  entry.erased = true
  await pick(merchant.clients).verifications.erase(id)
  for (const client of merchant.clients) {
    const found = await client.verifications.get(id).then(
      () => 'found',
      (error: unknown) => (error instanceof VidimusError ? error.code : String(error)),
    )
    if (found !== 'session_not_found') ledger.problem(`${id} was erased, and reading it gives ${found}`)
  }
  ledger.count('erasures')
}

async function present(stage: Stage, walletUri: string, scenario: string) {
  const done = await stage.sandbox.present(walletUri, { scenario, exchange: overHttp, nowMs: stage.now() })
  if (done.outcome === 'refused') throw new Error(`the wallet refuses: ${done.reason}`)
  return done
}

const overHttp: Parameters<Sandbox['present']>[1]['exchange'] = async ({ method, url, headers, body }) => {
  const answered = await fetch(url, { method, headers, redirect: 'manual', ...(body === null ? {} : { body }) })
  return {
    status: answered.status,
    contentType: answered.headers.get('content-type') ?? '',
    body: await answered.text(),
  }
}

export function pick<T>(items: readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)]
  if (item === undefined) throw new Error('bug: nothing to pick from')
  return item
}
