// Sends wrong pairing codes from many addresses until guessing is locked; then another merchant pairs a device.

import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { callFrom } from '../attack-stage/call.ts'

export const about = 'wrong pairing codes from sixty addresses, then an honest pairing from another'

const ADDRESSES = 60
const GUESSES_EACH = 8
const PAIRINGS = 5

export async function run({ url, bystanderKey: key }: AttackOptions): Promise<AttackReport> {
  const statuses = new Map<number, number>()
  for (let guess = 0; guess < GUESSES_EACH; guess += 1) {
    const answers = await Promise.all(
      Array.from({ length: ADDRESSES }, (_, address) => enroll(url, `127.0.2.${address + 1}`, 'VD-0000-0000')),
    )
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  let paired = 0
  for (let count = 0; count < PAIRINGS; count += 1) {
    const registered = await callFrom({
      url,
      key,
      method: 'POST',
      path: '/v1/devices',
      body: { name: 'Till', allowed_templates: ['age_over_18'] },
    })
    const { pairing_code: code } = JSON.parse(registered.text) as { pairing_code: string }
    const { status } = await enroll(url, `127.0.3.${count + 1}`, code)
    if (status === 200) paired += 1
  }
  const guesses = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  return { 'guesses answered': guesses, 'honest pairings that worked': `${paired} of ${PAIRINGS}` }
}

function enroll(url: string, from: string, code: string) {
  return callFrom({ url, from, method: 'POST', path: '/v1/devices/enroll', body: { pairing_code: code } })
}
