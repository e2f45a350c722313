// Measures whether a flood of zero-knowledge proofs delays holders who show a document.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, type IssuerState, issue } from '@vidimus/wallet'
import { helpersFor, zkBounds } from '../../service/src/features/trust/outbound/zk/verifier.ts'
import { readHelperAddress } from '../../service/src/platform/helper-address.ts'
import { AGE_ALONE, trustSoleIssuer } from '../../service/test/harness/sole-issuer.ts'
import { answerAll } from './holder.ts'
import { prepareFlood } from './proof-flood.ts'
import { watchSteal } from './steady/quiet.ts'
import { fire } from './volley.ts'
import { type BenchWorld, formRequest, httpRequest, newKey, openBench, sandboxIssuerOf } from './world.ts'

/** The rounds have six thousand flows per side. With two thousand, the p99 of two runs differed by a quarter. */
const FLOWS = 1000
const ROUNDS = 6
/** A round is repeated if CPU steal was above this share. */
const STEAL_MAX = 0.02
const TRIES_MAX = 14
/** Few connections, so that latency contains no queueing behind other flows. */
const CONNECTIONS = 2
const TENANTS = 3
export const PROOF_FLOOD_P99_MAX = 1.2

const QUERY = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }, { path: ['family_name'] }, { path: ['birthdate'] }],
    },
  ],
}

/** Whether the helpers share our processors. */
type Helpers = 'shared' | 'elsewhere'

const HELPER: Readonly<Record<Helpers, string>> = {
  // Uses the CPU time of a real proof, independent of the wall clock.
  shared: `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, doc_type: type } = JSON.parse(line)
  const began = process.cpuUsage()
  if (type === 'warm.up') return console.log(JSON.stringify({ id, answer: 'invalid' }))
  for (;;) { const { user, system } = process.cpuUsage(began); if (user + system >= 1e6) break }
  console.log(JSON.stringify({ id, answer: 'valid' }))
})`,
  elsewhere: `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, doc_type: type } = JSON.parse(line)
  if (type === 'warm.up') return console.log(JSON.stringify({ id, answer: 'invalid' }))
  setTimeout(() => console.log(JSON.stringify({ id, answer: 'valid' })), 1000)
})`,
}

interface ProofFlood {
  readonly aloneMs: number
  readonly floodedMs: number
  /** The p99 without the flood, divided by the p99 in the flood. */
  readonly ratio: number
  /** Proofs that were checked. */
  readonly proofs: number
  /** Proofs that were refused for lack of capacity or time. */
  readonly refused: number
  /** Rounds repeated because of CPU steal, which are not in the figures. */
  readonly repeated: number
}

/** Measures flows in alternation: without proofs, and while three tenants fill the unreserved part of the proof queue. */
export async function benchProofFlood(helpers: Helpers): Promise<ProofFlood> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-bench-zk-'))
  const helper = join(folder, 'helper.cjs')
  await writeFile(helper, HELPER[helpers])
  const command = `${process.execPath} ${helper}`
  const world = await openBench(() => Promise.resolve(), { VIDIMUS_ZK_VERIFIER: command })
  try {
    return await measure(world, proofsEach(command))
  } finally {
    await world.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The number of proofs that each tenant sends at a time: an equal part of the unreserved queue, so no proof is refused. */
function proofsEach(command: string): number {
  const address = readHelperAddress(command)
  if (address === null) throw new Error('no address of a helper')
  const { all, reserve } = zkBounds(helpersFor(address)).queued
  return Math.floor((all - reserve) / TENANTS)
}

async function measure(world: BenchWorld, each: number): Promise<ProofFlood> {
  const { deps, servicePort: port } = world
  const issuer = await sandboxIssuerOf(deps)
  const ages = await trustSoleIssuer(deps, AGE_ALONE)
  const keys = await Promise.all(Array.from({ length: TENANTS }, () => newKey(deps)))
  await millisecondsOf(world, issuer, 100)
  const alone: number[] = []
  const inFlood: number[] = []
  let proofs = 0
  let refused = 0
  let rounds = 0
  let repeated = 0
  while (rounds < ROUNDS) {
    if (rounds + repeated === TRIES_MAX)
      throw new Error(`CPU steal was above ${STEAL_MAX * 100} % in ${repeated} of ${TRIES_MAX} rounds`)
    const flood = await prepareFlood({ port, keys, each, issuer: ages })
    const steal = watchSteal()
    const before = await millisecondsOf(world, issuer, FLOWS)
    await flood.start()
    const during = await millisecondsOf(world, issuer, FLOWS)
    const isDistorted = steal.share() > STEAL_MAX
    const flooded = await flood.stop()
    // If no proof was checked, the flood was refused, and the round measured nothing.
    if (flooded.checked === 0) throw new Error('no proof of the flood was checked')
    if (isDistorted) repeated += 1
    else {
      rounds += 1
      proofs += flooded.checked
      refused += flooded.refused
      alone.push(...before)
      inFlood.push(...during)
    }
  }
  const aloneMs = p99Of(alone)
  const floodedMs = p99Of(inFlood)
  return { aloneMs, floodedMs, ratio: aloneMs / floodedMs, proofs, refused, repeated }
}

/** The 99th percentile of all rounds together. The percentile of a single round would depend on few flows. */
function p99Of(milliseconds: readonly number[]): number {
  return milliseconds.toSorted((a, b) => a - b)[Math.floor(milliseconds.length * 0.99)] ?? Number.NaN
}

/** The times of whole flows. A flow is four requests, one after the other. */
async function millisecondsOf(
  { servicePort: port, key, deps }: BenchWorld,
  issuer: IssuerState,
  flows: number,
): Promise<readonly number[]> {
  const totals = Array<number>(flows).fill(0)
  const send = async (requests: readonly string[]) => {
    const { bodies, latencies } = await fire({ port, connections: CONNECTIONS, requests })
    for (const [at, latency] of latencies.entries()) totals[at] = (totals[at] ?? 0) + latency
    return bodies
  }
  const headers = [`Authorization: Bearer ${key}`]
  const create = httpRequest('POST', '/v1/verifications', { headers, body: JSON.stringify({ query: QUERY }) })
  const created = (await send(Array<string>(flows).fill(create))).map(
    (text) => JSON.parse(text) as { id: string; wallet_uri: string },
  )
  const objects = await send(created.map(({ id }) => httpRequest('GET', `/wallet/request/${id}`, {})))
  const fetched = objects.map((object, i) => ({ object, walletUri: created[i]?.wallet_uri ?? '' }))
  const now = Math.floor(deps.clock.now() / 1000)
  const credential = issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now })
  const forms = await answerAll({ now, credential }, fetched)
  await send(forms.map((form, i) => formRequest(`/wallet/response/${created[i]?.id}`, form)))
  const read = await send(created.map(({ id }) => httpRequest('GET', `/v1/verifications/${id}`, { headers })))
  if (!read.every((text) => text.includes('"status":"completed"'))) throw new Error('not every flow was completed')
  return totals
}

if (import.meta.main) {
  for (const helpers of ['elsewhere', 'shared'] as const) {
    const { aloneMs, floodedMs, ratio, proofs, refused, repeated } = await benchProofFlood(helpers)
    console.log(
      `helpers ${helpers}: p99 of a flow ${aloneMs.toFixed(1)} ms without proofs, ${floodedMs.toFixed(1)} ms in the flood (${proofs} proofs checked, ${refused} refused): ${(1 / ratio).toFixed(2)} times the p99 without proofs; ${repeated} rounds repeated because of CPU steal`,
    )
  }
}
