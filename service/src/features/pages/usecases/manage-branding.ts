// Reads, checks and changes the look of a realm's pages, with an audit entry.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { lockTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import {
  type Branding,
  type BrandingDraft,
  type BrandingProblem,
  type Logos,
  NO_BRANDING,
  readDraft,
  renderBranding,
} from '../domain/branding/branding.ts'
import { loadBranding, loadLogos, loadLogosOfAskerAcrossTenants, saveBranding } from '../store/branding.ts'

export async function readBranding(deps: Pick<Deps, 'db'>, realm: Realm): Promise<Branding> {
  return (await loadBranding(deps.db, realm)) ?? NO_BRANDING
}

export const readLogos = (deps: Pick<Deps, 'db'>, realm: Realm): Promise<Logos> => loadLogos(deps.db, realm)

/** Returns the logos that a verification's hosted page shows. */
export async function readLogosOfAsker(deps: Pick<Deps, 'db'>, verificationId: string): Promise<Logos> {
  return isVerificationId(verificationId) ? loadLogosOfAskerAcrossTenants(deps.db, verificationId) : NO_LOGOS
}

const NO_LOGOS: Logos = { logo: null, logoDark: null }

export type BrandingChange =
  | { readonly outcome: 'changed'; readonly branding: Branding }
  | { readonly outcome: 'refused'; readonly problem: BrandingProblem; readonly what: string | null }
  | { readonly outcome: 'no_tenant' }

/** `draft` builds the new branding from the current one, so that a caller can change one member only. */
export async function changeBranding(
  deps: Pick<Deps, 'db' | 'clock' | 'audit'>,
  input: {
    readonly realm: Realm
    readonly actor: AuditActor
    readonly draft: (now: Branding) => BrandingDraft
  },
): Promise<BrandingChange> {
  const { realm, actor, draft } = input
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx): Promise<BrandingChange> => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return { outcome: 'no_tenant' }
    const before = (await loadBranding(tx, realm)) ?? NO_BRANDING
    const read = readDraft(draft(before))
    if (read.outcome === 'refused') return read
    const { logo, logoDark } = read.logos
    const branding: Branding = {
      ...read.look,
      logo: logo === 'keep' ? before.logo : (logo?.hash ?? null),
      logoDark: logoDark === 'keep' ? before.logoDark : (logoDark?.hash ?? null),
    }
    await saveBranding(tx, realm, { branding, logos: read.logos, at: now })
    const object = { type: 'branding', id: realm.environment }
    const events = [{ action: 'branding.changed', actor, object, details: renderBranding(branding) } as const]
    await deps.audit.recordAll(tx, realm, { now, events })
    return { outcome: 'changed', branding }
  })
}
