// Measures verifications through the browser's API, next to the redirect flow with the same format.

import type { HeldCredential } from '@vidimus/wallet'
import { type Answering, answerAll } from './dc-api-holder.ts'
import { type FlowFigure, stopwatch } from './stopwatch.ts'
import { type BenchWorld, formRequest, httpRequest, openBench, sandboxIssuerOf } from './world.ts'

/** Short alternating rounds, so that other load of the machine affects both. */
const FLOWS = 100
const ROUNDS = 7
/** The maximum CPU time of the serving thread, as a multiple of the redirect flow's. */
export const DC_API_CPU_MAX = 1.15

type Format = HeldCredential['format']

const QUERIES: Readonly<Record<Format, object>> = {
  'dc+sd-jwt': {
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:eudi:pid:1'] },
    claims: [{ path: ['given_name'] }, { path: ['family_name'] }, { path: ['birthdate'] }],
  },
  mso_mdoc: {
    format: 'mso_mdoc',
    meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
    claims: ['given_name', 'family_name', 'birth_date'].map((name) => ({ path: ['eu.europa.ec.eudi.pid.1', name] })),
  },
}

const KINDS = [
  { by: 'openid4vp-v1-signed', format: 'dc+sd-jwt' },
  { by: 'openid4vp-v1-signed', format: 'mso_mdoc' },
  { by: 'org-iso-mdoc', format: 'mso_mdoc' },
] as const

interface DcApiRatio {
  readonly by: string
  readonly format: Format
  readonly redirect: FlowFigure
  readonly ours: FlowFigure
  /** CPU time of the redirect flow over ours; the median of the rounds. */
  readonly cpuRatio: number
}

export async function benchDcApiFlow(): Promise<readonly DcApiRatio[]> {
  const world = await openBench(() => Promise.resolve())
  try {
    const rows: DcApiRatio[] = []
    for (const { by, format } of KINDS) {
      await round(world, { by: 'redirect', format }, 50)
      await round(world, { by, format }, 50)
      const rounds: DcApiRatio[] = []
      for (let i = 0; i < ROUNDS; i += 1) {
        const redirect = await round(world, { by: 'redirect', format }, FLOWS)
        const ours = await round(world, { by, format }, FLOWS)
        rounds.push({ by, format, redirect, ours, cpuRatio: redirect.cpuMs / ours.cpuMs })
      }
      rounds.sort((a, b) => a.cpuRatio - b.cpuRatio)
      rows.push(...rounds.slice(Math.floor(ROUNDS / 2), Math.floor(ROUNDS / 2) + 1))
    }
    return rows
  } finally {
    await world.close()
  }
}

async function round(
  world: BenchWorld,
  { by, format }: Pick<Answering, 'by' | 'format'>,
  flows: number,
): Promise<FlowFigure> {
  const watch = stopwatch(world.store)
  const { deps, servicePort: port } = world
  const auth = [`Authorization: Bearer ${world.key}`]
  // The hosted page is not opened here.
  const query = { credentials: [{ id: 'pid', ...QUERIES[format] }] }
  const body = JSON.stringify({ query, browser_binding: 'none' })
  const create = httpRequest('POST', '/v1/verifications', { headers: auth, body })
  const created = (await watch.fire(port, Array<string>(flows).fill(create))).map(
    (text) => JSON.parse(text) as { id: string; wallet_uri: string },
  )
  const path = by === 'redirect' ? '/wallet/request' : '/wallet/dc-api'
  const offers = await watch.fire(
    port,
    created.map(({ id }) => httpRequest('GET', `${path}/${id}`, {})),
  )
  const answers = await answerAll({
    issuer: await sandboxIssuerOf(deps),
    now: Math.floor(deps.clock.now() / 1000),
    format,
    by,
    origin: new URL(deps.config.baseUrl).origin,
    asked: offers.map((text, i) => ({ text, walletUri: created[i]?.wallet_uri ?? '' })),
  })
  const post = (id: string, answer: string) =>
    by === 'redirect'
      ? formRequest(`/wallet/response/${id}`, answer)
      : httpRequest('POST', `/wallet/dc-api/${id}`, { body: answer })
  await watch.fire(
    port,
    created.map(({ id }, i) => post(id, answers[i] ?? '')),
  )
  const read = await watch.fire(
    port,
    created.map(({ id }) => httpRequest('GET', `/v1/verifications/${id}`, { headers: auth })),
  )
  const completed = read.filter((text) => text.includes('"status":"completed"')).length
  if (completed !== flows) throw new Error(`${by}, ${format}: only ${completed} of ${flows} were completed`)
  return watch.figure(flows)
}

if (import.meta.main) {
  for (const { by, format, redirect, ours, cpuRatio } of await benchDcApiFlow())
    console.log(
      `${by}, ${format}: ${ours.cpuMs.toFixed(2)} ms CPU a flow, redirect ${redirect.cpuMs.toFixed(2)} ms, ${(1 / cpuRatio).toFixed(2)} of it`,
    )
}
