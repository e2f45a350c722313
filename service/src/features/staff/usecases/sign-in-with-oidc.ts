// Signing in through the operator's OpenID provider. Somebody who is known there is known by their subject; whoever comes
// for the first time, by the address the provider has verified: an account or an open invitation must be there for it.

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
import { holdAddress, insertPerson, listAccounts, lockPerson, type StoredPerson } from '../store/people.ts'
import { useLinksTo } from '../store/sign-in-links.ts'
import { replaceSignIns } from '../store/sign-in-ways.ts'
import { demandSession, openSession, type SignedIn, type Standing } from './dashboard-sessions.ts'
import type { OwnEvent } from './record-sign-ins.ts'
import { isSomebody, joinAll } from './use-sign-in-link.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'oidc' | 'audit'>

export const OIDC_CALLBACK = '/dashboard/api/sign-in/oidc/callback'

export interface BegunRound {
  readonly url: string
  /** For the browser alone: whoever comes back without it proves nothing. */
  readonly token: string
}

export interface Again {
  readonly person: Person
  readonly session: Standing
}

/** `again`: somebody who is signed in proves once more who they are. */
export async function beginOidcSignIn(deps: Needs, again: Again | null): Promise<BegunRound> {
  const provider = providerOf(deps)
  const token = mintToken(deps.random)
  const asked = await provider.ask({
    round: roundOf(token),
    redirectUri: redirectUriOf(deps),
    again: again?.person ?? null,
  })
  if (asked.outcome !== 'asked') throw new Refusal('oidc_unavailable', { reason: asked.reason })
  const nowMs = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    // Who connects the provider keeps the other ways in: not on the word of a session that has ended.
    const person = again === null ? null : await demandSession(tx, again.session)
    await insertRound(tx, {
      hash: hashSecret(token),
      personId: person?.id ?? null,
      askedAt: instantOf(nowMs),
      expiresAt: instantOf(nowMs + ROUND_MS),
    })
  })
  return { url: asked.url, token }
}

/** For the operator: what is wrong with the provider, as far as its own description tells. null: none is configured. */
export async function canAskProvider(
  deps: Pick<Deps, 'oidc' | 'config' | 'random'>,
): Promise<{ readonly issuer: string; readonly failure: string | null } | null> {
  if (deps.oidc === null) return null
  const round = roundOf(mintToken(deps.random))
  const asked = await deps.oidc.ask({ round, redirectUri: redirectUriOf(deps), again: null })
  return { issuer: deps.oidc.issuer, failure: asked.outcome === 'asked' ? null : asked.reason }
}

export interface Return {
  /** null: the browser that came back has none. */
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
  if (spent === null) throw new Refusal('oidc_round_lost', { reason: 'spent or too late' })
  const proof = await provider.prove({
    round,
    parameters,
    redirectUri: redirectUriOf(deps),
    askedMs: millisecondsOf(spent.askedAt),
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
  /** The person who was to prove it once more; null: anybody who may. */
  readonly expected: string | null
}

interface ProvenPerson {
  readonly personId: string
  /** For the trails: what came with the first sign-in. */
  readonly events?: readonly OwnEvent[]
  readonly ofTenant?: ReadonlyMap<string, readonly OwnEvent[]>
}

async function provenPerson(deps: Needs, tx: Tx, signIn: ProvenSignIn): Promise<ProvenPerson> {
  const { expected, provider, proof } = signIn
  const known = await heldPerson(tx, { issuer: provider.issuer, subject: proof.subject })
  const person = known === null ? await boundPerson(deps, tx, signIn) : { personId: known }
  if (expected !== null && person.personId !== expected) throw new Refusal('oidc_other_person')
  return person
}

/** With the row held, and asked again: an operator's link may have released the binding meanwhile. */
async function heldPerson(tx: Tx, identity: OidcIdentity): Promise<string | null> {
  const known = await loadOidcPerson(tx, identity)
  if (known === null) return null
  await lockPerson(tx, known)
  return (await loadOidcPerson(tx, identity)) === known ? known : null
}

/** Binds the subject to the one who has the address, once and for all. */
async function boundPerson(deps: Needs, tx: Tx, { provider, proof, expected }: ProvenSignIn): Promise<ProvenPerson> {
  const email = proof.email === null ? null : addressOf(proof.email)
  if (email === null) throw new Refusal('oidc_email_not_verified')
  const now = instantOf(deps.clock.now())
  await holdAddress(tx, email)
  const accounts = await listAccounts(tx, email)
  const before = expected === null ? await likelyAccount(tx, accounts) : accounts.find(({ id }) => id === expected)
  if (expected !== null && before === undefined) throw new Refusal('oidc_other_person')
  const hasAccount = before !== undefined && (await isSomebody(tx, before.id))
  // Who has an account accepts invitations one by one: else any company could pull people in.
  const invitations = hasAccount ? [] : await useLinksTo(tx, email, now)
  const held = before === undefined ? null : await lockPerson(tx, before.id)
  const person = held ?? (await insertPerson(tx, { id: newPersonId(deps.random), email, openedBy: null, now }))
  const identity = { issuer: provider.issuer, subject: proof.subject }
  // Asked again now that the row is held: they may have come in by another window meanwhile.
  if ((await loadOidcPerson(tx, identity)) === person.id) return { personId: person.id }
  if (!hasAccount && invitations.length === 0) throw new Refusal('oidc_not_invited')
  // An address may be given to another employee; the account behind it is not given along.
  if (await hasOidcIdentity(tx, person.id, provider.issuer)) throw new Refusal('oidc_account_bound')
  // Nobody had proven to own this address: whoever took it before, by an invitation of their own making, is out.
  if (expected === null) await replaceSignIns(tx, person.id, null)
  if (!(await insertOidcIdentity(tx, { ...identity, personId: person.id, now })))
    throw new Refusal('oidc_account_bound')
  const ofTenant = await joinAll(deps, tx, { links: invitations, person })
  return { personId: person.id, events: expected === null ? [{ action: 'user.sign_ins_replaced' }] : [], ofTenant }
}

/**
 * The account that is bound at a first sign-in: one that no tenant opened, else the only one there is. Of several that tenants
 * opened any may be a squatter's, and being bound is for good: then none of them, and whoever has one connects the
 * provider while signed in. Accounts that are nobody's do not count; undefined: a new one is made.
 */
async function likelyAccount(tx: Tx, accounts: readonly StoredPerson[]): Promise<StoredPerson | undefined> {
  const own = accounts.find(({ openedBy }) => openedBy === null)
  if (own !== undefined && (await isSomebody(tx, own.id))) return own
  const taken: StoredPerson[] = []
  for (const account of accounts) {
    if (await isSomebody(tx, account.id)) taken.push(account)
  }
  return taken.length === 1 ? taken[0] : own
}

/** null: no address, or one that only folding makes equal to another (a Kelvin sign is no k). */
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
