// Reads links for their merchant.

import type { KeyPrincipal, Principal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isLinkId } from '../../../platform/ids.ts'
import { END_OF_TIME, type Instant, instantOf } from '../../../platform/world.ts'
import { renderLink, renderLinkForStaff } from '../domain/link.ts'
import { listLinks, loadLink } from '../store/links.ts'

type Needs = Pick<Deps, 'db' | 'clock'>

/** Devices have the same scopes for their own verifications, but links belong to the merchant. */
export function requireApiKey(principal: Principal): KeyPrincipal {
  if (principal.kind === 'api_key') return principal
  throw new Refusal('insufficient_scope', { message: 'Only an API key can use links, not a device.' })
}

export async function readLink({ db, clock }: Needs, realm: Realm, id: string) {
  const now = instantOf(clock.now())
  const link = isLinkId(id) ? await loadLink(db, realm, { id, now }) : null
  if (link === null) throw new Refusal('link_not_found')
  return renderLink(link, now)
}

/** `before`: only links created before this time; null: from the newest. */
export async function listLinkPage(
  { db, clock }: Needs,
  realm: Realm,
  { limit, before }: { readonly limit: number; readonly before: Instant | null },
) {
  const now = instantOf(clock.now())
  const links = await listLinks(db, realm, { limit, before: before ?? END_OF_TIME, now })
  return links.map((link) => renderLink(link, now))
}

/** For the dashboard. `next` is the cursor of the next page; null if there is none. */
export async function readLinkPage(
  { db, clock }: Needs,
  realm: Realm,
  { limit, before }: { readonly limit: number; readonly before: Instant | null },
) {
  const now = instantOf(clock.now())
  const links = await listLinks(db, realm, { limit: limit + 1, before: before ?? END_OF_TIME, now })
  const data = links.slice(0, limit).map((link) => renderLinkForStaff(link, now))
  return { data, next: links.length > limit ? (data.at(-1)?.created_at ?? null) : null }
}
