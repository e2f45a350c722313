// Plays another merchant, who creates and reads verifications at a steady pace during an attack, from a separate address.

import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { AttackReport } from './attack.ts'
import { type Answered, callFrom } from './call.ts'

/** Below the budget of one key, so that any refusal is an effect of the attack. */
const CALLS_PER_SECOND = 20
const OWN_ADDRESS = '127.0.0.9'
const P99 = 'bystander: p99 ms'

interface Watch {
  readonly url: string
  readonly key: string
  readonly seconds: number
}

/** Runs in its own thread, so that the attacker's work is not measured as the service's. */
export function watchBystander(watch: Watch): Promise<AttackReport> {
  const worker = new Worker(new URL(import.meta.url), { workerData: watch })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the bystander ended with ${code} and without a report`)))
  })
}

if (!isMainThread) parentPort?.postMessage(await visit(workerData as Watch))

/** Creates and reads verifications for some seconds. Reports how long the answers took, and how many failed. */
async function visit({ url, key, seconds }: Watch): Promise<AttackReport> {
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
      : await callFrom({ url, key, agent, from: OWN_ADDRESS, path: `/v1/verifications/${last}` })
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

/** The row with the same merchant's p99 before the attack. */
export const quietRow = (quiet: AttackReport): AttackReport => ({ 'p99 ms before the attack': quiet[P99] ?? '' })

/** Adds the p99 divided by the p99 before the attack. On a busy machine this ratio says more than the time. */
export const timesQuiet = (quiet: AttackReport, noticed: AttackReport): AttackReport => ({
  'p99, times that before the attack': (Number(noticed[P99]) / Number(quiet[P99])).toFixed(1),
})

function summary(answers: readonly Answered[]): AttackReport {
  const times = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 10) / 10
  const count = (fits: (status: number) => boolean) => answers.filter(({ status }) => fits(status)).length
  return {
    'bystander: requests': answers.length,
    'bystander: p50 ms': at(0.5),
    [P99]: at(0.99),
    'bystander: 503': count((status) => status === 503),
    'bystander: no answer': count((status) => status === 0),
    'bystander: other refusals': count((status) => status >= 400 && status !== 503),
  }
}
