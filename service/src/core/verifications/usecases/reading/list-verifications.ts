// Lists verifications, newest first. The store lists ids and versions; the text of a version is cached.

import type { Deps } from '../../../../deps.ts'
import { inTurn, inTurnIfLong } from '../../../../platform/event-loop/in-turn.ts'
import { END_OF_TIME, type Instant, instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { onlyCreatedBy, type Reader } from '../../../tenants/domain/principal.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import { renderVerification, statusAt, type VerificationStatus } from '../../domain/verification.ts'
import type { StoredVerification } from '../../store/columns.ts'
import type { ListedText } from '../../store/listed-cache.ts'
import {
  FILTER_WINDOW,
  type ListedVersion,
  type ListFilter,
  listFilteredVersions,
  listVersions,
  loadVersions,
  storedBytesOf,
  type Visibility,
} from '../../store/verifications.ts'
import { decryptVerification } from './read-verification.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'config' | 'listed'>

export interface Page {
  readonly limit: number
  /** Only verifications created strictly earlier; null: from the newest on. */
  readonly before: Instant | null
}

/** How often a page is read at most, if rows are erased or changed in the meantime. */
const TRIES_MAX = 3

/** How many stored bytes are loaded, and rendered in one turn of the event loop; or one verification, if it is longer. */
const BYTES_AT_ONCE = 1024 * 1024

/** A body of more stored bytes than that comes in parts. A part is read when the client has taken the previous one. */
export type PageBody = string | AsyncIterable<string>

export async function listPage(deps: Needs, { principal, pay, limit, before }: Page & Reader): Promise<PageBody> {
  const page = { deviceId: onlyCreatedBy(principal), limit, before: before ?? END_OF_TIME }
  const list = (part: Pick<typeof page, 'limit' | 'before'>) =>
    listVersions(deps.db, principal, { ...page, ...part, now: instantOf(deps.clock.now()) })
  let texts: string[] = []
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const listed = await list(page)
    const found = await textsOf(deps, listed, { realm: principal, pay, ...page })
    if (found === null) return partsOf(deps, listed, { realm: principal, ...page, list })
    texts = found
    // A page with fewer rows than its limit would look like the last page.
    if (texts.length === listed.length) break
  }
  return `{"data":[${texts.join(',')}]}`
}

/**
 * Lists verifications that fit the filter. A page can be shorter than its limit although older ones exist. `next` is the
 * `before` of the next page; null: there are no older ones.
 */
export async function listFilteredPage(
  deps: Needs,
  input: Page & Reader & { readonly filter: ListFilter; readonly window?: number },
): Promise<{ readonly body: PageBody; readonly next: Instant | null }> {
  const { principal, pay, limit, before, filter, window = FILTER_WINDOW } = input
  const page = { deviceId: onlyCreatedBy(principal), limit, before: before ?? END_OF_TIME, filter, window }
  for (let tries = 1; ; tries += 1) {
    const nowMs = deps.clock.now()
    const { listed, scannedTo } = await listFilteredVersions(deps.db, principal, { ...page, now: instantOf(nowMs) })
    const wanted = { realm: principal, ...page, status: filter.status }
    const texts = await textsOf(deps, listed, { ...wanted, pay, nowMs })
    if (texts === null) return { body: partsOf(deps, listed, { ...wanted, list: async () => [] }), next: scannedTo }
    // Some verifications ended or were erased in the meantime. Reads again, so that the page is full.
    if (texts.length === listed.length || tries === TRIES_MAX)
      return { body: `{"data":[${texts.join(',')}]}`, next: scannedTo }
  }
}

interface Wanted extends Visibility {
  readonly realm: Realm
  readonly status?: VerificationStatus | undefined
}

/**
 * Leaves out verifications that were erased, or left the wanted state, after they were listed. Returns null if they
 * are too long for one text.
 */
async function textsOf(
  deps: Needs,
  listed: readonly ListedVersion[],
  wanted: Wanted & { readonly nowMs?: number; readonly pay: Reader['pay'] },
): Promise<string[] | null> {
  const { realm, deviceId, nowMs = deps.clock.now(), status, pay } = wanted
  const known = listed.map((one) => deps.listed.find(one, nowMs))
  const missing = listed.filter((_, i) => known[i] === null)
  const bytes = missing.reduce((sum, one) => sum + storedBytesOf(one), 0)
  // Also for cached texts: joining and sending them takes time, too.
  await pay(listed.reduce((sum, one) => sum + storedBytesOf(one), 0))
  if (bytes > BYTES_AT_ONCE) return null
  const ids = missing.map(({ id }) => id)
  const loaded = ids.length === 0 ? [] : await loadVersions(deps.db, realm, { ids, deviceId })
  await inTurnIfLong(realm.tenantId, bytes)
  const stored = new Map(loaded.map((one) => [one.id, one]))
  return listed.flatMap((one, i) => {
    const text = known[i] ?? renderStored(deps, stored.get(one.id), { nowMs, status })
    return text === null ? [] : [text]
  })
}

/**
 * The cache is not used, because the client may take its time: a text could be older than an erasure. If verifications
 * were erased after they were listed, `list` reads as many older ones, so that the page does not look like the last.
 */
async function* partsOf(
  deps: Needs,
  listed: readonly ListedVersion[],
  wanted: Wanted & {
    readonly before: Instant
    readonly list: (older: { readonly before: Instant; readonly limit: number }) => Promise<readonly ListedVersion[]>
  },
): AsyncGenerator<string> {
  const { realm, deviceId, status, list } = wanted
  let { before } = wanted
  let separator = ''
  yield '{"data":['
  for (let rows = listed; rows.length > 0; ) {
    let gone = 0
    for (const ids of idsAtOnce(rows)) {
      const loaded = await loadVersions(deps.db, realm, { ids, deviceId })
      await inTurn(realm.tenantId)
      const stored = new Map(loaded.map((one) => [one.id, one]))
      const terms = { nowMs: deps.clock.now(), status }
      const texts = ids.map((id) => renderStored(deps, stored.get(id), terms)).filter((text) => text !== null)
      gone += ids.length - texts.length
      before = ids.flatMap((id) => stored.get(id)?.createdAt ?? []).at(-1) ?? before
      if (texts.length > 0) yield separator + texts.join(',')
      if (texts.length > 0) separator = ','
    }
    rows = gone === 0 ? [] : await list({ before, limit: gone })
  }
  yield ']}'
}

function idsAtOnce(rows: readonly ListedVersion[]): string[][] {
  const groups: string[][] = []
  let left = 0
  for (const row of rows) {
    // The client may take its time, so a pending verification may have a long result when it is loaded.
    const bytes = Math.max(storedBytesOf(row), BYTES_AT_ONCE / 8)
    if (groups.length === 0 || bytes > left) {
      groups.push([])
      left = BYTES_AT_ONCE
    }
    left -= bytes
    groups.at(-1)?.push(row.id)
  }
  return groups
}

function renderStored(
  deps: Needs,
  stored: (StoredVerification & ListedVersion) | undefined,
  { nowMs, status }: { readonly nowMs: number; readonly status: VerificationStatus | undefined },
): string | null {
  if (stored === undefined || (status !== undefined && statusAt(stored, nowMs) !== status)) return null
  const text = renderVerification(decryptVerification(deps, stored, nowMs), deps.config.baseUrl)
  // The cache key is the version that was read, which may be newer than the listed one. Content with a time limit is
  // not cached.
  if (stored.forgetAt === null) deps.listed.keep(stored, { text, ...turnOf(stored, nowMs) })
  return text
}

/** Only a pending verification changes without a write: it expires. */
function turnOf({ state, expiresAt }: StoredVerification, nowMs: number): Omit<ListedText, 'text'> {
  const turnsAtMs = state === 'pending' ? millisecondsOf(expiresAt) : Number.POSITIVE_INFINITY
  return { turnsAtMs, hasTurned: nowMs >= turnsAtMs }
}
