// Measures a sign-in through the OpenID provider, next to the same question through the API.

import { realmOfKey } from '../../service/src/core/tenants/usecases/manage-keys.ts'
import { createClient } from '../../service/src/features/oidc/usecases/manage-clients.ts'
import { readHostedPage } from '../../service/src/features/pages/usecases/read-hosted-page.ts'
import { answerAll } from './dc-api-holder.ts'
import { WARM_UP } from './flow.ts'
import { type FlowFigure, type Stopwatch, stopwatch } from './stopwatch.ts'
import { type BenchWorld, formRequest, httpRequest, openBench, sandboxIssuerOf } from './world.ts'

/** Short alternating rounds, so that other load of the machine affects both. */
const FLOWS = 100
const ROUNDS = 9
const CALLBACK = 'https://shop.example/callback'
/** The maximum CPU time of the serving thread, as a multiple of the plain flow's. */
export const SIGN_IN_CPU_MAX = 1.3

interface SignInRatio {
  readonly plain: FlowFigure
  readonly ours: FlowFigure
  /** CPU time of the plain flow over ours; the median of the rounds. */
  readonly cpuRatio: number
}

interface Client {
  readonly id: string
  readonly secret: string
  readonly path: string
}

export async function benchSignIn(): Promise<SignInRatio> {
  const world = await openBench(() => Promise.resolve())
  try {
    const client = await clientOf(world)
    await plainRound(world, WARM_UP)
    await signInRound(world, client, WARM_UP)
    const rounds: SignInRatio[] = []
    for (let i = 0; i < ROUNDS; i += 1) {
      const plain = await plainRound(world, FLOWS)
      const ours = await signInRound(world, client, FLOWS)
      rounds.push({ plain, ours, cpuRatio: plain.cpuMs / ours.cpuMs })
    }
    rounds.sort((a, b) => a.cpuRatio - b.cpuRatio)
    const middle = rounds[Math.floor(ROUNDS / 2)]
    if (middle === undefined) throw new Error('no round was run')
    return middle
  } finally {
    await world.close()
  }
}

async function clientOf({ deps, key }: BenchWorld): Promise<Client> {
  const realm = await realmOfKey(deps, key)
  if (realm === null) throw new Error('no realm')
  const created = await createClient(deps, {
    realm,
    actor: { type: 'system', id: 'bench' },
    authMethod: 'client_secret',
    terms: {
      ...{ name: 'Bench', redirectUris: [CALLBACK], templates: ['identity'], defaultTemplate: 'identity', jwks: null },
      ...{ subjectMode: 'ephemeral', subjectClaims: [], requireTrue: false, vpData: false, verifiedClaims: false },
      claimsInIdToken: false,
      requestUris: [],
      profile: 'openid',
      ...{ idTokenAlg: 'RS256', rememberMinutes: 0, crossDevice: 'confirm' },
    },
  })
  if (created.outcome !== 'done' || created.secret === null) throw new Error('no client')
  return { id: created.client.id, secret: created.secret, path: `/oidc/${realm.tenantId}/test` }
}

/** Fetches and answers the requests as wallets, the same for both flows. */
async function answerEach(
  { deps, servicePort: port }: BenchWorld,
  watch: Stopwatch,
  ids: readonly string[],
): Promise<readonly string[]> {
  const fetched = await watch.fire(
    port,
    ids.map((id) => httpRequest('GET', `/wallet/request/${id}`, {})),
  )
  const links = await Promise.all(ids.map(async (id) => (await readHostedPage(deps, id)).walletUri))
  const forms = await answerAll({
    issuer: await sandboxIssuerOf(deps),
    now: Math.floor(deps.clock.now() / 1000),
    format: 'dc+sd-jwt',
    by: 'redirect',
    origin: new URL(deps.config.baseUrl).origin,
    asked: fetched.map((text, i) => ({ text, walletUri: links[i] ?? '' })),
  })
  return watch.fire(
    port,
    forms.map((form, i) => formRequest(`/wallet/response/${ids[i]}`, form)),
  )
}

async function plainRound(world: BenchWorld, flows: number): Promise<FlowFigure> {
  const watch = stopwatch(world.store)
  const headers = [`Authorization: Bearer ${world.key}`]
  const body = JSON.stringify({ template: 'identity', redirect_url: CALLBACK })
  const create = httpRequest('POST', '/v1/verifications', { headers, body })
  const created = await watch.fire(world.servicePort, Array<string>(flows).fill(create))
  const ids = created.map((text) => (JSON.parse(text) as { id: string }).id)
  await answerEach(world, watch, ids)
  const read = await watch.fire(
    world.servicePort,
    ids.map((id) => httpRequest('GET', `/v1/verifications/${id}`, { headers })),
  )
  requireAll(read, '"status":"completed"')
  return watch.figure(flows)
}

async function signInRound(world: BenchWorld, client: Client, flows: number): Promise<FlowFigure> {
  const watch = stopwatch(world.store)
  const { servicePort: port } = world
  const query = new URLSearchParams({
    ...{ client_id: client.id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid', state: 'state' },
  })
  const authorize = httpRequest('GET', `${client.path}/authorize?${query}`, {})
  const begun = await watch.fire(port, Array<string>(flows).fill(authorize))
  const answered = await answerEach(
    world,
    watch,
    begun.map((head) => within(head, /location: \/verify\/(\w+)/i)),
  )
  // The wallet redirects to the browser that began the sign-in, and the browser sends the response code.
  const finished = await watch.fire(
    port,
    begun.map((head, i) => {
      const [, path = '', code = ''] =
        /"redirect_uri":"https?:\/\/[^/"]+(\/[^"#]+)#response_code=([\w-]+)"/.exec(answered[i] ?? '') ?? []
      const cookie = `Cookie: ${within(head, /set-cookie: ([^;]+);/i)}`
      return formRequest(path, new URLSearchParams({ response_code: code }).toString(), [cookie])
    }),
  )
  const form = {
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
    client_id: client.id,
    client_secret: client.secret,
  }
  const tokens = await watch.fire(
    port,
    finished.map((head) => {
      const code = within(head, /[?&]code=([\w-]+)/)
      return formRequest(`${client.path}/token`, new URLSearchParams({ ...form, code }).toString())
    }),
  )
  requireAll(tokens, '"id_token":')
  return watch.figure(flows)
}

function within(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`${pattern} is not in: ${text.slice(0, 400)}`)
  return found
}

function requireAll(texts: readonly string[], part: string): void {
  const lacking = texts.find((text) => !text.includes(part))
  if (lacking !== undefined) throw new Error(`not answered as it should be: ${lacking.slice(0, 400)}`)
}

if (import.meta.main) {
  const { plain, ours, cpuRatio } = await benchSignIn()
  const show = ({ cpuMs, serviceMs, storeMs }: FlowFigure) =>
    `${cpuMs.toFixed(2)} ms CPU of the serving thread, ${serviceMs.toFixed(2)} ms of the process, ${storeMs.toFixed(2)} ms of the store`
  console.log(`a sign-in ${show(ours)}\nthrough the API ${show(plain)}\n${(1 / cpuRatio).toFixed(2)} of it`)
}
