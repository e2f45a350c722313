// Stores receipt keys, and caches the one that signs.

import { type OpenPinnedKey, openStoredKey } from '../../../platform/keys/stored-key.ts'
import type { Db, Sealing, Tx } from '../../../platform/postgres/db.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import type { ReceiptSigner } from '../domain/receipt/receipt.ts'
import {
  type NewReceiptKey,
  type ReceiptKey,
  receiptKeySealContext,
  receiptSignerOf,
  signingKeyAt,
} from '../domain/receipt/receipt-key.ts'

/** A new key signs an hour after its creation, so a cache that is a minute late does not matter. */
const REMEMBER_MS = 60_000

interface StoredReceiptKey extends ReceiptKey {
  /** `openReceiptKey` opens it. */
  readonly sealedKey: Buffer
}

/** Oldest first. */
export async function listReceiptKeys(tx: Tx): Promise<StoredReceiptKey[]> {
  return tx.query<StoredReceiptKey>({
    name: 'list_receipt_keys',
    text: `select kid, public_jwk as "publicJwk", private_key as "sealedKey", created_at as "createdAt",
                  active_at as "activeAt"
           from receipt_keys order by created_at, kid`,
  })
}

export async function insertReceiptKey(tx: Tx, key: NewReceiptKey): Promise<void> {
  const sealedKey = tx.sealer.seal(key.privateKey, receiptKeySealContext(key.kid))
  await tx.query(
    {
      name: 'insert_receipt_key',
      text: `insert into receipt_keys (kid, public_jwk, private_key, created_at, active_at)
             values ($1, $2::text::jsonb, $3, $4, $5)`,
    },
    [key.kid, JSON.stringify(key.publicJwk), sealedKey, key.createdAt, key.activeAt],
  )
}

/**
 * Returns null if the store has no private key: the key came with a tenant from another installation and is only
 * published. Throws if private and public key do not match.
 */
export function openReceiptKey(
  { sealer }: Sealing,
  key: StoredReceiptKey,
  openPinned: OpenPinnedKey,
): ReceiptSigner | null {
  const stored = sealer.open(key.sealedKey, receiptKeySealContext(key.kid))
  return stored.length === 0 ? null : receiptSignerOf(key, openStoredKey(stored, openPinned))
}

/** Key material of the key that signs and of future keys, for `openStoredKey`. */
export async function listReceiptKeyMaterial(tx: Tx, nowMs: number): Promise<Buffer[]> {
  const keys = await listReceiptKeys(tx)
  const current = signingKeyAt(keys, nowMs)
  return keys
    .filter((key) => key === current || millisecondsOf(key.activeAt) > nowMs)
    .map((key) => tx.sealer.open(key.sealedKey, receiptKeySealContext(key.kid)))
}

export interface ReceiptSigners {
  /** Returns the signer with the key that is active now. */
  find(nowMs: number): Promise<ReceiptSigner>
}

export function createReceiptSigners(db: Db, openPinned: OpenPinnedKey): ReceiptSigners {
  let remembered: { readonly signer: ReceiptSigner; readonly until: number } | null = null
  return {
    async find(nowMs) {
      if (remembered !== null && nowMs < remembered.until) return remembered.signer
      const key = signingKeyAt(await listReceiptKeys(db), nowMs)
      if (key === null) throw new Error('no key to sign receipts with')
      const signer = remembered?.signer.kid === key.kid ? remembered.signer : openReceiptKey(db, key, openPinned)
      if (signer === null) throw new Error('the key that signs receipts has no private part here')
      remembered = { signer, until: nowMs + REMEMBER_MS }
      return signer
    },
  }
}
