// Reads the account of the signed-in person.

import type { Deps } from '../../../deps.ts'
import type { Membership } from '../domain/person.ts'
import { hasOidcIdentity } from '../store/oidc.ts'
import { listMemberships, loadPerson } from '../store/people.ts'
import { type PasskeyView, readPasskeys } from './sign-in-with-passkey.ts'

export interface Me {
  readonly tenants: readonly Membership[]
  readonly passkeys: readonly PasskeyView[]
  readonly hasPassword: boolean
  /** Whether an identity at the configured provider is linked to the account. */
  readonly hasOidc: boolean
}

export async function readMe(deps: Pick<Deps, 'db' | 'oidc'>, personId: string): Promise<Me> {
  const [person, tenants, passkeys, hasOidc] = await Promise.all([
    loadPerson(deps.db, personId),
    listMemberships(deps.db, personId),
    readPasskeys(deps, personId),
    deps.oidc === null ? false : hasOidcIdentity(deps.db, personId, deps.oidc.issuer),
  ])
  return { tenants, passkeys, hasPassword: person?.password != null, hasOidc }
}
