// What somebody may know of their own account.

import type { Deps } from '../deps.ts'
import type { Membership } from '../domain/person.ts'
import { listMemberships, loadPerson } from '../store/people.ts'
import { type PasskeyView, readPasskeys } from './sign-in-with-passkey.ts'

export interface Me {
  readonly tenants: readonly Membership[]
  readonly passkeys: readonly PasskeyView[]
  readonly hasPassword: boolean
}

export async function readMe(deps: Pick<Deps, 'db'>, personId: string): Promise<Me> {
  const [person, tenants, passkeys] = await Promise.all([
    loadPerson(deps.db, personId),
    listMemberships(deps.db, personId),
    readPasskeys(deps, personId),
  ])
  return { tenants, passkeys, hasPassword: person?.password != null }
}
