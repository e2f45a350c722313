// Queues responses to one verification: one is examined at a time, and only a few wait. An attacker that holds
// responses back and releases them at once gets them examined one by one, and most not at all.

/** Per verification, behind the one in progress. A wallet sends one, and a second if the response got lost. */
const WAITING_MAX = 2
/** More than can end within the time that a body may take to arrive. */
const ENDED_REMEMBERED_MAX = 20_000

export interface ResponseQueue {
  /**
   * Runs `work` when earlier ones of this id are done, and says whether there were any. null, and nothing runs, if too
   * many wait already.
   */
  take<T>(id: string, work: (waited: boolean) => Promise<T>): Promise<{ readonly value: T } | null>
  /** Runs `work` while waiting pages show that an answer is being checked. */
  checking<T>(id: string, work: () => Promise<T>): Promise<T>
  /** Whether it ended in this process recently: then a body that was held back need not be examined. */
  hasEnded(id: string): boolean
  noteEnded(id: string): void
}

/** One per process; across replicas the conditional update lets one through. */
export function createResponseQueue(
  noteChecking: (id: string) => () => void,
  waitingMax = WAITING_MAX,
  rememberedMax = ENDED_REMEMBERED_MAX,
): ResponseQueue {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>()
  const ended = new Set<string>()
  return {
    async take(id, work) {
      const line = lines.get(id) ?? { last: Promise.resolve(), length: 0 }
      if (line.length > waitingMax) return null
      const waited = line.length > 0
      line.length += 1
      lines.set(id, line)
      const turn = line.last.then(() => work(waited))
      // The next one runs regardless of its outcome.
      line.last = turn.catch(() => undefined)
      try {
        return { value: await turn }
      } finally {
        line.length -= 1
        if (line.length === 0) lines.delete(id)
      }
    },
    checking: (id, work) => {
      const checked = noteChecking(id)
      return work().finally(checked)
    },
    hasEnded: (id) => ended.has(id),
    noteEnded(id) {
      ended.add(id)
      const [oldest] = ended
      if (ended.size > rememberedMax && oldest !== undefined) ended.delete(oldest)
    },
  }
}
