// Lowers the priority of a worker thread below that of the event loop.

import { getPriority, platform, setPriority } from 'node:os'

/** Not more, so that a thread meets its deadlines on a machine with few processors. */
const NICER_BY = 5
const NICEST = 19

/** Call this in the worker. Does nothing except on Linux: elsewhere it would lower the priority of the whole process. */
export function lowerPriority(): void {
  if (platform() !== 'linux') return
  try {
    setPriority(Math.min(NICEST, getPriority() + NICER_BY))
  } catch {
    // A sandbox may forbid this. The thread works without it.
  }
}
