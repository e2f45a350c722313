// Keeps deliveries going in a worker: woken by the store or by time, a bounded number at once, a share for each tenant.

import { setTimeout as delay } from 'node:timers/promises'
import {
  type DeliveryDesk,
  type DeliveryNeeds,
  openDeliveryDesk,
  type Taken,
} from '../usecases/webhooks/deliver-webhooks.ts'
import type { JobRunner } from './runner.ts'

/** At once in one worker; of one tenant and environment; and how long nothing may be noticed. */
const RUNNING_MAX = 256
const RUNNING_PER_REALM_MAX = 64
/** Half of it is taken at once: while one half is sent, the other is being taken. */
const TAKEN_MAX = RUNNING_MAX / 2
const TAKEN_PER_REALM_MAX = RUNNING_PER_REALM_MAX / 2
/** Taken and not yet written down, sent or not: a slow store slows the sending, it does not fill our memory. */
const UNWRITTEN_MAX = 4 * RUNNING_MAX
const LOOK_EVERY_MS = 1_000
/** What ends meanwhile is written down together: a commit for each would keep the disk busy and nobody better informed. */
const WRITE_EVERY_MS = 10
/** How long the first that ended waits for others: a lease for each would cost a query each. */
const GATHER_MS = 20
const STOP_MS_MAX = 8_000

export async function startDeliveries(deps: DeliveryNeeds, lookEveryMs = LOOK_EVERY_MS): Promise<JobRunner> {
  const desk = openDeliveryDesk(deps)
  const stopping = new AbortController()
  const bell = createBell()
  const stopListening = await desk.onDue(bell.ring)
  const running = loop(deps, { desk, bell, lookEveryMs, stopped: stopping.signal })
  return {
    async stop() {
      stopping.abort()
      bell.ring()
      await stopListening()
      // What is still on its way then is made again by another worker, when its lease ends.
      await Promise.race([running, delay(STOP_MS_MAX, undefined, { ref: false })])
    },
  }
}

interface Round {
  readonly desk: DeliveryDesk
  readonly bell: Bell
  readonly lookEveryMs: number
  readonly stopped: AbortSignal
}

async function loop(deps: DeliveryNeeds, round: Round): Promise<void> {
  const sending = new Map<Promise<unknown>, string>()
  const unwritten = new Set<Promise<unknown>>()
  const room = createRoom(round.bell)
  const moment = createMoment(WRITE_EVERY_MS)
  while (!round.stopped.aborted) {
    const heard = round.bell.next()
    const taken = await take(deps, round.desk, { sending, unwritten: unwritten.size })
    for (const { realm, send } of taken) {
      const sent = send()
      sending.set(sent, realm)
      const done = sent
        .finally(() => {
          // Its slot is free for another while it is written down.
          sending.delete(sent)
          room.freed()
        })
        .then(async (write) => {
          await moment()
          await write()
        })
        .catch((error) => deps.log.fault('a delivery was not written down; it will be made again', error))
        .finally(() => {
          if (unwritten.size >= UNWRITTEN_MAX) round.bell.ring()
          unwritten.delete(done)
        })
      unwritten.add(done)
    }
    room.await(Math.ceil(sending.size / 2))
    // Something was taken: there may be more. Otherwise wait for the bell or for a retry to come due.
    if (taken.length === 0) await Promise.race([heard, delay(round.lookEveryMs, undefined, { ref: false })])
  }
  await Promise.all(unwritten)
}

async function take(
  deps: DeliveryNeeds,
  desk: DeliveryDesk,
  underWay: { readonly sending: ReadonlyMap<Promise<unknown>, string>; readonly unwritten: number },
): Promise<Taken[]> {
  const { sending, unwritten } = underWay
  const free = Math.min(TAKEN_MAX, RUNNING_MAX - sending.size, UNWRITTEN_MAX - unwritten)
  if (free <= 0) return []
  const running = new Map<string, number>()
  for (const realm of sending.values()) running.set(realm, (running.get(realm) ?? 0) + 1)
  try {
    return await desk.lease(free, { perRealm: RUNNING_PER_REALM_MAX, atOnce: TAKEN_PER_REALM_MAX, running })
  } catch (error) {
    deps.log.fault('deliveries could not be taken', error)
    return []
  }
}

/** Rings when as many slots as were asked for are free again, or a moment after the first of them. */
interface Room {
  await(realms: number): void
  freed(): void
}

function createRoom(bell: Bell): Room {
  let wanted = 1
  let free = 0
  return {
    await(realms) {
      wanted = realms
      free = 0
    },
    freed() {
      free += 1
      if (free >= wanted) bell.ring()
      else if (free === 1) setTimeout(bell.ring, GATHER_MS).unref()
    },
  }
}

/** A short while, the same one for all who ask during it. */
function createMoment(milliseconds: number): () => Promise<void> {
  let current: Promise<void> | null = null
  return () => {
    current ??= delay(milliseconds).then(() => {
      current = null
    })
    return current
  }
}

/** Rings for whoever waits, and for whoever began to wait before it rang. */
interface Bell {
  ring(): void
  next(): Promise<void>
}

function createBell(): Bell {
  let waiting = Promise.withResolvers<void>()
  return {
    ring() {
      waiting.resolve()
      waiting = Promise.withResolvers<void>()
    },
    next: () => waiting.promise,
  }
}
