// Manages a tenant's own transaction types: saves them after a check of their schema, lists them with the built-in ones, removes them.

import { createHash } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { InvalidSchema, readSchema } from '../../../platform/json-schema/schema.ts'
import { isShowable } from '../../../platform/json-schema/showable.ts'
import { instantOf } from '../../../platform/world.ts'
import type { AuditActor } from '../../ports/audit.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { loadTenant } from '../../tenants/store/tenants.ts'
import { BUILT_IN_TYPES } from '../domain/built-in.ts'
import { isReserved, isTypeName, TYPE_TITLE_MAX, TYPES_MAX } from '../domain/type.ts'
import {
  countTransactionTypes,
  deleteTransactionType,
  listTransactionTypes,
  saveTransactionType,
} from '../store/types.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

type SavedType =
  | { readonly outcome: 'created' | 'replaced' }
  | { readonly outcome: 'invalid'; readonly problem: string }
  | { readonly outcome: 'no_tenant' }

export async function saveType(
  deps: Needs,
  input: {
    readonly realm: Realm
    readonly type: string
    readonly title: string
    readonly schema: unknown
    readonly actor: AuditActor
  },
): Promise<SavedType> {
  const { realm, type, title, schema, actor } = input
  const problem = problemOf(input)
  if (problem !== null) return { outcome: 'invalid', problem }
  const now = instantOf(deps.clock.now())
  const saved = deps.db.transaction<SavedType>(async (tx) => {
    if ((await loadTenant(tx, realm.tenantId)) === null) return { outcome: 'no_tenant' }
    const created = await saveTransactionType(tx, realm, { type, title, schema, now })
    await deps.audit.record(tx, realm, {
      now,
      action: 'transaction_type.saved',
      actor,
      object: objectOf(type),
      details: { type, title },
    })
    // Counted while the audit trail is locked, so the second of two concurrent calls sees the first.
    if (created && (await countTransactionTypes(tx, realm)) > TYPES_MAX) throw new TooManyTypes()
    return { outcome: created ? 'created' : 'replaced' }
  })
  return saved.catch((error: unknown) => {
    if (!(error instanceof TooManyTypes)) throw error
    return { outcome: 'invalid', problem: `there are ${TYPES_MAX} types already` }
  })
}

/** Rolls the transaction back. */
class TooManyTypes extends Error {
  override readonly name = 'TooManyTypes'
}

/** The name is the merchant's text, which may be erased. So the trail has its digest. */
const objectOf = (type: string) => ({
  type: 'transaction_type',
  id: `txt_${createHash('sha256').update(type, 'utf8').digest('hex').slice(0, 32)}`,
})

function problemOf({ type, title, schema }: { type: string; title: string; schema: unknown }): string | null {
  if (!isTypeName(type)) return 'type: must be a URN or an https address of at most 200 ASCII characters'
  if (isReserved(type)) return 'type: belongs to a standard'
  if (title === '' || title.length > TYPE_TITLE_MAX || !isShowable(title))
    return `title: must be a line of text of 1 to ${TYPE_TITLE_MAX} characters`
  try {
    readSchema(schema)
    return null
  } catch (error) {
    if (error instanceof InvalidSchema) return error.message
    throw error
  }
}

export async function listTypes(
  deps: Pick<Deps, 'db'>,
  realm: Realm,
): Promise<{ readonly type: string; readonly title: string; readonly builtIn: boolean }[]> {
  const own = await listTransactionTypes(deps.db, realm)
  return [
    ...BUILT_IN_TYPES.map(({ type, title }) => ({ type, title, builtIn: true })),
    ...own.map(({ type, title }) => ({ type, title, builtIn: false })),
  ]
}

/** False if there was no such type. Existing verifications keep their transaction. */
export async function removeType(
  deps: Needs,
  { realm, type, actor }: { readonly realm: Realm; readonly type: string; readonly actor: AuditActor },
): Promise<boolean> {
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    if (!(await deleteTransactionType(tx, realm, type))) return false
    await deps.audit.record(tx, realm, {
      now,
      action: 'transaction_type.removed',
      actor,
      object: objectOf(type),
      details: { type },
    })
    return true
  })
}
