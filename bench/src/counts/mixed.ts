// Runs concurrent flows, each group at another step, as in production.

import { type Flows, STEPS } from '../flow.ts'

/** Sends whole flows: the first step of all flows, then the second of all, and so on. */
export type SendFlows = (flows: Flows) => Promise<void>
type SendAll = (port: number, requests: readonly string[]) => Promise<readonly string[]>

interface Waiting {
  readonly port: number
  readonly requests: readonly string[]
  answer(bodies: readonly string[]): void
}

/**
 * Each call sends as many requests of every step as `flows` says; the first three calls only get flows under way. The
 * same step of many flows in a row would batch better than real traffic.
 */
export function createMixed(flows: number, sendFlows: SendFlows): (send: SendAll) => Promise<void> {
  const groups: ReturnType<typeof startGroup>[] = []
  return async (send) => {
    groups.push(startGroup(flows, sendFlows))
    const waiting = await Promise.all(groups.map((group) => group.waiting()))
    const requests = Array.from({ length: flows }, (_, i) => waiting.map((one) => one.requests[i] ?? '')).flat()
    const bodies = await send(waiting[0]?.port ?? 0, requests)
    for (const [i, one] of waiting.entries()) one.answer(bodies.filter((_, at) => at % waiting.length === i))
    if (groups.length === STEPS.length) await groups.shift()?.ended
  }
}

function startGroup(flows: number, sendFlows: SendFlows) {
  let next = Promise.withResolvers<Waiting>()
  const ended = sendFlows({
    flows,
    send: (port, requests) =>
      new Promise((resolve) => {
        const answer = (bodies: readonly string[]) => {
          next = Promise.withResolvers()
          resolve(bodies)
        }
        next.resolve({ port, requests, answer })
      }),
  })
  ended.catch((error) => next.reject(error))
  return { ended, waiting: () => next.promise }
}
