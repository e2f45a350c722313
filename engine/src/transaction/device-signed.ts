// Finds the holder's confirmation of transaction data in device-signed elements (OpenID4VP B.2.1).

import { type CborValue, isCborBytes } from '../cbor/cbor.ts'
import type { SentRequest } from '../expected.ts'
import { type Confirming, unconfirmed } from './confirmation.ts'
import { itemsFor, TRANSACTION_HASH_ALGORITHM, type TransactionItem } from './item.ts'

interface DeviceElement {
  readonly nameSpace: string
  readonly element: string
  readonly value: CborValue
}

interface DeviceStatement {
  readonly deviceNameSpaces: { readonly elements: readonly DeviceElement[] }
  readonly deviceAuth: { readonly kind: 'signature' | 'mac' }
}

const HASH = 'transaction_data_hash'
const ALGORITHM = 'transaction_data_hash_alg'
const SHA256_BYTES = 32

/** The caller must have checked that the issuer allowed these elements. */
export function readDeviceConfirmations(
  { deviceNameSpaces: { elements }, deviceAuth }: DeviceStatement,
  { transaction = [] }: SentRequest,
  queryId: string,
): Confirming {
  const mine = itemsFor(transaction, queryId).filter(({ kind }) => kind.deviceSigned)
  const types = new Set(mine.map(({ type }) => type))
  const signed = elements.filter(({ element }) => element === HASH || element === ALGORITHM)
  if (signed.some(({ nameSpace }) => !types.has(nameSpace)))
    return unconfirmed('transaction_data_unexpected', 'the device signed transaction data that was not requested')
  if (signed.length > 0 && deviceAuth.kind !== 'signature')
    return unconfirmed(
      'transaction_data_mac',
      'the device confirmed with a MAC, which the verifier could have computed',
    )
  const confirmed: TransactionItem[] = []
  for (const type of types) {
    const find = (name: string) =>
      signed.find(({ nameSpace, element }) => nameSpace === type && element === name)?.value
    const [hash, algorithm] = [find(HASH), find(ALGORITHM)]
    if (hash === undefined && algorithm === undefined) continue
    const item = mine.find((one) => one.type === type && isHashOf(hash, one))
    if (item === undefined)
      return unconfirmed('transaction_data_hash_mismatch', 'the device signed the hash of other transaction data')
    if (algorithm !== (item.namesAlgorithm ? TRANSACTION_HASH_ALGORITHM : undefined))
      return unconfirmed(
        'transaction_data_alg_malformed',
        'the device does not name the hash algorithm exactly as the request does',
      )
    confirmed.push(item)
  }
  const confirmations = confirmed.map(({ text }) => ({ text, queryId, at: null, authentication: null }))
  return { outcome: 'read', confirmed: confirmations, reordered: false }
}

/** The length first, because a device may sign a megabyte, and each item is compared with it. */
const isHashOf = (value: CborValue | undefined, { hash }: TransactionItem) =>
  isCborBytes(value) && value.length === SHA256_BYTES && Buffer.from(value).toString('base64url') === hash
