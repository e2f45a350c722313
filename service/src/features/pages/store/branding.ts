// Branding of the tenants' hosted pages.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Branding, Logo } from '../domain/branding/branding.ts'

/** null if nothing was set. */
export async function loadBranding(tx: Tx, realm: Realm): Promise<Branding | null> {
  const [row] = await tx.query<Branding>(
    {
      name: 'load_branding',
      text: `select shown_name as name, colour, support_url as "supportUrl", privacy_url as "privacyUrl", logo_hash as logo
             from tenant_branding where tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}

export async function loadLogo(tx: Tx, realm: Realm): Promise<Logo | null> {
  const [row] = await tx.query<Logo>(
    {
      name: 'load_logo',
      text: `select logo as bytes, logo_type as type, logo_hash as hash from tenant_branding
             where tenant_id = $1 and environment = $2 and logo is not null`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}

/** The logo of the merchant of that verification: its id is the capability. null if there is no such verification, or no logo. */
export async function loadLogoOfAskerAcrossTenants(tx: Tx, verificationId: string): Promise<Logo | null> {
  const [row] = await tx.query<Logo>(
    {
      name: 'load_logo_of_asker',
      text: `select b.logo as bytes, b.logo_type as type, b.logo_hash as hash
             from verifications v
             join tenant_branding b on b.tenant_id = v.tenant_id and b.environment = v.environment
             where v.id = $1 and b.logo is not null`,
    },
    [verificationId],
  )
  return row ?? null
}

/** Replaces all of it; the logo stays if it is to be kept. */
export async function saveBranding(
  tx: Tx,
  realm: Realm,
  saved: { readonly branding: Omit<Branding, 'logo'>; readonly logo: 'keep' | Logo | null; readonly at: Instant },
): Promise<void> {
  const { branding, at } = saved
  const logo = saved.logo === 'keep' ? null : saved.logo
  await tx.query(
    {
      name: 'save_branding',
      text: `insert into tenant_branding as b
               (tenant_id, environment, shown_name, colour, support_url, privacy_url, changed_at, logo, logo_type, logo_hash)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             on conflict (tenant_id, environment) do update
             set shown_name = excluded.shown_name, colour = excluded.colour, support_url = excluded.support_url,
                 privacy_url = excluded.privacy_url, changed_at = excluded.changed_at,
                 logo = case when $11 then b.logo else excluded.logo end,
                 logo_type = case when $11 then b.logo_type else excluded.logo_type end,
                 logo_hash = case when $11 then b.logo_hash else excluded.logo_hash end`,
    },
    [
      realm.tenantId,
      realm.environment,
      branding.name,
      branding.colour,
      branding.supportUrl,
      branding.privacyUrl,
      at,
      logo?.bytes ?? null,
      logo?.type ?? null,
      logo?.hash ?? null,
      saved.logo === 'keep',
    ],
  )
}
