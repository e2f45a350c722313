// Registers as many devices for one tenant as it can, then reads their list. Reports their number, and the size and time of the list.

import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'

export const about = 'more devices than a tenant may have, then their list'

/** Somewhat more than the default limit. */
const TRIES = 1_100
const AT_ONCE = 8

export async function run({ url, attackerKeys }: AttackOptions): Promise<AttackReport> {
  const statuses = new Map<number, number>()
  let next = 0
  const worker = async () => {
    while (next < TRIES) {
      const key = attackerKeys[next % attackerKeys.length] ?? ''
      next += 1
      const status = await register(url, key)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const began = performance.now()
  const answer = await fetch(`${url}/v1/devices`, { headers: { authorization: `Bearer ${attackerKeys[0] ?? ''}` } })
  const text = await answer.text()
  return {
    'answers to registrations': [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
    'the list: status': answer.status,
    'the list: bytes': text.length,
    'the list: ms': Math.round(performance.now() - began),
  }
}

/** Registers a device, and retries while the key is over its rate limit. */
async function register(url: string, key: string): Promise<number> {
  for (;;) {
    const answer = await fetch(`${url}/v1/devices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Till', allowed_templates: ['age_over_18'] }),
    })
    await answer.arrayBuffer()
    if (answer.status !== 429) return answer.status
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get('retry-after') ?? '1')))
  }
}
