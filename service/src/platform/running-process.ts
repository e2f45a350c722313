// Which process has a number now, and when it began: numbers are given again.

import { readFileSync } from 'node:fs'

/** null: none. */
export function processOf(pid: number): { readonly pid: number; readonly begin: string } | null {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null
  }
  return { pid, begin: beginOf(pid) }
}

/** Linux says it: which start of the machine, and how many ticks after it (proc(5)). Empty elsewhere. */
function beginOf(pid: number): string {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Behind the name, which may hold anything: the 22nd fact of all.
    const ticks = facts.slice(facts.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? '' : `${start}.${ticks}`
  } catch {
    return ''
  }
}
