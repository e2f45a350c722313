// Does a flood of zero-knowledge proofs delay anybody who shows a document? Whole flows without a proof, measured in turns: alone, and
// while three tenants keep as many proofs under way as they may, each of which costs a helper one second of a processor.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, type IssuerState, issue } from '@vidimus/wallet'
import { answerAll } from './holder.ts'
import { prepareFlood } from './proof-flood.ts'
import { fire } from './volley.ts'
import { type BenchWorld, formRequest, httpRequest, newKey, openBench, sandboxIssuerOf } from './world.ts'

const FLOWS = 400
const ROUNDS = 5
/** So few that the flows do not wait for each other. */
const CONNECTIONS = 2
/** As many as `ZK_BOUNDS` lets wait: what it keeps for others is left to them, and nobody is refused at once. */
const FLOOD = { tenants: 3, each: 4 } as const
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

/** What a real proof takes, of a processor and not of the clock. */
const HELPER = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line)
  const began = process.cpuUsage()
  for (;;) { const { user, system } = process.cpuUsage(began); if (user + system >= 1e6) break }
  console.log(JSON.stringify({ id, answer: 'valid' }))
})`

export interface ProofFlood {
  readonly aloneMs: number
  readonly floodedMs: number
  /** p99 alone over p99 in the flood; of the rounds the median. */
  readonly ratio: number
  readonly proofs: number
}

export async function benchProofFlood(): Promise<ProofFlood> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-bench-zk-'))
  const helper = join(folder, 'helper.cjs')
  await writeFile(helper, HELPER)
  const world = await openBench(() => Promise.resolve(), { VIDIMUS_ZK_VERIFIER: `${process.execPath} ${helper}` })
  try {
    return await measure(world)
  } finally {
    await world.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(world: BenchWorld): Promise<ProofFlood> {
  const { deps, servicePort: port } = world
  const issuer = await sandboxIssuerOf(deps)
  const keys = await Promise.all(Array.from({ length: FLOOD.tenants }, () => newKey(deps)))
  await p99Of(world, issuer, 100)
  const rounds: ProofFlood[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    const flood = await prepareFlood({ port, keys, each: FLOOD.each, issuer })
    const aloneMs = await p99Of(world, issuer, FLOWS)
    await flood.start()
    const floodedMs = await p99Of(world, issuer, FLOWS)
    const proofs = await flood.stop()
    rounds.push({ aloneMs, floodedMs, ratio: aloneMs / floodedMs, proofs })
  }
  rounds.sort((a, b) => a.ratio - b.ratio)
  const middle = rounds[Math.floor(ROUNDS / 2)]
  if (middle === undefined) throw new Error('no round was run')
  return { ...middle, proofs: rounds.reduce((sum, { proofs }) => sum + proofs, 0) }
}

/** Of a whole flow: the four requests that make it, one after the other. */
async function p99Of(
  { servicePort: port, key, deps }: BenchWorld,
  issuer: IssuerState,
  flows: number,
): Promise<number> {
  const totals = Array<number>(flows).fill(0)
  const send = async (requests: readonly string[]) => {
    const { bodies, latencies } = await fire({ port, connections: CONNECTIONS, requests })
    for (const [at, latency] of latencies.entries()) totals[at] = (totals[at] ?? 0) + latency
    return bodies
  }
  const headers = [`Authorization: Bearer ${key}`]
  const create = httpRequest('POST', '/v1/verifications', { headers, body: JSON.stringify({ query: QUERY }) })
  const made = (await send(Array<string>(flows).fill(create))).map(
    (text) => JSON.parse(text) as { id: string; wallet_uri: string },
  )
  const objects = await send(made.map(({ id }) => httpRequest('GET', `/wallet/request/${id}`, {})))
  const asked = objects.map((object, i) => ({ object, walletUri: made[i]?.wallet_uri ?? '' }))
  const now = Math.floor(deps.clock.now() / 1000)
  const credential = issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now })
  const forms = await answerAll({ now, credential }, asked)
  await send(forms.map((form, i) => formRequest(`/wallet/response/${made[i]?.id}`, form)))
  const read = await send(made.map(({ id }) => httpRequest('GET', `/v1/verifications/${id}`, { headers })))
  if (!read.every((text) => text.includes('"status":"completed"'))) throw new Error('not every flow was completed')
  return totals.sort((a, b) => a - b)[Math.floor(flows * 0.99)] ?? Number.NaN
}

if (import.meta.main) {
  const { aloneMs, floodedMs, ratio, proofs } = await benchProofFlood()
  console.log(
    `p99 of a flow ${aloneMs.toFixed(1)} ms alone, ${floodedMs.toFixed(1)} ms in the flood (${proofs} proofs checked): ${(1 / ratio).toFixed(2)} of it`,
  )
}
