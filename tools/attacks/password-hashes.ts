// Sends wrong passwords from many addresses at the same time. Each occupies a thread and 19 MiB.

import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, watchBystander } from '../attack-stage/bystander.ts'
import { callFrom } from '../attack-stage/call.ts'
import { memoryRows } from '../attack-stage/unread.ts'

export const about = 'wrong passwords for unknown users from two hundred addresses'

const ADDRESSES = 200
const ATTEMPTS_EACH = 10

export async function run({ url, bystanderKey: key, seconds, memory }: AttackOptions): Promise<AttackReport> {
  const quiet = await watchBystander({ url, key, seconds: seconds / 2 })
  const before = memory()
  let isOver = false
  const watching = watchBystander({ url, key, seconds }).finally(() => {
    isOver = true
  })
  const statuses = new Map<number, number>()
  const flood = Array.from({ length: ADDRESSES }, async (_, address) => {
    for (let attempt = 0; attempt < ATTEMPTS_EACH && !isOver; attempt += 1) {
      const { status } = await signIn(url, `127.0.1.${address + 1}`, `nobody-${address}-${attempt}@example.com`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  const highest = { during: before }
  const sampling = setInterval(() => {
    highest.during = Math.max(highest.during ?? 0, memory() ?? 0)
  }, 250)
  const [noticed] = await Promise.all([watching, ...flood])
  clearInterval(sampling)
  const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  return { ...quietRow(quiet), ...noticed, 'attempts answered': answers, ...memoryRows(before, highest.during) }
}

function signIn(url: string, from: string, email: string) {
  const headers = { 'vidimus-dashboard': '1', 'sec-fetch-site': 'same-origin' }
  const body = { email, password: 'wrong password here' }
  return callFrom({ url, from, method: 'POST', path: '/dashboard/api/sign-in/password', headers, body })
}
