// What one sender and all senders may hold at once. Every bound of the HTTP side on what strangers can make us keep
// or wait for is here, and docs/operating.md shows the same table; rates are settings (config.ts), sizes stand with their routes.

import type { Budget, RateBound } from '../../rate.ts'
import type { ShareBound } from '../../shares.ts'

const MIB = 1024 * 1024

/** Milliseconds. In this order: the head of a request, the whole of it, a connection nobody speaks on, an answer nobody reads. */
export const TIMES = {
  /** From the connection, or the answer before, to the last header. */
  headers: 10_000,
  /** To the last byte of the body. Longer than the longest deadline of a handler. */
  request: 30_000,
  /** Longer than load balancers keep theirs, so that they close first. */
  keepAlive: 72_000,
  /** Without a byte of an answer taken by the client. Four heartbeats of a stream of events. */
  unread: 60_000,
  /** A whole file that is read from the store while it is sent. */
  download: 120_000,
  /** How often the clocks above are looked at. */
  check: 5_000,
} as const

/**
 * After SIGTERM requests are served until there was none for so long, which is when whoever sends them has heard of it; half of what
 * a stop may take, at most.
 */
export const DRAIN = { quietMs: 1_000, mostMs: 5_000, lookMs: 50 } as const

/** Requests on one connection whose answers are not read; one more and the connection ends. */
export const PIPELINED_MAX = 16

const CONNECTIONS_BESIDE_PAGES = 10_000
/** Connections; a trusted proxy's are everybody's and count in all only. Pages that wait take none of the others'. */
export const connectionBound = (waitingPagesMax: number): ShareBound => ({
  each: 256,
  all: CONNECTIONS_BESIDE_PAGES + waitingPagesMax,
  reserve: 2_500,
  light: 8,
})

/** Connections we had to end, for each address; beyond, the address is mistrusted until this fills up again. */
export const CUTS_BUDGET: Budget = { perSecond: 1 / 10, burst: 16 }
/**
 * New connections from mistrusted addresses; beyond, they are closed unheard. Each is good for one request. Not none: a till and
 * the guest who misbehaves share the address of their venue. Those that were open before go on.
 */
export const MISTRUSTED_CONNECTIONS: RateBound = {
  each: { perSecond: 20, burst: 40 },
  all: { perSecond: 200, burst: 400 },
}

/** Open requests for each that may be worked on: slow senders cost a socket, not a slot at work. */
const OPEN_FOR_EACH_WORKING = 4
const REQUESTS_PER_ADDRESS_MAX = 128

/** Requests from their first byte until their answer is handed over. */
export const openBound = (workingMax: number): ShareBound => requestBound(workingMax * OPEN_FOR_EACH_WORKING)
/** How long one that has arrived whole waits for a slot at work; below the time after which most callers give up. */
export const PATIENCE_MS = 5_000
/** Those of them that have arrived whole and are worked on. */
export const workingBound = (workingMax: number): ShareBound => requestBound(workingMax)

function requestBound(all: number): ShareBound {
  return { each: REQUESTS_PER_ADDRESS_MAX, all, reserve: Math.floor(all / 4), light: 4 }
}

/** Files that are read from the store while they are sent, by tenant: each is a request being worked on until its last byte. */
export const DOWNLOADS: ShareBound = { each: 2, all: 32, reserve: 8, light: 1 }

/** Bytes of bodies that have arrived and of answers that are not read. */
export const HELD_BYTES: ShareBound = { each: 16 * MIB, all: 128 * MIB, reserve: 32 * MIB, light: MIB }
/** A body that says it is no longer is counted by its word; others are counted as they arrive. */
export const SMALL_BODY_BYTES = 16 * 1024
/**
 * Of a body that goes on after its answer, or that nobody reads (GET), so much is thrown away; then the connection ends. What a
 * client had on its way already.
 */
export const LATE_BODY_BYTES = 256 * 1024

/**
 * A chunk of a body counts for no fewer bytes: each one that is kept costs 335 bytes of memory, however short, and some
 * microseconds.
 */
export const CHUNK_BYTES_LEAST = 512
/**
 * Chunks that have fewer bytes on average are tiny. Clients write kilobytes at a time, and who passes their chunks on cuts them to
 * packets of 1,400 bytes.
 */
export const CHUNK_BYTES_AVERAGE = 1_024
/** So many chunks of a body are free, whatever their size; tiny ones beyond are paid for in such lots, or the connection ends. */
export const CHUNKS_AT_ONCE = 64
/** Lots of tiny chunks: 640 chunks a second for each address, which cost 4 ms; a trusted proxy's count in all only. */
export const TINY_CHUNKS: RateBound = {
  each: { perSecond: 10, burst: 32 },
  all: { perSecond: 100, burst: 128 },
}

/** Health, readiness and metrics, for each address: many times what load balancers ask for. */
export const OPERATOR_BUDGET: Budget = { perSecond: 50, burst: 200 }
/** Addresses whose budget a process remembers. */
export const ADDRESSES_MAX = 100_000
/** Addresses that are not read again by a process, all forgotten at once beyond that, and how long their texts are: longer ones are none. */
export const ADDRESSES_READ = { most: 1_000, lengthMax: 64 } as const

/** Streams, below: they hold no slot of the requests above once they have begun, so these bounds are independent of each other. */

/** Streams of events: a developer listens once or twice. */
export const STREAMS_PER_KEY_MAX = 3
export const STREAMS: ShareBound = { each: 5, all: 100, reserve: 25, light: 1 }
/** Pages, elements and tills that follow how it goes on; a venue's share an address. Beyond, they ask by themselves now and then. */
export const pageStreamBound = (waitingPagesMax: number): ShareBound => ({
  each: PAGE_STREAMS_PER_ADDRESS_MAX,
  all: waitingPagesMax,
  reserve: Math.floor(waitingPagesMax / 4),
  light: 4,
})
export const PAGE_STREAMS_PER_ADDRESS_MAX = 32
/** Unread events of one stream, in bytes. */
export const STREAM_UNREAD_BYTES_MAX = MIB

/** A witness of logs: few services speak to it, and each seldom. Connections, bodies on their way, and submissions that wait. */
export const WITNESS = {
  connections: { each: 32, all: 256, reserve: 64, light: 2 },
  bodies: { each: 8, all: 64, reserve: 16, light: 1 },
  waiting: { each: 8, all: 16, reserve: 4, light: 1 },
  /** Milliseconds for a whole request, and how often that is looked at. */
  request: 10_000,
  check: 2_000,
} as const satisfies Record<string, ShareBound | number>
