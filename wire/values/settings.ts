// Closed lists and limits of bodies: settings.

/** What it is about, in the order of the page: customers' data, which documents are good enough, how wallets are spoken to. */
export const SETTING_GROUPS = ['data', 'documents', 'protocol'] as const
