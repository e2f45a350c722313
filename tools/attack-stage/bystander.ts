// Another merchant, at its own address, who creates and reads verifications at an even pace while somebody attacks.

import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { AttackReport } from './attack.ts'

/** Below the budget of one key, so that every refusal is the attack's doing. */
const CALLS_PER_SECOND = 20
const TIMEOUT_MS = 10_000
const OWN_ADDRESS = '127.0.0.9'

export interface Call {
  readonly url: string
  readonly method?: string
  readonly path: string
  readonly key?: string
  readonly body?: unknown
  readonly from?: string
  readonly agent?: Agent
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  /** 0 where no answer came. */
  readonly status: number
  readonly text: string
  readonly milliseconds: number
}

/** One request from a chosen local address; never throws. */
export function callFrom(call: Call): Promise<Answered> {
  const { url, method = 'GET', path, key, body, from = OWN_ADDRESS, agent = false } = call
  const began = performance.now()
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...call.headers,
  }
  return new Promise((resolve) => {
    const done = (status: number, text: string) => resolve({ status, text, milliseconds: performance.now() - began })
    const sent = request(new URL(path, url), { method, agent, headers, localAddress: from, timeout: TIMEOUT_MS })
    sent.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => done(answer.statusCode ?? 0, text)).on('error', () => done(0, text))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => done(0, ''))
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Creates and reads in turn for so many seconds; says how long the answers took and which failed. */
export async function watchBystander(options: { url: string; key: string; seconds: number }): Promise<AttackReport> {
  const { url, key, seconds } = options
  const agent = new Agent({ keepAlive: true, localAddress: OWN_ADDRESS })
  const answers: Answered[] = []
  const under = new Set<Promise<void>>()
  let last: string | null = null
  const one = async (turn: number) => {
    const creates = turn % 2 === 0 || last === null
    const answer = creates
      ? await callFrom({
          url,
          key,
          agent,
          method: 'POST',
          path: '/v1/verifications',
          body: { template: 'age_over_18' },
        })
      : await callFrom({ url, key, agent, path: `/v1/verifications/${last}` })
    if (creates && answer.status === 201) last = (JSON.parse(answer.text) as { id: string }).id
    answers.push(answer)
  }
  for (let turn = 0; turn < seconds * CALLS_PER_SECOND; turn += 1) {
    const call = one(turn).finally(() => under.delete(call))
    under.add(call)
    await delay(1000 / CALLS_PER_SECOND)
  }
  await Promise.all(under)
  agent.destroy()
  return summary(answers)
}

function summary(answers: readonly Answered[]): AttackReport {
  const times = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 10) / 10
  const count = (fits: (status: number) => boolean) => answers.filter(({ status }) => fits(status)).length
  return {
    'bystander: requests': answers.length,
    'bystander: p50 ms': at(0.5),
    'bystander: p99 ms': at(0.99),
    'bystander: 503': count((status) => status === 503),
    'bystander: no answer': count((status) => status === 0),
    'bystander: other refusals': count((status) => status >= 400 && status !== 503),
  }
}
