// Is the machine ours? Looked at before and after each part, while we do nothing ourselves: whatever keeps processors busy then is
// other work, and it was there in between.

import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 1_000
/** Of all processors. A kernel and a few daemons stay well below. */
export const OTHERS_MAX = 0.1

/** The share of all processors that others use. */
export async function othersShare(): Promise<number> {
  const before = times()
  await delay(LOOK_MS)
  const after = times()
  const all = after.all - before.all
  return all === 0 ? 0 : (after.busy - before.busy) / all
}

function times(): { busy: number; all: number } {
  let busy = 0
  let all = 0
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq + times.idle
    all += sum
    busy += sum - times.idle
  }
  return { busy, all }
}
