// Revokes a link: it creates no more verifications, and a mail with it that waits is not sent. Existing verifications continue.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isLinkId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import { endMailsAbout } from '../../mail/index.ts'
import { renderLink } from '../domain/link.ts'
import { loadLink, markRevoked } from '../store/links.ts'

/** Revoking again returns the same link, and is recorded once. */
export async function revokeLink(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  { realm, id, actor }: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
) {
  if (!isLinkId(id)) throw new Refusal('link_not_found')
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const isNew = await markRevoked(tx, realm, { id, at: now })
    const link = await loadLink(tx, realm, { id, now })
    if (link === null) throw new Refusal('link_not_found')
    if (isNew) await endMailsAbout(tx, link.tenantId, id)
    const object = { type: 'link', id }
    if (isNew) await deps.audit.record(tx, link, { now, action: 'link.revoked', actor, object })
    return renderLink(link, now)
  })
}
