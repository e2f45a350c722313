// A tenant's wallet settings: columns of its row.

import type { WalletSettings } from '../domain/wallet-settings.ts'
import type { Tx } from './db.ts'

export const SETTINGS_COLUMNS =
  't.client_id_prefix, t.response_mode as tenant_response_mode, t.haip, t.wallet_rejection_status, t.status_policy_test, t.status_policy_live'

export interface SettingsRow {
  client_id_prefix: WalletSettings['clientIdPrefix']
  tenant_response_mode: WalletSettings['responseMode']
  haip: boolean
  wallet_rejection_status: WalletSettings['rejectionStatus']
  status_policy_test: WalletSettings['statusPolicy']['test']
  status_policy_live: WalletSettings['statusPolicy']['live']
}

export async function loadWalletSettings(tx: Tx, tenantId: string): Promise<WalletSettings | null> {
  const [row] = await tx.query<SettingsRow>(
    { name: 'load_wallet_settings', text: `select ${SETTINGS_COLUMNS} from tenants t where t.id = $1` },
    [tenantId],
  )
  return row === undefined ? null : toSettings(row)
}

/** False when there is no such tenant. */
export async function updateWalletSettings(tx: Tx, tenantId: string, settings: WalletSettings): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'update_wallet_settings',
      text: `update tenants set client_id_prefix = $2, response_mode = $3, haip = $4, wallet_rejection_status = $5,
                    status_policy_test = $6, status_policy_live = $7 where id = $1 returning id`,
    },
    [
      tenantId,
      settings.clientIdPrefix,
      settings.responseMode,
      settings.haip,
      settings.rejectionStatus,
      settings.statusPolicy.test,
      settings.statusPolicy.live,
    ],
  )
  return rows.length === 1
}

export function toSettings(row: SettingsRow): WalletSettings {
  return {
    clientIdPrefix: row.client_id_prefix,
    responseMode: row.tenant_response_mode,
    haip: row.haip,
    rejectionStatus: row.wallet_rejection_status,
    statusPolicy: { test: row.status_policy_test, live: row.status_policy_live },
  }
}
