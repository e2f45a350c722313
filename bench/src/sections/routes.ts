// Measures what each step of a flow costs the serving thread, by kind of work (`npm run bench -- routes`).

import { addFloor, floorBody, holderOf, STEPS, type Step, sendFloorFlows, sendFlows, warmUp } from '../flow.ts'
import { fire } from '../volley.ts'
import { openBench } from '../world.ts'
import { type Frame, type Profiled, profile } from './profile.ts'

const FLOWS = 600
const CONNECTIONS = 16

/** The label of a stack: the innermost frame that matches a pattern decides, by its first match. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['cryptography', /^node:internal\/crypto/],
  ['driver of the store', /node_modules\/pg(-[a-z]+)?\//],
  ['sealing', /service\/src\/platform\/seal\//],
  ['store', /service\/src\/platform\/postgres\/|service\/src\/platform\/batch|\/store\//],
  ["Node's HTTP and streams", /^node:(_http|net|stream|internal\/(http|streams|stream_base|net|dtrace))/],
  ['promises and timers', /^node:(timers|async_hooks|internal\/(process|timers|promise_hooks|async_))/],
  ['validation', /node_modules\/(ajv|fast-json-stringify|@sinclair|typebox|fast-uri)|platform\/http\/validation/],
  ['framework', /node_modules\/(fastify|@fastify|find-my-way|avvio|secure-json-parse|process-warning)/],
  ['bounds', /platform\/http\/(bounds|sockets|address)|platform\/(rate|shares|budgets|turns)/],
  ['logging', /platform\/(log|traces)\//],
  ['metrics', /platform\/metrics\/|node_modules\/prom-client|instrumentation\.ts/],
  ['own hooks and answers', /service\/src\/(platform\/http|core\/http|http-server|merchant-routes)/],
  ['engine', /engine\/src\//],
  ['routes and use cases', /service\/src\/|wire\/|bench\/src\/flow/],
]
const SOCKET_WRITES = /^(write(v|Buffer|Utf8String|Latin1String|AsciiString|Ucs2String)|shutdown)$/
const OTHER = 'event loop, system calls'
const LABELS = [...KINDS.map(([kind]) => kind), 'socket writes', 'garbage collector', OTHER]

function kindOf(stack: readonly Frame[]): string {
  const [inner] = stack
  if (inner?.name === '(garbage collector)') return 'garbage collector'
  if (inner?.url === '' && SOCKET_WRITES.test(inner.name)) return 'socket writes'
  for (const { url } of stack) {
    const found = KINDS.find(([, pattern]) => pattern.test(url))
    if (found !== undefined) return found[0]
  }
  return OTHER
}

interface Routes {
  readonly warm: number
  readonly ours: ReadonlyMap<Step, Profiled>
  readonly floor: ReadonlyMap<Step, Profiled>
}

export async function benchRoutes(): Promise<Routes> {
  const world = await openBench(addFloor)
  try {
    const holder = await holderOf(world)
    const form = await floorBody(holder)
    const warm = await warmUp((flows) => sendFlows(world, holder, flows))
    await warmUp((flows) => sendFloorFlows(world, form, flows))
    const found = { ours: new Map<Step, Profiled>(), floor: new Map<Step, Profiled>() }
    const send = (side: Map<Step, Profiled>) => async (port: number, requests: readonly string[], step: Step) => {
      let bodies: readonly string[] = []
      const profiled = await profile(async () => {
        bodies = (await fire({ port, connections: CONNECTIONS, requests })).bodies
      }, kindOf)
      side.set(step, profiled)
      return bodies
    }
    await sendFlows(world, holder, { flows: FLOWS, send: send(found.ours) })
    await sendFloorFlows(world, form, { flows: FLOWS, send: send(found.floor) })
    return { warm, ...found }
  } finally {
    await world.close()
  }
}

export function renderRoutes({ warm, ours, floor }: Routes): string {
  const cell = (of: (profiled: Profiled) => number) => (step: Step) => {
    const show = (profiled: Profiled | undefined) => (profiled === undefined ? '' : (of(profiled) / FLOWS).toFixed(0))
    return `${show(ours.get(step))} / ${show(floor.get(step))}`
  }
  const rows = LABELS.map((label) => [label, ...STEPS.map(cell(({ byLabel }) => byLabel.get(label) ?? 0))])
  const all = ['**together**', ...STEPS.map(cell(({ micros }) => micros))]
  return `## Microseconds of each route

Written by \`npm run bench -- routes\`. CPU time of the serving thread for one request, in microseconds: ours / the floor's, ${CONNECTIONS} at once, after ${warm} flows of each. Sampled, so a row of a few
microseconds is within the error; the profiler itself adds to both sides. What PostgreSQL and other threads do is not in it.

| | ${STEPS.join(' | ')} |
|---|${'---|'.repeat(STEPS.length)}
| ${[...rows, all].map((row) => row.join(' | ')).join(' |\n| ')} |
`
}
