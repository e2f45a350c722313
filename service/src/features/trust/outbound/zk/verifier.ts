// Checks zero-knowledge proofs with the operator's helpers, a few at a time. After any failure the proof is refused.

import { availableParallelism } from 'node:os'
import type { ZkStatement } from '@vidimus/engine'
import type { ZkAnswer, ZkVerifier } from '../../../../core/ports/zk-verifier.ts'
import type { HelperAddress } from '../../../../platform/helper-address.ts'
import { createShares, type ShareBound } from '../../../../platform/shares.ts'
import { type HelperLine, openHelperLine } from './helper-line.ts'

/** What a helper answers. */
type HelperAnswer = Exclude<ZkAnswer, 'later'>
export interface ZkBounds {
  /** Parallel checks. Each has its own helper. */
  readonly atOnce: number
  /** Proofs in the queue, including those being checked. */
  readonly queued: ShareBound
  /** Timeout for a proof that waits for a helper. */
  readonly waitMs: number
  /** Timeout of a check. It begins when a helper takes the proof, so that a long queue cannot use it up. */
  readonly checkMs: number
}

/** Returns the limits for this many helpers. At one second per proof, a helper takes the last queued proof in time. */
export function zkBounds(atOnce: number): ZkBounds {
  const queued = { each: 3 * atOnce, all: 9 * atOnce, reserve: 3 * atOnce, light: atOnce }
  return { atOnce, queued: queued, waitMs: 9_000, checkMs: 10_000 }
}

const HELPERS_MAX = 2
/** The number of verifications for which a timed-out proof is remembered. */
const SLOW_KNOWN_MAX = 1_000

/** Returns the number of helpers. Helpers on our machine leave one processor free for other requests. */
export function helpersFor({ kind }: HelperAddress, processors = availableParallelism()): number {
  return kind === 'socket' ? HELPERS_MAX : Math.max(1, Math.min(HELPERS_MAX, processors - 1))
}

const NOT_STARTED = 'the helper could not be started'
const UNSUPPORTED = 'the helper cannot check such a proof'

interface Job {
  readonly statement: ZkStatement
  readonly verificationId: string
  /** Only the first call has an effect. */
  readonly settle: (answer: ZkAnswer) => void
  timer: NodeJS.Timeout
}

interface Helper {
  line: HelperLine | null
  job: Job | null
  /** The id of the current question. The answer repeats it. */
  questionId: number
  /** The hashes of the circuits that the helper has loaded; null: still loading, so it gets no proofs. */
  circuits: ReadonlySet<string> | null
  isWarming: boolean
  /** Attempts to load circuits since the helper last had them loaded. */
  attempts: number
}

/** Timeout for loading one circuit. On a busy machine, a helper with low priority has taken half a minute. */
const WARM_MS = 300_000
const RETRY_MS = { first: 1_000, most: 60_000 }

/**
 * `report` gets the reason for a missing answer, which contains no part of the statement. Each helper answers `warmUp`
 * after every start, before its first proof. Without `warmUp`, helpers start with the first proof.
 */
export function createZkVerifier(
  address: HelperAddress,
  report: (problem: string) => void,
  bounds: ZkBounds,
  warmUp: readonly ZkStatement[] = [],
): ZkVerifier {
  const helpers = Array.from(
    { length: bounds.atOnce },
    (): Helper => ({ line: null, job: null, questionId: 0, circuits: null, isWarming: false, attempts: 0 }),
  )
  const isWarm = (helper: Helper) => warmUp.length === 0 || helper.circuits !== null
  const retries = new Set<NodeJS.Timeout>()
  const waiting: Job[] = []
  const shares = createShares(bounds.queued)
  const slow = createSlowMemory()
  let questions = 0
  let isClosed = false

  function startNext(): void {
    if (isClosed) return
    for (const helper of helpers) {
      const isFree = isWarm(helper) && helper.job === null && (helper.line === null || helper.line.isOpen())
      const job = isFree ? waiting.shift() : undefined
      if (job !== undefined) start(helper, job)
    }
  }

  async function warm(helper: Helper): Promise<void> {
    helper.isWarming = true
    const loaded = new Set<string>()
    for (const statement of warmUp) {
      const answer = await askWarming(helper, statement)
      if (isClosed) return
      if (helper.line?.isOpen() !== true) {
        helper.isWarming = false
        // Otherwise its process is still running, and `onEnd` continues.
        if (helper.line === null) warmLater(helper)
        return
      }
      // A helper that accepts it checks nothing.
      if (answer === 'valid') {
        helper.isWarming = false
        report('the helper accepted a proof of zero bytes, so it gets no proofs')
        return warmLater(helper)
      }
      if (answer !== 'unavailable') loaded.add(statement.circuitHash)
    }
    helper.isWarming = false
    if (loaded.size === 0) {
      report('the helper has none of the circuits')
      return warmLater(helper)
    }
    helper.circuits = loaded
    helper.attempts = 0
    startNext()
  }

  function askWarming(helper: Helper, statement: ZkStatement): Promise<ZkAnswer> {
    const { promise, resolve } = Promise.withResolvers<ZkAnswer>()
    const job: Job = { statement, verificationId: '', settle: resolve, timer: setTimeout(() => giveUp(job), WARM_MS) }
    start(helper, job, WARM_MS)
    return promise.finally(() => clearTimeout(job.timer))
  }

  /** The first retry is immediate; later ones are less and less frequent. */
  function warmLater(helper: Helper): void {
    if (isClosed || warmUp.length === 0) return
    const { first, most } = RETRY_MS
    const delay = helper.attempts === 0 ? 0 : Math.min(first * 2 ** (helper.attempts - 1), most)
    helper.attempts += 1
    const timer = setTimeout(() => {
      retries.delete(timer)
      void warm(helper)
    }, delay).unref()
    retries.add(timer)
  }

  function start(helper: Helper, job: Job, withinMs = bounds.checkMs): void {
    helper.job = job
    clearTimeout(job.timer)
    job.timer = setTimeout(() => giveUp(job), withinMs)
    // Ids are unique over all connections, so that a late answer cannot match another question.
    questions += 1
    helper.questionId = questions
    try {
      helper.line ??= open(helper)
    } catch {
      // The system had no file descriptor or memory for a process. This is temporary and must not crash the service.
      finish(helper, 'later', NOT_STARTED)
      return
    }
    helper.line.send(questionOf(helper.questionId, job.statement))
  }

  function open(helper: Helper): HelperLine {
    return openHelperLine(address, {
      onLine: (text) => handleLine(helper, text),
      onEnd: (isTemporary) => {
        helper.line = null
        helper.circuits = null
        if (!helper.isWarming) warmLater(helper)
        if (helper.job === null) queueMicrotask(startNext)
        else if (isTemporary) finish(helper, 'later', NOT_STARTED)
        else finish(helper, 'unavailable', 'the helper ended')
      },
    })
  }

  function handleLine(helper: Helper, text: string): void {
    const answer = helper.job === null ? null : answerIn(text, helper.questionId)
    if (answer === null) {
      report('the helper sent an invalid answer')
      helper.line?.close()
    } else finish(helper, answer, answer === 'unavailable' && !helper.isWarming ? UNSUPPORTED : null)
  }

  function finish(helper: Helper, answer: ZkAnswer, problem: string | null): void {
    const { job } = helper
    helper.job = null
    if (problem !== null) report(problem)
    job?.settle(answer)
    // Runs after all earlier output was read, so that surplus output of one answer cannot count for the next question.
    queueMicrotask(startNext)
  }

  /** Drops a queued job, or kills the helper of a running one. The slot is free when the process has exited. */
  function giveUp(job: Job): void {
    const at = waiting.indexOf(job)
    if (at >= 0) waiting.splice(at, 1)
    report('a proof was not checked in time')
    const helper = helpers.find((one) => one.job === job)
    job.settle(helper !== undefined && slow.isKnown(job.verificationId) ? 'unavailable' : 'later')
    if (helper === undefined) return
    slow.note(job.verificationId)
    helper.line?.close()
  }

  for (const helper of helpers) if (warmUp.length > 0) void warm(helper)

  return {
    canCheck: (circuitHash) => helpers.some((helper) => isWarm(helper) && (helper.circuits?.has(circuitHash) ?? true)),
    async verify(statement, { tenantId, verificationId }) {
      if (isClosed) return 'later'
      if (shares.take([tenantId], 1) !== 'taken') {
        report('too many proofs wait already')
        return 'later'
      }
      const { promise, resolve } = Promise.withResolvers<ZkAnswer>()
      const job: Job = {
        statement,
        verificationId,
        settle: resolve,
        timer: setTimeout(() => giveUp(job), bounds.waitMs),
      }
      waiting.push(job)
      // Yields to other events between reading an answer and writing the next question, which takes a millisecond.
      setImmediate(startNext)
      return promise.finally(() => {
        clearTimeout(job.timer)
        shares.give([tenantId], 1)
      })
    },
    close() {
      isClosed = true
      for (const timer of retries) clearTimeout(timer)
      for (const job of waiting.splice(0)) job.settle('later')
      for (const { line, job } of helpers) {
        job?.settle('later')
        line?.close()
      }
    },
  }
}

/** Remembers timeouts. One may come from a busy machine; two in a row come from the proof or the helper, and count as an answer. */
function createSlowMemory() {
  const known = new Set<string>()
  return {
    isKnown: (id: string) => known.has(id),
    note(id: string) {
      known.add(id)
      const [oldest] = known
      if (known.size > SLOW_KNOWN_MAX && oldest !== undefined) known.delete(oldest)
    },
  }
}

/** The question as one line of JSON, with bytes as base64. */
function questionOf(
  id: number,
  { system, circuitHash, issuerKey, transcript, docType, timestamp, claims, proof }: ZkStatement,
): string {
  const request = {
    id,
    system,
    circuit_hash: circuitHash,
    issuer_key: {
      x: Buffer.from(issuerKey.x, 'base64url').toString('hex'),
      y: Buffer.from(issuerKey.y, 'base64url').toString('hex'),
    },
    transcript: base64Of(transcript),
    doc_type: docType,
    timestamp,
    claims: claims.map(({ nameSpace, element, value }) => ({ namespace: nameSpace, element, value: base64Of(value) })),
  }
  // Appends the proof without JSON.stringify, because it has hundreds of kilobytes and base64 needs no escaping.
  return `${JSON.stringify(request).slice(0, -1)},"proof":"${base64Of(proof)}"}`
}

/** Reads the buffer in place, without a copy. */
const base64Of = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

const ANSWERS: readonly HelperAnswer[] = ['valid', 'invalid', 'unavailable']

/** Returns null unless the text answers the question with this id. */
function answerIn(text: string, id: number): HelperAnswer | null {
  try {
    const message: unknown = JSON.parse(text)
    if (
      typeof message !== 'object' ||
      message === null ||
      !('id' in message) ||
      !('answer' in message) ||
      message.id !== id
    )
      return null
    return ANSWERS.find((answer) => answer === message.answer) ?? null
  } catch {
    return null
  }
}
