// Freezes what a holder is asked to agree to: checks it by its type, assigns it to credentials, encodes it once.

import {
  type DcqlQuery,
  encodeTransaction,
  type JsonObject,
  TRANSACTION_HASH_ALGORITHM,
  transactionHash,
  transactionKindOf,
} from '@vidimus/engine'
import { TRANSACTION_MAX } from '../../../../../wire/values/verifications.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { readSchema } from '../../../platform/json-schema/schema.ts'
import { schemaFault } from '../../../platform/json-schema/schema-fault.ts'
import type { Principal } from '../../tenants/domain/principal.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { builtInType } from '../domain/built-in.ts'
import { type FullTransaction, invalidTransaction, requireSendable, type TransactionInput } from '../domain/form.ts'
import type { FrozenTransaction } from '../domain/frozen.ts'
import { holdsOneOfAKind, signersOf } from '../domain/signers.ts'
import { fillInValues, type TemplateTransaction } from '../domain/template-transaction.ts'
import type { TransactionType } from '../domain/type.ts'
import { loadTransactionType } from '../store/types.ts'

interface FreezeInput {
  readonly inputs: readonly TransactionInput[]
  /** What the template fixes; null: it fixes nothing. */
  readonly template: TemplateTransaction | null
  readonly query: DcqlQuery
}

/** Throws a refusal. */
export async function freezeTransaction(
  deps: Pick<Deps, 'db' | 'random'>,
  principal: Principal,
  input: FreezeInput,
): Promise<readonly FrozenTransaction[]> {
  const newId = () => Buffer.from(deps.random(ID_BYTES)).toString('base64url')
  const wanted = completeItems(principal, input, newId)
  const items = []
  for (const [i, one] of wanted.entries()) items.push(await freezeOne(deps, principal, { ...input, one, i }))
  requireOneOfAKind(items, input.query)
  const lengths = items.map(({ frozen }) => frozen.text.length)
  if (sumOf(lengths) > TRANSACTION_MAX.textLengthInAll) throw invalidTransaction('transaction', 'is too long')
  return items.map(({ frozen }) => frozen)
}

/** The size of ids that the service generates for a template. As text they fit the 36 characters of payment ids. */
const ID_BYTES = 16

/** A template with a transaction accepts only values for its fields; any other accepts complete items. */
function completeItems(
  principal: Principal,
  { inputs, template }: FreezeInput,
  newId: () => string,
): readonly FullTransaction[] {
  if (template !== null) {
    const [one, ...others] = inputs.length === 0 ? [{ values: {} }] : inputs
    if (one === undefined || others.length > 0 || !('values' in one))
      throw invalidTransaction('transaction', 'is fixed by the template: send one object with values')
    return [fillInValues(template, one.values, newId)]
  }
  return inputs.map((one, i) => {
    if ('values' in one) throw invalidTransaction(`transaction[${i}].values`, 'the template has no places for values')
    if (principal.kind === 'device' || principal.kind === 'oidc_client')
      throw new Refusal('insufficient_scope', {
        message: 'This credential lacks the scope verifications:create for transactions: a device uses a template.',
      })
    return one
  })
}

async function freezeOne(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
  { one, i, query }: { readonly one: FullTransaction; readonly i: number; readonly query: DcqlQuery },
): Promise<{ readonly frozen: FrozenTransaction; readonly signers: readonly string[] }> {
  const path = one.text === undefined ? `transaction[${i}]` : `transaction_data[${i}]`
  const { type, members } = one
  const known = builtInType(type) ?? (await ownType(deps, realm, type))
  if (known === null) throw invalidTransaction(`${path}.type`, 'is not a type that is known here')
  // Always checked here: a template's members were checked only when it was saved, and the values never.
  requireSendable(members, path)
  const signers = signersOf(query, { credential: one.credential, kind: transactionKindOf(type), path })
  const object = {
    // Spread before our own members, so that they cannot overwrite these.
    ...members,
    type,
    credential_ids: signers,
    transaction_data_hashes_alg: [TRANSACTION_HASH_ALGORITHM],
  }
  const text = one.text ?? encodeTransaction(object as JsonObject)
  // Checked before the schema, because each part of a schema may look at the whole item.
  if (text.length > TRANSACTION_MAX.textLength) throw invalidTransaction('transaction', 'is too long')
  const fault = schemaFault(known.schema, members, path)
  if (fault !== null) throw new Refusal('invalid_transaction', { message: `body.${fault}.` })
  return { frozen: { text, type, hash: transactionHash(text), title: known.title }, signers }
}

async function ownType(deps: Pick<Deps, 'db'>, realm: Realm, type: string): Promise<TransactionType | null> {
  const found = await loadTransactionType(deps.db, realm, type)
  return found === null ? null : { type, title: found.title, schema: readSchema(found.schema) }
}

/** Refuses duplicates, and two items for one place in a presentation: the second could never be signed. */
function requireOneOfAKind(items: readonly Awaited<ReturnType<typeof freezeOne>>[], query: DcqlQuery): void {
  for (const [i, { frozen, signers }] of items.entries()) {
    const kind = transactionKindOf(frozen.type)
    const crowded = query.credentials.filter((one) => signers.includes(one.id) && holdsOneOfAKind(one, kind))
    for (const earlier of items.slice(0, i)) {
      if (earlier.frozen.text === frozen.text) throw invalidTransaction(`transaction[${i}]`, 'appears twice')
      const isTaken = crowded.some(({ id }) => earlier.signers.includes(id)) && earlier.frozen.type === frozen.type
      if (isTaken) throw invalidTransaction(`transaction[${i}]`, 'one credential cannot agree to two of this type')
    }
  }
}

const sumOf = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + length, 0)
