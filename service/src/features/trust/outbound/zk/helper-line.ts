// Connects to the operator's proof helper, which is a process or a socket, and exchanges lines (docs/zk-verifier.md).

import { execFile, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { HelperAddress } from '../../../../platform/helper-address.ts'

export interface HelperLine {
  send(line: string): void
  close(): void
  /** Whether neither side has closed the connection. The process may end later. */
  isOpen(): boolean
}

interface LineHandlers {
  readonly onLine: (line: string) => void
  /** Called once, when no more output can come. `isTemporary`: the system could not start a process, so a retry may succeed. */
  readonly onEnd: (isTemporary: boolean) => void
}

/** Answers have about fifty characters. */
const LINE_LENGTH_MAX = 4096
/** After this time the slot of a process that cannot be killed is free. */
const EXIT_WITHIN_MS = 30_000
/** The helper gets nothing of our environment, because that contains the master key. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' }

export function openHelperLine(address: HelperAddress, handlers: LineHandlers): HelperLine {
  return address.kind === 'socket' ? openSocket(address.path, handlers) : startProcess(address, handlers)
}

function openSocket(path: string, handlers: LineHandlers): HelperLine {
  const socket = connect(path)
  return overStreams(socket, socket, handlers, (ended) => {
    socket.destroy()
    ended(false)
  })
}

function startProcess(
  { file, parameters }: Extract<HelperAddress, { kind: 'command' }>,
  handlers: LineHandlers,
): HelperLine {
  const child = spawn(file, parameters, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: ENVIRONMENT,
  })
  let line: HelperLine | null = null
  let failure: string | undefined
  // Must be registered first: if the process cannot be started, this is the only event.
  child.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code
    line?.close()
  })
  line = overStreams(child.stdout, child.stdin, handlers, (ended) => {
    if (child.pid === undefined) return ended(failure !== 'ENOENT' && failure !== 'EACCES')
    if (child.exitCode !== null || child.signalCode !== null) return ended(false)
    // On a busy machine, a killed process may take a while to exit. The next process must not run beside it.
    const waiting = setTimeout(ended, EXIT_WITHIN_MS, false).unref()
    child.once('exit', () => {
      clearTimeout(waiting)
      ended(false)
    })
    child.kill('SIGKILL')
    // If we are not permitted to kill the process, it exits when its input closes.
    for (const stream of [child.stdin, child.stdout]) stream.destroy()
  })
  child.once('exit', line.close)
  if (child.pid !== undefined) lowerPriority(child.pid)
  return line
}

/**
 * If processors are scarce, proofs must wait, not people who present a document. A low priority is not enough: the
 * helper uses up its time slice, which made the slowest flows 50 % slower. Linux preempts the idle class at once.
 */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    // If chrt is missing or not permitted, the nice value remains.
    execFile('chrt', ['-a', '-i', '-p', '0', String(pid)], { env: ENVIRONMENT }, () => undefined)
  } catch {
    // The process belongs to another user, or has exited, which its streams report. The proof is checked at normal priority.
  }
}

/** `stop` calls `ended` when the process has exited. Only the first call of `ended` counts. */
function overStreams(
  from: Readable,
  to: Writable,
  { onLine, onEnd }: LineHandlers,
  stop: (ended: (isTemporary: boolean) => void) => void,
): HelperLine {
  let rest = ''
  let isOpen = true
  const close = () => {
    if (!isOpen) return
    isOpen = false
    let isOver = false
    stop((isTemporary) => {
      if (!isOver) onEnd(isTemporary)
      isOver = true
    })
  }
  from.setEncoding('utf8')
  from.on('data', (text: string) => {
    const [first = '', ...more] = `${rest}${text}`.split('\n')
    const lines = [first, ...more]
    rest = lines.pop() ?? ''
    for (const line of lines) if (isOpen) onLine(line)
    if (rest.length > LINE_LENGTH_MAX) close()
  })
  for (const stream of new Set([from, to])) {
    // Keeps the listener: a write to a helper that has exited can fail after the end.
    stream.on('error', close)
    stream.once('close', close)
  }
  from.once('end', close)
  return { send: (line) => void to.write(`${line}\n`), close, isOpen: () => isOpen }
}
