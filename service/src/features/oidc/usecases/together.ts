// Batches the statements of a realm's concurrent sign-ins, as verifications do (decision 0010).

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { BatchJob } from '../../../platform/event-loop/batch.ts'
import { type NewCode, type SpentSignIn, setCodes, type UsedCode, useCodes } from '../store/authorization-codes.ts'
import {
  findOpenSignIns,
  insertAuthorizations,
  type NewAuthorization,
  type OpenSignIn,
} from '../store/authorizations.ts'
import { listSigningKeys, type StoredSigningKey } from '../store/keys.ts'

type Needs = Pick<Deps, 'db' | 'batcher' | 'clock'>
type Step<Item, Result> = BatchJob<Needs, { readonly realm: Realm; readonly item: Item }, Result>

const ITEMS_MAX = 64

/** A batch belongs to one realm. */
function step<Item, Result>(
  run: (deps: Needs, realm: Realm, items: readonly Item[]) => Promise<readonly Result[]>,
): Step<Item, Result> {
  return {
    itemsMax: ITEMS_MAX,
    async run(deps, batch) {
      const realm = batch[0]?.realm
      const items = batch.map(({ item }) => item)
      return realm === undefined ? [] : run(deps, realm, items)
    },
  }
}

const take = <Item, Result>(deps: Needs, work: Step<Item, Result>, realm: Realm, item: Item): Promise<Result> =>
  deps.batcher.add(work, deps, { lane: realmName(realm), item: { realm, item } })

const hex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

const KEYS = step<null, readonly StoredSigningKey[]>(async ({ db }, realm, items) => {
  const keys = await listSigningKeys(db, realm)
  return items.map(() => keys)
})

export const readSigningKeysTogether = (deps: Needs, realm: Realm) => take(deps, KEYS, realm, null)

const BEGINNINGS = step<NewAuthorization, { readonly error: unknown } | null>(
  async ({ db }, _realm, authorizations) => {
    try {
      await insertAuthorizations(db, authorizations)
      return authorizations.map(() => null)
    } catch (error) {
      if (authorizations.length === 1) return [{ error }]
      // A sign-in whose client was removed in the meantime must not fail the rest of the batch.
      const results = await Promise.allSettled(authorizations.map((one) => insertAuthorizations(db, [one])))
      return results.map((one) => (one.status === 'fulfilled' ? null : { error: one.reason }))
    }
  },
)

export async function writeAuthorization(deps: Needs, authorization: NewAuthorization): Promise<void> {
  const failed = await take(deps, BEGINNINGS, authorization, authorization)
  if (failed !== null) throw failed.error
}

const OPEN = step<string, OpenSignIn | null>(async ({ db, clock }, realm, ids) => {
  const open = await findOpenSignIns(db, realm, { ids, nowMs: clock.now() })
  const found = new Map(open.map((one) => [one.authorization.id, one]))
  return ids.map((id) => found.get(id) ?? null)
})

/** Finds the sign-in until its browser has a code. The caller checks that the request comes from that browser. */
export const findOpenSignIn = (deps: Needs, realm: Realm, id: string) => take(deps, OPEN, realm, id)

const CODES = step<NewCode, boolean>(async ({ db }, realm, codes) => {
  const issued = new Set((await setCodes(db, realm, codes)).map(hex))
  return codes.map(({ hash }) => issued.has(hex(hash)))
})

/** False if it already has a code, or if the person gave up in the meantime. */
export const issueCode = (deps: Needs, realm: Realm, code: NewCode) => take(deps, CODES, realm, code)

const USES = step<UsedCode, SpentSignIn | null>(async ({ db }, realm, uses) => {
  const spent = new Map((await useCodes(db, realm, uses)).map((one) => [hex(one.codeHash), one]))
  return uses.map(({ hash, clientId }) => {
    const one = spent.get(hex(hash)) ?? null
    if (one?.authorization.clientId !== clientId) return null
    // If two callers bring the same code, the first wins.
    spent.delete(hex(hash))
    return one
  })
})

/** The first use of a code by its own client; null for any other. */
export const spendCode = (deps: Needs, realm: Realm, used: UsedCode) => take(deps, USES, realm, used)
