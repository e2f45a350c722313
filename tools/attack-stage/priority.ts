// Lowers the priority of the attacker's programs, which would run on other machines.

import { getPriority, platform, setPriority } from 'node:os'

const NICER_BY = 10
const NICEST = 19

/** Lowers the priority of the calling thread on Linux. Does nothing elsewhere, where it would affect the whole process. */
export function lowerPriority(): void {
  if (platform() === 'linux') setPriority(Math.min(NICEST, getPriority() + NICER_BY))
}

export const PRIORITY_SAID =
  platform() === 'linux' ? `attacker and list server: nice +${NICER_BY} to the service` : 'the same for all'
