// `npm run bench` measures all parts and compares each figure with a baseline or a limit; `npm run bench -- engine flow` measures only these two.

import { fork } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { EngineRow } from './engine.ts'
import type { Ratio } from './ratio.ts'
import { HOSTILE, type MeasuredRow, type Row, renderResults } from './results.ts'
import type { Curve } from './scaling.ts'
import { SECTIONS, withSection } from './sections/sections.ts'
import { OTHERS_MAX, othersShare, watchSteal } from './steady/quiet.ts'
import { churnRows, lapseRows, memoryRows, overloadRows, waitingRows } from './steady/rows.ts'

const RESULTS = join(import.meta.dirname, '..', 'RESULTS.md')
const PART_MS_MAX = 900_000
/** The CPU time that encrypting results with a merchant's result key may add to a flow. */
const RESULT_KEY_MICROS_MAX = 300

/** The CPU time that receipts and the log may add: 5 % of a flow's 2 ms on the serving thread. */
const EVIDENCE_MICROS_MAX = 100
const PROOF_MS_MAX = 20
const LOG_BYTES_MAX = 1.5e9

/** How often a part is measured if other load distorts it. */
const TRIES_MAX = 2

/** The parts by name. Each function returns one row per figure, with the minimum of its ratio. */
const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  engine: async () => {
    const { sdJwt, mdoc } = await (await import('./engine.ts')).benchEngine()
    return [...engineRows('SD-JWT VC with key binding', sdJwt), ...engineRows('mdoc with device signature', mdoc)]
  },
  creation: async () => [throughput(await (await import('./creation.ts')).benchCreation(), 0.35)],
  reading: async () => {
    const { benchReading, NEWEST_PAGE } = await import('./reading.ts')
    return (await benchReading()).map((ratio) => throughput(ratio, ratio.name === NEWEST_PAGE ? 0.35 : null))
  },
  flow: async () => {
    const { floor, ours, ratio, cpuRatio } = await (await import('./flow.ts')).benchFlow()
    return [
      {
        part: 'flow',
        what: 'create, request object, encrypted response verified, read',
        figure: `${ours.perSecond.toFixed(0)}/s`,
        comparison: `${floor.perSecond.toFixed(0)}/s: the same cryptography and two commits`,
        ratio,
        least: 0.5,
      },
      {
        part: 'flow',
        what: 'the same, CPU time of the serving thread',
        figure: `${ours.cpuMs.toFixed(2)} ms`,
        comparison: `${floor.cpuMs.toFixed(2)} ms`,
        ratio: cpuRatio,
        least: null,
      },
      ...(await flowCpuRows()),
      ...(await dcApiRows()),
      await signInRow(),
    ]
  },
  metadata: async () => {
    const { benchMetadata, METADATA_MICROS_MAX } = await import('./negotiation/metadata.ts')
    const micros = benchMetadata()
    return [
      {
        part: 'engine',
        what: `reading, negotiating and summarizing the wallet_metadata of one request-object fetch, at most ${METADATA_MICROS_MAX} µs`,
        figure: `${micros.toFixed(0)} µs of CPU`,
        comparison: "the metadata that the EU's wallet library sends",
        ratio: METADATA_MICROS_MAX / micros,
        least: 1,
      },
    ]
  },
  'result-key': async () => {
    const { micros, floorMicros } = (await import('./result-key.ts')).benchResultKey()
    return [
      {
        part: 'flow',
        what: "what a merchant's own key adds: claims encrypted to it, at most 300 µs",
        figure: `${micros.toFixed(0)} µs of CPU`,
        comparison: `${floorMicros.toFixed(0)} µs: a key pair and one agreement on P-256`,
        ratio: RESULT_KEY_MICROS_MAX / micros,
        least: 1,
      },
    ]
  },
  evidence: async () => {
    const cost = await (await import('./evidence.ts')).benchEvidence()
    const micros = cost.receiptMicros + cost.growthMicros
    return [
      {
        part: 'evidence',
        what: 'what receipts and the log add to a flow, at most 5 % of its CPU',
        figure: `${micros.toFixed(0)} µs of CPU`,
        comparison: `${cost.receiptMicros.toFixed(0)} µs signing, ${cost.growthMicros.toFixed(0)} µs in the log`,
        ratio: EVIDENCE_MICROS_MAX / micros,
        least: 1,
      },
      {
        part: 'evidence',
        what: 'proof of the first leaf of 10 million, at most 20 ms',
        figure: `${cost.proofMedianMs.toFixed(1)} ms`,
        comparison: `slowest ${cost.proofSlowestMs.toFixed(1)} ms`,
        ratio: PROOF_MS_MAX / cost.proofMedianMs,
        least: 1,
      },
      {
        part: 'evidence',
        what: '10 million leaves in the store, at most 1.5 GB',
        figure: `${(cost.logBytes / 1e9).toFixed(2)} GB`,
        comparison: 'hashes and the longest leaves, with their index',
        ratio: LOG_BYTES_MAX / cost.logBytes,
        least: 1,
      },
    ]
  },
  hostile: async () => {
    const { benchHostile, VERIFICATIONS_MAX } = await import('./hostile.ts')
    return (await benchHostile()).map(({ kind, kilobytes, outcome, cpuMs, verificationMs, verifications, paid }) => ({
      part: HOSTILE,
      what: kind,
      figure: `**${verifications.toFixed(0)}** | ${paid?.toFixed(0) ?? '–'} | ${cpuMs.toFixed(1)} ms | ${(verificationMs * 1000).toFixed(0)} µs`,
      comparison: `${kilobytes} kB, ${outcome}`,
      ratio: VERIFICATIONS_MAX / verifications,
      least: 1,
    }))
  },
  proofs: async () => {
    const { benchProofFlood, PROOF_FLOOD_P99_MAX } = await import('./proofs.ts')
    const rows: Row[] = []
    for (const helpers of ['elsewhere', 'shared'] as const) {
      const { aloneMs, floodedMs, ratio, proofs, refused, repeated } = await benchProofFlood(helpers)
      const where = helpers === 'shared' ? 'on these processors' : 'on other processors'
      rows.push({
        part: 'proofs',
        what: `p99 of a flow while ${proofs} zero-knowledge proofs are checked ${where}, at most ${PROOF_FLOOD_P99_MAX} times the p99 without proofs (${refused} refused)`,
        figure: `${floodedMs.toFixed(1)} ms`,
        comparison: `${aloneMs.toFixed(1)} ms: the p99 without proofs (${repeated} rounds repeated because of CPU steal)`,
        ratio,
        least: 1 / PROOF_FLOOD_P99_MAX,
      })
    }
    return rows
  },
  webhooks: async () => {
    const { floorPerSecond, perSecond, ratio } = await (await import('./webhooks.ts')).benchWebhooks()
    return [
      {
        part: 'webhooks',
        what: 'deliveries of one worker',
        figure: `${perSecond.toFixed(0)}/s`,
        comparison: `${floorPerSecond.toFixed(0)}/s: a bare loop of the same requests`,
        ratio,
        least: 0.65,
      },
    ]
  },
  waiting: async () => waitingRows(await (await import('./steady/waiting.ts')).benchWaiting()),
  overload: async () => overloadRows(await (await import('./steady/overload.ts')).benchOverload()),
  memory: async () => memoryRows(await (await import('./steady/memory.ts')).benchMemory()),
  churn: async () => [
    ...churnRows(await (await import('./steady/churn.ts')).benchChurn()),
    ...lapseRows(await (await import('./steady/lapse.ts')).benchLapse()),
  ],
  tenants: async () => curveRows(await (await import('./scaling.ts')).benchTenants(), 0.8),
  scaling: async () => curveRows(await (await import('./scaling.ts')).benchScaling(), null),
}

/** Compares points with the first of their curve. `least` applies to all but the first. */
function curveRows(curves: readonly Curve[], least: number | null): Row[] {
  return curves.flatMap(({ name, points }) =>
    points.map(({ at, perSecond, ratio }, i) => ({
      part: 'scaling',
      what: `${name}: ${at}`,
      figure: `${perSecond.toFixed(0)}/s`,
      comparison: i === 0 ? 'itself' : (points[0]?.at ?? ''),
      ratio,
      least: i === 0 ? null : least,
    })),
  )
}

async function flowCpuRows(): Promise<Row[]> {
  const { allMs, benchFlowCpu, FLOW_P99_MS_MAX, flowCpuMax } = await import('./flow-cpu.ts')
  const part = 'flow'
  return (await benchFlowCpu()).flatMap(({ store, connections, floor, ours, ratio }) => [
    {
      part,
      what: `CPU time of service and store, ${connections} at once, ${store} store`,
      figure: `${allMs(ours).toFixed(2)} ms: service ${ours.serviceMs.toFixed(2)}, store ${ours.storeMs.toFixed(2)}`,
      comparison: `${allMs(floor).toFixed(2)} ms: service ${floor.serviceMs.toFixed(2)}, store ${floor.storeMs.toFixed(2)}`,
      ratio,
      least: 1 / flowCpuMax(connections),
    },
    ...(connections === 16
      ? [
          {
            part,
            what: `p99 of a flow (sum of its requests), 16 connections, ${store} store, at most ${FLOW_P99_MS_MAX} ms`,
            figure: `${ours.p99Ms.toFixed(1)} ms`,
            comparison: `${floor.p99Ms.toFixed(1)} ms: the floor's`,
            ratio: FLOW_P99_MS_MAX / ours.p99Ms,
            least: 1,
          },
        ]
      : []),
  ])
}

async function dcApiRows(): Promise<Row[]> {
  const { benchDcApiFlow, DC_API_CPU_MAX } = await import('./dc-api-flow.ts')
  return (await benchDcApiFlow()).map(({ by, format, redirect, ours, cpuRatio }) => ({
    part: 'flow',
    what: `through the browser's API: ${by}, ${format}, CPU time of the serving thread`,
    figure: `${ours.cpuMs.toFixed(2)} ms`,
    comparison: `${redirect.cpuMs.toFixed(2)} ms: the redirect flow`,
    ratio: cpuRatio,
    least: 1 / DC_API_CPU_MAX,
  }))
}

async function signInRow(): Promise<Row> {
  const { benchSignIn, SIGN_IN_CPU_MAX } = await import('./sign-in-flow.ts')
  const { plain, ours, cpuRatio } = await benchSignIn()
  return {
    part: 'flow',
    what: 'a sign-in through the OpenID provider, CPU time of the serving thread',
    figure: `${ours.cpuMs.toFixed(2)} ms`,
    comparison: `${plain.cpuMs.toFixed(2)} ms: the same question through the API`,
    ratio: cpuRatio,
    least: 1 / SIGN_IN_CPU_MAX,
  }
}

function engineRows(what: string, rows: readonly EngineRow[]): Row[] {
  const [floor, ...others] = rows
  return others.map(({ name, micros, ratio }, i) => ({
    part: 'engine',
    what: `${what}: ${name}`,
    figure: `${micros.toFixed(0)} µs`,
    comparison: `${(floor?.micros ?? Number.NaN).toFixed(0)} µs: two ECDSA verifications and a key import`,
    ratio,
    // The first row is ours; the other rows are libraries that do the same work.
    least: i === 0 ? 0.8 : null,
  }))
}

function throughput({ name, floor, ours, ratio }: Ratio, least: number | null): Row {
  return {
    part: 'http',
    what: name,
    figure: `${ours.perSecond.toFixed(0)}/s, median ${ours.medianMs.toFixed(1)} ms, p99 ${ours.p99Ms.toFixed(1)} ms`,
    comparison: `${floor.perSecond.toFixed(0)}/s: one prepared statement behind the same framework`,
    ratio,
    least,
  }
}

async function runAll(names: readonly string[]): Promise<number> {
  const began = performance.now()
  const [loadBefore = 0] = loadavg()
  const known = [...Object.keys(PARTS), ...Object.keys(SECTIONS)]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    console.error(`there is no part ${unknown}; there are ${known.join(', ')}`)
    return 2
  }
  const rows: MeasuredRow[] = []
  const sections: string[] = []
  let isComplete = true
  for (const name of names.length === 0 ? known : names) {
    try {
      if (Object.hasOwn(PARTS, name)) rows.push(...(await measureUntilClean(name)))
      else sections.push(await runPart<string>(name))
    } catch (error) {
      // Goes on and prints the other parts, which take half an hour, but writes no incomplete table.
      console.error(error)
      isComplete = false
    }
  }
  const table = renderResults(rows, { seconds: (performance.now() - began) / 1000, loadBefore })
  console.log([...(rows.length === 0 ? [] : [table]), ...sections].join('\n'))
  const isDistorted = rows.some(({ distorted }) => distorted)
  if (names.length === 0 && isComplete && isDistorted)
    console.error('RESULTS.md was not written: other load distorted some figures')
  else if (!isComplete) console.error('RESULTS.md was not written: some parts failed')
  else {
    const text = names.length === 0 ? table : await readFile(RESULTS, 'utf8')
    await writeFile(RESULTS, sections.reduce(withSection, text))
  }
  return !isComplete || rows.some(({ ratio, least }) => least !== null && !(ratio >= least)) ? 1 : 0
}

async function measureUntilClean(name: string): Promise<MeasuredRow[]> {
  for (let tries = 1; ; tries += 1) {
    const { measured, distorted } = await measurePart(name)
    if (!distorted || tries === TRIES_MAX) return measured.map((row) => ({ ...row, distorted }))
  }
}

async function measurePart(name: string): Promise<{ measured: Row[]; distorted: boolean }> {
  process.stderr.write(`${name}… `)
  const before = await othersShare()
  const steal = watchSteal()
  const began = performance.now()
  const measured = await runPart<Row[]>(name)
  const took = ((performance.now() - began) / 1000).toFixed(0)
  const distorted = Math.max(before, steal.share(), await othersShare()) > OTHERS_MAX
  process.stderr.write(`${took} s${distorted ? ', distorted by other load' : ''}\n`)
  return { measured, distorted }
}

/** Rejects when the part fails. */
function runPart<T extends Row[] | string>(name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ['--part', name], { timeout: PART_MS_MAX })
    let found: T | null = null
    child.once('message', (message) => {
      found = message as T
    })
    child.once('exit', (code, signal) => {
      if (code === 0 && found !== null) resolve(found)
      else reject(new Error(`the part ${name} ended with ${code ?? signal}`))
    })
  })
}

const [option, name = ''] = process.argv.slice(2)
if (option === '--part') {
  process.send?.(await (PARTS[name] ?? SECTIONS[name])?.())
} else {
  process.exitCode = await runAll(process.argv.slice(2))
}
