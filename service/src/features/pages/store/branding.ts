// Stores the branding of tenants' pages.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isDay, SINGLY, toDays } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { findById } from '../../../platform/postgres/routed.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Branding, Logo, Logos, ReadLogos } from '../domain/branding/branding.ts'

/** null if nothing was set. */
export async function loadBranding(tx: Tx, realm: Realm): Promise<Branding | null> {
  const [row] = await tx.query<Branding>(
    {
      name: 'load_branding',
      text: `select shown_name as name, colour, background, radius, font, support_url as "supportUrl",
                    privacy_url as "privacyUrl", help_text as "helpText", logo_hash as logo, logo_dark_hash as "logoDark"
             from tenant_branding where tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}

interface LogoRow {
  readonly bytes: Buffer | null
  readonly type: Logo['type']
  readonly hash: string
  readonly dark_bytes: Buffer | null
  readonly dark_type: Logo['type']
  readonly dark_hash: string
}

const LOGO_COLUMNS = `b.logo as bytes, b.logo_type as type, b.logo_hash as hash,
  b.logo_dark as dark_bytes, b.logo_dark_type as dark_type, b.logo_dark_hash as dark_hash`

export async function loadLogos(tx: Tx, realm: Realm): Promise<Logos> {
  const [row] = await tx.query<LogoRow>(
    {
      name: 'load_logos',
      text: `select ${LOGO_COLUMNS} from tenant_branding b where b.tenant_id = $1 and b.environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  return toLogos(row ?? null)
}

const LOAD_LOGOS_OF_ASKER = {
  name: 'load_logos_of_asker',
  text: `select ${LOGO_COLUMNS} from (select * from verifications where id = $1 and ${isDay('day', '$3')} offset 0) v
         left join tenant_branding b on b.tenant_id = v.tenant_id and b.environment = v.environment
         where v.tenant_id = $2`,
}
const LOAD_LOGOS_OF_ASKER_ACROSS_TENANTS = {
  name: 'load_logos_of_asker_across_tenants',
  text: `select ${LOGO_COLUMNS} from verifications v
         left join tenant_branding b on b.tenant_id = v.tenant_id and b.environment = v.environment
         where v.id = $1 and v.day = 0`,
}

/** Loads the logos of the merchant that created this verification. Knowing the id is the right to see them. */
export async function loadLogosOfAskerAcrossTenants(tx: Tx, verificationId: string): Promise<Logos> {
  return toLogos(
    await findById<LogoRow>(tx.sealer, verificationId, {
      inTenant: ({ tenantId, day }) => tx.query(toDays(LOAD_LOGOS_OF_ASKER, [day]), [verificationId, tenantId, day]),
      acrossTenants: () => tx.query(toDays(LOAD_LOGOS_OF_ASKER_ACROSS_TENANTS, [SINGLY]), [verificationId]),
    }),
  )
}

const toLogos = (row: LogoRow | null): Logos => ({
  logo: row === null || row.bytes === null ? null : { bytes: row.bytes, type: row.type, hash: row.hash },
  logoDark:
    row === null || row.dark_bytes === null
      ? null
      : { bytes: row.dark_bytes, type: row.dark_type, hash: row.dark_hash },
})

/** Replaces all columns, except logos that are `keep`. */
export async function saveBranding(
  tx: Tx,
  realm: Realm,
  saved: { readonly branding: Branding; readonly logos: ReadLogos; readonly at: Instant },
): Promise<void> {
  const { branding, logos, at } = saved
  const [logo, dark] = [logos.logo, logos.logoDark].map((one) => (one === 'keep' ? null : one))
  await tx.query(
    {
      name: 'save_branding',
      text: `insert into tenant_branding as b
               (tenant_id, environment, shown_name, colour, support_url, privacy_url, changed_at, logo, logo_type, logo_hash,
                background, radius, font, help_text, logo_dark, logo_dark_type, logo_dark_hash)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12, $13, $14, $15, $16, $17, $18)
             on conflict (tenant_id, environment) do update
             set shown_name = excluded.shown_name, colour = excluded.colour, support_url = excluded.support_url,
                 privacy_url = excluded.privacy_url, changed_at = excluded.changed_at,
                 background = excluded.background, radius = excluded.radius, font = excluded.font,
                 help_text = excluded.help_text,
                 logo = case when $11 then b.logo else excluded.logo end,
                 logo_type = case when $11 then b.logo_type else excluded.logo_type end,
                 logo_hash = case when $11 then b.logo_hash else excluded.logo_hash end,
                 logo_dark = case when $19 then b.logo_dark else excluded.logo_dark end,
                 logo_dark_type = case when $19 then b.logo_dark_type else excluded.logo_dark_type end,
                 logo_dark_hash = case when $19 then b.logo_dark_hash else excluded.logo_dark_hash end`,
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
      logos.logo === 'keep',
      branding.background,
      branding.radius,
      branding.font,
      branding.helpText,
      dark?.bytes ?? null,
      dark?.type ?? null,
      dark?.hash ?? null,
      logos.logoDark === 'keep',
    ],
  )
}
