// Which types of credentials a query takes, whatever its format calls them.

import type { CredentialQuery } from '@vidimus/engine'

export function askedTypes(query: CredentialQuery): readonly string[] {
  switch (query.format) {
    case 'dc+sd-jwt':
      return query.meta.vct_values
    case 'mso_mdoc':
      return [query.meta.doctype_value]
  }
}
