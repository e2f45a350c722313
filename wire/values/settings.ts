// Lists the groups of the settings page.

/** The groups of the settings page, in order: customers' data, accepted documents, how wallets are asked. */
export const SETTING_GROUPS = ['data', 'documents', 'protocol'] as const
