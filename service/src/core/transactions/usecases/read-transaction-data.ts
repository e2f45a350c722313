// Parses transaction data that a caller has encoded (OpenID4VP 5.1). Wallets hash these strings unchanged.

import { MalformedJson, parseJsonObject, TRANSACTION_HASH_ALGORITHM, transactionKindOf } from '@vidimus/engine'
import { type FullTransaction, invalidTransaction, readFull } from '../domain/form.ts'

/** Throws a refusal. */
export function readTransactionData(texts: readonly string[]): readonly FullTransaction[] {
  const items = texts.map((text, i) => readOne(text, `transaction_data[${i}]`))
  if (new Set(items.map(({ namesAlgorithm }) => namesAlgorithm)).size > 1)
    throw invalidTransaction('transaction_data', 'name transaction_data_hashes_alg in all of them or in none')
  return items.map(({ transaction }) => transaction)
}

function readOne(
  text: string,
  path: string,
): { readonly transaction: FullTransaction; readonly namesAlgorithm: boolean } {
  const { credential_ids: credential, transaction_data_hashes_alg: algorithms, ...rest } = objectOf(text, path)
  const namesAlgorithm = algorithms !== undefined
  const isOurs = Array.isArray(algorithms) && algorithms.length === 1 && algorithms[0] === TRANSACTION_HASH_ALGORITHM
  if (namesAlgorithm && !isOurs)
    throw invalidTransaction(`${path}.transaction_data_hashes_alg`, `must be ["${TRANSACTION_HASH_ALGORITHM}"]`)
  if (credential === undefined) throw invalidTransaction(`${path}.credential_ids`, 'is required')
  if (Object.hasOwn(rest, 'credential')) throw invalidTransaction(`${path}.credential`, 'is called credential_ids here')
  // EUDI TS12: strong customer authentication names its algorithm.
  if (!namesAlgorithm && typeof rest.type === 'string' && transactionKindOf(rest.type).strongAuthentication)
    throw invalidTransaction(`${path}.transaction_data_hashes_alg`, 'is required for this type')
  return { transaction: { ...readFull({ ...rest, credential }, path), text }, namesAlgorithm }
}

/** Strict: a wallet and we might read a repeated member differently. */
function objectOf(text: string, path: string): Readonly<Record<string, unknown>> {
  const bytes = Buffer.from(text, 'base64url')
  const decoded = bytes.toString('utf8')
  const isExact = bytes.toString('base64url') === text && Buffer.from(decoded, 'utf8').equals(bytes)
  if (!isExact) throw invalidTransaction(path, 'must be base64url of a JSON object in UTF-8')
  try {
    return parseJsonObject(decoded)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw invalidTransaction(path, 'must be base64url of a JSON object in UTF-8')
  }
}
