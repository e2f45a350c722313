// Checks zero-knowledge proofs with the operator's helper; each takes a second of a processor, so few run at once and
// the queue is bounded. Any failure means that the proof is not accepted; no other response waits for it.

import { availableParallelism } from 'node:os'
import type { ZkStatement } from '@vidimus/engine'
import type { ZkAnswer, ZkVerifier } from '../../../../core/ports/zk-verifier.ts'
import type { HelperAddress } from '../../../../platform/helper-address.ts'
import { createShares, type ShareBound } from '../../../../platform/shares.ts'
import { type HelperLine, openHelperLine } from './helper-line.ts'

/** What a helper answers. */
type HelperAnswer = Exclude<ZkAnswer, 'later'>
export interface ZkBounds {
  /** Proofs checked in parallel, each by its own helper. */
  readonly atOnce: number
  /** Queued proofs, including those being checked. */
  readonly held: ShareBound
  /** Until a helper takes it. */
  readonly waitMs: number
  /** Counted from then on, whatever others took, so that some proofs are always checked however many wait. */
  readonly checkMs: number
}

/** Limits for this many helpers. At a second per proof, the last in the queue is taken in time. */
export function zkBounds(atOnce: number): ZkBounds {
  const held = { each: 3 * atOnce, all: 9 * atOnce, reserve: 3 * atOnce, light: atOnce }
  return { atOnce, held, waitMs: 9_000, checkMs: 10_000 }
}

const HELPERS_MAX = 2
/** For how many verifications a timed-out proof is remembered. */
const SLOW_KNOWN_MAX = 1_000

/** If they run on our machine, one processor is left to other requests. */
export function helpersFor({ kind }: HelperAddress, processors = availableParallelism()): number {
  return kind === 'socket' ? HELPERS_MAX : Math.max(1, Math.min(HELPERS_MAX, processors - 1))
}

const NOT_STARTED = 'the helper could not be started'

interface Job {
  readonly statement: ZkStatement
  readonly verificationId: string
  /** Only its first call counts. */
  readonly settle: (answer: ZkAnswer) => void
  timer: NodeJS.Timeout
}

interface Helper {
  line: HelperLine | null
  job: Job | null
  /** The id of its question, which the answer repeats. */
  asked: number
}

/** `report` gets the reason for a missing answer; it holds nothing of the statement. */
export function createZkVerifier(
  address: HelperAddress,
  report: (problem: string) => void,
  bounds: ZkBounds,
): ZkVerifier {
  const helpers = Array.from({ length: bounds.atOnce }, (): Helper => ({ line: null, job: null, asked: 0 }))
  const waiting: Job[] = []
  const shares = createShares(bounds.held)
  const slow = createSlowMemory()
  let questions = 0
  let isClosed = false

  function startNext(): void {
    if (isClosed) return
    for (const helper of helpers) {
      const isFree = helper.job === null && (helper.line === null || helper.line.isOpen())
      const job = isFree ? waiting.shift() : undefined
      if (job !== undefined) start(helper, job)
    }
  }

  function start(helper: Helper, job: Job): void {
    helper.job = job
    clearTimeout(job.timer)
    job.timer = setTimeout(() => giveUp(job), bounds.checkMs)
    // Ids are never reused on any connection: a late answer cannot match another question.
    questions += 1
    helper.asked = questions
    try {
      helper.line ??= open(helper)
    } catch {
      // No file descriptor or memory for a process: this passes, and must not crash the service.
      finish(helper, 'later', NOT_STARTED)
      return
    }
    helper.line.send(questionOf(helper.asked, job.statement))
  }

  function open(helper: Helper): HelperLine {
    return openHelperLine(address, {
      onLine: (text) => hear(helper, text),
      onEnd: (isPassing) => {
        helper.line = null
        if (helper.job === null) queueMicrotask(startNext)
        else if (isPassing) finish(helper, 'later', NOT_STARTED)
        else finish(helper, 'unavailable', 'the helper ended')
      },
    })
  }

  function hear(helper: Helper, text: string): void {
    const answer = helper.job === null ? null : answerIn(text, helper.asked)
    if (answer === null) {
      report('the helper said what is no answer')
      helper.line?.close()
    } else finish(helper, answer, answer === 'unavailable' ? 'the helper cannot check such a proof' : null)
  }

  function finish(helper: Helper, answer: ZkAnswer, problem: string | null): void {
    const { job } = helper
    helper.job = null
    if (problem !== null) report(problem)
    job?.settle(answer)
    // After all earlier output is read: extra output of one answer must not count for the next question.
    queueMicrotask(startNext)
  }

  /** Drops a queued job; stops a running one with its helper, whose slot is free once the process has ended. */
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

  return {
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
      // Not in the same tick as reading the answer: writing a question also takes a millisecond, and other events must run.
      setImmediate(startNext)
      return promise.finally(() => {
        clearTimeout(job.timer)
        shares.give([tenantId], 1)
      })
    },
    close() {
      isClosed = true
      for (const job of waiting.splice(0)) job.settle('later')
      for (const { line, job } of helpers) {
        job?.settle('later')
        line?.close()
      }
    },
  }
}

/** One timeout may mean a busy machine; two in a row are the proof or the helper, and count as an answer. */
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

/** All bytes as base64. */
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
  // A proof has hundreds of kilobytes, and base64 needs no escaping.
  return `${JSON.stringify(request).slice(0, -1)},"proof":"${base64Of(proof)}"}`
}

/** Without a copy. */
const base64Of = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

const ANSWERS: readonly HelperAnswer[] = ['valid', 'invalid', 'unavailable']

/** Only to this very question; null otherwise. */
function answerIn(text: string, id: number): HelperAnswer | null {
  try {
    const said: unknown = JSON.parse(text)
    if (typeof said !== 'object' || said === null || !('id' in said) || !('answer' in said) || said.id !== id)
      return null
    return ANSWERS.find((answer) => answer === said.answer) ?? null
  } catch {
    return null
  }
}
