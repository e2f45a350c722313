// Creates a realm's signing keys at their first use, publishes them, and rotates them with an overlap.

import { generateKeyPair } from 'node:crypto'
import { SIGNING_ALGS } from '../../../../../wire/values/oidc.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { lockTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { newSigningKeyId } from '../../../platform/ids.ts'
import { KeyFailure, refusalOf } from '../../../platform/keys/key-provider.ts'
import { childReference } from '../../../platform/keys/key-reference.ts'
import { pooledKey } from '../../../platform/keys/signing-key.ts'
import { encodePinnedKey, openStoredKey } from '../../../platform/keys/stored-key.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import type { SigningAlg, SigningKey } from '../domain/jwt.ts'
import { KEY_AGE_MS, SHOWN_AFTER_MS, SHOWN_AHEAD_MS } from '../domain/signing-key.ts'
import {
  findOldKeysAcrossTenants,
  forgetOldKeysAcrossTenants,
  insertSigningKey,
  listSigningKeys,
  type NewSigningKey,
  openSigningKey,
  type StoredSigningKey,
} from '../store/keys.ts'
import { readSigningKeysTogether } from './together.ts'

type Needs = Pick<Deps, 'db' | 'batcher' | 'clock' | 'random' | 'config' | 'remoteKeys'>

/** The public keys for clients, including future and past ones. */
export async function readPublicKeys(deps: Needs, realm: Realm): Promise<object[]> {
  return (await keysOf(deps, realm)).map(({ publicJwk }) => JSON.parse(publicJwk))
}

export async function signingKeyFor(deps: Needs, realm: Realm, alg: SigningAlg): Promise<SigningKey> {
  const known = remembered.get(deps.db) ?? new Map<string, Remembered>()
  remembered.set(deps.db, known)
  const name = `${realmName(realm)}|${alg}`
  const found = known.get(name)
  const nowMs = deps.clock.now()
  if (found !== undefined && found.fromMs <= nowMs && nowMs < found.fromMs + REMEMBERED_MS) return found.key
  const keys = await keysOf(deps, realm)
  const now = instantOf(deps.clock.now())
  const stored = keys.find((one) => one.alg === alg && one.signsFrom <= now)
  if (stored === undefined) throw new Error('bug: a realm without a key to sign with')
  const key = { kid: stored.id, alg, key: openedKey(deps, stored) }
  const [oldest] = known.keys()
  if (known.size >= REMEMBERED_MAX && oldest !== undefined) known.delete(oldest)
  known.set(name, { key, fromMs: nowMs })
  return key
}

interface Remembered {
  readonly key: SigningKey
  readonly fromMs: number
}

/** Opened keys are cached for this long, because opening one costs as much as signing. Old keys are published for longer. */
const REMEMBERED_MS = 60_000
const REMEMBERED_MAX = 256
const remembered = new WeakMap<object, Map<string, Remembered>>()

/** RSA is slow, so local keys sign in a thread of the pool. */
const openedKey = ({ db, remoteKeys }: Pick<Deps, 'db' | 'remoteKeys'>, stored: StoredSigningKey): SigningKey['key'] =>
  openStoredKey(openSigningKey(db, stored), remoteKeys.open, pooledKey)

const making = new WeakMap<object, Map<string, Promise<StoredSigningKey[]>>>()

/** Newest first. Concurrent callers share one creation. */
async function keysOf(deps: Needs, realm: Realm): Promise<readonly StoredSigningKey[]> {
  const keys = await readSigningKeysTogether(deps, realm)
  const now = instantOf(deps.clock.now())
  if (SIGNING_ALGS.every((alg) => keys.some((key) => key.alg === alg && key.signsFrom <= now))) return keys
  const pending = making.get(deps.db) ?? new Map<string, Promise<StoredSigningKey[]>>()
  making.set(deps.db, pending)
  const name = realmName(realm)
  const created = pending.get(name) ?? makeFirstKeys(deps, realm).finally(() => pending.delete(name))
  pending.set(name, created)
  return created
}

/** How far the clocks of replicas may differ: a key that one replica created must be usable in the others at once. */
const SKEW_MS = 60_000

async function makeFirstKeys(deps: Needs, realm: Realm): Promise<StoredSigningKey[]> {
  const created = await makeKeys(deps, realm, -SKEW_MS)
  return deps.db.transaction(async (tx) => {
    // If replicas create keys at the same time, the first one wins.
    await lockTenantSettings(tx, realm.tenantId)
    const there = await listSigningKeys(tx, realm)
    const missing = created.filter(
      ({ alg, signsFrom }) => !there.some((key) => key.alg === alg && key.signsFrom <= signsFrom),
    )
    for (const key of missing) await insertSigningKey(tx, key)
    return listSigningKeys(tx, realm)
  })
}

/** Publishes new keys now. They sign once every client has had time to fetch them. */
export async function rotateSigningKeys(deps: Needs, realm: Realm): Promise<void> {
  const created = await makeKeys(deps, realm, SHOWN_AHEAD_MS)
  await deps.db.transaction(async (tx) => {
    await lockTenantSettings(tx, realm.tenantId)
    const now = instantOf(deps.clock.now())
    const there = await listSigningKeys(tx, realm)
    for (const key of created) {
      // If a published key has not signed yet, no newer one is needed.
      if (!there.some((other) => other.alg === key.alg && other.signsFrom > now)) await insertSigningKey(tx, key)
    }
  })
}

const REALMS_A_RUN = 100

/** The job: creates successors of old keys, and deletes keys whose successor has signed long enough. */
export async function renewSigningKeys(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  const nowMs = deps.clock.now()
  const old = await findOldKeysAcrossTenants(deps.db, instantOf(nowMs - KEY_AGE_MS), REALMS_A_RUN)
  const realms = new Map(old.map((realm) => [realmName(realm), realm]))
  for (const realm of realms.values()) {
    stopped.throwIfAborted()
    await rotateSigningKeys(deps, realm)
  }
  await forgetOldKeysAcrossTenants(deps.db, instantOf(nowMs - SHOWN_AFTER_MS))
}

/**
 * Ids of keys that are being created, by realm and use. A retry uses the same id, to find the key that a failed attempt
 * created in the key service: strangers can cause attempts, and each external key costs money.
 */
const planned = new WeakMap<object, Map<string, string>>()

async function makeKeys(deps: Needs, realm: Realm, aheadMs: number): Promise<NewSigningKey[]> {
  const nowMs = deps.clock.now()
  const times = { createdAt: instantOf(nowMs), signsFrom: instantOf(nowMs + aheadMs) }
  const plans = planned.get(deps.db) ?? new Map<string, string>()
  planned.set(deps.db, plans)
  const nameOf = (alg: SigningAlg) => `${realmName(realm)}|${aheadMs}|${alg}`
  const created = await Promise.all(
    SIGNING_ALGS.map(async (alg) => {
      const id = plans.get(nameOf(alg)) ?? newSigningKeyId(deps.random)
      plans.set(nameOf(alg), id)
      const { publicKey, privateKey } = await makePair(deps, id, alg)
      const { tenantId, environment } = realm
      const publicJwk = JSON.stringify({ ...publicKey, kid: id, alg, use: 'sig' })
      return { id, tenantId, environment, alg, publicJwk, privateKey, ...times }
    }),
  )
  for (const alg of SIGNING_ALGS) plans.delete(nameOf(alg))
  return created
}

interface KeyPair {
  readonly publicKey: object
  /** As `openStoredKey` reads it. */
  readonly privateKey: Buffer
}

/**
 * Creates the key where the operator configured it. If that key service is unavailable, no key is created elsewhere.
 */
async function makePair({ config, remoteKeys }: Needs, id: string, alg: SigningAlg): Promise<KeyPair> {
  const parent = config.keys.idTokens
  if (parent === null) return alg === 'ES256' ? makeEc() : makeRsa()
  const pinned = await remoteKeys.findOrCreate(childReference(parent, id), alg).catch((error: unknown) => {
    throw error instanceof KeyFailure ? refusalOf(error) : error
  })
  return { publicKey: pinned.publicKey.export({ format: 'jwk' }), privateKey: encodePinnedKey(pinned) }
}

const ENCODINGS = {
  publicKeyEncoding: { type: 'spki', format: 'jwk' },
  privateKeyEncoding: { type: 'pkcs8', format: 'der' },
} as const

/** Runs in the thread pool, because creating an RSA key takes a second. */
function makeRsa(): Promise<KeyPair> {
  const { promise, resolve, reject } = Promise.withResolvers<KeyPair>()
  generateKeyPair('rsa', { modulusLength: 2048, ...ENCODINGS }, settled(resolve, reject))
  return promise
}

function makeEc(): Promise<KeyPair> {
  const { promise, resolve, reject } = Promise.withResolvers<KeyPair>()
  generateKeyPair('ec', { namedCurve: 'P-256', ...ENCODINGS }, settled(resolve, reject))
  return promise
}

const settled =
  (resolve: (pair: KeyPair) => void, reject: (error: Error) => void) =>
  (error: Error | null, publicKey: unknown, privateKey: Buffer) =>
    error === null ? resolve({ publicKey: publicKey as object, privateKey }) : reject(error)
