// Lists valid and invalid confirmations of transaction data (T00-T16, T22).

import type { CborValue } from '../src/encoding/cbor.ts'
import { embedded, mapOf } from '../src/encoding/cbor.ts'
import type { TransactionRequest } from '../src/transaction.ts'
import { hashOf, QES_APPROVAL_CLAIM } from '../src/transaction.ts'
import { TRANSACTION_MISBEHAVIOURS, type TransactionMisbehaviour } from '../src/transaction-misbehaviours.ts'
import type { Mutation } from './mutation.ts'
import { sdJwtTrial } from './sd-jwt/sd-jwt-trial.ts'
import { expecting, spoiledMdoc } from './spoiled.ts'
import {
  APPROVAL_ITEM,
  type Change,
  CONSENT,
  CONSENT_ITEM,
  confirmedMdocTrial,
  confirmedTrial,
  confirming,
  itemOf,
  PAYMENT_ITEM,
  pairTrial,
  SECOND_ITEM,
  severalTrial,
} from './transaction-trial.ts'
import type { Trial, World } from './world.ts'

const REDIRECT_AND_DC_API = ['redirect', 'dc_api'] as const
const VALID = 'transaction_data_valid'
const WHOLE = 'transaction_not_confirmed'

const sdJwt = (id: string, title: string, expectedCheck: string, make: (world: World) => Trial): Mutation => ({
  id,
  title,
  format: 'dc+sd-jwt',
  only: REDIRECT_AND_DC_API,
  make,
  ...expecting(expectedCheck),
})
const mdoc = (id: string, title: string, expectedCheck: string, make: (world: World) => Trial): Mutation => ({
  ...sdJwt(id, title, expectedCheck, make),
  format: 'mso_mdoc',
})

const BOTH = [CONSENT_ITEM, SECOND_ITEM]
const EITHER = itemOf({ ids: ['pid', 'card'] })
const UNNAMED = itemOf({ named: false })
const confirmed = (title: string, items: readonly TransactionRequest[], change?: Change): Mutation =>
  sdJwt('T00', title, 'accepted', (world) => confirmedTrial(world, items, change))

const RIGHT: readonly Mutation[] = [
  confirmed('one item confirmed', [CONSENT_ITEM]),
  confirmed('two items confirmed with one credential', BOTH),
  confirmed('no algorithm asked for, and none named', [UNNAMED]),
  confirmed('a payment with code, factors and mode', [PAYMENT_ITEM]),
  confirmed('a payment with three factors', [PAYMENT_ITEM], (usual) => ({
    ...usual,
    amr: [{ knowledge: 'pin' }, { possession: 'key' }, { inherence: 'face_device' }],
  })),
  confirmed('a signature approved', [APPROVAL_ITEM]),
  confirmed('a signature approved in its own claim alone', [APPROVAL_ITEM], (usual) => ({
    [QES_APPROVAL_CLAIM]: usual[QES_APPROVAL_CLAIM] ?? null,
  })),
  {
    ...confirmed('the hashes in another order', BOTH, (usual, { items }) => ({
      ...usual,
      transaction_data_hashes: items.toReversed().map(({ text }) => hashOf(text)),
    })),
    warnings: ['transaction_order'],
  },
  {
    ...sdJwt('T00', 'two items, each confirmed with its own credential', 'accepted', (world) => {
      const [first, second] = [itemOf({ ids: ['pid'] }), itemOf({ ids: ['card'], members: { text: 'Other' } })]
      return pairTrial(world, [first, second], { pid: [first], card: [second] })
    }),
  },
  {
    ...sdJwt('T00', 'an item for two credentials, confirmed with the second', 'accepted', (world) =>
      pairTrial(world, [EITHER], { pid: [], card: [EITHER] }),
    ),
  },
  sdJwt('T00', 'the only credential of a query that allows several', 'accepted', (world) =>
    severalTrial(world, [CONSENT_ITEM]),
  ),
  mdoc('T00', 'an mdoc, authorised by name space', 'accepted', (world) =>
    confirmedMdocTrial(world, [itemOf({ ids: ['mdl'] })]),
  ),
  mdoc('T00', 'an mdoc, authorised by element, no algorithm asked for', 'accepted', (world) =>
    confirmedMdocTrial(world, [itemOf({ ids: ['mdl'], named: false })], {
      authorised: mapOf({ dataElements: new Map([[CONSENT, ['transaction_data_hash']]]) }),
    }),
  ),
]

/** The misbehaviours of payments make sense nowhere else. */
const itemsFor = ({ id }: TransactionMisbehaviour) => (id === 'T15' || id === 'T16' ? [PAYMENT_ITEM] : BOTH)
/** Misbehaviours that leave each credential valid, and the transaction unconfirmed. */
const UNANSWERED: readonly TransactionMisbehaviour[] = [
  TRANSACTION_MISBEHAVIOURS.no_hashes,
  TRANSACTION_MISBEHAVIOURS.one_too_few,
]

/** All misbehaviours except `fixed_code`, which is for tests of code reuse. */
const MISBEHAVED: readonly Mutation[] = Object.values<TransactionMisbehaviour>(TRANSACTION_MISBEHAVIOURS)
  .filter((wrong) => wrong !== TRANSACTION_MISBEHAVIOURS.fixed_code)
  .map((wrong) =>
    sdJwt(wrong.id, wrong.title, UNANSWERED.includes(wrong) ? WHOLE : VALID, (world) =>
      confirmedTrial(world, itemsFor(wrong), wrong.change),
    ),
  )

const saying = (members: Readonly<Record<string, CborValue>>) => embedded(new Map([[CONSENT, mapOf(members)]]))
const bytesOf = (text: string) => new Uint8Array(Buffer.from(hashOf(text), 'base64url'))
const MDOC_ITEM = itemOf({ ids: ['mdl'] })
const MDOC_SECOND = itemOf({ ids: ['mdl'], members: { text: 'Privacy of 2026' } })
const RIGHT_HASH = bytesOf(MDOC_ITEM.text)
const mdocSaying = (id: string, title: string, members: Readonly<Record<string, CborValue>>): Mutation =>
  mdoc(id, title, VALID, (world) => confirmedMdocTrial(world, [MDOC_ITEM], { signed: saying(members) }))

const OTHERS: readonly Mutation[] = [
  sdJwt('N133', 'the hash of other transaction data', VALID, (world) =>
    confirmedTrial(world, [CONSENT_ITEM], (usual) => ({
      ...usual,
      transaction_data_hashes: [hashOf(SECOND_ITEM.text)],
    })),
  ),
  sdJwt('T03', 'hashes that are not a list', VALID, (world) =>
    confirmedTrial(world, [CONSENT_ITEM], (usual) => ({
      ...usual,
      transaction_data_hashes: hashOf(CONSENT_ITEM.text),
    })),
  ),
  sdJwt('T03', 'a list with a hash that is not a text', VALID, (world) =>
    confirmedTrial(world, [CONSENT_ITEM], (usual) => ({ ...usual, transaction_data_hashes: [null] })),
  ),
  sdJwt('T03', 'a hash in a nested list', VALID, (world) =>
    confirmedTrial(world, [CONSENT_ITEM], (usual) => ({
      ...usual,
      transaction_data_hashes: [[hashOf(CONSENT_ITEM.text)]],
    })),
  ),
  sdJwt('T03', 'an algorithm without hashes', VALID, (world) =>
    confirmedTrial(world, [CONSENT_ITEM], () => ({ transaction_data_hashes_alg: 'sha-256' })),
  ),
  sdJwt('T08', 'an algorithm although the request names none', VALID, (world) =>
    confirmedTrial(world, [UNNAMED], (usual) => ({ ...usual, transaction_data_hashes_alg: 'sha-256' })),
  ),
  sdJwt('T09', 'confirmed with a credential that the item does not name', VALID, (world) =>
    pairTrial(world, [CONSENT_ITEM], { pid: [], card: [CONSENT_ITEM] }),
  ),
  sdJwt('T09', 'confirmed with the credential that the item names, and with another', VALID, (world) =>
    pairTrial(world, [CONSENT_ITEM], { pid: [CONSENT_ITEM], card: [CONSENT_ITEM] }),
  ),
  sdJwt('T10', 'one item confirmed with both credentials', WHOLE, (world) =>
    pairTrial(world, [EITHER], { pid: [EITHER], card: [EITHER] }),
  ),
  sdJwt('T10', 'confirmed with a credential that does not count for the query', WHOLE, (world) =>
    pairTrial(world, [EITHER], { pid: [], card: [EITHER] }, { credential_sets: [{ options: [['pid'], ['card']] }] }),
  ),
  sdJwt('T10', 'confirmed with neither of two credentials', WHOLE, (world) =>
    pairTrial(world, [EITHER], { pid: [], card: [] }),
  ),
  sdJwt('T22', 'one of several credentials for one query confirms the item', WHOLE, (world) =>
    severalTrial(world, [], [CONSENT_ITEM]),
  ),
  sdJwt('T22', 'several credentials for one query confirm one item each', WHOLE, (world) =>
    severalTrial(world, [CONSENT_ITEM], [SECOND_ITEM]),
  ),
  sdJwt('T11', 'hashes although the request has no transaction data', VALID, (world) =>
    sdJwtTrial(world, confirming(world, [CONSENT_ITEM])),
  ),
  sdJwt('T11', 'an algorithm although the request has no transaction data', VALID, (world) =>
    sdJwtTrial(
      world,
      confirming(world, [], () => ({ transaction_data_hashes_alg: 'sha-256' })),
    ),
  ),
  sdJwt('T11', 'a signature approval although none was requested', VALID, (world) =>
    confirmedTrial(world, [CONSENT_ITEM], (usual) => ({ ...usual, [QES_APPROVAL_CLAIM]: 'AAAA' })),
  ),
  sdJwt('T04', 'the approval of another signature', VALID, (world) =>
    confirmedTrial(world, [APPROVAL_ITEM], (usual) => ({ ...usual, [QES_APPROVAL_CLAIM]: 'AAAA' })),
  ),
  sdJwt('T03', 'a signature whose hash is signed, but not its approval', WHOLE, (world) =>
    confirmedTrial(world, [APPROVAL_ITEM], ({ [QES_APPROVAL_CLAIM]: _, ...usual }) => usual),
  ),
  {
    ...sdJwt('T12', 'signed for a request with another amount and nonce', 'bound_to_request', (world) => {
      const before = itemOf({ type: PAYMENT_ITEM.type, members: { payload: { amount: 1 } } })
      return confirmedTrial(world, [PAYMENT_ITEM], (_, signing) => ({
        nonce: 'aNonceOfAnEarlierRequest00000000',
        transaction_data_hashes: [hashOf(before.text)],
        transaction_data_hashes_alg: 'sha-256',
        jti: 'code',
        response_mode: signing.responseMode,
        amr: [{ knowledge: 'pin' }, { possession: 'key' }],
      }))
    }),
    alsoFails: [VALID],
  },
  mdoc(
    'T13',
    'an mdoc whose issuer did not authorise the device to sign the type',
    'device_claims_authorised',
    (world) => confirmedMdocTrial(world, [MDOC_ITEM], { authorised: mapOf({ nameSpaces: ['org.example.other'] }) }),
  ),
  mdoc('T13', 'an mdoc whose issuer authorised another element', 'device_claims_authorised', (world) =>
    confirmedMdocTrial(world, [MDOC_ITEM], {
      authorised: mapOf({ dataElements: new Map([[CONSENT, ['transaction_data_hash_alg']]]) }),
    }),
  ),
  mdoc('T14', 'two items of one type, but only one hash', WHOLE, (world) =>
    confirmedMdocTrial(world, [MDOC_ITEM, MDOC_SECOND], {
      authorised: mapOf({ nameSpaces: [CONSENT] }),
      signed: saying({ transaction_data_hash: RIGHT_HASH, transaction_data_hash_alg: 'sha-256' }),
    }),
  ),
  mdoc('T03', 'an mdoc whose device does not sign the transaction data', WHOLE, (world) =>
    confirmedMdocTrial(world, [MDOC_ITEM], { signed: embedded(new Map()) }),
  ),
  mdocSaying('T04', 'an mdoc with the hash of other transaction data', {
    transaction_data_hash: bytesOf(MDOC_SECOND.text),
    transaction_data_hash_alg: 'sha-256',
  }),
  mdocSaying('T02', 'an mdoc with the hash as a text', {
    transaction_data_hash: hashOf(MDOC_ITEM.text),
    transaction_data_hash_alg: 'sha-256',
  }),
  mdocSaying('T06', 'an mdoc that names no algorithm', { transaction_data_hash: RIGHT_HASH }),
  mdocSaying('T07', 'an mdoc that names another algorithm', {
    transaction_data_hash: RIGHT_HASH,
    transaction_data_hash_alg: 'sha-512',
  }),
  mdocSaying('T03', 'an mdoc with an algorithm and no hash', { transaction_data_hash_alg: 'sha-256' }),
  mdoc('T08', 'an mdoc that names an algorithm although the request names none', VALID, (world) =>
    confirmedMdocTrial(world, [itemOf({ ids: ['mdl'], named: false })], {
      signed: saying({
        transaction_data_hash: bytesOf(itemOf({ ids: ['mdl'], named: false }).text),
        transaction_data_hash_alg: 'sha-256',
      }),
    }),
  ),
  // For channels that carry transaction data: all except Annex C.
  spoiledMdoc('T11', 'an mdoc that confirms transaction data that was not requested', VALID, {
    fields: (fields) => ({ ...fields, keyAuthorizations: mapOf({ nameSpaces: [CONSENT] }) }),
    deviceNamespaces: saying({ transaction_data_hash: RIGHT_HASH }),
  }),
  mdoc('T09', 'a payment confirmed with an mdoc, which is never allowed', VALID, (world) => {
    const payment = itemOf({ ...PAYMENT_ITEM, ids: ['mdl'] })
    return confirmedMdocTrial(world, [payment])
  }),
]

export const TRANSACTION_MUTATIONS: readonly Mutation[] = [...RIGHT, ...MISBEHAVED, ...OTHERS]
