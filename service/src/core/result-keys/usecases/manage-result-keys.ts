// Manages a merchant's keys for results: add, challenge, prove, list, remove, each with an audit entry.

import { createHash, timingSafeEqual } from 'node:crypto'
import { encryptJwe, MalformedJson, parseJson, recipientOf, thumbprintOf } from '@vidimus/engine'
import type { KEY_PROOFS } from '../../../../../wire/values/result-keys.ts'
import type { Deps } from '../../../deps.ts'
import { newResultKeyId } from '../../../platform/ids.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import type { AuditActor } from '../../ports/audit.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { lockTenantSettings } from '../../tenants/store/settings.ts'
import {
  CHALLENGE_BYTES,
  CHALLENGE_SECONDS,
  type PublicPoint,
  RESULT_KEYS_PER_REALM_MAX,
  type ResultKey,
  type ResultKeyProblem,
  readResultKey,
} from '../domain/result-key.ts'
import {
  deleteResultKey,
  insertResultKey,
  listResultKeys,
  lockChallenge,
  setChallenge,
  setResultKeyProven,
} from '../store/result-keys.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

export const readResultKeys = (deps: Pick<Deps, 'db'>, realm: Realm): Promise<ResultKey[]> =>
  listResultKeys(deps.db, realm)

export type ResultKeyAddition =
  | {
      readonly outcome: 'added'
      readonly key: ResultKey
      /** A JWE to the key; its content proves that the holder can read results. */
      readonly challenge: string
    }
  | { readonly outcome: 'refused'; readonly problem: ResultKeyProblem }

/** Nothing is encrypted to the key before it is proven. */
export async function addResultKey(
  deps: Needs,
  input: { readonly realm: Realm; readonly jwk: string; readonly actor: AuditActor },
): Promise<ResultKeyAddition> {
  const { realm, actor } = input
  const read = readResultKey(parsedOrNull(input.jwk))
  if (read.outcome === 'refused') return read
  const { point } = read
  const thumbprint = thumbprintOf({ kty: 'EC', crv: 'P-256', ...point })
  if (thumbprint === null) return { outcome: 'refused', problem: 'not_on_curve' }
  const kid = Buffer.from(thumbprint).toString('base64url')
  const now = instantOf(deps.clock.now())
  const id = newResultKeyId(deps.random)
  const challenge = makeChallenge(deps, { id, kid, point })
  if (challenge === null) return { outcome: 'refused', problem: 'not_on_curve' }
  const row = { id, kid, point, challenge: challenge.hash, challengeEndsAt: challenge.endsAt, createdAt: now }
  return deps.db.transaction(async (tx): Promise<ResultKeyAddition> => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return { outcome: 'refused', problem: 'no_tenant' }
    const there = await listResultKeys(tx, realm)
    if (there.some((one) => one.kid === kid)) return { outcome: 'refused', problem: 'there_already' }
    if (there.length >= RESULT_KEYS_PER_REALM_MAX) return { outcome: 'refused', problem: 'too_many' }
    await insertResultKey(tx, realm, row)
    await deps.audit.record(tx, realm, { now, actor, action: 'result_key.added', ...keyDetails(id, kid) })
    return { outcome: 'added', key: { id, kid, createdAt: now, provenAt: null }, challenge: challenge.jwe }
  })
}

type KeyChallenge =
  | { readonly outcome: 'challenged'; readonly challenge: string }
  | { readonly outcome: 'proven' }
  | { readonly outcome: 'not_found' }

/** Makes a new challenge for a key that is not proven yet. An earlier challenge no longer counts. */
export async function challengeResultKey(
  deps: Pick<Needs, 'db' | 'clock' | 'random'>,
  input: { readonly realm: Realm; readonly id: string },
): Promise<KeyChallenge> {
  const { realm, id } = input
  return deps.db.transaction(async (tx): Promise<KeyChallenge> => {
    const known = await lockChallenge(tx, realm, id)
    if (known === null) return { outcome: 'not_found' }
    if (known.provenAt !== null) return { outcome: 'proven' }
    const challenge = makeChallenge(deps, { id, kid: known.kid, point: known.point })
    if (challenge === null) throw new Error('bug: a stored result key that is not on its curve')
    await setChallenge(tx, realm, { id, challenge: challenge.hash, challengeEndsAt: challenge.endsAt })
    return { outcome: 'challenged', challenge: challenge.jwe }
  })
}

/** null: the point is not on the curve. */
function makeChallenge(
  deps: Pick<Needs, 'clock' | 'random'>,
  { id, kid, point }: { readonly id: string; readonly kid: string; readonly point: PublicPoint },
) {
  const key = recipientOf(point.x, point.y)
  if (key === null) return null
  // Not base64url: the command line would read an answer that begins with `-` as an option.
  const answer = Buffer.from(deps.random(CHALLENGE_BYTES)).toString('hex')
  const header = { typ: 'vidimus-challenge+jwe', kid }
  const terms = { key, encryption: 'A256GCM', header, partyVInfo: Buffer.from(id, 'utf8') } as const
  return {
    jwe: encryptJwe(Buffer.from(answer, 'utf8'), terms, deps.random),
    hash: hashOf(answer),
    endsAt: instantOf(deps.clock.now() + CHALLENGE_SECONDS * 1000),
  }
}

export type KeyProof = (typeof KEY_PROOFS)[number]

/** From now on results are encrypted to the key. A proven key stays proven. */
export async function proveResultKey(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly answer: string; readonly actor: AuditActor },
): Promise<KeyProof> {
  const { realm, id, actor } = input
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  return deps.db.transaction(async (tx): Promise<KeyProof> => {
    const challenge = await lockChallenge(tx, realm, id)
    if (challenge === null) return 'not_found'
    if (challenge.provenAt !== null) return 'proven'
    if (challenge.challenge === null || challenge.endsAt === null || millisecondsOf(challenge.endsAt) <= nowMs)
      return 'lapsed'
    if (!timingSafeEqual(hashOf(input.answer.trim()), challenge.challenge)) return 'wrong'
    await setResultKeyProven(tx, realm, id, now)
    await deps.audit.record(tx, realm, { now, actor, action: 'result_key.proven', ...keyDetails(id, challenge.kid) })
    return 'proven'
  })
}

/** Older results stay encrypted. Without another key, the service can read new ones. False if there is no such key. */
export async function removeResultKey(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { realm, id, actor } = input
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const kid = await deleteResultKey(tx, realm, id)
    if (kid === null) return false
    await deps.audit.record(tx, realm, { now, actor, action: 'result_key.removed', ...keyDetails(id, kid) })
    return true
  })
}

function parsedOrNull(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof MalformedJson) return null
    throw error
  }
}

const hashOf = (answer: string): Buffer => createHash('sha256').update(answer, 'utf8').digest()

const keyDetails = (id: string, kid: string) => ({ object: { type: 'result_key', id }, details: { kid } })
