// The line to the operator's helper that checks proofs: a process of ours, or a socket that somebody else's listens on. Text goes
// out and comes back line by line (docs/zk-verifier.md).

import { execFile, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { HelperAddress } from '../../../../platform/helper-address.ts'

export interface HelperLine {
  send(line: string): void
  close(): void
  /** Until it is closed, by whomever; what stood behind it may take longer to end. */
  isOpen(): boolean
}

interface Hearing {
  readonly onLine: (line: string) => void
  /** Once, when nothing more can come, however that came to be. `isPassing`: there was no room for a process, for now. */
  readonly onEnd: (isPassing: boolean) => void
}

/** An answer has some fifty characters. */
const LINE_LENGTH_MAX = 4096
/** For one that cannot be killed: its place is not lost for good. */
const GONE_WITHIN_MS = 30_000
/** Nothing of ours, which holds the master key. */
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
  // Before anything else: where no process could be made, this is all there is.
  child.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code
    line?.close()
  })
  line = overStreams(child.stdout, child.stdin, hearing, (ended) => {
    if (child.pid === undefined) return ended(failure !== 'ENOENT' && failure !== 'EACCES')
    if (child.exitCode !== null || child.signalCode !== null) return ended(false)
    // Where others want the processor one that is killed may take its time to go, and the next must not stand beside it.
    const waiting = setTimeout(ended, GONE_WITHIN_MS, false).unref()
    child.once('exit', () => {
      clearTimeout(waiting)
      ended(false)
    })
    child.kill('SIGKILL')
    // One that we may not kill ends by itself when nobody asks any more.
    for (const stream of [child.stdin, child.stdout]) stream.destroy()
  })
  child.once('exit', line.close)
  if (child.pid !== undefined) giveWay(child.pid)
  return line
}

/**
 * Where processors are scarce, proofs wait rather than whoever shows a document. Being nice leaves a helper its turn before it is
 * interrupted, which made the slowest flows half as slow again; a process of Linux's idle class is interrupted at once.
 */
function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    // Where there is no such program or it may not, being nice remains.
    execFile('chrt', ['-a', '-i', '-p', '0', String(pid)], { env: ENVIRONMENT }, () => undefined)
  } catch {
    // It is another user's, or gone already, which is heard of by its streams: a proof is checked all the same.
  }
}

/** `stop` says when nothing of it is left; only the first time counts. */
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
    // Every time: what was written to a helper that is gone fails after its end.
    stream.on('error', close)
    stream.once('close', close)
  }
  from.once('end', close)
  return { send: (line) => void to.write(`${line}\n`), close, isOpen: () => isOpen }
}
