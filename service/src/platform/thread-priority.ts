// Lowers the priority of a worker thread below the event loop, which requests wait for.

import { getPriority, platform, setPriority } from 'node:os'

/** Not so low that a thread misses its deadlines on a machine with few processors. */
const NICER_BY = 5
const NICEST = 19

/** Call it in the worker. On Linux this is the priority of the calling thread, elsewhere it would be that of the process. */
export function lowerPriority(): void {
  if (platform() !== 'linux') return
  try {
    setPriority(Math.min(NICEST, getPriority() + NICER_BY))
  } catch {
    // A sandboxed process may not be allowed to: the thread works all the same.
  }
}
