// Lists what the test wallet can do wrong with transaction data (docs/protocol/transaction-data.md).

import { createHash } from 'node:crypto'
import type { Json, JsonObject } from './encoding/json.ts'
import type { Signing } from './transaction.ts'
import { hashOf } from './transaction.ts'

export interface TransactionMisbehaviour {
  /** The case in docs/protocol/transaction-data.md. */
  readonly id: string
  readonly title: string
  /** The error code that the verification must get. */
  readonly expected: string
  readonly change: (usual: JsonObject, signing: Signing) => JsonObject
}

const hashes = (change: (texts: readonly string[]) => readonly string[]) => (usual: JsonObject, signing: Signing) => ({
  ...usual,
  transaction_data_hashes: [...change(signing.items.map(({ text }) => text))],
})
const saying = (members: JsonObject) => (usual: JsonObject) => ({ ...usual, ...members })
const without = (usual: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(usual).filter(([name]) => !names.includes(name)))

const unconfirmed = 'transaction_not_confirmed'
const HASHES = 'transaction_data_hashes'
const ALGORITHM = 'transaction_data_hashes_alg'

export const TRANSACTION_MISBEHAVIOURS = {
  decoded_hash: {
    id: 'T01',
    title: 'hashes the object inside instead of the text',
    expected: unconfirmed,
    change: hashes((texts) =>
      texts.map((text) => createHash('sha256').update(Buffer.from(text, 'base64url')).digest('base64url')),
    ),
  },
  padded_hash: {
    id: 'T02',
    title: 'writes the hash with padding',
    expected: unconfirmed,
    change: hashes((texts) => texts.map((text) => `${hashOf(text)}=`)),
  },
  standard_base64: {
    id: 'T02',
    title: 'writes the hash in the alphabet of plain base64',
    expected: unconfirmed,
    change: hashes((texts) => texts.map((text) => Buffer.from(hashOf(text), 'base64url').toString('base64'))),
  },
  no_hashes: {
    id: 'T03',
    title: 'signs nothing of it',
    expected: unconfirmed,
    change: (usual) => without(usual, HASHES, ALGORITHM),
  },
  empty_hashes: {
    id: 'T03',
    title: 'an empty list of hashes',
    expected: unconfirmed,
    change: saying({ [HASHES]: [] }),
  },
  one_too_few: {
    id: 'T03',
    title: 'leaves out the last hash',
    expected: unconfirmed,
    change: hashes((texts) => texts.slice(0, -1).map((text) => hashOf(text))),
  },
  one_too_many: {
    id: 'T04',
    title: 'one hash more, of something else',
    expected: unconfirmed,
    change: hashes((texts) => [...texts, 'e30'].map((text) => hashOf(text))),
  },
  other_hash: {
    id: 'T04',
    title: 'the hash of something else instead',
    expected: unconfirmed,
    change: hashes((texts) => texts.map((text) => hashOf(`${text}A`))),
  },
  repeated_hash: {
    id: 'T05',
    title: 'one hash twice',
    expected: unconfirmed,
    change: hashes((texts) => texts.map(() => hashOf(texts[0] ?? ''))),
  },
  doubled_hash: {
    id: 'T05',
    title: 'every hash twice',
    expected: unconfirmed,
    change: hashes((texts) => [...texts, ...texts].map((text) => hashOf(text))),
  },
  algorithm_list: {
    id: 'T06',
    title: 'names the algorithm as a list',
    expected: unconfirmed,
    change: saying({ [ALGORITHM]: ['sha-256'] }),
  },
  no_algorithm: {
    id: 'T06',
    title: 'does not name the algorithm',
    expected: unconfirmed,
    change: (usual) => without(usual, ALGORITHM),
  },
  other_algorithm: {
    id: 'T07',
    title: 'hashes with SHA-512 and says so',
    expected: unconfirmed,
    change: (usual, { items }) => ({
      ...usual,
      [HASHES]: items.map(({ text }) => hashOf(text, 'sha512')),
      [ALGORITHM]: 'sha-512',
    }),
  },
  other_algorithm_named: {
    id: 'T07',
    title: 'names SHA-512 for hashes of SHA-256',
    expected: unconfirmed,
    change: saying({ [ALGORITHM]: 'sha-512' }),
  },
  no_code: {
    id: 'T15',
    title: 'a payment without an authentication code',
    expected: unconfirmed,
    change: (usual) => without(usual, 'jti'),
  },
  empty_code: {
    id: 'T15',
    title: 'a payment with an empty authentication code',
    expected: unconfirmed,
    change: saying({ jti: '' }),
  },
  fixed_code: {
    id: 'T15',
    title: 'the same authentication code every time',
    expected: 'authentication_code_reused',
    change: saying({ jti: 'the-same-code-every-time' }),
  },
  one_factor: factors('one factor alone', [{ possession: 'key_in_local_internal_wscd' }]),
  same_factor_twice: factors('two factors of one kind', [
    { knowledge: 'pin_6_or_more_digits' },
    { knowledge: 'other' },
  ]),
  no_factors: {
    id: 'T16',
    title: 'no factors named',
    expected: 'sca_factors_missing',
    change: (usual) => without(usual, 'amr'),
  },
  joined_factors: factors('two factors in one object', [{ knowledge: 'pin', possession: 'key' }]),
  unknown_factor: factors('a factor of another kind', [{ possession: 'key' }, { location: 'shop' }]),
  plain_factors: factors('factors as plain texts', ['knowledge', 'possession']),
  other_response_mode: {
    id: 'T16',
    title: 'a payment signed for another response mode',
    expected: unconfirmed,
    change: saying({ response_mode: 'fragment' }),
  },
} as const satisfies Record<string, TransactionMisbehaviour>

function factors(title: string, amr: Json): TransactionMisbehaviour {
  return { id: 'T16', title, expected: 'sca_factors_missing', change: saying({ amr }) }
}

export type TransactionMisbehaviourName = keyof typeof TRANSACTION_MISBEHAVIOURS
export const TRANSACTION_MISBEHAVIOUR_NAMES = Object.keys(
  TRANSACTION_MISBEHAVIOURS,
) as readonly TransactionMisbehaviourName[]
