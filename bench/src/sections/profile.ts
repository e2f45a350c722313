// Profiles the CPU time of this thread with samples of V8's profiler, which it labels by the functions on their stacks.

import { Session } from 'node:inspector/promises'

export interface Frame {
  readonly name: string
  readonly url: string
}

export interface Profiled {
  /** CPU time of this thread while `work` ran. */
  readonly micros: number
  /** The time of each label. The sum is `micros`. */
  readonly byLabel: ReadonlyMap<string, number>
}

const SAMPLE_EVERY_MICROS = 100
const PROFILER = 'profiler'

/** `labelOf` gets the innermost frame first. */
export async function profile(
  work: () => Promise<void>,
  labelOf: (stack: readonly Frame[]) => string,
): Promise<Profiled> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROS })
  await session.post('Profiler.start')
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const stackOf = (id: number): Frame[] => {
    const stack: Frame[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { functionName: name = '', url = '' } = nodes.get(at)?.callFrame ?? {}
      stack.push({ name, url })
    }
    return stack
  }
  // The first samples contain the start of the profiler itself, a quarter of a second.
  const labelled = (stack: readonly Frame[]) =>
    stack.some(({ url }) => url === 'node:inspector') ? PROFILER : labelOf(stack)
  const labels = new Map<number, string>()
  const byLabel = new Map<string, number>()
  let sampled = 0
  for (const [i, id] of (profile.samples ?? []).entries()) {
    if (nodes.get(id)?.callFrame.functionName === '(idle)') continue
    const label = labels.get(id) ?? labelled(stackOf(id))
    labels.set(id, label)
    if (label === PROFILER) continue
    const micros = profile.timeDeltas?.[i] ?? 0
    byLabel.set(label, (byLabel.get(label) ?? 0) + micros)
    sampled += micros
  }
  // Samples use the wall clock: on a busy machine they take longer than the thread's CPU time.
  const micros = user + system
  return { micros, byLabel: new Map([...byLabel].map(([label, wall]) => [label, (wall * micros) / sampled])) }
}
