// Tests that the service never writes to two writable servers, an old primary or a foreign cluster.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import test, { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Db, type DbOptions, openDb } from '../../src/platform/postgres/db.ts'
import { StoreRefused } from '../../src/platform/store-unavailable.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY, testSealer } from '../harness/servers/master-key.ts'
import { type OwnPostgres, ownServers } from '../harness/servers/own-postgres.ts'
import { startReplicas } from '../harness/servers/replicas.ts'
import { waitUntil } from '../harness/wait.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

const servers = await ownServers()
after(() => servers.close())

const QUICK = { poolMax: 4, compareEveryMs: 100 }
const urlOf = (ports: readonly number[], user = 'postgres') =>
  `postgres://${user}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`
const open = (ports: readonly number[], options: Partial<DbOptions> = {}) =>
  openDb({ connection: { url: urlOf(ports) }, sealer: testSealer(), ...QUICK, ...options })
const PORT = { name: 'port', text: `select current_setting('port')::int as port` }
const portOf = async (db: Db) => (await db.query<{ port: number }>(PORT))[0]?.port

const refusedAs = (refusal: string) => (error: unknown) => {
  assert.ok(error instanceof StoreRefused, String(error))
  assert.equal(error.refusal, refusal)
  return true
}

interface Pair {
  readonly old: OwnPostgres
  readonly promoted: OwnPostgres
}

async function makePair(): Promise<Pair> {
  const old = await servers.start()
  const promoted = await servers.startStandby(old)
  await old.ask('create table writes (by text)')
  await waitUntil('the standby has the table', () =>
    promoted.ask('select * from writes').then(
      () => true,
      () => false,
    ),
  )
  await old.stop()
  await promoted.ask('select pg_promote()')
  return { old, promoted }
}

/**
 * All tests share one pair, because creating a pair takes longer than most tests. Two other servers do not belong to
 * it.
 */
const pair = await makePair()
const own = await servers.start()
const stranger = await servers.start()

/** Returns a stopped primary, and its standby, which was promoted and is on timeline 2. */
async function failedOver(): Promise<Pair> {
  const { old, promoted } = pair
  await old.stop()
  await promoted.stop()
  await promoted.revive()
  return pair
}

test('while a revived old primary also takes writes there is no connection; once it is fenced, the newer timeline is used', async () => {
  const { old, promoted } = await failedOver()
  const ports = [old.port, promoted.port]
  const db = await open(ports)
  const write = { name: 'write', text: `insert into writes values ('db') returning by` }
  try {
    assert.equal(await portOf(db), promoted.port)
    await old.revive()
    await waitUntil('the two writers are noticed', () => db.hosts().refused !== null)
    assert.equal(db.hosts().refused?.refusal, 'two_writers')
    await assert.rejects(db.query(write), refusedAs('two_writers'))
    await assert.rejects(db.probe.query(PORT), refusedAs('two_writers'))
    await assert.rejects(
      db.transaction((tx) => tx.query(write)),
      refusedAs('two_writers'),
    )
    // A start also refuses, whichever server is named first.
    for (const order of [ports, ports.toReversed()])
      await assert.rejects(open(order), (error: unknown) => {
        refusedAs('two_writers')(error)
        assert.match(String(error), /timeline 1\).*timeline 2\)|timeline 2\).*timeline 1\)/)
        return true
      })
    assert.deepEqual(await old.ask('select * from writes'), [], 'nothing was written to the old primary')
    await old.stop()
    await waitUntil('the store is used again', () =>
      db.query(write).then(
        () => true,
        () => false,
      ),
    )
    assert.equal(await portOf(db), promoted.port)
    assert.equal(db.hosts().refused, null)
    // The new primary becomes unavailable: a process that has seen the newer timeline must not use the old one.
    await old.revive()
    await waitUntil('the two writers are noticed again', () => db.hosts().refused !== null)
    await promoted.stop()
    await waitUntil('the old primary is alone', () => db.hosts().refused?.refusal === 'old_timeline')
    await assert.rejects(db.query(write), refusedAs('old_timeline'))
    assert.deepEqual(await old.ask('select * from writes'), [])
  } finally {
    await db.close()
  }
})

test('a transaction on an abandoned server is aborted, and commits nothing there', async () => {
  const { old, promoted } = await failedOver()
  await promoted.stop()
  await old.revive()
  // Only the old primary answers, until the promoted server is back.
  const db = await open([old.port, promoted.port])
  try {
    assert.equal(await portOf(db), old.port)
    const begun = Promise.withResolvers<void>()
    const writing = db.transaction(async (tx) => {
      await tx.query({ name: 'write_old', text: `insert into writes values ('late') returning by` })
      begun.resolve()
      await waitUntil('the two writers are noticed', () => db.hosts().refused !== null)
    })
    await begun.promise
    await promoted.revive()
    await assert.rejects(writing, { message: /lost|store/ })
    await waitUntil('its connection ends', async () => {
      const [row] = await old.ask<{ many: number }>(
        `select count(*)::int as many from pg_stat_activity where application_name = 'vidimus' and state <> 'idle'`,
      )
      return row?.many === 0
    })
    assert.deepEqual(await old.ask('select * from writes'), [])
  } finally {
    await db.close()
  }
})

test('a name that leads back to the old primary is refused by a process that knew the new one', async () => {
  const { old, promoted } = await failedOver()
  let target = promoted.port
  const name = await forwarder(() => target)
  const db = await openDb({ connection: { url: urlOf([name.port]) }, sealer: testSealer(), ...QUICK })
  try {
    assert.equal(await portOf(db), promoted.port)
    await old.revive()
    target = old.port
    name.cut()
    await waitUntil('the old primary is refused', () =>
      db.query(PORT).then(
        () => false,
        (error) => error instanceof StoreRefused,
      ),
    )
    await assert.rejects(db.query(PORT), refusedAs('old_timeline'))
    target = promoted.port
    await waitUntil('the new primary is used again', () =>
      db.query(PORT).then(
        () => true,
        () => false,
      ),
    )
    // Now another cluster is behind the same name.
    target = stranger.port
    name.cut()
    await waitUntil('the stranger is refused', () =>
      db.query(PORT).then(
        () => false,
        (error) => error instanceof StoreRefused,
      ),
    )
    await assert.rejects(db.query(PORT), refusedAs('foreign_server'))
  } finally {
    await db.close()
    await name.close()
  }
})

test('a server of another cluster in the list stops the start; found later, it is reported and not used', async () => {
  await assert.rejects(open([own.port, stranger.port]), refusedAs('foreign_server'))
  await stranger.stop()
  const db = await open([own.port, stranger.port])
  try {
    await stranger.revive()
    await waitUntil('the stranger is named', () => db.hosts().foreign.length > 0)
    assert.match(db.hosts().foreign.join(), new RegExp(`:${stranger.port}$`))
    assert.equal(await portOf(db), own.port)
    assert.equal(db.hosts().refused, null)
  } finally {
    await db.close()
  }
})

test('a standby that follows the newer timeline is enough to refuse the old primary', async () => {
  const { old, promoted } = await failedOver()
  const follower = await servers.startStandby(promoted)
  await promoted.stop()
  await old.revive()
  await assert.rejects(open([old.port, promoted.port, follower.port]), refusedAs('old_timeline'))
})

test('two names of one server count as one; a silent server costs the others half a second', async () => {
  const silent = await silence()
  const alias = await forwarder(() => own.port)
  const db = await open([own.port, alias.port, silent.port], { acquireTimeoutMs: 5_000 })
  try {
    assert.equal(db.hosts().refused, null)
    const before = performance.now()
    // Far more than half a second, and far less than waiting for the silent one would take.
    const again = await open([silent.port, own.port], { acquireTimeoutMs: 120_000 })
    const tookMs = performance.now() - before
    assert.equal(await portOf(again), own.port)
    assert.ok(tookMs < 60_000, `${tookMs} ms`)
    await again.close()
  } finally {
    await db.close()
    await alias.close()
    await silent.close()
  }
})

test('a role that may not read system identifier and timeline serves with a warning, and still refuses two writers', async () => {
  const { old, promoted } = await failedOver()
  const hidden = `create role plain login; revoke execute on function pg_control_system() from public`
  await promoted.ask(hidden)
  const connection = { url: urlOf([old.port, promoted.port], 'plain') }
  const db = await openDb({ connection, sealer: testSealer(), ...QUICK })
  try {
    assert.equal(await portOf(db), promoted.port)
    assert.equal(db.hosts().compared, false)
    await old.revive()
    await old.ask(hidden)
    await waitUntil('the two writers are noticed', () => db.hosts().refused?.refusal === 'two_writers')
    await assert.rejects(db.query(PORT), refusedAs('two_writers'))
  } finally {
    await db.close()
  }
  // An ordinary role may, unless the right was revoked.
  await own.ask('create role plain login')
  const ordinary = await openDb({ connection: { url: urlOf([own.port], 'plain') }, sealer: testSealer(), ...QUICK })
  assert.equal(ordinary.hosts().compared, true)
  await ordinary.close()
})

test('while two servers take writes the service answers 503, and readiness, metrics and doctor say so; fencing one ends that', async () => {
  const { old, promoted } = await failedOver()
  const url = urlOf([old.port, promoted.port])
  const replicas = await startReplicas(url, 1)
  try {
    const [base = assert.fail()] = replicas.urls
    const ready = () => fetch(`${base}/readyz`).then(({ status }) => status)
    // Repeated requests to /readyz use up the rate of this address, which /metrics shares.
    const metricsSay = (twoWriters: 0 | 1) =>
      waitUntil(`the metrics say ${twoWriters}`, async () => {
        const text = await (await fetch(`${base}/metrics`)).text()
        return text.includes(`vidimus_store_refused{reason="two_writers"} ${twoWriters}`)
      })
    assert.equal(await ready(), 200)
    await metricsSay(0)
    await old.revive()
    await waitUntil('the service is not ready', async () => (await ready()) === 503)
    await metricsSay(1)
    const doctor = await doctorOf(url)
    assert.notEqual(doctor.code, 0)
    assert.match(doctor.stdout, /FAIL {2}store: two servers of DATABASE_URL take writes at the same time/)
    await old.stop()
    await waitUntil('the service is ready', async () => (await ready()) === 200)
    await metricsSay(0)
    assert.doesNotMatch((await doctorOf(url)).stdout, /FAIL/)
  } finally {
    await replicas.stop()
  }
})

async function doctorOf(url: string): Promise<{ readonly code: number; readonly stdout: string }> {
  const env = { ...BARE_ENVIRONMENT, DATABASE_URL: url, VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('hex') }
  return promisify(execFile)(process.execPath, [MAIN, 'doctor'], { env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  )
}

/** Forwards connections to the configured port, like a name that resolves to another server. */
async function forwarder(target: () => number) {
  const open = new Set<Socket>()
  const server = createServer((inbound) => {
    const outbound = connect(target(), '127.0.0.1')
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      open.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  return { ...(await listening(server)), cut: () => void [...open].map((one) => one.destroy()) }
}

/** Accepts connections and sends nothing. */
async function silence() {
  return listening(createServer(() => undefined))
}

async function listening(server: ReturnType<typeof createServer>) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail()
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
