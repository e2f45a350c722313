// Measures creation by 32 callers of one tenant, next to one prepared INSERT in the same framework and store.

import { randomUUID } from 'node:crypto'
import { compare, describe, type Ratio } from './ratio.ts'
import { httpRequest, openBench } from './world.ts'

const BODY = JSON.stringify({ template: 'age_over_18', purpose: 'Sale of wine', metadata: { order: '4711' } })

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
    const common = { connections: 32, milliseconds: 3_000, expectedStatus: 201 }
    const headers = [`Authorization: Bearer ${world.key}`, 'Idempotency-Key: bench-@']
    return await compare('creation, 32 at once, one tenant, idempotency key', {
      floor: { ...common, port: world.floorPort, request: httpRequest('POST', '/', { body: BODY }) },
      ours: {
        ...common,
        port: world.servicePort,
        request: httpRequest('POST', '/v1/verifications', { headers, body: BODY }),
      },
    })
  } finally {
    await world.close()
  }
}

if (import.meta.main) console.log(describe(await benchCreation()))
