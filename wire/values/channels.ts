// Formats and channels by their names: each has its record in the engine or the service, and the compiler demands its name here.

export const FORMATS = ['dc+sd-jwt', 'mso_mdoc', 'mso_mdoc_zk'] as const

export const CHANNELS = ['age_link', 'annex_c', 'dc_api', 'redirect'] as const
