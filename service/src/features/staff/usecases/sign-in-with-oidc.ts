// Signs staff in through the operator's provider: by subject, or the first time by a verified and invited address.

import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newPersonId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { ROUND_MS, roundOf } from '../domain/oidc.ts'
import { normalEmail, type Person } from '../domain/person.ts'
import { looksLikeToken, mintToken } from '../domain/session.ts'
import type { OidcProof, OidcProvider } from '../outbound/provider.ts'
import {
  hasOidcIdentity,
  insertOidcIdentity,
  insertRound,
  loadOidcPerson,
  type OidcIdentity,
  spendRound,
} from '../store/oidc.ts'
import { insertPerson, listAccounts, lockAddress, lockPerson, type StoredPerson } from '../store/people.ts'
import { useLinksTo } from '../store/sign-in-links.ts'
import { replaceSignIns } from '../store/sign-in-methods.ts'
import { openSession, requireSession, type SessionRef, type SignedIn } from './dashboard-sessions.ts'
import type { OwnEvent } from './record-sign-ins.ts'
import { isAccountInUse, joinAll } from './use-sign-in-link.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'oidc' | 'audit'>

const OIDC_CALLBACK = '/dashboard/api/sign-in/oidc/callback'

interface BegunRound {
  readonly url: string
  /** The browser keeps the token, and the callback requires it. */
  readonly token: string
}

export interface Again {
  readonly person: Person
  readonly session: SessionRef
}

/** `again`: the signed-in person who authenticates again. */
export async function beginOidcSignIn(deps: Needs, again: Again | null): Promise<BegunRound> {
  const provider = providerOf(deps)
  const token = mintToken(deps.random)
  const redirect = await provider.ask({
    round: roundOf(token),
    redirectUri: redirectUriOf(deps),
    again: again?.person ?? null,
  })
  if (redirect.outcome !== 'ready') throw new Refusal('oidc_unavailable', { reason: redirect.reason })
  const nowMs = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    // Requires a session that has not ended, because the account keeps its other sign-in methods.
    const person = again === null ? null : await requireSession(tx, again.session)
    await insertRound(tx, {
      hash: hashSecret(token),
      personId: person?.id ?? null,
      startedAt: instantOf(nowMs),
      expiresAt: instantOf(nowMs + ROUND_MS),
    })
  })
  return { url: redirect.url, token }
}

/** For the operator: what is wrong with the provider's metadata. Returns null if no provider is configured. */
export async function canAskProvider(
  deps: Pick<Deps, 'oidc' | 'config' | 'random'>,
): Promise<{ readonly issuer: string; readonly failure: string | null } | null> {
  if (deps.oidc === null) return null
  const round = roundOf(mintToken(deps.random))
  const redirect = await deps.oidc.ask({ round, redirectUri: redirectUriOf(deps), again: null })
  return { issuer: deps.oidc.issuer, failure: redirect.outcome === 'ready' ? null : redirect.reason }
}

export interface Return {
  /** null: the browser that came back has no token. */
  readonly token: string | null
  readonly parameters: URLSearchParams
  readonly replaces: string | null
}

export async function finishOidcSignIn(deps: Needs, back: Return): Promise<SignedIn> {
  const provider = providerOf(deps)
  const { token, parameters } = back
  if (token === null || !looksLikeToken(token)) throw new Refusal('oidc_round_lost', { reason: 'no cookie' })
  const round = roundOf(token)
  const states = parameters.getAll('state')
  if (states.length !== 1 || states[0] !== round.state)
    throw new Refusal('oidc_round_lost', { reason: 'another state' })
  const spent = await spendRound(deps.db, hashSecret(token), instantOf(deps.clock.now()))
  if (spent === null) throw new Refusal('oidc_round_lost', { reason: 'used or too late' })
  const proof = await provider.prove({
    round,
    parameters,
    redirectUri: redirectUriOf(deps),
    startedMs: millisecondsOf(spent.startedAt),
    again: spent.personId !== null,
  })
  if (proof.outcome !== 'proven') throw new Refusal(REFUSALS[proof.outcome], { reason: proof.reason })
  return deps.db.transaction(async (tx) => {
    const person = await provenPerson(deps, tx, { provider, proof, expected: spent.personId })
    const { authenticatedMs } = proof
    const proven = authenticatedMs === null ? null : instantOf(authenticatedMs)
    return openSession(deps, tx, { ...person, method: 'oidc', replaces: back.replaces, proven })
  })
}

const REFUSALS = {
  declined: 'oidc_declined',
  unavailable: 'oidc_unavailable',
  not_proven: 'oidc_not_proven',
} as const

interface ProvenSignIn {
  readonly provider: OidcProvider
  readonly proof: OidcProof
  /** The only person who may authenticate; null: any permitted person. */
  readonly expected: string | null
}

interface ProvenPerson {
  readonly personId: string
  /** Events of the first sign-in, for the audit trails. */
  readonly events?: readonly OwnEvent[]
  readonly ofTenant?: ReadonlyMap<string, readonly OwnEvent[]>
}

async function provenPerson(deps: Needs, tx: Tx, signIn: ProvenSignIn): Promise<ProvenPerson> {
  const { expected, provider, proof } = signIn
  const known = await lockedPerson(tx, { issuer: provider.issuer, subject: proof.subject })
  const person = known === null ? await boundPerson(deps, tx, signIn) : { personId: known }
  if (expected !== null && person.personId !== expected) throw new Refusal('oidc_other_person')
  return person
}

/** Reads the identity again under a lock: an operator's link may have removed it in the meantime. */
async function lockedPerson(tx: Tx, identity: OidcIdentity): Promise<string | null> {
  const known = await loadOidcPerson(tx, identity)
  if (known === null) return null
  await lockPerson(tx, known)
  return (await loadOidcPerson(tx, identity)) === known ? known : null
}

/** Binds the subject permanently to the person who owns the address. */
async function boundPerson(deps: Needs, tx: Tx, { provider, proof, expected }: ProvenSignIn): Promise<ProvenPerson> {
  const email = proof.email === null ? null : addressOf(proof.email)
  if (email === null) throw new Refusal('oidc_email_not_verified')
  const now = instantOf(deps.clock.now())
  await lockAddress(tx, email)
  const accounts = await listAccounts(tx, email)
  const before = expected === null ? await likelyAccount(tx, accounts) : accounts.find(({ id }) => id === expected)
  if (expected !== null && before === undefined) throw new Refusal('oidc_other_person')
  const hasAccount = before !== undefined && (await isAccountInUse(tx, before.id))
  // People with an account accept invitations themselves. Otherwise any company could add them to its staff.
  const invitations = hasAccount ? [] : await useLinksTo(tx, email, now)
  const locked = before === undefined ? null : await lockPerson(tx, before.id)
  const person = locked ?? (await insertPerson(tx, { id: newPersonId(deps.random), email, openedBy: null, now }))
  const identity = { issuer: provider.issuer, subject: proof.subject }
  // Checked again under the lock: the person may have signed in elsewhere in the meantime.
  if ((await loadOidcPerson(tx, identity)) === person.id) return { personId: person.id }
  if (!hasAccount && invitations.length === 0) throw new Refusal('oidc_not_invited')
  // The company may have given the address to another employee, who must not get the account.
  if (await hasOidcIdentity(tx, person.id, provider.issuer)) throw new Refusal('oidc_account_bound')
  // The person had not proven this address before. Its earlier users, who may have invited themselves, lose access.
  if (expected === null) await replaceSignIns(tx, person.id, null)
  if (!(await insertOidcIdentity(tx, { ...identity, personId: person.id, now })))
    throw new Refusal('oidc_account_bound')
  const ofTenant = await joinAll(deps, tx, { links: invitations, person })
  return { personId: person.id, events: expected === null ? [{ action: 'user.sign_ins_replaced' }] : [], ofTenant }
}

/**
 * Returns the account to bind at a first sign-in: the one that no tenant opened, or else the only one in use. Any of
 * several may be a squatter's, so none is bound: the owner connects the provider while signed in. undefined: create an
 * account.
 */
async function likelyAccount(tx: Tx, accounts: readonly StoredPerson[]): Promise<StoredPerson | undefined> {
  const own = accounts.find(({ openedBy }) => openedBy === null)
  if (own !== undefined && (await isAccountInUse(tx, own.id))) return own
  const taken: StoredPerson[] = []
  for (const account of accounts) {
    if (await isAccountInUse(tx, account.id)) taken.push(account)
  }
  return taken.length === 1 ? taken[0] : own
}

/**
 * Returns null for anything but an address. Also refuses a text that equals an address only after case folding: a
 * Kelvin sign is not a k.
 */
function addressOf(text: string): string | null {
  const email = normalEmail(text)
  const isAscii = (value: string) => /^[\x20-\x7e]*$/.test(value)
  return email !== null && isAscii(email) === isAscii(text) ? email : null
}

function providerOf(deps: Pick<Deps, 'oidc'>): OidcProvider {
  if (deps.oidc === null) throw new Refusal('not_found')
  return deps.oidc
}

const redirectUriOf = (deps: Pick<Deps, 'config'>): string => `${deps.config.baseUrl}${OIDC_CALLBACK}`
