// Creates one verification in a process that kills itself at a named point (argument: a CreationOrder).

import { randomBytes } from 'node:crypto'
import { assembleDeps } from '../../../src/assemble.ts'
import type { Principal } from '../../../src/core/tenants/domain/principal.ts'
import { createVerification } from '../../../src/core/verifications/usecases/asking/create-verification.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createLog } from '../../../src/platform/log/log.ts'
import { type Db, openDb, type Statement, type Tx } from '../../../src/platform/postgres/db.ts'
import { testSealer } from '../servers/master-key.ts'

/** The step after which it stops: the start of a statement's name, or the commit of the creation. */
export type DeathPoint = 'lease_idempotency_keys' | 'open_creation_test' | 'commit'

export interface CreationOrder {
  readonly databaseUrl: string
  readonly nowMs: number
  readonly principal: Principal
  readonly idempotencyKey: string
  readonly diesAfter: DeathPoint
  /** `SIGSTOP`: the process stays alive, but does nothing more. */
  readonly by: 'SIGKILL' | 'SIGSTOP'
}

if (import.meta.main) {
  const order: CreationOrder = JSON.parse(process.argv[2] ?? '')
  const db = await openDb({ connection: { url: order.databaseUrl }, sealer: testSealer(), poolMax: 3 })
  const { deps } = await assembleDeps({
    config: readConfig({ VIDIMUS_BASE_URL: 'https://verify.example.com' }),
    db: mortal(db, order),
    clock: { now: () => order.nowMs },
    clockOffsetMs: () => 0,
    random: (size) => new Uint8Array(randomBytes(size)),
    log: createLog('silent', () => undefined),
  })
  await createVerification(deps, {
    principal: order.principal,
    request: { template: 'identity' },
    idempotencyKey: order.idempotencyKey,
  })
  throw new Error('it should have died')
}

function mortal(db: Db, { diesAfter, by }: CreationOrder): Db {
  const wrap = (tx: Tx): Tx => ({
    sealer: tx.sealer,
    async query(statement, values) {
      const rows = await tx.query(statement, values)
      if (statement.name.startsWith(diesAfter)) await die(by)
      // biome-ignore lint/suspicious/noExplicitAny: the rows are returned unchanged
      return rows as any[]
    },
  })
  return {
    ...db,
    query: wrap(db).query,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...wrap(tx),
          async finish(statement, values) {
            const count = await tx.finish(statement, values)
            if (isCreation(statement) && diesAfter === 'commit') await die(by)
            return count
          },
        }),
      ),
  }
}

function isCreation({ name }: Statement): boolean {
  return name.startsWith('write_creation')
}

async function die(by: CreationOrder['by']): Promise<never> {
  process.kill(process.pid, by)
  // If the process was only stopped and continues, it does nothing more.
  return new Promise(() => undefined)
}
