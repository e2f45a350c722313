// Runs one verification after the other, with mistakes and hostile requests in between.

import type { DeviceClient, Verification, Vidimus } from '../../sdk/typescript/src/index.ts'
import { VidimusError } from '../../sdk/typescript/src/index.ts'
import type { Sandbox } from '../../service/src/features/trust/domain/sandbox.ts'
import type { Faults } from './faults.ts'
import { addTo, type Ledger } from './ledger.ts'
import type { Receiver } from './receiver.ts'

export interface Merchant {
  readonly tenant: string
  /** One client for each replica. A rotation of the key replaces them. */
  clients: readonly Vidimus[]
  /** Valid keys, the oldest first. */
  readonly keyIds: string[]
  readonly till: DeviceClient
}

export interface Stage {
  readonly merchants: readonly Merchant[]
  readonly ledger: Ledger
  readonly receiver: Receiver
  readonly sandbox: Sandbox
  readonly now: () => number
  /** Sends every request. Reports each answer of 5xx to the ledger. */
  readonly fetch: typeof globalThis.fetch
  readonly faults: Pick<Faults, 'isExcused'>
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
  const created = Math.random() < 0.1 ? await createAtTill(stage, merchant) : await create(stage, merchant)
  // Leaves some verifications unanswered.
  if (Math.random() < 0.05) return
  try {
    await answer(stage, merchant, created)
    if (Math.random() < 0.2) await erase(stage, merchant, created.id)
  } catch (error) {
    if (!stage.faults.isExcused()) throw error
    leaveOpen(stage, created.id, error)
  }
}

/** Reports a wrong outcome. Throws during an injected fault: the outcome then proves nothing, and the flow is left open. */
function suspect({ ledger, faults }: Stage, what: string): void {
  if (faults.isExcused()) throw new Error(what)
  ledger.problem(what)
}

/** Marks a flow whose outcome is unknown, because an injected fault interrupted it. */
function leaveOpen({ ledger }: Stage, id: string, error: unknown): void {
  const entry = ledger.entries.get(id)
  if (entry === undefined) throw new Error('bug: not in the ledger')
  entry.expected = 'unknown'
  if (entry.erased) entry.erased = 'unknown'
  ledger.count('flows cut off by a fault on purpose')
  ledger.note(`${id} was cut off: ${String(error)}`)
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
  // Many copies of one request to both replicas must create one verification.
  const clients = isDoubled ? [...merchant.clients, ...merchant.clients] : client === undefined ? [] : [client]
  const send = (each: Vidimus) => each.verifications.create(body, { idempotencyKey })
  const settled = await Promise.allSettled(clients.map(send))
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  for (const one of settled)
    if (one.status === 'rejected') answers.push(await askAgain(stage, merchant, send, one.reason))
  const [first] = answers
  if (first === undefined) throw new Error('bug: no request')
  if (answers.some(({ id }) => id !== first.id)) ledger.problem('one idempotency key made two verifications')
  if (isDoubled) ledger.count('creations repeated at once')
  note(stage, merchant, { id: first.id, hasWebhook })
  return first
}

/**
 * Retries a failed creation under its idempotency key, because it may have created a verification. Uses the newest API
 * key: idempotency keys belong to the tenant. A call whose API key was revoked in the meantime is not a fault.
 */
async function askAgain(
  stage: Stage,
  merchant: Merchant,
  send: (client: Vidimus) => Promise<Verification>,
  failure: unknown,
): Promise<Verification> {
  const outlived = failure instanceof VidimusError && failure.code === 'invalid_api_key'
  stage.ledger.note(`a creation is asked for again after ${String(failure)}`)
  if (outlived) stage.ledger.count('creations that outlived their API key')
  else if (stage.faults.isExcused()) stage.ledger.count('creations cut off by a fault on purpose')
  else stage.ledger.problem(`a creation failed: ${String(failure)}`)
  const [client] = merchant.clients
  if (client === undefined) throw new Error('bug: a merchant without a client')
  return untilAnswered(stage, merchant, () => send(client))
}

async function untilAnswered<T>(stage: Stage, { tenant }: Merchant, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (stage.faults.isExcused()) continue
      addTo(stage.ledger.uncertain, tenant)
      throw error
    }
  }
}

async function createAtTill(stage: Stage, merchant: Merchant): Promise<Verification> {
  const created = await merchant.till.createVerification({ template: 'age_over_18' }).catch((error: unknown) => {
    // The client generates the idempotency key and does not return it, so the creation cannot be retried here.
    if (stage.faults.isExcused()) addTo(stage.ledger.uncertain, merchant.tenant)
    throw error
  })
  note(stage, merchant, { id: created.id, hasWebhook: false })
  stage.ledger.count('creations at a till')
  return created
}

function note({ ledger }: Stage, { tenant }: Merchant, created: { id: string; hasWebhook: boolean }): void {
  ledger.entries.set(created.id, { ...created, tenant, expected: 'pending', erased: false })
  addTo(ledger.charged, tenant)
  ledger.count('creations')
}

async function answer(stage: Stage, merchant: Merchant, { id, wallet_uri = '' }: Verification): Promise<void> {
  const { ledger } = stage
  const entry = ledger.entries.get(id)
  if (entry === undefined) throw new Error('bug: not in the ledger')
  const scenario = pick(SCENARIOS)
  entry.expected = COMPLETING.has(scenario) ? 'completed' : 'failed'
  const { status, redirectUri } = await present(stage, wallet_uri, scenario)
  if (status !== 200) suspect(stage, `the answer to ${id} (${scenario}) got ${status}`)
  ledger.count(`answers: ${scenario}`)
  const [reader = pick(merchant.clients)] = [...merchant.clients].reverse()
  const result = await reader.verifications.waitForResult(id)
  if (result.status !== entry.expected) suspect(stage, `${id} (${scenario}) is ${result.status}`)
  if ((result.claims !== undefined) !== (entry.expected === 'completed')) ledger.problem(`${id}: claims do not fit`)
  if (Math.random() < 0.3) await repeat(stage, id, wallet_uri)
  if (redirectUri !== null && Math.random() < 0.5) await redeem(stage, merchant, { id, redirectUri })
}

/** Asserts that a second answer does not count, and that a wallet that asks again is refused. */
async function repeat(stage: Stage, id: string, walletUri: string): Promise<void> {
  const again = await stage.sandbox.present(walletUri, {
    scenario: 'good',
    exchange: overHttp(stage),
    nowMs: stage.now(),
  })
  if (again.outcome === 'answered' && again.status === 200) stage.ledger.problem(`${id} took a second answer`)
  stage.ledger.count('answers repeated')
}

async function redeem(stage: Stage, merchant: Merchant, of: { id: string; redirectUri: string }): Promise<void> {
  const code = new URL(of.redirectUri).hash.replace('#response_code=', '')
  const attempts = await Promise.allSettled(merchant.clients.map((client) => client.verifications.redeem(of.id, code)))
  const redeemed = attempts.filter(({ status }) => status === 'fulfilled').length
  if (redeemed !== 1) suspect(stage, `the code of ${of.id} was redeemed ${redeemed} times`)
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
    if (found !== 'session_not_found') suspect(stage, `${id} was erased, and reading it gives ${found}`)
  }
  ledger.count('erasures')
}

async function present(stage: Stage, walletUri: string, scenario: string) {
  const done = await stage.sandbox.present(walletUri, { scenario, exchange: overHttp(stage), nowMs: stage.now() })
  if (done.outcome === 'refused') throw new Error(`the wallet refuses: ${done.reason}`)
  return done
}

type Exchange = Parameters<Sandbox['present']>[1]['exchange']

const overHttp =
  (stage: Stage): Exchange =>
  async ({ method, url, headers, body }) => {
    const answered = await stage.fetch(url, { method, headers, redirect: 'manual', ...(body === null ? {} : { body }) })
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
