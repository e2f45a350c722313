// Responses to one verification are judged one at a time: whoever comes while another is judged waits behind it, and only
// so many wait. What a stranger holds back and lets go at once is then taken one by one, and most of it not at all.

/** Of one verification, behind the one that is judged. A wallet sends one, and a second where the answer got lost. */
const WAITING_MAX = 2
/** More than end within the time a body may take to arrive. */
const ENDED_REMEMBERED_MAX = 20_000

export interface ResponseQueue {
  /**
   * Runs `work` when those before it under this id are done, and says whether there were any. Null, and nothing runs, where
   * too many wait already.
   */
  take<T>(id: string, work: (waited: boolean) => Promise<T>): Promise<{ readonly value: T } | null>
  /** Does `work` while pages that wait are told that an answer is checked. */
  checking<T>(id: string, work: () => Promise<T>): Promise<T>
  /** Whether it ended in this process lately: a body that was held back meanwhile need not be judged. */
  hasEnded(id: string): boolean
  noteEnded(id: string): void
}

/** One for each process; across replicas the guarded ending lets one through. */
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
      // Those behind it do not care how it ended.
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
