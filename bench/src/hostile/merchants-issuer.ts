// Provides an issuer that a merchant installed, and a query that many of its driving licences answer.

import { parseQuery } from '@vidimus/engine'
import { MDL, MDL_SPACE } from '../../../engine/test/mdoc/mint-mdoc.ts'
import { mintAuthority, mintSigner } from '../../../engine/test/trust/mint-pki.ts'

export const authority = mintAuthority({ subject: { CN: 'Authority of a merchant', C: 'UT' } })
export const signer = mintSigner(authority)
export const query = parseQuery({
  credentials: [
    {
      id: 'licence',
      format: 'mso_mdoc',
      multiple: true,
      meta: { doctype_value: MDL },
      claims: [{ path: [MDL_SPACE, 'given_name'] }],
    },
  ],
})
