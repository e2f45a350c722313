// Tests copies of a tenant that another installation serves: erasures do not reach them, so they are deleted.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { loadVerification } from '../../src/core/verifications/store/verifications.ts'
import { linkSealContext } from '../../src/features/links/index.ts'
import { deleteCopies, diagnoseCopies } from '../../src/features/operator/usecases/moving/delete-copies.ts'
import {
  abortMove,
  copyTenant,
  finishMove,
  switchTenant,
} from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { diagnoseArrivals, openHere } from '../../src/features/operator/usecases/moving/open-arrived-tenants.ts'
import { isVerified } from '../../src/features/operator/usecases/moving/whereabouts.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import type { Db, Tx } from '../../src/platform/postgres/db.ts'
import { NEVER_STOPPED } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { type TestService, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { create } from '../wallet/verifications.ts'
import { ask, completed, type Installations, moveOf, run, settles, twoInstallations } from './installations.ts'

const DAY = 86_400_000
const STOP = { stopSeconds: 30 }

const isThere = async ({ deps }: TestService, tenantId: string, id: string) =>
  (await loadVerification(deps.db, { tenantId, environment: 'test' }, { id, deviceId: null })) !== null

it('a rehearsed copy is deleted after a day, and doctor names it until then', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const tenantId = await source.tenant()
  const key = await source.key(tenantId)
  const id = await completed(source, key)
  await copyTenant(moveOf(both, tenantId))
  assert.match((await diagnoseCopies(target.deps))[0]?.finding ?? '', new RegExp(`^${tenantId} was copied here`))
  assert.deepEqual(await diagnoseCopies(source.deps), [])
  target.clock.advance(DAY - 60_000)
  await runJob(target.deps, 'delete-copies')
  assert.ok(await isThere(target, tenantId, id))
  await copyTenant(moveOf(both, tenantId))
  target.clock.advance(DAY - 60_000)
  await runJob(target.deps, 'delete-copies')
  assert.ok(await isThere(target, tenantId, id), 'a day after the last copy')
  target.clock.advance(120_000)
  await runJob(target.deps, 'delete-copies')
  assert.ok(!(await isThere(target, tenantId, id)))
  assert.ok(await isThere(source, tenantId, id))
  assert.deepEqual(await diagnoseCopies(target.deps), [])
  await settles(both, key, '200 401')
  await switchTenant(moveOf(both, tenantId), STOP)
  await settles(both, key, '308 200')
})

/** Returns the application of the new installation behind a socket, because the old one asks its public address. */
async function reachable() {
  const holder: { target: TestService | null } = { target: null }
  const requests: string[] = []
  const server = createServer(({ url = '/' }, response) => {
    const answering = holder.target?.app.inject({ method: 'GET', url })
    void answering?.then(({ statusCode, payload }) => {
      requests.push(`${statusCode} ${url.split('?')[0]}`)
      response.writeHead(statusCode, { 'content-type': 'application/json' }).end(payload)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  after(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const source = await testService({ baseUrl: 'https://old.example.com' }, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
  const target = await testService({ baseUrl: address }, {}, { masterKey: randomBytes(32) })
  holder.target = target
  return { source, target, requests, address }
}

describe('a moved tenant is deleted at the old installation', () => {
  it('a day after the move, once nothing is open', async () => {
    const both = await reachable()
    const { source, target, requests, address } = both
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    const id = await completed(source, key)
    await switchTenant(moveOf(both, tenantId), STOP)
    assert.match(
      (await diagnoseCopies(source.deps))[0]?.finding ?? '',
      new RegExp(`^${tenantId} has moved to ${address}`),
    )
    assert.deepEqual(await diagnoseCopies(target.deps), [])
    source.clock.advance(DAY - 60_000)
    await runJob(source.deps, 'delete-copies')
    assert.ok(await isThere(source, tenantId, id), 'the new installation may not have a backup yet')
    source.clock.advance(120_000)
    await runJob(source.deps, 'delete-copies')
    assert.ok(!(await isThere(source, tenantId, id)))
    assert.ok(await isThere(target, tenantId, id))
    assert.deepEqual(requests, [], 'the command has recorded that the tenant is open there')
    assert.deepEqual(await diagnoseCopies(source.deps), [])
    assert.equal((await ask(source, '/v1/verifications', { key })).status, 308)
  })

  it('also if the command was killed before it recorded that the new installation had opened the tenant', async () => {
    const both = await reachable()
    const { source, target, requests } = both
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    const id = await completed(source, key)
    await create(source, key)
    await killedAt(both, tenantId, 'open')
    source.clock.advance(2 * DAY)
    await runJob(source.deps, 'delete-copies')
    await runJob(source.deps, 'delete-copies')
    assert.deepEqual(requests, Array(2).fill(`404 /arrived/${tenantId}`))
    assert.ok(await isThere(source, tenantId, id), 'the new installation has not opened the tenant')
    await openHere(target.deps, tenantId)
    await runJob(source.deps, 'delete-copies')
    assert.equal(requests.at(-1), `200 /arrived/${tenantId}`)
    assert.ok(await isThere(source, tenantId, id), 'a day from now on')
    source.clock.advance(DAY + 60_000)
    await runJob(source.deps, 'delete-copies')
    assert.ok(!(await isThere(source, tenantId, id)))
  })

  it('and the new installation reveals only what is already known', async () => {
    const { target } = await reachable()
    const known = await ask(target, `/arrived/${await target.tenant()}`)
    const unknown = await ask(target, '/arrived/ten_0000000000000000')
    assert.deepEqual([known.status, known.text.replace(/req_\w+/, '')], [404, unknown.text.replace(/req_\w+/, '')])
  })
})

/** Runs a move up to this step, as if it was killed there. */
const killedAt = (both: Installations, tenantId: string, step: string) =>
  new Promise<void>((resolve, reject) => {
    const hangs = (at: string) => {
      if (at !== step) return undefined
      resolve()
      return new Promise<void>(() => undefined)
    }
    switchTenant(moveOf(both, tenantId, hangs), STOP).then(() => reject(new Error('it was done')), reject)
  })

it('a switch that was too slow leaves no permanent copy', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const tenantId = await source.tenant()
  const owner = await person(source, tenantId, 'owner')
  const id = await completed(source, await source.key(tenantId))
  const slow = moveOf(both, tenantId, async (step) => {
    if (step !== 'give away') return
    assert.ok(await isVerified(target.deps, tenantId))
    await run(source, 'update tenants set closed_until = now() where id = $1', [tenantId])
  })
  await assert.rejects(switchTenant(slow, STOP), /still serves the tenant/)
  assert.ok(!(await isVerified(target.deps, tenantId)))
  assert.deepEqual(await run(target, 'select password from people where id = $1', [owner.id]), [{ password: null }])
  assert.ok(await isThere(target, tenantId, id))
  target.clock.advance(DAY + 60_000)
  await runJob(target.deps, 'delete-copies')
  assert.ok(!(await isThere(target, tenantId, id)))
  assert.ok(await isThere(source, tenantId, id))
})

it('a verified copy that a killed switch left can be aborted, also once the tenant has moved elsewhere', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const third = await testService({ baseUrl: 'https://third.example.com' }, {}, { masterKey: randomBytes(32) })
  const tenantId = await source.tenant()
  const id = await completed(source, await source.key(tenantId))
  await killedAt(both, tenantId, 'give away')
  for (const table of ['tenants where id', 'audit_heads where tenant_id'])
    await run(source, `update ${table.replace(' where', ' set closed_until = null where')} = $1`, [tenantId])
  await switchTenant(moveOf({ source, target: third }, tenantId), STOP)
  target.clock.advance(2 * DAY)
  await runJob(target.deps, 'delete-copies')
  assert.ok(await isThere(target, tenantId, id), 'a job does not delete a verified copy')
  await assert.rejects(switchTenant(moveOf(both, tenantId), STOP), /has moved to https:\/\/third/)
  await assert.rejects(abortMove(moveOf({ source, target: third }, tenantId)), /has moved already/)
  const opened = await run(source, 'select opened_there_at as at from tenants where id = $1', [tenantId])
  await run(source, 'update tenants set opened_there_at = null where id = $1', [tenantId])
  await assert.rejects(
    abortMove(moveOf(both, tenantId)),
    /has moved to/,
    'the third installation may be this one under another name',
  )
  await run(source, 'update tenants set opened_there_at = $2 where id = $1', [tenantId, opened[0]?.at])
  await run(target, `insert into schema_migrations (number, name, checksum) values (9999, 'later', 'x')`)
  await assert.rejects(abortMove(moveOf(both, tenantId)), /different schemas/, 'tables would be left out')
  await run(target, 'delete from schema_migrations where number = 9999')
  await abortMove(moveOf(both, tenantId))
  assert.ok(!(await isThere(target, tenantId, id)))
  assert.ok(await isThere(third, tenantId, id))
  assert.deepEqual([...(await diagnoseCopies(target.deps)), ...(await diagnoseArrivals(target.deps))], [])
})

describe('a job that is delayed', () => {
  /** Returns a store in which one statement waits. */
  function stallAt(db: Db, name: string) {
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const blockedDb: Db = new Proxy(db, {
      get: (of, member) =>
        member !== 'transaction'
          ? Reflect.get(of, member, of)
          : async (work: (tx: Tx) => Promise<unknown>) => {
              if (state.table === name) {
                reached.resolve()
                await gate.promise
              }
              return of.transaction((tx) =>
                work(
                  new Proxy(tx, {
                    get: (inner, own) =>
                      own !== 'query'
                        ? Reflect.get(inner, own, inner)
                        : (statement: { name: string }, values: unknown[]) => {
                            state.table = statement.name
                            return inner.query(statement as never, values as never)
                          },
                  }),
                ),
              )
            },
    })
    const state = { table: '' }
    return { blockedDb, reached: reached.promise, release: gate.resolve }
  }

  it('deletes nothing of a tenant that was copied again and opened in between', async () => {
    const both = await twoInstallations()
    const { source, target } = both
    const tenantId = await source.tenant()
    const key = await source.key(tenantId)
    await person(source, tenantId, 'owner')
    const id = await completed(source, key)
    await copyTenant(moveOf(both, tenantId))
    target.clock.advance(DAY + 60_000)
    const { blockedDb, reached, release } = stallAt(target.deps.db, 'move_clear_verifications')
    const job = deleteCopies({ ...target.deps, db: blockedDb }, NEVER_STOPPED)
    await reached
    assert.ok(!(await isThere(target, tenantId, id)))
    await switchTenant(moveOf(both, tenantId), STOP)
    await settles(both, key, '308 200')
    release()
    await job
    await settles(both, key, '308 200')
    for (const table of ['members', 'api_keys', 'verifications', 'kept_keys'])
      assert.notDeepEqual(
        await run(target, `select from ${table} t where to_jsonb(t)::text like '%' || $1 || '%'`, [tenantId]),
        [],
        table,
      )
  })
})

describe('staff and links', () => {
  it('are deleted with an aborted copy, and with a moved tenant', async () => {
    const both = await twoInstallations()
    const { source, target } = both
    const [tenantId, other] = [await source.tenant(), await source.tenant()]
    const [owner, shared] = [
      await person(source, tenantId, 'owner'),
      await person(source, tenantId, 'admin', 'b@x.org'),
    ]
    await person(source, other, 'owner', shared.email)
    const key = await source.key(tenantId)
    const metadata = { customer: 'Erika Mustermann, Ward 7' }
    const link = await source.call('POST', '/v1/links', { key, body: { template: 'age_over_18', metadata } })
    assert.equal(link.status, 201, link.text)
    const people = async (service: TestService) =>
      (await run(service, 'select id from people')).map(({ id }) => String(id)).sort()
    await copyTenant(moveOf(both, tenantId))
    assert.deepEqual(await people(target), [owner.id, shared.id].sort())
    await abortMove(moveOf(both, tenantId))
    assert.deepEqual(await people(target), [])
    await switchTenant(moveOf(both, tenantId), STOP)
    assert.equal((await finishMove(moveOf(both, tenantId))).waitUntil, null)
    assert.deepEqual(await people(source), [shared.id])
    assert.deepEqual(await people(target), [owner.id, shared.id].sort())
    const requestOf = async (service: TestService) => {
      const { deps } = service
      const [row] = await run(service, 'select request from links where id = $1', [link.json.id])
      const owned = { tenantId, environment: 'test', id: String(link.json.id) }
      return JSON.parse(deps.db.sealer.open(row?.request as Buffer, linkSealContext(owned)).toString())
    }
    assert.deepEqual(await requestOf(source), {})
    assert.deepEqual((await requestOf(target)).metadata, metadata)
    const opened = await ask(source, new URL(link.json.url).pathname)
    assert.equal(opened.status, 308, opened.text)
  })
})

it('receipt keys that came with a copy are no longer published once no tenant needs them', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const tenants = [await source.tenant(), await source.tenant(), await source.tenant()] as const
  await completed(source, await source.key(tenants[0]))
  const kidsAt = async (service: TestService) =>
    new Set((await run(service, 'select kid from receipt_keys')).map(({ kid }) => String(kid)))
  const theirs = await kidsAt(source)
  const own = await kidsAt(target)
  const areThere = async () => theirs.isSubsetOf(await kidsAt(target))
  assert.ok(theirs.size > 0 && theirs.isDisjointFrom(own))
  for (const tenantId of tenants) await copyTenant(moveOf(both, tenantId))
  await copyTenant(moveOf(both, tenants[0]))
  await abortMove(moveOf(both, tenants[0]))
  assert.ok(await areThere(), 'other tenants brought the same keys')
  await abortMove(moveOf(both, tenants[1]))
  assert.ok(await areThere())
  target.clock.advance(2 * DAY)
  await runJob(target.deps, 'delete-copies')
  assert.deepEqual(await kidsAt(target), own)
  await switchTenant(moveOf(both, tenants[0]), STOP)
  await copyTenant(moveOf(both, tenants[1]))
  await abortMove(moveOf(both, tenants[1]))
  assert.ok(await areThere(), 'a tenant that arrived needs them')
})

it('the keys that derive subjects are deleted where a tenant came through on its way to a third installation', async () => {
  const { source, target } = await twoInstallations()
  const third = await testService({ baseUrl: 'https://third.example.com' }, {}, { masterKey: randomBytes(32) })
  const tenantId = await source.tenant()
  const keysAt = async (service: TestService) =>
    (await run(service, "select label from kept_keys where label like '%' || $1", [tenantId])).length
  await switchTenant(moveOf({ source, target }, tenantId), STOP)
  await switchTenant(moveOf({ source: target, target: third }, tenantId), STOP)
  assert.deepEqual([await keysAt(target), await keysAt(third)], [3, 3])
  assert.equal((await finishMove(moveOf({ source: target, target: third }, tenantId))).waitUntil, null)
  assert.deepEqual([await keysAt(target), await keysAt(third)], [0, 3])
  assert.equal(
    (await finishMove(moveOf({ source, target }, tenantId))).waitUntil,
    null,
    'the tenant was opened there in the past',
  )
})

/** Random bytes, except for the six that choose the size of a batch: those select no larger size. */
const calm = (size: number) => (size === 6 ? new Uint8Array(size).fill(255) : new Uint8Array(randomBytes(size)))

it('receipts of an arriving tenant make no batch of the log larger, and replace padding in a quarter of it', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const size = async () => Number((await target.call('GET', '/log/checkpoint')).text.split('\n')[1])
  const minute = async () => {
    const before = await size()
    target.clock.advance(60_000)
    await growLog({ ...target.deps, random: calm })
    return (await size()) - before
  }
  await completed(target, await target.key(await target.tenant()))
  await growLog({ ...target.deps, random: calm })
  const usual = [await minute(), await minute()]
  assert.deepEqual(usual, [16, 16])
  const tenantId = await source.tenant()
  const id = await completed(source, await source.key(tenantId))
  await source.deps.db.query(
    {
      name: 'test_more_receipts',
      text: `insert into receipts (verification_id, tenant_id, environment, jws)
             select 'ver_' || md5(n::text), r.tenant_id, r.environment, r.jws || n from receipts r, generate_series(1, 99) n
             where r.verification_id = $1`,
    },
    [id],
  )
  await switchTenant({ ...moveOf(both, tenantId), target: { ...target.deps, random: calm } }, STOP)
  const waiting = async () => {
    const text = 'select count(*)::int as count from receipts where tenant_id = $1 and leaf_index is null'
    const [row] = await target.deps.db.query<{ count: number }>({ name: 'test_waiting', text }, [tenantId])
    return row?.count
  }
  assert.equal(await waiting(), 100)
  for (let at = 0; at < 25; at += 1) assert.equal(await minute(), 16)
  assert.equal(await waiting(), 0)
  assert.equal((await target.call('GET', `/log/checkpoint`)).status, 200)
})
