// Whether the world reaches us over https, and the header that keeps it so.

import type { Deps } from '../../deps.ts'

export const isHttps = ({ config }: Pick<Deps, 'config'>) => config.baseUrl.startsWith('https:')

/** Names below ours may be somebody else's, and not speak https: only the operator knows. */
export const hstsOf = ({ config }: Pick<Deps, 'config'>) => ({
  name: 'Strict-Transport-Security',
  value: `max-age=63072000${config.hstsSubdomains ? '; includeSubDomains' : ''}`,
})
