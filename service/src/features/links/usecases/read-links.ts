// Reads links for their merchant.

import type { KeyPrincipal, Principal, Reader } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { inTurnIfLong } from '../../../platform/event-loop/in-turn.ts'
import { isLinkId } from '../../../platform/ids.ts'
import { END_OF_TIME, type Instant, instantOf } from '../../../platform/world.ts'
import { type Link, type ListedLink, renderLink, renderLinkForStaff } from '../domain/link.ts'
import { listLinks, loadLink, loadSealedRequests, openRequest } from '../store/links.ts'

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

interface Page {
  readonly limit: number
  /** Only links created before this time; null: from the newest. */
  readonly before: Instant | null
  readonly pay: Reader['pay']
}

/** Returns the body of the response. */
export async function listLinkPage(deps: Needs, realm: Realm, { limit, before, pay }: Page): Promise<string> {
  const now = instantOf(deps.clock.now())
  const texts: string[] = []
  let bound = before ?? END_OF_TIME
  for (let wanted = limit; wanted > 0; ) {
    const listed = await listLinks(deps.db, realm, { limit: wanted, before: bound, now })
    const found = await renderEach(deps, realm, {
      listed,
      pay,
      render: (link) => JSON.stringify(renderLink(link, now)),
    })
    texts.push(...found)
    // If links were deleted in the meantime, older ones fill the page: a shorter one would look like the last.
    wanted = listed.length - found.length
    bound = listed.at(-1)?.createdAt ?? bound
  }
  return `{"data":[${texts.join(',')}]}`
}

/** For the dashboard. `next` is the cursor of the next page; null if there is none. */
export async function readLinkPage(deps: Needs, realm: Realm, { limit, before, pay }: Page) {
  const now = instantOf(deps.clock.now())
  const found = await listLinks(deps.db, realm, { limit: limit + 1, before: before ?? END_OF_TIME, now })
  const listed = found.slice(0, limit)
  const data = await renderEach(deps, realm, { listed, pay, render: (link) => renderLinkForStaff(link, now) })
  return { data, next: found.length > limit ? (listed.at(-1)?.createdAt ?? null) : null }
}

/** How many bytes of requests are loaded, and decrypted in one turn of the event loop; or one request, if it is longer. */
const BYTES_AT_ONCE = 1024 * 1024

/** Leaves out links that were deleted after they were listed. */
async function renderEach<Rendered>(
  { db }: Needs,
  realm: Realm,
  input: {
    readonly listed: readonly ListedLink[]
    readonly pay: Reader['pay']
    readonly render: (link: Link) => Rendered
  },
): Promise<Rendered[]> {
  const { listed, pay, render } = input
  await pay(bytesOf(listed))
  const rendered: Rendered[] = []
  for (const part of partsOf(listed)) {
    const ids = part.map(({ id }) => id)
    const requests = await loadSealedRequests(db, realm, ids)
    await inTurnIfLong(realm.tenantId, bytesOf(part))
    for (const link of part) {
      const sealed = requests.get(link.id)
      if (sealed !== undefined) rendered.push(render({ ...link, request: openRequest(db, link, sealed) }))
    }
  }
  return rendered
}

function partsOf(listed: readonly ListedLink[]): ListedLink[][] {
  const parts: ListedLink[][] = []
  for (const link of listed) {
    const last = parts.at(-1)
    if (last === undefined || bytesOf(last) + link.requestBytes > BYTES_AT_ONCE) parts.push([link])
    else last.push(link)
  }
  return parts
}

const bytesOf = (links: readonly ListedLink[]) => links.reduce((sum, { requestBytes }) => sum + requestBytes, 0)
