// Signs in with a password, and sets a password. Unknown addresses take the same time as wrong passwords.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Sender } from '../../../platform/shares.ts'
import { hashPassword, isPassword, passwordProblem } from '../domain/password.ts'
import { normalEmail } from '../domain/person.ts'
import { listAccounts, lockPerson, type StoredPerson, setPassword } from '../store/people.ts'
import { deleteOtherSessions } from '../store/sessions.ts'
import { openSession, requireSession, type SessionRef, type SignedIn } from './dashboard-sessions.ts'
import { recordFailedSignIns, recordOnTenantsOf } from './record-sign-ins.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

export async function signInWithPassword(
  deps: Needs & Pick<Deps, 'log'>,
  input: {
    readonly email: string
    readonly password: string
    readonly replaces: string | null
    /** The sender whose share of hashing this uses. */
    readonly from: Sender
  },
): Promise<SignedIn> {
  const email = normalEmail(input.email)
  const accounts = email === null ? [] : await listAccounts(deps.db, email)
  try {
    return await openAccount(deps, accounts, input)
  } catch (error) {
    const isFailure = error instanceof Refusal && error.code === 'sign_in_failed'
    if (isFailure)
      recordFailedSignIns(
        deps,
        accounts.map(({ id }) => id),
        'password',
      )
    throw error
  }
}

async function openAccount(
  deps: Needs,
  accounts: readonly StoredPerson[],
  input: { readonly password: string; readonly replaces: string | null; readonly from: Sender },
): Promise<SignedIn> {
  const person = await accountOf(accounts, input.password, input.from)
  if (person === null) throw new Refusal('sign_in_failed')
  return deps.db.transaction(async (tx) => {
    // The password may have been replaced while the old one was hashed.
    const locked = await lockPerson(tx, person.id)
    if (locked === null || locked.password !== person.password) throw new Refusal('sign_in_failed')
    return openSession(deps, tx, { personId: person.id, method: 'password', replaces: input.replaces, proven: 'now' })
  })
}

/** Returns the oldest account with this address and password. Takes the same time if there is no account. */
async function accountOf(
  accounts: readonly StoredPerson[],
  password: string,
  from: Sender,
): Promise<StoredPerson | null> {
  const withPassword = accounts.filter((account) => account.password !== null)
  if (withPassword.length === 0) await isPassword(password, null, from)
  for (const account of withPassword) if (await isPassword(password, account.password, from)) return account
  return null
}

/** Replaces the password, and ends other sessions. */
export async function choosePassword(
  deps: Needs,
  input: { readonly session: SessionRef & { readonly email: string }; readonly password: string },
): Promise<void> {
  const { session } = input
  const kept = await hashNewPassword(deps, input.password, session.email)
  await deps.db.transaction(async (tx) => {
    const person = await requireSession(tx, session)
    await setPassword(tx, person.id, kept)
    await deleteOtherSessions(tx, person, session.id)
    await recordOnTenantsOf(deps, tx, person.id, [{ action: 'user.password_changed' }])
  })
}

/** Returns the hash of a new password. Refuses a password that is too easy. */
export async function hashNewPassword(deps: Pick<Deps, 'random'>, password: string, email: string): Promise<string> {
  if (passwordProblem(password, email) !== null) throw new Refusal('password_not_taken')
  // Uses the account's share of hashing, because the caller has a link or a session.
  return hashPassword(password, { random: deps.random, sender: [email] })
}
