// Decides whether clients reach us over https, and writes the HSTS header.

import type { Deps } from '../../deps.ts'

export const isHttps = ({ config }: Pick<Deps, 'config'>) => config.baseUrl.startsWith('https:')

/** The operator decides about subdomains, which may belong to others and lack https. */
export const hstsOf = ({ config }: Pick<Deps, 'config'>) => ({
  name: 'Strict-Transport-Security',
  value: `max-age=63072000${config.hstsSubdomains ? '; includeSubDomains' : ''}`,
})
