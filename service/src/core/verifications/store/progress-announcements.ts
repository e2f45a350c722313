// Announces progress of verifications to other processes, in batches after the commit.

import type { Db } from '../../../platform/postgres/db.ts'
import type { Random } from '../../../platform/world.ts'

const CHANNEL = 'verification_progress'
const GATHER_MS = 100
/** The maximum of announcements at a time. The periodic check finds the rest. */
const IDS_MAX = 10_000
/** PostgreSQL takes messages below 8,000 bytes; an id has 36, with one byte before and one after it. */
const IDS_A_MESSAGE = 200

/** `answered`: the verification may have ended; only the store knows. */
type Progress = 'fetched' | 'answered'

interface ProgressAnnouncements {
  announce(id: string, progress: Progress): void
  /** Sends the pending announcements. */
  close(): Promise<void>
}

interface ProgressListener {
  /** Called for announcements of other processes. */
  readonly onProgress: (id: string, progress: Progress) => void
  /** Called when announcements may have been missed. */
  readonly onGap: () => void
}

interface World {
  readonly db: Pick<Db, 'query' | 'listen'>
  readonly random: Random
  readonly report: (event: string, error: unknown) => void
}

const MARKS: Readonly<Record<Progress, string>> = { fetched: 'f', answered: 'a' }

/** An announcement is lost if the process dies before the batch is sent, so listeners also poll. */
export async function openProgressAnnouncements(
  { db, random, report }: World,
  { onProgress, onGap }: ProgressListener,
): Promise<ProgressAnnouncements> {
  // The sender's id: a process ignores its own announcements.
  const self = Buffer.from(random(9)).toString('base64url')
  let gathered = new Map<string, Progress>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const taken = [...gathered]
    gathered = new Map()
    if (taken.length > 0) {
      sending = sending
        .then(() => send(taken))
        .catch((error) => report('other processes did not get the new step', error))
    }
    return sending
  }
  async function send(taken: readonly (readonly [string, Progress])[]): Promise<void> {
    const entries = taken.map(([id, progress]) => MARKS[progress] + id)
    const messages: string[] = []
    for (let from = 0; from < entries.length; from += IDS_A_MESSAGE) {
      messages.push([self, ...entries.slice(from, from + IDS_A_MESSAGE)].join(' '))
    }
    await db.query(
      {
        name: 'announce_progress',
        text: `select pg_notify('${CHANNEL}', message) from unnest($1::text[]) as g (message)`,
      },
      [messages],
    )
  }
  function receive(payload: string): void {
    const [sender, ...entries] = payload.split(' ')
    if (sender === self) return
    for (const one of entries) onProgress(one.slice(1), one.startsWith(MARKS.fetched) ? 'fetched' : 'answered')
  }
  const stop = await db.listen(CHANNEL, receive, onGap)
  return {
    announce(id, progress) {
      if (gathered.size >= IDS_MAX && !gathered.has(id)) return
      gathered.set(id, progress)
      timer ??= setTimeout(flush, GATHER_MS).unref()
    },
    async close() {
      await flush()
      await stop()
    },
  }
}
