// Signs in with passkeys (WebAuthn Level 3), and adds and removes them.

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf } from '../../../platform/world.ts'
import type { Person } from '../domain/person.ts'
import { CHALLENGE_MS } from '../domain/session.ts'
import {
  deletePasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  loadPasskey,
  notePasskeyUse,
  type Passkey,
  spendChallenge,
} from '../store/passkeys.ts'
import { lockPerson } from '../store/people.ts'
import { openSession, requireSession, type SessionRef, type SignedIn } from './dashboard-sessions.ts'
import { recordFailedSignIns, recordOnTenantsOf } from './record-sign-ins.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'audit'>

const RP_NAME = 'Vidimus'
/** Imported at the first use, because it takes a quarter of the service's load time. */
const webauthn = () => import('@simplewebauthn/server')
/** COSE: EdDSA, ES256, RS256. Every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257]

/**
 * Returns options for the authenticator, which reveal nothing about a person. A discoverable key with user verification
 * proves two factors in one step, without a user name.
 */
export async function askForPasskey(deps: Needs): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: rpId(deps),
    userVerification: 'required',
    challenge: challengeBytes(deps),
  })
  await noteChallenge(deps, options.challenge, null)
  return options
}

/** WebAuthn §4: at most 1023 bytes, encoded as base64url. */
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{1,1364}$/

export async function signInWithPasskey(
  deps: Needs & Pick<Deps, 'log'>,
  input: { readonly response: unknown; readonly replaces: string | null },
): Promise<SignedIn> {
  const response = input.response as AuthenticationResponseJSON
  const known = typeof response?.id === 'string' && CREDENTIAL_ID.test(response.id)
  const passkey = known ? await loadPasskey(deps.db, response.id) : null
  if (passkey === null) throw new Refusal('sign_in_failed')
  const counter = await judgedCounter(deps, passkey, response)
  if (counter === null) {
    recordFailedSignIns(deps, [passkey.personId], 'passkey')
    throw new Refusal('sign_in_failed')
  }
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    // Lock order: the person before the passkey, as when all passkeys are removed.
    await lockPerson(tx, passkey.personId)
    if (!(await notePasskeyUse(tx, { id: passkey.id, counter, before: passkey.counter, now }))) {
      throw new Refusal('sign_in_failed')
    }
    const { personId } = passkey
    return openSession(deps, tx, { personId, method: 'passkey', replaces: input.replaces, proven: 'now' })
  })
}

/** Returns the counter to store; null if the passkey did not answer a challenge of ours. */
async function judgedCounter(
  deps: Needs,
  passkey: Passkey,
  response: AuthenticationResponseJSON,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await webauthn()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => spend(deps, challenge, null),
      expectedOrigin: originOf(deps),
      expectedRPID: rpId(deps),
      requireUserVerification: true,
      credential: { id: passkey.id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    // The library throws for a malformed or a mismatched response. Both have the same result.
    return null
  }
}

export async function preparePasskey(deps: Needs, person: Person): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await webauthn()
  const known = await listPasskeys(deps.db, person.id)
  const options = await generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: rpId(deps),
    userName: person.email,
    userID: new Uint8Array(Buffer.from(person.id, 'utf8')),
    challenge: challengeBytes(deps),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map(({ id }) => ({ id })),
  })
  await noteChallenge(deps, options.challenge, person.id)
  return options
}

export async function addPasskey(
  deps: Needs,
  input: { readonly session: SessionRef; readonly name: string; readonly response: unknown },
): Promise<void> {
  const { session } = input
  const credential = await registered(deps, session.personId, input.response as RegistrationResponseJSON)
  if (credential === null) throw new Refusal('invalid_request', { message: 'The passkey could not be added.' })
  const added = await deps.db.transaction(async (tx) => {
    await requireSession(tx, session)
    const isNew = await insertPasskey(tx, {
      id: credential.id,
      personId: session.personId,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
      name: input.name,
      createdAt: instantOf(deps.clock.now()),
    })
    if (isNew) await recordOnTenantsOf(deps, tx, session.personId, [{ action: 'user.passkey_added' }])
    return isNew
  })
  if (!added) throw new Refusal('invalid_request', { message: 'This passkey was added before.' })
}

async function registered(deps: Needs, personId: string, response: RegistrationResponseJSON) {
  const { verifyRegistrationResponse } = await webauthn()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => spend(deps, challenge, personId),
      supportedAlgorithmIDs: ALGORITHMS,
      expectedOrigin: originOf(deps),
      expectedRPID: rpId(deps),
      requireUserVerification: true,
    })
    return verified ? registrationInfo.credential : null
  } catch {
    return null
  }
}

export async function removePasskey(deps: Needs, session: SessionRef, id: string): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const person = await requireSession(tx, session)
    const removed = await deletePasskey(tx, person.id, id)
    if (removed) await recordOnTenantsOf(deps, tx, person.id, [{ action: 'user.passkey_removed' }])
    return removed
  })
}

export interface PasskeyView extends Pick<Passkey, 'id' | 'name' | 'createdAt' | 'lastUsedAt'> {}

export async function readPasskeys(deps: Pick<Deps, 'db'>, personId: string): Promise<PasskeyView[]> {
  return (await listPasskeys(deps.db, personId)).map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    createdAt,
    lastUsedAt,
  }))
}

const rpId = (deps: Pick<Deps, 'config'>) => new URL(deps.config.baseUrl).hostname
const originOf = (deps: Pick<Deps, 'config'>) => new URL(deps.config.baseUrl).origin
const challengeBytes = (deps: Pick<Deps, 'random'>) => new Uint8Array(deps.random(32))

async function noteChallenge(deps: Needs, challenge: string, personId: string | null): Promise<void> {
  await insertChallenge(deps.db, { challenge, personId, expiresAt: instantOf(deps.clock.now() + CHALLENGE_MS) })
}

function spend(deps: Needs, challenge: string, personId: string | null): Promise<boolean> {
  return spendChallenge(deps.db, { challenge, personId, now: instantOf(deps.clock.now()) })
}
