// Puts long results into the store, counts what readers load and decrypt, and reads bodies in parts.

import assert from 'node:assert/strict'
import type { Reader } from '../../../src/core/tenants/domain/principal.ts'
import type { Realm } from '../../../src/core/tenants/domain/realm.ts'
import { openResult, sealResult } from '../../../src/core/verifications/store/sealed-results.ts'
import { loadVerification } from '../../../src/core/verifications/store/verifications.ts'
import type { PageBody } from '../../../src/core/verifications/usecases/reading/list-verifications.ts'
import type { Deps } from '../../../src/deps.ts'

/** Gives a completed verification claims of about this length. */
export async function lengthenResult({ db }: Pick<Deps, 'db'>, realm: Realm, id: string, length: number) {
  const stored = await loadVerification(db, realm, { id, deviceId: null })
  assert.ok(stored !== null && stored.sealedResult !== null)
  const result = openResult(db, stored, stored.sealedResult)
  assert.ok(result.outcome === 'completed')
  const sealed = sealResult(db, stored, {
    ...result,
    claims: { ...result.claims, portrait: `${id} ü`.padEnd(length, 'x') },
  })
  await db.query(
    { name: 'test_lengthen', text: 'update verification_results set sealed = $2 where verification_id = $1' },
    [id, sealed],
  )
}

/** What is watched: the start of its seal context, and its name in a row. */
const RESULTS = { context: 'verification_results.', column: 'sealedResult' }

/** Bytes that each statement loaded, and that were decrypted in each turn of the event loop. */
export interface Watched {
  readonly db: Deps['db']
  readonly loaded: number[]
  readonly decrypted: () => number[]
  stop(): void
}

export function watchResults({ db }: Pick<Deps, 'db'>, { context: watched, column } = RESULTS): Watched {
  const loaded: number[] = []
  const decrypted = new Map<number, number>()
  let turn = 0
  let isOver = false
  const next = () => {
    turn += 1
    if (!isOver) setImmediate(next).unref()
  }
  setImmediate(next).unref()
  return {
    loaded,
    decrypted: () => [...decrypted.values()],
    stop() {
      isOver = true
    },
    db: {
      ...db,
      sealer: {
        ...db.sealer,
        open(sealed, context) {
          if (context.startsWith(watched)) decrypted.set(turn, (decrypted.get(turn) ?? 0) + sealed.length)
          return db.sealer.open(sealed, context)
        },
      },
      async query<R extends object>(...call: Parameters<Deps['db']['query']>) {
        const rows = await db.query<R>(...call)
        const bytes = rows.reduce((sum, row) => sum + ((row as Record<string, Buffer | null>)[column]?.length ?? 0), 0)
        if (bytes > 0) loaded.push(bytes)
        return rows
      },
    },
  }
}

/** Reading costs nothing. */
export const pay: Reader['pay'] = async () => undefined

/** Returns the whole text of a body. */
export async function wholeBody(body: PageBody): Promise<string> {
  if (typeof body === 'string') return body
  let text = ''
  for await (const part of body) text += part
  return text
}
