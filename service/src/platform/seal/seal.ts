// Seals secrets at rest: AES-256-GCM under the master key, bound to their row.

import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { SigningKey } from '../keys/signing-key.ts'
import type { Random } from '../world.ts'

/** The format of older releases, without a key id. Read, but never written. */
const WITHOUT_KEY_ID = 1
const WITH_KEY_ID = 2
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MASTER_KEY_BYTES = 32

/** Keys for purposes other than sealing: MACs, peppers, signing seeds. */
export interface DerivedKeys extends SecretKeys {
  /** The Ed25519 key of a kept key: made from its seed, or outside of this process if the operator moved it. */
  signingKey(label: string): SigningKey
}

export interface SecretKeys {
  /**
   * Derived from the sealing master key; the same label gives the same key. A kept key was derived once and outlives a
   * change of the master key.
   */
  derive(label: string, bytes: number): Buffer
  /** The key for this label under every readable master key, the sealing one first, to find values of each. */
  deriveReadable(label: string, bytes: number): Buffer[]
  /** A key that came with a tenant from another installation; null: the tenant has none, so `derive` applies. */
  ofTenant(label: string, tenantId: string): Buffer | null
}

/**
 * Every `Tx` has a sealer, for row mappers only. A value that is copied to another row, column or tenant does not
 * decrypt. Each value contains the id of its key, so that keys can change.
 */
export interface Sealer extends SecretKeys {
  /** `context` names table, column, tenant and row, for example `access_keys.private_key|ten_..|live`. */
  seal(plaintext: Uint8Array, context: string): Buffer
  open(sealed: Uint8Array, context: string): Buffer
  /** The prefix of every value that is sealed now. Not secret. */
  readonly header: Buffer
  /** Ids of the readable master keys, the sealing one first. Derived from the keys; not secret. */
  readonly keyIds: readonly [string, ...string[]]
  /**
   * From now on `derive` returns these keys for their labels. Called when they are loaded from the store. Before that,
   * `derive` and `keeps` throw.
   */
  keep(kept: ReadonlyMap<string, Buffer>): void
  /** Whether a kept key exists for this label. */
  keeps(label: string): boolean
}

/** `readable`: further master keys that only decrypt. */
export function createSealer(masterKey: Uint8Array, random: Random, readable: readonly Uint8Array[] = []): Sealer {
  const current = openMasterKey(masterKey)
  const others = readable.map(openMasterKey).filter(({ id }) => id !== current.id)
  const all = [current, ...others]
  const byId = new Map(all.map((one) => [one.id, one]))
  let kept: ReadonlyMap<string, Buffer> | null = null
  const keptKeys = () => {
    if (kept === null) throw new Error('bug: a derived key was used before the stored keys were read')
    return kept
  }
  return {
    header: current.header,
    keyIds: [current.id, ...others.map(({ id }) => id)],
    derive: (label, bytes) => keptKeys().get(label) ?? current.derive(label, bytes),
    deriveReadable: (label, bytes) => all.map((one) => one.derive(label, bytes)),
    ofTenant: (label, tenantId) => keptKeys().get(tenantKeyLabel(label, tenantId)) ?? null,
    keeps: (label) => keptKeys().has(label),
    keep: (read) => {
      kept = new Map([...(kept ?? []), ...read])
    },
    seal(plaintext, context) {
      const nonce = random(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current.sealing, nonce)
      cipher.setAAD(Buffer.from(context, 'utf8'))
      const body = cipher.update(plaintext)
      return Buffer.concat([current.header, nonce, body, cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, context) {
      if (sealed[0] === WITHOUT_KEY_ID) return openWithAny(all, sealed.subarray(1), context)
      const id = keyIdOf(sealed)
      const key = id === null ? undefined : byId.get(id)
      if (key === undefined) throw new UnknownMasterKey(id)
      return openWith(key.sealing, sealed.subarray(current.header.length), context)
    },
  }
}

/** The label of a tenant's own key among the kept keys. */
export const tenantKeyLabel = (label: string, tenantId: string) => `${label}|${tenantId}`

/** The value was sealed with a master key that this process does not have, or is not a sealed value. */
export class UnknownMasterKey extends Error {
  override readonly name = 'UnknownMasterKey'

  constructor(keyId: string | null) {
    super(
      keyId === null
        ? 'unreadable sealed value'
        : `a value is sealed with the master key ${keyId}, which this process does not have`,
    )
  }
}

/** The id of the master key that sealed a value; null if the value has none. */
export function keyIdOf(sealed: Uint8Array): string | null {
  return sealed[0] === WITH_KEY_ID && sealed.length > KEY_ID_BYTES
    ? Buffer.from(sealed.subarray(1, 1 + KEY_ID_BYTES)).toString('hex')
    : null
}

interface OpenedMasterKey {
  readonly id: string
  readonly header: Buffer
  readonly sealing: Buffer
  derive(label: string, bytes: number): Buffer
}

function openMasterKey(masterKey: Uint8Array): OpenedMasterKey {
  if (masterKey.length !== MASTER_KEY_BYTES) throw new Error(`the master key must have ${MASTER_KEY_BYTES} bytes`)
  // Cached, because some keys are needed for every request.
  const derived = new Map<string, Buffer>()
  const derive = (label: string, bytes: number) => {
    const name = `${label} ${bytes}`
    const key =
      derived.get(name) ?? Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(0), `vidimus|${label}`, bytes))
    derived.set(name, key)
    return key
  }
  const id = derive('key-id-v1', KEY_ID_BYTES)
  return {
    id: id.toString('hex'),
    header: Buffer.concat([Uint8Array.of(WITH_KEY_ID), id]),
    sealing: derive('seal-v1', 32),
    derive,
  }
}

function openWith(key: Buffer, sealed: Uint8Array, context: string): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error('unreadable sealed value')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(context, 'utf8'))
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  const body = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES))
  return Buffer.concat([body, decipher.final()])
}

/** For values without a key id. Tries each key, and throws the last failure if no key decrypts the value. */
function openWithAny(keys: readonly OpenedMasterKey[], sealed: Uint8Array, context: string): Buffer {
  let failure: unknown = new Error('unreadable sealed value')
  for (const { sealing } of keys) {
    try {
      return openWith(sealing, sealed, context)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
