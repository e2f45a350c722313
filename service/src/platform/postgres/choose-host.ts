// Chooses the server of the known cluster that takes writes on the newest timeline. Pure.

import { StoreRefused } from '../store-unavailable.ts'
import { isSameServer, type ServerIdentity } from './identity.ts'

/** What this process knows of its cluster. null: not seen yet, or the role must not read it. */
export interface KnownCluster {
  readonly systemId: string | null
  readonly timeline: number | null
}

export interface Candidate {
  /** Host and port, for messages. */
  readonly name: string
  readonly identity: ServerIdentity
}

export interface Choice<C extends Candidate> {
  /** null: no server takes writes. */
  readonly writer: C | null
  /** Servers of another cluster. They are not used. */
  readonly foreign: readonly C[]
  /** The newest known cluster and timeline, including these candidates. */
  readonly known: KnownCluster
}

const FENCE =
  'stop all but the server that was promoted last, and let it start again only as a standby (pg_rewind); see docs/operating.md, "Failover and fencing"'

/** Throws a StoreRefused. */
export function chooseHost<C extends Candidate>(candidates: readonly C[], known: KnownCluster): Choice<C> {
  const ids = new Set(candidates.flatMap(({ identity }) => identity.systemId ?? []))
  if (known.systemId === null && ids.size > 1) throw severalClusters(candidates)
  const systemId = known.systemId ?? [...ids][0] ?? null
  const isForeign = ({ identity }: C) =>
    systemId !== null && identity.systemId !== null && identity.systemId !== systemId
  const own = candidates.filter((one) => !isForeign(one))
  const timeline = highest([known.timeline, ...own.map(({ identity }) => identity.timeline)])
  const [writer = null, second] = distinct(own.filter(({ identity }) => !identity.readOnly))
  if (writer !== null && second !== undefined) throw twoWriters([writer, second])
  if (writer !== null) refuseOldTimeline(writer, timeline)
  return { writer, foreign: candidates.filter(isForeign), known: { systemId, timeline } }
}

/** Checks that a new connection leads to the known cluster and its newest timeline. */
export function refuseOtherServer(candidate: Candidate, known: KnownCluster): KnownCluster {
  const { foreign, known: now } = chooseHost([candidate], known)
  if (foreign.length > 0) throw foreignServer(candidate)
  return now
}

function refuseOldTimeline({ name, identity }: Candidate, newest: number | null): void {
  if (newest === null || identity.timeline === null || identity.timeline >= newest) return
  throw new StoreRefused(
    'old_timeline',
    `${name} takes writes on timeline ${identity.timeline}, but timeline ${newest} was seen before: this is an old primary, or a restored backup`,
    FENCE,
  )
}

function foreignServer({ name }: Candidate): StoreRefused {
  return new StoreRefused(
    'foreign_server',
    `${name} belongs to another PostgreSQL cluster than the one this process has used (another system identifier)`,
    'correct DATABASE_URL; after a move to a new cluster, restart every process',
  )
}

function severalClusters(candidates: readonly Candidate[]): StoreRefused {
  const names = candidates.map(({ name, identity }) => `${name} (${identity.systemId ?? 'unknown'})`).join(', ')
  return new StoreRefused(
    'foreign_server',
    `the servers of DATABASE_URL belong to different PostgreSQL clusters, by their system identifiers: ${names}`,
    'list only a primary and its own standbys',
  )
}

function twoWriters(writers: readonly Candidate[]): StoreRefused {
  const names = writers
    .map(({ name, identity }) => `${name} (timeline ${identity.timeline ?? 'unknown'})`)
    .join(' and ')
  return new StoreRefused(
    'two_writers',
    `two servers of DATABASE_URL take writes at the same time: ${names}. No connection is opened until one of them is stopped`,
    FENCE,
  )
}

/** Leaves out repetitions, because two names may resolve to one server. */
function distinct<C extends Candidate>(candidates: readonly C[]): C[] {
  return candidates.filter(
    (one, i) => candidates.findIndex((other) => isSameServer(one.identity, other.identity)) === i,
  )
}

function highest(timelines: readonly (number | null)[]): number | null {
  const known = timelines.filter((one) => one !== null)
  return known.length === 0 ? null : Math.max(...known)
}
