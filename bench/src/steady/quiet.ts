// Measures how busy other programs keep the machine, before and after each part.

import { existsSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const SAMPLE_MS = 1_000
/** The share of all processors that other programs may use. A kernel and a few daemons use far less. */
export const OTHERS_MAX = 0.1

/** Returns the share of all processors that other programs use. Call it while this program is idle. */
export async function othersShare(): Promise<number> {
  const before = times()
  await delay(SAMPLE_MS)
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

interface StealWatch {
  /** CPU steal as a share of the processors' time since the watch began: time that the host gave to other machines. */
  share(): number
}

export function watchSteal(): StealWatch {
  const before = readSteal()
  return {
    share() {
      const after = readSteal()
      return after.all === before.all ? 0 : (after.steal - before.steal) / (after.all - before.all)
    },
  }
}

/** CPU steal. A system without /proc/stat counts as 0. */
function readSteal(): { steal: number; all: number } {
  if (!existsSync('/proc/stat')) return { steal: 0, all: 0 }
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { steal: ticks[7] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) }
}
