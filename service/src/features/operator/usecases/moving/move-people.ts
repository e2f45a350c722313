// Copies the accounts of a tenant's staff. Passwords and identities are copied only while the tenant is stopped.

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
  /** Ids of people there, by their id here. */
  readonly people: ReadonlyMap<string, string>
  /** How many accounts stay behind, because another company opened them. */
  readonly left: number
}

type Between = Pick<Copying, 'source' | 'target' | 'tenantId'>

/** `isClosed`: passwords and identities do not change any more, so they are copied, too. */
export async function copyPeople(
  between: Between,
  { isClosed }: { readonly isClosed: boolean },
): Promise<CopiedPeople> {
  const { source, tenantId } = between
  const staff = await readStaff(source, tenantId)
  const coming = staff.filter((account) => isMoving(account, tenantId))
  const people = new Map<string, string>()
  await changeThere(between, async (tx) => {
    if (!isClosed) await withdrawSignIns(tx, tenantId)
    for (const account of coming) people.set(account.id, await copyAccount(tx, account, { tenantId, isClosed }))
  })
  return { people, left: staff.length - coming.length }
}

const isMoving = ({ openedBy }: Account, tenantId: string) => openedBy === null || openedBy === tenantId

/**
 * An account that is used there, or that only has the same address, gets no password and no identity: it may belong to
 * another person.
 */
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

/** Deletes accounts of people who left the team since an earlier copy. Runs after the rows that may name them. */
export const deleteLeftPeople = (between: Between, { people }: CopiedPeople): Promise<void> =>
  changeThere(between, (tx) => deleteCopiedAccounts(tx, between.tenantId, [...people.values()]))

/** Describes accounts that differ from those here. Only valid once they do not change any more. */
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
