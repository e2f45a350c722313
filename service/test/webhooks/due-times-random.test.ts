// Tests with random sequences of deliveries that a due time is never later than its realm's first delivery.

import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { countFailures, markDestination } from '../../src/features/webhooks/store/destinations.ts'
import { replaceDueTimes } from '../../src/features/webhooks/store/due-times.ts'
import { type Leased, sendOne, writeDown } from '../../src/features/webhooks/usecases/deliver-webhooks.ts'
import { resendDelivery } from '../../src/features/webhooks/usecases/read-deliveries.ts'
import { resendFailed } from '../../src/features/webhooks/usecases/resend-failed.ts'
import { enableWebhookDestination } from '../../src/features/webhooks/usecases/watch-destinations.ts'
import type { Db, Tx } from '../../src/platform/postgres/db.ts'
import { instantOf } from '../../src/platform/world.ts'
import { lateRealms, readDueTimes } from '../harness/due-times.ts'
import { runJob } from '../harness/jobs.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { waitUntil } from '../harness/wait.ts'
import { ALL_DUE, complete, declined, LOOPBACK, startReceiver, takeDue } from '../harness/webhooks.ts'

const service = await testService({}, LOOPBACK)
const { clock, deps } = service
const receiver = await startReceiver()
const origin = new URL(receiver.url).origin
const now = () => instantOf(clock.now())
const HOUR = 3_600_000

const STEPS = [
  'enqueue',
  'enqueue as the release before',
  'lose an enqueued one',
  'lease',
  'lease',
  'succeed',
  'fail',
  'refuse for good',
  'vanish',
  'pause',
  'resume',
  'resend all',
  'resend one',
  'erase',
  'wait a second',
  'wait a minute',
  'wait an hour',
  'replace',
  'die while replacing',
] as const
type Step = (typeof STEPS)[number]

interface World {
  readonly realms: readonly { readonly tenantId: string; readonly key: string }[]
  readonly verifications: { readonly id: string; readonly key: string; readonly tenantId: string }[]
  leased: Leased[]
  nth: number
}

async function newWorld(realms: number): Promise<World> {
  const created = await Promise.all(
    Array.from({ length: realms }, async () => {
      const tenantId = await service.tenant()
      return { tenantId, key: await service.key(tenantId) }
    }),
  )
  return { realms: created, verifications: [], leased: [], nth: 0 }
}

const pick = <T>(items: readonly T[], which: number): T | undefined => items[which % Math.max(1, items.length)]

/** Enqueues a verification's event again, with a statement that ignores due times. */
async function enqueueAsBefore(tx: Tx, world: World, of: World['verifications'][number]): Promise<void> {
  world.nth += 1
  await tx.query(
    {
      name: 'test_enqueue_as_before',
      text: `insert into webhook_deliveries (id, tenant_id, environment, verification_id, type, created_at, next_at)
             select 'dlv_' || md5(id || $2), tenant_id, environment, id, $2, clock_timestamp(), $3 from verifications where id = $1`,
    },
    [of.id, `test.${world.nth}`, now()],
  )
}

async function end(leased: Leased | undefined, status: number): Promise<void> {
  if (leased === undefined) return
  receiver.answer = () => ({ status })
  await complete(deps, leased)
}

async function run(world: World, step: Step, which: number): Promise<void> {
  const realm = pick(world.realms, which) ?? assert.fail('no realm')
  const at = { tenantId: realm.tenantId, environment: 'test' } as const
  const verification = pick(world.verifications, which)
  const destination = { ...at, origin }
  switch (step) {
    case 'enqueue': {
      const id = await declined(service, { key: realm.key, url: receiver.url })
      world.verifications.push({ id, ...realm })
      return
    }
    case 'enqueue as the release before':
      if (verification !== undefined) await enqueueAsBefore(deps.db, world, verification)
      return
    case 'lose an enqueued one':
      if (verification === undefined) return
      await assert.rejects(
        deps.db.transaction(async (tx) => {
          await enqueueAsBefore(tx, world, verification)
          throw new Error('the process ends')
        }),
        /the process ends/,
      )
      return
    case 'lease':
      world.leased.push(...(await takeDue(deps, { ...ALL_DUE, shareOfOthers: 1 + (which % 4) })))
      return
    case 'succeed':
      return end(world.leased.shift(), 200)
    case 'fail':
      return end(world.leased.shift(), 500)
    case 'refuse for good':
      return end(world.leased.shift(), 410)
    case 'vanish':
      world.leased = []
      return
    case 'pause':
      await countFailures(deps.db, [destination], now())
      await markDestination(deps.db, destination, { step: 'disable', now: now() })
      return
    case 'resume':
      await enableWebhookDestination(deps, { destination, actor: OPERATOR })
      return
    case 'resend all':
      await resendFailed(deps, { realm: at, since: instantOf(clock.now() - 24 * HOUR), actor: OPERATOR })
      return
    case 'resend one': {
      receiver.answer = () => ({ status: which % 2 === 0 ? 200 : 500 })
      const [one] = await deps.db.query<{ id: string }>(
        {
          name: 'test_any_delivery',
          text: 'select id from webhook_deliveries where tenant_id = $1 order by id limit 1',
        },
        [at.tenantId],
      )
      if (one !== undefined) await resendDelivery(deps, { realm: at, deliveryId: one.id, actor: OPERATOR })
      return
    }
    case 'erase':
      if (verification === undefined) return
      world.verifications.splice(world.verifications.indexOf(verification), 1)
      await service.call('DELETE', `/v1/verifications/${verification.id}`, { key: verification.key })
      return
    case 'wait a second':
      return void clock.advance(1_000)
    case 'wait a minute':
      return void clock.advance(60_000)
    case 'wait an hour':
      return void clock.advance(HOUR)
    case 'replace':
      return replaceDueTimes(deps.db, [at], now())
    case 'die while replacing':
      await replaceDueTimes(dyingBeforeItsCommit(deps.db), [at], now()).catch((error) =>
        assert.match(String(error), /the process ends/),
      )
      return
  }
}

test("no step of a random sequence makes a due time later than its delivery's", { timeout: 300_000 }, async () => {
  const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat({ max: 7 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
      const world = await newWorld(2)
      for (const [what, which] of [['enqueue', 0] as const, ['enqueue', 1] as const, ...steps]) {
        await run(world, what, which)
        assert.deepEqual(lateRealms(await readDueTimes(deps.db)), [], what)
      }
      await settle(world)
    }),
    { numRuns: 12 },
  )
})

/** Asserts that everything is sent in time, and that the due times then say exactly when the next delivery is due. */
async function settle(world: World): Promise<void> {
  receiver.answer = () => ({ status: 200 })
  for (const { tenantId } of world.realms)
    await enableWebhookDestination(deps, { destination: { tenantId, environment: 'test', origin }, actor: OPERATOR })
  // bounded: whatever is pending is due within a day, and sent then.
  for (let look = 0; look < 4; look += 1) {
    clock.advance(25 * HOUR)
    await Promise.all((await takeDue(deps, ALL_DUE)).map((one) => complete(deps, one)))
  }
  clock.advance(2_000)
  assert.equal((await takeDue(deps, ALL_DUE)).length, 0)
  const own = new Set(world.realms.map(({ tenantId }) => tenantId))
  const left = (await readDueTimes(deps.db)).filter(({ tenantId }) => own.has(tenantId))
  assert.deepEqual(left, [], 'nothing is pending, and no due time is left')
}

test("concurrent steps make no due time later than its delivery's, in any state that the store can show", {
  timeout: 300_000,
}, async () => {
  const world = await newWorld(3)
  for (let nth = 0; nth < 3; nth += 1) await run(world, 'enqueue', nth)
  receiver.answer = (count) => ({ status: count % 3 === 0 ? 500 : 200 })
  let isOver = false
  const until = (work: (nth: number) => Promise<void>) => async () => {
    for (let nth = 0; !isOver; nth += 1) await work(nth)
  }
  const writer = until(async (nth) => {
    const verification = pick(world.verifications, nth) ?? assert.fail('none')
    await deps.db.transaction(async (tx) => {
      await enqueueAsBefore(tx, world, verification)
      await delay(nth % 5)
    })
  })
  const replacer = until(async (nth) => {
    const { tenantId } = pick(world.realms, nth) ?? assert.fail('none')
    await replaceDueTimes(deps.db, [{ tenantId, environment: 'test' }], now())
  })
  const worker = until(async () => {
    const leased = await takeDue(deps, ALL_DUE)
    await Promise.all(leased.map(async (one) => writeDown(deps, await sendOne(deps, one))))
    clock.advance(2_000)
  })
  let looks = 0
  const checker = async () => {
    try {
      for (; looks < 300; looks += 1) assert.deepEqual(lateRealms(await readDueTimes(deps.db)), [])
    } finally {
      isOver = true
    }
  }
  await Promise.all([writer(), writer(), replacer(), worker(), checker()])
  receiver.answer = () => ({ status: 200 })
  const pending = async () => (await readDueTimes(deps.db)).filter(({ due }) => due !== null).length
  await waitUntil('everything is sent', async () => {
    clock.advance(HOUR)
    await Promise.all((await takeDue(deps, ALL_DUE)).map((one) => complete(deps, one)))
    return (await pending()) === 0
  })
})

test('a delivery that is committed just as the due times of its realm are replaced has a due time', async () => {
  const world = await newWorld(4)
  for (let nth = 0; nth < world.realms.length; nth += 1) await run(world, 'enqueue', nth)
  for (let round = 0; round < 200; round += 1) {
    // Nothing is pending, and each realm has an early time that a delivery may use.
    await deps.db.query({ name: 'test_deliver_all', text: `update webhook_deliveries set state = 'delivered'` })
    await deps.db.query(
      {
        name: 'test_one_time_each',
        text: `with gone as (delete from webhook_due_times)
               insert into webhook_due_times (tenant_id, environment, due_at) select unnest($1::text[]), 'test', $2`,
      },
      [world.realms.map(({ tenantId }) => tenantId), instantOf(clock.now() - 5_000)],
    )
    await Promise.all(
      world.verifications.map(async (verification, nth) => {
        const { tenantId } = verification
        const writing = enqueueAsBefore(deps.db, world, verification)
        for (let turn = 0; turn < (round + nth) % 8; turn += 1) await new Promise(setImmediate)
        await Promise.all([writing, replaceDueTimes(deps.db, [{ tenantId, environment: 'test' }], now())])
      }),
    )
    assert.deepEqual(lateRealms(await readDueTimes(deps.db)), [], `round ${round}`)
  }
  await settle(world)
})

test('after retention due times are at most too early', async () => {
  const world = await newWorld(2)
  for (let nth = 0; nth < 4; nth += 1) await run(world, 'enqueue', nth)
  await run(world, 'lease', 3)
  await run(world, 'succeed', 0)
  clock.advance(400 * 24 * HOUR)
  await runJob(deps, 'apply-retention')
  assert.deepEqual(lateRealms(await readDueTimes(deps.db)), [])
  await settle(world)
})

/** The same store, but the process ends before its transactions commit. */
function dyingBeforeItsCommit(db: Db): Db {
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          sealer: tx.sealer,
          query: (statement, values) => tx.query(statement, values),
          async finish(statement, values) {
            await tx.query(statement, values)
            throw new Error('the process ends')
          },
        }),
      ),
  }
}
