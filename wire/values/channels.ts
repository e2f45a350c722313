// The names of formats and channels. Each has a record in the engine or the service; the compiler requires its name here.

export const FORMATS = ['dc+sd-jwt', 'mso_mdoc', 'mso_mdoc_zk'] as const

export const CHANNELS = ['age_link', 'annex_c', 'dc_api', 'redirect'] as const
