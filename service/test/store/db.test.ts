// Tests statements, transactions and connections of the store.

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { violates } from '../../src/platform/postgres/connection.ts'
import { type DbOptions, openDb, type Statement } from '../../src/platform/postgres/db.ts'
import { StoreUnavailable } from '../../src/platform/store-unavailable.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { testSealer } from '../harness/servers/master-key.ts'

const { db, connection } = await testDatabase()
await db.query(sql('create table rows (id int primary key, constraint small check (id < 1000))'))

function sql(text: string): Statement {
  return { name: text, text }
}

async function open(t: TestContext, options: Partial<DbOptions> = {}) {
  const own = await openDb({ connection, sealer: testSealer(), poolMax: 2, ...options })
  t.after(() => own.close())
  return own
}

const count = async () => (await db.query<{ n: number }>(sql('select count(*)::int as n from rows')))[0]?.n

describe('a statement', () => {
  it('refuses an undefined parameter, which the driver would make null', async () => {
    await assert.rejects(
      async () => db.query(sql('select $1::int as a, $2::int as b'), [1, undefined]),
      /parameter 2 .* undefined/,
    )
  })

  it('refuses a second text under one name', async () => {
    await db.query({ name: 'twice', text: 'select 1' })
    await assert.rejects(async () => db.query({ name: 'twice', text: 'select 2' }), /two statements are named twice/)
  })

  it('reports a violated constraint by its name', async () => {
    const error = await db.query(sql('insert into rows values (1000)')).catch((error) => error)
    assert.equal(violates(error, 'small'), true)
    assert.equal(violates(error, 'rows_pkey'), false)
    assert.equal(violates(new Error('small'), 'small'), false)
  })
})

describe('a transaction', () => {
  it('commits what its work did, and nothing when the work throws', async () => {
    const before = await count()
    assert.equal(
      await db.transaction(async (tx) => (await tx.query(sql('insert into rows values (1) returning id'))).length),
      1,
    )
    const refusal = new Error('no')
    const failing = db.transaction(async (tx) => {
      await tx.query(sql('insert into rows values (2)'))
      throw refusal
    })
    await assert.rejects(failing, (error) => error === refusal)
    assert.equal(await count(), (before ?? 0) + 1)
  })

  it('never claims to have committed after a swallowed error', async () => {
    const before = await count()
    const swallowing = db.transaction(async (tx) => {
      await tx.query(sql('insert into rows values (3)'))
      await tx.query(sql('select 1/0 as boom')).catch(() => undefined)
      return 'fine'
    })
    await assert.rejects(swallowing, /was rolled back/)
    assert.equal(await count(), before)
  })

  it('never claims to have committed when a statement that was not awaited fails', async () => {
    const swallowing = db.transaction(async (tx) => {
      tx.query(sql('select 1/0 as boom')).catch(() => undefined)
    })
    await assert.rejects(swallowing, /was rolled back/)
  })

  it('accepts no statement after its end', async () => {
    const escaped = await db.transaction(async (tx) => tx)
    await assert.rejects(async () => escaped.query(sql('select 1 as late')), /after the end of its transaction/)
  })

  it('sends nothing after a statement that failed, because it would run outside of the transaction', async () => {
    const before = await count()
    const swallowing = db.transaction(async (tx) => {
      const failing = tx.query(sql('select 1/0 as boom')).catch(() => undefined)
      const behind = tx.query(sql('insert into rows values (4)'))
      await assert.rejects(behind, { code: '22012' })
      await failing
    })
    await assert.rejects(swallowing, /was rolled back/)
    assert.equal(await count(), before)
  })

  it('whose first statement fails is rolled back, and its connection and the statement stay usable', async (t) => {
    const own = await open(t, { poolMax: 1 })
    const divide = { name: 'divide', text: 'select 6 / $1::int as n' }
    await assert.rejects(
      own.transaction((tx) => tx.query(divide, [0])),
      { code: '22012' },
    )
    const state = sql('select state from pg_stat_activity where pid = $1')
    const [{ pid } = { pid: 0 }] = await own.query<{ pid: number }>(sql('select pg_backend_pid() as pid'))
    assert.deepEqual(await db.query(state, [pid]), [{ state: 'idle' }])
    assert.deepEqual(await own.transaction((tx) => tx.query(divide, [2])), [{ n: 3 }])
  })

  it('that does nothing sends nothing', async (t) => {
    const own = await open(t)
    const messages: string[] = []
    own.watch(({ name }) => messages.push(name))
    await own.transaction(async () => undefined)
    await assert.rejects(
      own.transaction(() => Promise.reject(new Error('no'))),
      /^Error: no$/,
    )
    assert.deepEqual(messages, [])
  })

  it("runs at READ COMMITTED, whatever the database's default", async (t) => {
    const [{ name } = { name: '' }] = await db.query<{ name: string }>(sql('select current_database() as name'))
    await db.query(sql(`alter database "${name}" set default_transaction_isolation = 'serializable'`))
    t.after(async () => {
      await own.transaction((tx) => tx.query(sql(`alter database "${name}" reset all`)))
    })
    const own = await open(t)
    const level = sql('show transaction_isolation')
    assert.deepEqual(await own.transaction((tx) => tx.query(level)), [{ transaction_isolation: 'read committed' }])
  })

  it('refuses a database whose sessions are read-only: half of the writes would fail', async (t) => {
    const [{ name } = { name: '' }] = await db.query<{ name: string }>(sql('select current_database() as name'))
    await db.query(sql(`alter database "${name}" set default_transaction_read_only = 'on'`))
    t.after(() => db.query(sql(`alter database "${name}" reset all`)))
    await assert.rejects(open(t), { name: 'StoreUnavailable', message: /takes no writes/ })
  })
})

describe('the last statement of a transaction, with its commit', () => {
  const insert = { name: 'insert_row', text: 'insert into rows values ($1) returning id' }
  const cut = sql('select pg_terminate_backend($1)')
  const rowOf = (id: number) => db.query(sql('select id from rows where id = $1'), [id])

  it('is one message, and done when it resolves', async (t) => {
    const own = await open(t, { poolMax: 1 })
    const messages: string[] = []
    own.watch(({ name }) => messages.push(name))
    const returned = await own.transaction(async (tx) => {
      await tx.query(insert, [11])
      await tx.finish(insert, [12])
      assert.equal((await rowOf(12)).length, 1, 'seen by another connection')
      assert.throws(() => tx.query(insert, [13]), /after the end of its transaction/)
      await assert.rejects(tx.finish(insert, [13]), /after the end of its transaction/)
      return 'given'
    })
    assert.equal(returned, 'given')
    assert.deepEqual(messages, ['insert_row', 'insert_row'])
    await own.transaction((tx) => tx.finish(insert, [14]))
    assert.equal((await rowOf(14)).length, 1)
  })

  it('is awaited even if its work did not', async (t) => {
    const own = await open(t)
    await own.transaction(async (tx) => void tx.finish(insert, [21]))
    assert.equal((await rowOf(21)).length, 1)
  })

  it('commits nothing if it fails, and its connection stays usable', async (t) => {
    const own = await open(t, { poolMax: 1 })
    const failing = own.transaction(async (tx) => {
      await tx.query(insert, [31])
      await tx.finish(insert, [1000])
    })
    await assert.rejects(failing, (error) => violates(error, 'small'))
    const swallowing = own.transaction(async (tx) => {
      await tx.query(insert, [31])
      await tx.finish(insert, [1000]).catch(() => undefined)
    })
    await assert.rejects(swallowing, /was rolled back/)
    assert.deepEqual(await own.query(sql('select id from rows where id = $1'), [31]), [])
  })

  it('commits nothing if the commit itself fails', async (t) => {
    const own = await open(t, { poolMax: 1 })
    await db.query(sql('create table once (id int, constraint one unique (id) deferrable initially deferred)'))
    const twice = own.transaction((tx) => tx.finish(sql('insert into once values (1), (1)')))
    await assert.rejects(twice, (error) => violates(error, 'one'))
    assert.deepEqual(await own.query(sql('select id from once')), [])
  })

  it('has an unknown outcome if its connection is lost, before or during the commit', async (t) => {
    const own = await open(t, { poolMax: 1 })
    const lost = own.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>(sql('select pg_backend_pid() as pid'))
      await db.query(cut, [row?.pid])
      await tx.finish(insert, [41])
    })
    await assert.rejects(lost, StoreUnavailable)
    assert.deepEqual(await rowOf(41), [])
    await db.query(sql('create table fatal (id int)'))
    await db.query(
      sql(`create function die() returns trigger language plpgsql
           as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`),
    )
    await db.query(
      sql(`create constraint trigger dies after insert on fatal deferrable initially deferred
           for each row execute function die()`),
    )
    await assert.rejects(
      own.transaction((tx) => tx.finish(sql('insert into fatal values (1)'))),
      StoreUnavailable,
    )
    await own.transaction((tx) => tx.finish(insert, [42]))
    assert.equal((await rowOf(42)).length, 1)
  })

  it('has the time of the statement and that of the commit, which the server does not end', async (t) => {
    const answers = { begin: 0, statement: 3_000, commit: 120_000 }
    const own = await open(t, { poolMax: 1, statementTimeoutMs: 3_000, answers })
    await db.query(sql('create table slow (id int)'))
    await db.query(
      sql(
        `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(3.5); return null; end $$`,
      ),
    )
    await db.query(
      sql(`create constraint trigger waits after insert on slow deferrable initially deferred
           for each row execute function wait()`),
    )
    await own.transaction((tx) => tx.finish(sql('insert into slow values (1)')))
    assert.deepEqual(await db.query(sql('select id from slow')), [{ id: 1 }])
  })

  it('completes even if a watcher throws: the error is reported, and other watchers are called', async (t) => {
    const reported: [string, unknown][] = []
    const own = await open(t, { poolMax: 1, report: (event, error) => reported.push([event, error]) })
    const messages: string[] = []
    const wrong = new Error('no')
    own.watch(() => {
      throw wrong
    })
    own.watch(({ name }) => messages.push(name))
    let decided = false
    await own.transaction(async (tx) => {
      await tx.finish(insert, [61])
      decided = true
    })
    assert.equal(decided, true)
    assert.equal((await rowOf(61)).length, 1)
    assert.deepEqual(messages, ['insert_row'])
    assert.deepEqual(reported, [['a watcher of statements threw', wrong]])
    // A failed statement keeps its own error.
    await assert.rejects(own.query(sql('select 1/0 as boom')), { code: '22012' })
    assert.equal(reported.length, 2)
  })

  it('completes without reading its rows', async (t) => {
    const own = await open(t)
    const unreadable = sql('insert into rows values (51) returning 9223372036854775807')
    await own.transaction((tx) => tx.finish(unreadable))
    assert.equal((await rowOf(51)).length, 1)
  })
})

describe('a session', () => {
  it("is in UTC, waits for the disk and compiles no plans, whatever the database's defaults", async (t) => {
    const [{ name } = { name: '' }] = await db.query<{ name: string }>(sql('select current_database() as name'))
    const settings = [`timezone = 'Pacific/Chatham'`, `synchronous_commit = 'off'`, `datestyle = 'German'`, 'jit = on']
    for (const setting of settings) {
      await db.query(sql(`alter database "${name}" set ${setting}`))
    }
    t.after(() => db.query(sql(`alter database "${name}" reset all`)))
    const own = await open(t)
    const show = (setting: string) => own.query<Record<string, string>>(sql(`show ${setting}`))
    assert.deepEqual(await show('timezone'), [{ TimeZone: 'UTC' }])
    assert.deepEqual(await show('synchronous_commit'), [{ synchronous_commit: 'on' }])
    assert.deepEqual(await show('jit'), [{ jit: 'off' }])
    const [row] = await own.query<{ at: string }>(sql(`select timestamptz '2026-01-02 03:04:05+00' as at`))
    assert.equal(row?.at, '2026-01-02T03:04:05.000000Z')
  })
})

it('a statement that another client prepared reveals a pooler, and the error says so', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.query(sql('prepare of_a_stranger as select 1'))
      await tx.query({ name: 'of_a_stranger', text: 'select 2' })
    }),
    { name: 'StoreUnfit', message: /pooler .* \(42P05\)/, remedy: /pool_mode to session/ },
  )
})

describe('a store in trouble answers StoreUnavailable', () => {
  it('when every connection is busy for longer than the limit, and then recovers', async (t) => {
    const own = await open(t, { poolMax: 1, acquireTimeoutMs: 3_000 })
    const gate = Promise.withResolvers<void>()
    const holding = own.transaction(() => gate.promise)
    await assert.rejects(own.query(sql('select 1')), StoreUnavailable)
    gate.resolve()
    await holding
    assert.equal((await own.query(sql('select 1'))).length, 1)
  })

  it('at once when too many wait already', async (t) => {
    const own = await open(t, { poolMax: 1, waitingMax: 1 })
    const gate = Promise.withResolvers<void>()
    const holding = own.transaction(() => gate.promise)
    const waiting = own.query(sql('select 1'))
    assert.deepEqual(own.stats(), { total: 1, idle: 0, waiting: 1 })
    await assert.rejects(own.query(sql('select 1')), { name: 'StoreUnavailable', message: /too many/ })
    gate.resolve()
    await Promise.all([holding, waiting])
  })

  it('when its connection is lost during a transaction, and the next transaction works', async (t) => {
    const own = await open(t, { poolMax: 1 })
    const cut = own.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>(sql('select pg_backend_pid() as pid'))
      await db.query(sql('select pg_terminate_backend($1)'), [row?.pid])
      await tx.query(sql('select 1'))
    })
    await assert.rejects(cut, StoreUnavailable)
    assert.equal((await own.query(sql('select 1'))).length, 1)
  })

  it('when a statement takes too long, and its connection stays usable', async (t) => {
    const own = await open(t, { poolMax: 1, statementTimeoutMs: 3_000 })
    await assert.rejects(own.query(sql('select pg_sleep(120)')), { name: 'StoreUnavailable', message: /too long/ })
    assert.equal((await own.query(sql('select 1'))).length, 1)
  })

  it('when it does not get a lock in time', async (t) => {
    const own = await open(t, { lockTimeoutMs: 50 })
    await db.transaction(async (tx) => {
      await tx.query(sql('lock table rows in access exclusive mode'))
      await assert.rejects(own.query(sql('select * from rows')), { name: 'StoreUnavailable', message: /lock/ })
    })
  })

  it('when there is no server', async () => {
    const nowhere = { socketDir: '/nonexistent', user: 'vidimus', database: 'vidimus' }
    await assert.rejects(openDb({ connection: nowhere, sealer: testSealer(), poolMax: 1 }), StoreUnavailable)
    await assert.rejects(
      openDb({ connection: { url: 'postgres://127.0.0.1:1/none' }, sealer: testSealer(), poolMax: 1 }),
      StoreUnavailable,
    )
  })

  it('when it is closed; closing twice is like closing once, and hanging statements are aborted', async () => {
    const own = await openDb({ connection, sealer: testSealer(), poolMax: 1, closeTimeoutMs: 200 })
    // Connects first, so that the next statement hangs in itself, not in connecting.
    await own.query(sql('select 1'))
    const hanging = own.query(sql('select pg_sleep(8)'))
    const closed = own.close()
    await assert.rejects(hanging, StoreUnavailable)
    await closed
    await own.close()
    await assert.rejects(own.query(sql('select 1')), StoreUnavailable)
    await assert.rejects(
      own.listen('x', () => undefined),
      StoreUnavailable,
    )
  })

  it('when it is closed while its connection is still being made', async () => {
    const own = await openDb({ connection, sealer: testSealer(), poolMax: 1, closeTimeoutMs: 0 })
    const late = own.query(sql('select pg_sleep(1)'))
    const closed = own.close()
    await assert.rejects(late, StoreUnavailable)
    await closed
  })
})
