// Lists the names of formats and channels. The compiler requires a name here for each record.

export const FORMATS = ['dc+sd-jwt', 'mso_mdoc', 'mso_mdoc_zk'] as const

export const CHANNELS = ['age_link', 'annex_c', 'dc_api', 'redirect'] as const
