// Identifies a process by its pid and its start, because pids are reused.

import { readFileSync } from 'node:fs'

/** null: no process has this pid. */
export function processOf(pid: number): { readonly pid: number; readonly begin: string } | null {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null
  }
  return { pid, begin: beginOf(pid) }
}

/** On Linux: the boot id, and the ticks from boot to the start of the process (proc(5)). Empty on other systems. */
function beginOf(pid: number): string {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may contain anything, so fields are counted after the name. This is field 22 of the line.
    const ticks = facts.slice(facts.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? '' : `${start}.${ticks}`
  } catch {
    return ''
  }
}
