// Creation at concurrency 32 for one tenant, with an idempotency key, against the floor: the same HTTP framework doing one
// prepared INSERT on the same store. Both wait for the disk.

import { randomUUID } from 'node:crypto'
import { type Load, type Measured, run } from './load.ts'
import { type BenchWorld, httpRequest, openBench } from './world.ts'

const CONNECTIONS = 32
const ROUNDS = 5
const MILLISECONDS = 3_000
const BODY = JSON.stringify({
  template: 'age_over_18',
  purpose: 'Sale of wine',
  metadata: { order: '4711' },
})

export interface Ratio {
  readonly name: string
  readonly floor: Measured
  readonly ours: Measured
  /** Throughput over the floor's; of the rounds the median. */
  readonly ratio: number
}

export async function benchCreation(): Promise<Ratio> {
  const world = await openBench(async (floor, { db }) => {
    await db.query({ name: 'bench_table', text: 'create table bench_floor (id text primary key, body json not null)' })
    const insert = { name: 'bench_insert', text: 'insert into bench_floor (id, body) values ($1, $2)' }
    floor.post('/', async (request, reply) => {
      const id = randomUUID()
      await db.query(insert, [id, JSON.stringify(request.body)])
      return reply.code(201).send({ id })
    })
  })
  try {
    return await measure(world)
  } finally {
    await world.close()
  }
}

async function measure(world: BenchWorld): Promise<Ratio> {
  const common = { connections: CONNECTIONS, milliseconds: MILLISECONDS, expectedStatus: 201 }
  const floorLoad: Load = { ...common, port: world.floorPort, request: httpRequest('POST', '/', { body: BODY }) }
  const headers = [`Authorization: Bearer ${world.key}`, 'Idempotency-Key: bench-@']
  const ourLoad: Load = {
    ...common,
    port: world.servicePort,
    request: httpRequest('POST', '/v1/verifications', { headers, body: BODY }),
  }
  await run({ ...floorLoad, milliseconds: 1_000 })
  await run({ ...ourLoad, milliseconds: 1_000 })
  const rounds: { floor: Measured; ours: Measured; ratio: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = await run(floorLoad)
    const ours = await run(ourLoad)
    rounds.push({ floor, ours, ratio: ours.perSecond / floor.perSecond })
  }
  rounds.sort((a, b) => a.ratio - b.ratio)
  const middle = rounds[Math.floor(rounds.length / 2)]
  if (middle === undefined) throw new Error('no round was run')
  return { name: 'creation, 32 at once, idempotency key', ...middle }
}

if (import.meta.main) {
  const { name, floor, ours, ratio } = await benchCreation()
  const show = (m: Measured) =>
    `${m.perSecond.toFixed(0)}/s, median ${m.medianMs.toFixed(1)} ms, p99 ${m.p99Ms.toFixed(1)} ms`
  console.log(`${name}\n  floor ${show(floor)}\n  ours  ${show(ours)}\n  ratio ${ratio.toFixed(2)}`)
}
