// Lists all limits on the memory, connections and time that strangers can use in the HTTP layer (docs/operating.md).

import type { Budget, RateBound } from '../../rate.ts'
import type { ShareBound } from '../../shares.ts'

const MIB = 1024 * 1024

/** Timeouts in milliseconds. */
export const TIMES = {
  /** For the head of a request, from the connection or the previous response to the last header. */
  headers: 10_000,
  /** For the whole request, to the last byte of the body. Longer than the longest deadline of a handler. */
  request: 30_000,
  /** For an idle connection. Longer than the keep-alive of load balancers, so that they close first. */
  keepAlive: 72_000,
  /** How long a client may read nothing of a response: four heartbeats of an event stream. */
  unread: 60_000,
  /** For a whole file that is read from the store while it is sent. */
  download: 120_000,
  /** How often these timeouts are checked. */
  check: 5_000,
} as const

/**
 * After SIGTERM the server continues until no request came for `quietMs`, because clients have then noticed the stop.
 * It continues for at most `mostMs`, half of the time that a stop may take.
 */
export const DRAIN = { quietMs: 1_000, mostMs: 5_000, checkMs: 50 } as const

/** The head of a request: its target and its headers. More gets 431. The router and the hooks read all of it. */
export const HEAD_BYTES_MAX = 16 * 1024
/** Browsers and proxies send a third of this. */
export const HEADERS_MAX = 100

/** Pipelined requests on one connection whose responses are unread. One more request closes the connection. */
export const PIPELINED_MAX = 16

const CONNECTIONS_WITHOUT_PAGES = 10_000
/**
 * Open connections, plus waiting pages. A trusted proxy carries many clients, so its connections count only in the
 * total.
 */
export const connectionBound = (waitingPagesMax: number): ShareBound => ({
  each: 256,
  all: CONNECTIONS_WITHOUT_PAGES + waitingPagesMax,
  reserve: 2_500,
  light: 8,
})

/** Connections that we had to close, per address. After that the address is throttled until the budget refills. */
export const CLOSED_CONNECTIONS_BUDGET: Budget = { perSecond: 1 / 10, burst: 16 }
/**
 * New connections from throttled addresses, each for one request; further ones are closed at once. Not zero, because a
 * till and a misbehaving guest share the address of their venue. Earlier connections continue.
 */
export const THROTTLED_CONNECTIONS: RateBound = {
  each: { perSecond: 20, burst: 40 },
  all: { perSecond: 200, burst: 400 },
}

/** Open requests per request in progress. Slow senders cost a socket, but no worker slot. */
const OPEN_FOR_EACH_WORKING = 4
const REQUESTS_PER_ADDRESS_MAX = 128

/** Open requests, from their first byte until their response is handed to the socket. */
export const openBound = (workingMax: number): ShareBound => requestBound(workingMax * OPEN_FOR_EACH_WORKING)
/** How long a complete request waits for a worker slot; shorter than the timeout of most callers. */
export const PATIENCE_MS = 5_000
/** Requests in progress: complete requests with a worker slot. */
export const workingBound = (workingMax: number): ShareBound => requestBound(workingMax)

function requestBound(all: number): ShareBound {
  return { each: REQUESTS_PER_ADDRESS_MAX, all, reserve: Math.floor(all / 4), light: 4 }
}

/**
 * Files and long lists that are read from the store while they are sent, each kind per tenant. Each is a request in
 * progress until its last byte.
 */
export const DOWNLOADS: ShareBound = { each: 2, all: 32, reserve: 8, light: 1 }

/** Bytes of received bodies and of unread responses. */
export const BUFFERED_BYTES: ShareBound = { each: 16 * MIB, all: 128 * MIB, reserve: 32 * MIB, light: MIB }
/** A body with a content length up to this counts with that length. Longer bodies count as they arrive. */
export const SMALL_BODY_BYTES = 16 * 1024
/**
 * How many bytes are discarded of a body that no handler reads or that continues after its response. After that the
 * connection is closed. A client may already have sent about this much.
 */
export const LATE_BODY_BYTES = 256 * 1024

/**
 * The least that a chunk of a body counts for. Each stored chunk costs 335 bytes of memory, however short, and some
 * microseconds.
 */
export const CHUNK_BYTES_LEAST = 512
/**
 * Chunks with fewer bytes on average are tiny. Clients write kilobytes at a time, and proxies split them into packets
 * of 1,400 bytes.
 */
export const CHUNK_BYTES_AVERAGE = 1_024
/**
 * This many chunks of a body are free, whatever their size. Further tiny chunks are charged in lots of this size. If
 * the budget is spent, the connection is closed.
 */
export const CHUNKS_AT_ONCE = 64
/**
 * The rate of lots of tiny chunks: 640 chunks a second per address, which cost 4 ms. Chunks from a trusted proxy count
 * only in the total.
 */
export const TINY_CHUNKS: RateBound = {
  each: { perSecond: 10, burst: 32 },
  all: { perSecond: 100, burst: 128 },
}

/** Health, readiness and metrics, per address: many times what load balancers need. */
export const OPERATOR_BUDGET: Budget = { perSecond: 50, burst: 200 }
/** For how many addresses a process keeps a budget. */
export const ADDRESSES_MAX = 100_000
/**
 * The size of the cache of parsed addresses, which is cleared when it is full. Longer texts than `lengthMax` are not
 * cached.
 */
export const ADDRESSES_READ = { most: 1_000, lengthMax: 64 } as const

/** Links that the test wallet opens or answers, of all visitors together: about a quarter of a processor. */
export const TEST_WALLET: Budget = { perSecond: 10, burst: 100 }

// Streams have no worker slot after their start, so they have their own limits.

/** Event streams: a developer opens one or two. */
export const STREAMS_PER_KEY_MAX = 3
export const STREAMS: ShareBound = { each: 5, all: 100, reserve: 25, light: 1 }
/**
 * Streams of pages, elements and tills that follow a verification's progress. A whole venue shares an address. Beyond
 * the limit pages poll.
 */
export const pageStreamBound = (waitingPagesMax: number): ShareBound => ({
  each: PAGE_STREAMS_PER_ADDRESS_MAX,
  all: waitingPagesMax,
  reserve: Math.floor(waitingPagesMax / 4),
  light: 4,
})
export const PAGE_STREAMS_PER_ADDRESS_MAX = 32
/** Unread events of one stream, in bytes. */
export const STREAM_UNREAD_BYTES_MAX = MIB

/** Limits of a log witness, which few services call, and rarely. */
export const WITNESS = {
  connections: { each: 32, all: 256, reserve: 64, light: 2 },
  bodies: { each: 8, all: 64, reserve: 16, light: 1 },
  waiting: { each: 8, all: 16, reserve: 4, light: 1 },
  /** Milliseconds for a whole request, and how often that is checked. */
  request: 10_000,
  check: 2_000,
} as const satisfies Record<string, ShareBound | number>
