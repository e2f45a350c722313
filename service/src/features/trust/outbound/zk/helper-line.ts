// Connects to the operator's proof helper, a child process or a socket, line by line (docs/zk-verifier.md).

import { execFile, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { HelperAddress } from '../../../../platform/helper-address.ts'

export interface HelperLine {
  send(line: string): void
  close(): void
  /** Until either side closes it; the process behind it may take longer to end. */
  isOpen(): boolean
}

interface Hearing {
  readonly onLine: (line: string) => void
  /** Called once, when no more output can come, for any reason. `isPassing`: there was temporarily no room for a process. */
  readonly onEnd: (isPassing: boolean) => void
}

/** An answer has some fifty characters. */
const LINE_LENGTH_MAX = 4096
/** For a process that cannot be killed: its slot is not lost for good. */
const GONE_WITHIN_MS = 30_000
/** Nothing from our environment, which holds the master key. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' }

export function openHelperLine(address: HelperAddress, hearing: Hearing): HelperLine {
  return address.kind === 'socket' ? openSocket(address.path, hearing) : startProcess(address, hearing)
}

function openSocket(path: string, hearing: Hearing): HelperLine {
  const socket = connect(path)
  return overStreams(socket, socket, hearing, (ended) => {
    socket.destroy()
    ended(false)
  })
}

function startProcess({ file, parameters }: Extract<HelperAddress, { kind: 'command' }>, hearing: Hearing): HelperLine {
  const child = spawn(file, parameters, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: ENVIRONMENT,
  })
  let line: HelperLine | null = null
  let failure: string | undefined
  // Register this first: if the process cannot be spawned, this is the only event.
  child.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code
    line?.close()
  })
  line = overStreams(child.stdout, child.stdin, hearing, (ended) => {
    if (child.pid === undefined) return ended(failure !== 'ENOENT' && failure !== 'EACCES')
    if (child.exitCode !== null || child.signalCode !== null) return ended(false)
    // On a busy machine a killed process may take a while to exit, and the next must not run at the same time.
    const waiting = setTimeout(ended, GONE_WITHIN_MS, false).unref()
    child.once('exit', () => {
      clearTimeout(waiting)
      ended(false)
    })
    child.kill('SIGKILL')
    // A process that we may not kill exits by itself when its input closes.
    for (const stream of [child.stdin, child.stdout]) stream.destroy()
  })
  child.once('exit', line.close)
  if (child.pid !== undefined) giveWay(child.pid)
  return line
}

/**
 * With few processors, proofs wait rather than people who present a document. A niced helper keeps its time slice
 * before it is preempted, which made the slowest flows half as slow again; a process of Linux's idle class is preempted
 * at once.
 */
function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    // If the program is missing or not permitted, nice remains.
    execFile('chrt', ['-a', '-i', '-p', '0', String(pid)], { env: ENVIRONMENT }, () => undefined)
  } catch {
    // It belongs to another user, or has exited, which its streams report: the proof is checked all the same.
  }
}

/** `stop` says when the process is gone; only the first call counts. */
function overStreams(
  from: Readable,
  to: Writable,
  { onLine, onEnd }: Hearing,
  stop: (ended: (isPassing: boolean) => void) => void,
): HelperLine {
  let rest = ''
  let isOpen = true
  const close = () => {
    if (!isOpen) return
    isOpen = false
    let isOver = false
    stop((isPassing) => {
      if (!isOver) onEnd(isPassing)
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
    // Keep the listener: a write to a helper that is gone fails after its end.
    stream.on('error', close)
    stream.once('close', close)
  }
  from.once('end', close)
  return { send: (line) => void to.write(`${line}\n`), close, isOpen: () => isOpen }
}
