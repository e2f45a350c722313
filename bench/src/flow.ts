// Measures whole verifications, next to a floor with only the unavoidable work.

import {
  createDecipheriv,
  createECDH,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto'
import { encryptResponse, generateKey, issue } from '@vidimus/wallet'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../service/src/deps.ts'
import { answerAll, type Holder, presentation } from './holder.ts'
import { CONNECTIONS, type FlowFigure, stopwatch } from './stopwatch.ts'
import { fire } from './volley.ts'
import { type BenchWorld, formRequest, httpRequest, openBench, sandboxIssuerOf } from './world.ts'

const FLOWS = 600
const ROUNDS = 3
/** Flows until the code is compiled as in a process that has run for a minute. */
export const WARM_UP = 400
/** Flows until the optimising compiler has finished, or fewer on a slow machine. */
const WARM_UP_LONG = { flows: 4_000, group: 200, milliseconds: 120_000 }
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

interface FlowRatio {
  readonly floor: FlowFigure
  readonly ours: FlowFigure
  /** Flows a second over the floor's; the median of the rounds. */
  readonly ratio: number
  /** The floor's CPU time per flow over ours, which is meaningful even on a machine with other load. */
  readonly cpuRatio: number
}

interface Volume {
  readonly flows: number
  readonly connections?: number
}

export async function benchFlow(): Promise<FlowRatio> {
  const world = await openBench(addFloor)
  try {
    const holder = await holderOf(world)
    const floorForm = await floorBody(holder)
    await warmUp((flows) => sendFlows(world, holder, flows))
    await warmUp((flows) => sendFloorFlows(world, floorForm, flows))
    const rounds: FlowRatio[] = []
    for (let i = 0; i < ROUNDS; i += 1) {
      const floor = await floorRound(world, floorForm, { flows: FLOWS })
      const ours = await round(world, holder, { flows: FLOWS })
      rounds.push({ floor, ours, ratio: ours.perSecond / floor.perSecond, cpuRatio: floor.cpuMs / ours.cpuMs })
    }
    rounds.sort((a, b) => a.ratio - b.ratio)
    const middle = rounds[Math.floor(ROUNDS / 2)]
    if (middle === undefined) throw new Error('no round was run')
    return middle
  } finally {
    await world.close()
  }
}

export async function round(world: BenchWorld, holder: Holder, { flows, connections }: Volume): Promise<FlowFigure> {
  const watch = stopwatch(world.store, connections)
  await sendFlows(world, holder, { flows, send: watch.fire })
  return watch.figure(flows)
}

/**
 * Measures the floor: a key pair, one ES256 signature, one ECDH with AES-GCM, an imported key, two ECDSA verifications,
 * and two durable commits.
 */
export async function floorRound(world: BenchWorld, form: string, { flows, connections }: Volume): Promise<FlowFigure> {
  const watch = stopwatch(world.store, connections)
  await sendFloorFlows(world, form, { flows, send: watch.fire })
  return watch.figure(flows)
}

export const STEPS = ['create', 'fetch', 'answer', 'read'] as const
export type Step = (typeof STEPS)[number]

export interface Flows {
  readonly flows: number
  /** Sends the requests of one step of all flows; resolves with the bodies of the answers. */
  send(port: number, requests: readonly string[], step: Step): Promise<readonly string[]>
}

/** Resolves with how many flows it sent. */
export async function warmUp(sendAll: (flows: Flows) => Promise<void>): Promise<number> {
  const until = performance.now() + WARM_UP_LONG.milliseconds
  const flows = WARM_UP_LONG.group
  let sent = 0
  while (sent < WARM_UP_LONG.flows && performance.now() < until) {
    const send: Flows['send'] = async (port, requests) =>
      (await fire({ port, connections: CONNECTIONS, requests })).bodies
    await sendAll({ flows, send })
    sent += flows
  }
  return sent
}

/** Sends whole flows: the first step of all flows, then the second of all, and so on. */
export async function sendFlows(
  world: Pick<BenchWorld, 'deps' | 'key' | 'servicePort'>,
  holder: Holder,
  { flows, send }: Flows,
): Promise<void> {
  const { servicePort: port } = world
  const auth = [`Authorization: Bearer ${world.key}`]
  const body = JSON.stringify({ query: QUERY })
  const create = httpRequest('POST', '/v1/verifications', { headers: auth, body })
  const created = await send(port, Array<string>(flows).fill(create), 'create')
  const ids = created.map((text) => JSON.parse(text) as { id: string; wallet_uri: string })
  const objects = await send(
    port,
    ids.map(({ id }) => httpRequest('GET', `/wallet/request/${id}`, {})),
    'fetch',
  )
  const forms = await answerAll(
    { ...holder, now: Math.floor(world.deps.clock.now() / 1000) },
    objects.map((object, i) => ({ object, walletUri: ids[i]?.wallet_uri ?? '' })),
  )
  await send(
    port,
    forms.map((form, i) => formRequest(`/wallet/response/${ids[i]?.id}`, form)),
    'answer',
  )
  const read = await send(
    port,
    ids.map(({ id }) => httpRequest('GET', `/v1/verifications/${id}`, { headers: auth })),
    'read',
  )
  const completed = read.filter((text) => text.includes('"status":"completed"')).length
  if (completed !== flows) throw new Error(`only ${completed} of ${flows} were completed`)
}

export async function sendFloorFlows(
  { floorPort: port }: Pick<BenchWorld, 'floorPort'>,
  form: string,
  { flows, send }: Flows,
): Promise<void> {
  const body = JSON.stringify({ query: QUERY })
  const created = await send(port, Array<string>(flows).fill(httpRequest('POST', '/create', { body })), 'create')
  const ids = created.map((text) => (JSON.parse(text) as { id: string }).id)
  const gets = (path: string) => ids.map((id) => httpRequest('GET', `/${path}/${id}`, {}))
  await send(port, gets('request'), 'fetch')
  await send(
    port,
    ids.map((id) => formRequest(`/response/${id}`, form)),
    'answer',
  )
  await send(port, gets('read'), 'read')
}

export async function holderOf({ deps }: Pick<BenchWorld, 'deps'>): Promise<Holder> {
  const now = Math.floor(deps.clock.now() / 1000)
  return { now, credential: issue(await sandboxIssuerOf(deps), 'pid_sd_jwt', { holderKey: generateKey(), now }) }
}

/** Turns off autovacuum, so that the store runs no analyze during the measurement. */
export async function neverAnalyse({ db }: Pick<Deps, 'db'>): Promise<void> {
  await db.query({
    name: 'bench_autovacuum_off',
    text: `do $$ declare found record; begin
             for found in select oid::regclass as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace loop
               execute format('alter table %s set (autovacuum_enabled = false)', found.name);
             end loop; end $$`,
  })
}

/** One key pair for all, because the floor stores no keys and only uses one. */
const floorKey = createECDH('prime256v1')
const point = floorKey.generateKeys()
const FLOOR_JWK = {
  kty: 'EC',
  crv: 'P-256',
  x: point.subarray(1, 33).toString('base64url'),
  y: point.subarray(33).toString('base64url'),
} as const

export async function floorBody(holder: Holder): Promise<string> {
  const encryption = { key: FLOOR_JWK, kid: 'floor', enc: 'A128GCM' } as const
  const encryptedRequest = {
    clientId: `x509_hash:${'x'.repeat(43)}`,
    nonce: 'n'.repeat(43),
    responseUri: 'https://verify.example.com/',
  }
  const vpToken = { pid: [presentation(holder, { ...encryptedRequest, encryption })] }
  const response = await encryptResponse({ vp_token: vpToken, state: 's'.repeat(43) }, encryption)
  return new URLSearchParams({ response }).toString()
}

export async function addFloor(floor: FastifyInstance, { db }: Deps): Promise<void> {
  await db.query({
    name: 'floor_table',
    text: 'create table flow_floor (id text primary key, body json not null, result bytea)',
  })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // Forgets the issuer of an installation that this process measured before.
  issuerKey = undefined
  // The length of what a request object signs.
  const object = Buffer.alloc(2_500, 'x')
  floor.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer) => body,
  )
  floor.post('/create', async (request, reply) => {
    const id = randomUUID()
    createECDH('prime256v1').generateKeys()
    const insert = { name: 'floor_insert', text: 'insert into flow_floor (id, body) values ($1, $2)' }
    await db.query(insert, [id, JSON.stringify(request.body)])
    return reply.code(201).send({ id })
  })
  floor.get('/request/:id', async (_request, reply) => {
    const signature = sign('sha256', object, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return reply
      .type('application/oauth-authz-req+jwt')
      .send(`${object.toString('latin1')}.${signature.toString('base64url')}`)
  })
  floor.post('/response/:id', async (request) => {
    const { id } = request.params as { id: string }
    const result = verifyFloor(request.body as Buffer)
    await db.query({ name: 'floor_update', text: 'update flow_floor set result = $2 where id = $1' }, [id, result])
    return {}
  })
  floor.get('/read/:id', async (request) => {
    const { id } = request.params as { id: string }
    const [row] = await db.query<{ result: Buffer }>(
      { name: 'floor_read', text: 'select * from flow_floor where id = $1' },
      [id],
    )
    return { id, result: row?.result.toString('base64') }
  })
}

/** Decrypts and verifies two signatures with node:crypto, without further checks. Parses the issuer's certificate once. */
function verifyFloor(body: Buffer): Buffer {
  const jwe = new URLSearchParams(body.toString('latin1')).get('response') ?? ''
  const [header = '', , iv = '', ciphertext = '', tag = ''] = jwe.split('.')
  const { epk } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { epk: { x: string; y: string } }
  const peer = Buffer.concat([Buffer.of(4), Buffer.from(epk.x, 'base64url'), Buffer.from(epk.y, 'base64url')])
  const decipher = createDecipheriv(
    'aes-128-gcm',
    concatKdf(floorKey.computeSecret(peer)),
    Buffer.from(iv, 'base64url'),
  )
  decipher.setAAD(Buffer.from(header))
  decipher.setAuthTag(Buffer.from(tag, 'base64url'))
  const text = Buffer.concat([decipher.update(ciphertext, 'base64url'), decipher.final()])
  const { vp_token } = JSON.parse(text.toString()) as { vp_token: { pid: [string] } }
  const parts = vp_token.pid[0].split('~')
  const [issuerJwt = '', keyBinding = ''] = [parts[0], parts.at(-1)]
  const { x5c } = decoded(issuerJwt, 0) as { x5c: [string] }
  issuerKey ??= new X509Certificate(Buffer.from(x5c[0], 'base64')).publicKey
  const { cnf } = decoded(issuerJwt, 1) as { cnf: { jwk: { kty: 'EC' } } }
  const holderKey = createPublicKey({ key: cnf.jwk, format: 'jwk' })
  if (!verifyJws(issuerJwt, issuerKey) || !verifyJws(keyBinding, holderKey))
    throw new Error('the floor does not verify')
  return text.subarray(0, 500)
}

let issuerKey: ReturnType<typeof createPublicKey> | undefined

function concatKdf(secret: Buffer): Buffer {
  const length = (value: number) => Buffer.from(Uint32Array.of(value).buffer).swap32()
  const info = Buffer.concat([length(7), Buffer.from('A128GCM'), length(0), length(0), length(128)])
  return createHash('sha256').update(length(1)).update(secret).update(info).digest().subarray(0, 16)
}

function decoded(jws: string, part: number): unknown {
  return JSON.parse(Buffer.from(jws.split('.')[part] ?? '', 'base64url').toString())
}

function verifyJws(jws: string, key: ReturnType<typeof createPublicKey>): boolean {
  const at = jws.lastIndexOf('.')
  const signature = Buffer.from(jws.slice(at + 1), 'base64url')
  return verify('sha256', Buffer.from(jws.slice(0, at)), { key, dsaEncoding: 'ieee-p1363' }, signature)
}

if (import.meta.main) {
  const { floor, ours, ratio, cpuRatio } = await benchFlow()
  const show = (figure: FlowFigure) =>
    `${figure.perSecond.toFixed(0)} flows/s, ${figure.cpuMs.toFixed(2)} ms CPU a flow`
  console.log(
    `flow, ${CONNECTIONS} at once\n  floor ${show(floor)}\n  ours  ${show(ours)}\n  ratio ${ratio.toFixed(2)} by flows, ${cpuRatio.toFixed(2)} by CPU`,
  )
}
