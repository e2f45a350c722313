// The staff of a tenant that moves. A rehearsal copies their accounts without anything to sign in with. Passwords and identities at
// providers come in the pass of the stop, as they are then, and end what was begun with the account before.

import type { Tx } from '../../../../platform/postgres/db.ts'
import {
  type Account,
  deleteCopiedAccounts,
  lockAccountThere,
  readCopiedAccounts,
  readStaff,
  withdrawSignIns,
  writeAccount,
  writeBareAccount,
} from '../../store/moved-accounts.ts'
import { type Copying, changeThere } from './copy-rows.ts'

export interface CopiedPeople {
  /** Ids of people here, and there. */
  readonly people: ReadonlyMap<string, string>
  /** Staff whose account another company opened. */
  readonly left: number
}

type Between = Pick<Copying, 'source' | 'target' | 'tenantId'>

/** `isClosed`: how they sign in does not change now, so that is copied too. */
export async function copyPeople(
  between: Between,
  { isClosed }: { readonly isClosed: boolean },
): Promise<CopiedPeople> {
  const { source, tenantId } = between
  const staff = await readStaff(source, tenantId)
  const coming = staff.filter((account) => comesAlong(account, tenantId))
  const people = new Map<string, string>()
  await changeThere(between, async (tx) => {
    if (!isClosed) await withdrawSignIns(tx, tenantId)
    for (const account of coming) people.set(account.id, await copyAccount(tx, account, { tenantId, isClosed }))
  })
  return { people, left: staff.length - coming.length }
}

const comesAlong = ({ openedBy }: Account, tenantId: string) => openedBy === null || openedBy === tenantId

/** Who has the address there need not be who has it here, and an account that is used there is its owner's: neither gets a sign-in. */
async function copyAccount(
  tx: Tx,
  account: Account,
  { tenantId, isClosed }: { readonly tenantId: string; readonly isClosed: boolean },
): Promise<string> {
  const there = await lockAccountThere(tx, account)
  if (there !== null && (there.id !== account.id || there.isUsed)) return there.id
  await (isClosed ? writeAccount : writeBareAccount)(tx, account, tenantId)
  return account.id
}

/** Accounts of people who left the team since an earlier copy. After the rows that may name them. */
export const deleteLeftPeople = (between: Between, { people }: CopiedPeople): Promise<void> =>
  changeThere(between, (tx) => deleteCopiedAccounts(tx, between.tenantId, [...people.values()]))

/** In words, once they no longer change: accounts there that are not as here. */
export async function findPeopleProblems({ source, target, tenantId }: Between): Promise<string[]> {
  const here = new Map((await readStaff(source, tenantId)).map((account) => [account.id, account]))
  const wrong = (await readCopiedAccounts(target, tenantId)).filter((copy) => !isSame(here.get(copy.id), copy))
  return wrong.length === 0 ? [] : [`people: ${wrong.length} accounts differ`]
}

function isSame(account: Account | undefined, copy: Account): boolean {
  if (account === undefined) return false
  const names = new Set(account.identities.map(({ issuer, subject }) => JSON.stringify([issuer, subject])))
  return (
    account.email === copy.email &&
    account.password === copy.password &&
    account.openedBy === copy.openedBy &&
    account.createdAt === copy.createdAt &&
    copy.identities.every(({ issuer, subject }) => names.has(JSON.stringify([issuer, subject])))
  )
}
