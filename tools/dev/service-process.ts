// Runs the service, and restarts it when one of its files changes.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readableLine } from './readable-line.ts'

interface ServiceProcess {
  /** Stops the service like a process manager, and waits until it has exited. */
  stop(): Promise<void>
}

export function startService(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): ServiceProcess {
  const child = spawn(
    process.execPath,
    ['--watch', '--watch-preserve-output', join('service', 'src', 'main.ts'), 'serve'],
    // In its own process group: Ctrl-C reaches only this process, and the service gets exactly one stop signal.
    { cwd: root, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  )
  const gone = once(child, 'exit')
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', (line) => say(readableLine(line)))
  }
  return { stop: () => stopProcess(child, gone) }
}

async function stopProcess(child: ChildProcess, gone: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  await gone
}
