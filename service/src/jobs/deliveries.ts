// Keeps webhooks going in a worker. In it a delivery goes through these states:
//
//   due      in the store; nobody has it
//   taken    leased to this worker, its attempt in the store                 (a lease takes many at once)
//   sending  on its way to the receiver; holds a slot, see delivery-slots.ts
//   ended    answered or given up; its slot is free for another              (waits for others that end, then written together)
//   written  how it ended is in the store: delivered, due again later, held or failed
//
// A worker that vanishes leaves what it had taken to others, when the lease ends.

import { setTimeout as delay } from 'node:timers/promises'
import {
  type DeliveryDesk,
  type DeliveryNeeds,
  openDeliveryDesk,
  type Taken,
} from '../usecases/webhooks/deliver-webhooks.ts'
import { createDeliverySlots, type DeliverySlots } from './delivery-slots.ts'
import type { JobRunner } from './runner.ts'

/** Taken by one lease, in all and of one realm: while these are sent, the next are being taken. */
const TAKEN_MAX = 128
const TAKEN_PER_REALM_MAX = 32
/** Taken and not yet written: a slow store slows the sending, it does not fill our memory. */
const UNWRITTEN_MAX = 1_024
/** How long something due may go unnoticed, should no wake-up come. */
const LOOK_EVERY_MS = 1_000
/** How long the first that ended waits for others, to be written with them: a commit for each keeps the disk busy. */
const WRITE_AFTER_MS = 10
/** How long the first free slot waits for others: a lease for each costs a query each. */
const CLAIM_AFTER_MS = 20
const STOP_MS_MAX = 8_000

export async function startDeliveries(deps: DeliveryNeeds, lookEveryMs = LOOK_EVERY_MS): Promise<JobRunner> {
  const desk = openDeliveryDesk(deps)
  const stopping = new AbortController()
  const wakeUp = createWakeUp()
  const stopListening = await desk.onDue(wakeUp.now)
  const running = work({ deps, desk, wakeUp, lookEveryMs, stopped: stopping.signal })
  return {
    async stop() {
      stopping.abort()
      wakeUp.now()
      await stopListening()
      await Promise.race([running, delay(STOP_MS_MAX, undefined, { ref: false })])
    },
  }
}

interface Worker {
  readonly deps: DeliveryNeeds
  readonly desk: DeliveryDesk
  readonly wakeUp: WakeUp
  readonly lookEveryMs: number
  readonly stopped: AbortSignal
}

async function work(worker: Worker): Promise<void> {
  const { deps, desk, wakeUp } = worker
  const slots = createDeliverySlots()
  const unwritten = new Set<Promise<void>>()
  const writeTime = createMeetingPoint(WRITE_AFTER_MS)

  async function deliver(taken: Taken): Promise<void> {
    const beganMs = deps.clock.now()
    slots.begin(taken.realm)
    try {
      const ending = await desk.send(taken).finally(() => {
        slots.end(taken.realm, deps.clock.now() - beganMs)
        wakeUp.forFreeSlot(slots.running())
      })
      await writeTime()
      await desk.writeDown(ending)
    } catch (error) {
      deps.log.fault('a delivery was not written down; it will be made again', error)
    }
  }

  while (!worker.stopped.aborted) {
    const woken = wakeUp.next()
    const taken = await take(worker, slots, UNWRITTEN_MAX - unwritten.size)
    for (const one of taken) {
      const done = deliver(one).finally(() => {
        if (unwritten.size >= UNWRITTEN_MAX) wakeUp.now()
        unwritten.delete(done)
      })
      unwritten.add(done)
    }
    // Where something was taken there may be more.
    if (taken.length === 0) await Promise.race([woken, delay(worker.lookEveryMs, undefined, { ref: false })])
  }
  await Promise.all(unwritten)
}

async function take({ deps, desk }: Worker, slots: DeliverySlots, roomToWrite: number): Promise<Taken[]> {
  const terms = slots.terms()
  const free = Math.min(TAKEN_MAX, terms.free, roomToWrite)
  if (free <= 0) return []
  try {
    return await desk.lease({ ...terms, free, perRealm: TAKEN_PER_REALM_MAX })
  } catch (error) {
    deps.log.fault('deliveries could not be taken', error)
    return []
  }
}

/** Wakes whoever waits, and whoever began to wait before it was called. */
interface WakeUp {
  now(): void
  /** Soon, or at once when half of what was running before is free again. */
  forFreeSlot(stillRunning: number): void
  next(): Promise<void>
}

function createWakeUp(): WakeUp {
  let waiting = Promise.withResolvers<void>()
  let freed = 0
  const now = () => {
    freed = 0
    waiting.resolve()
    waiting = Promise.withResolvers<void>()
  }
  return {
    now,
    forFreeSlot(stillRunning) {
      freed += 1
      if (freed >= stillRunning) now()
      else if (freed === 1) setTimeout(now, CLAIM_AFTER_MS).unref()
    },
    next: () => waiting.promise,
  }
}

/** All who come within these milliseconds of the first go on together. */
function createMeetingPoint(milliseconds: number): () => Promise<void> {
  let current: Promise<void> | null = null
  return () => {
    current ??= delay(milliseconds).then(() => {
      current = null
    })
    return current
  }
}
