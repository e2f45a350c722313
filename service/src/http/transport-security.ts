// Whether the world reaches us over https, and the header that keeps it so.

import type { Deps } from '../deps.ts'

export const isHttps = ({ config }: Pick<Deps, 'config'>) => config.baseUrl.startsWith('https:')

export const HSTS = { name: 'Strict-Transport-Security', value: 'max-age=63072000; includeSubDomains' } as const
