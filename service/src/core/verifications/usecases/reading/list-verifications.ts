// Lists verifications, newest first. The store lists ids and versions; the text of a version is cached.

import type { Deps } from '../../../../deps.ts'
import { END_OF_TIME, type Instant, instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { onlyCreatedBy, type Principal } from '../../../tenants/domain/principal.ts'
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
  type Visibility,
} from '../../store/verifications.ts'
import { decryptVerification } from './read-verification.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'config' | 'listed'>

export interface Page {
  readonly limit: number
  /** Only verifications created strictly earlier; null: from the newest on. */
  readonly before: Instant | null
}

/** How often a page is read if rows are erased or changed in the meantime. */
const TRIES_MAX = 3

/** Returns the body of the response. */
export async function listPage(
  deps: Needs,
  { principal, limit, before }: Page & { readonly principal: Principal },
): Promise<string> {
  const page = { deviceId: onlyCreatedBy(principal), limit, before: before ?? END_OF_TIME }
  let texts: string[] = []
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const listed = await listVersions(deps.db, principal, { ...page, now: instantOf(deps.clock.now()) })
    texts = await textsOf(deps, listed, { realm: principal, ...page })
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
  input: Page & { readonly principal: Principal; readonly filter: ListFilter; readonly window?: number },
): Promise<{ readonly body: string; readonly next: Instant | null }> {
  const { principal, limit, before, filter, window = FILTER_WINDOW } = input
  const page = { deviceId: onlyCreatedBy(principal), limit, before: before ?? END_OF_TIME, filter, window }
  for (let tries = 1; ; tries += 1) {
    const nowMs = deps.clock.now()
    const { listed, scannedTo } = await listFilteredVersions(deps.db, principal, { ...page, now: instantOf(nowMs) })
    const texts = await textsOf(deps, listed, { realm: principal, ...page, nowMs, status: filter.status })
    // Some verifications ended or were erased in the meantime. Reads again, so that the page is full.
    if (texts.length === listed.length || tries === TRIES_MAX)
      return { body: `{"data":[${texts.join(',')}]}`, next: scannedTo }
  }
}

/** Leaves out verifications that were erased, or left the wanted state, after they were listed. */
async function textsOf(
  deps: Needs,
  listed: readonly ListedVersion[],
  wanted: Visibility & {
    readonly realm: Realm
    readonly nowMs?: number
    readonly status?: VerificationStatus | undefined
  },
): Promise<string[]> {
  const { realm, deviceId, nowMs = deps.clock.now(), status } = wanted
  const known = listed.map((one) => deps.listed.find(one, nowMs))
  const ids = listed.filter((_, i) => known[i] === null).map(({ id }) => id)
  const loaded = ids.length === 0 ? [] : await loadVersions(deps.db, realm, { ids, deviceId })
  const fitting = loaded.filter((one) => status === undefined || statusAt(one, nowMs) === status)
  const stored = new Map(fitting.map((one) => [one.id, one]))
  return listed.flatMap((one, i) => {
    const text = known[i] ?? renderStored(deps, stored.get(one.id), nowMs)
    return text === null ? [] : [text]
  })
}

function renderStored(
  deps: Needs,
  stored: (StoredVerification & ListedVersion) | undefined,
  nowMs: number,
): string | null {
  if (stored === undefined) return null
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
