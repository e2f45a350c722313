// Sends a flood of wallets that answer with proofs.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { certificateBytes, encryptResponse, type IssuerState, verifyRequestObject } from '@vidimus/wallet'
import { dateTime, embedded, encodeCbor, mapOf } from '../../wallet/src/encoding/cbor.ts'

interface Flood {
  readonly port: number
  /** One key for each tenant. */
  readonly keys: readonly string[]
  /** Proofs of one tenant in progress at the same time. */
  readonly each: number
  readonly issuer: IssuerState
}

export interface Prepared {
  /** Resolves once the first proof was answered. */
  start(): Promise<void>
  stop(): Promise<Flooded>
}

interface Flooded {
  /** How many proofs were checked and found valid. */
  readonly checked: number
  /** How many proofs were refused for lack of capacity or time. Wallets may retry them. */
  readonly refused: number
}

/**
 * Encrypts all answers before the flood, because encrypting costs more than reading and real phones do it themselves.
 */
export async function prepareFlood(flood: Flood): Promise<Prepared> {
  const child = fork(fileURLToPath(import.meta.url), { serialization: 'advanced' })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the flood ended with ${code}`)
  })
  const say = async (word: Flood | 'start' | 'stop') => {
    child.send(word)
    const [flooded] = (await Promise.race([once(child, 'message'), ended])) as [Flooded]
    return flooded
  }
  await say(flood)
  return {
    async start() {
      await say('start')
    },
    async stop() {
      const flooded = await say('stop')
      ended.catch(() => undefined)
      child.disconnect()
      return flooded
    },
  }
}

const AGE = 'eu.europa.ec.av.1'
/** The size of real proofs. */
const PROOF = new Uint8Array(400_000).fill(1)

/** The proofs of each key: more than are answered while flows are measured. */
const PROOFS_EACH = 60

interface Answer {
  readonly id: string
  readonly form: string
}

async function prepareOne({ port, issuer }: Flood, key: string): Promise<Answer> {
  const base = `http://127.0.0.1:${port}`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ template: 'age_over_18' })
  const created = await (await fetch(`${base}/v1/verifications`, { method: 'POST', headers, body })).json()
  const { id, wallet_uri: link } = created as { id: string; wallet_uri: string }
  const object = await requestFor(base, id)
  const now = Math.floor(Date.now() / 1000)
  const clientId = new URL(link).searchParams.get('client_id') ?? ''
  const request = await verifyRequestObject(object, { clientId, walletNonce: null, now, trusted: [] })
  if (request.encryption === null || request.state === null)
    throw new Error('the request does not ask for an encrypted answer')
  const payload = {
    vp_token: { age_proof_zk: [proved(systemIn(object) ?? '', issuer, now)] },
    state: request.state,
  }
  return { id, form: `response=${await encryptResponse(payload, request.encryption)}` }
}

async function sendOne({ port }: Flood, key: string, { id, form }: Answer): Promise<boolean> {
  const base = `http://127.0.0.1:${port}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await fetch(`${base}/wallet/response/${id}`, { method: 'POST', headers, body: form })
  const read = await fetch(`${base}/v1/verifications/${id}`, { headers: { authorization: `Bearer ${key}` } })
  return ((await read.json()) as { status: string }).status === 'completed'
}

interface AskedQuery {
  readonly dcql_query: {
    readonly credentials: readonly { id: string; meta: { zk_system_type?: { zkSystemId: string }[] } }[]
  }
}

/** The service requests proofs from wallets that list them, once the helpers are warm. */
const METADATA = { vp_formats_supported: { mso_mdoc: {}, mso_mdoc_zk: {}, 'dc+sd-jwt': {} } }
const TRIES = 200

async function requestFor(base: string, id: string): Promise<string> {
  for (let at = 0; at < TRIES; at += 1) {
    const body = new URLSearchParams({ wallet_metadata: JSON.stringify(METADATA) })
    const object = await (await fetch(`${base}/wallet/request/${id}`, { method: 'POST', body })).text()
    if (systemIn(object) !== undefined) return object
    await delay(100)
  }
  throw new Error('the service requested no proof')
}

/** The first circuit that the request names. */
function systemIn(object: string): string | undefined {
  const claims = JSON.parse(Buffer.from(object.split('.')[1] ?? '', 'base64url').toString()) as AskedQuery
  const proofQuery = claims.dcql_query.credentials.find(({ id }) => id === 'age_proof_zk')
  return proofQuery?.meta.zk_system_type?.[0]?.zkSystemId
}

function proved(zkSystemId: string, issuer: IssuerState, now: number): string {
  const data = mapOf({
    docType: AGE,
    zkSystemId,
    timestamp: dateTime(now),
    issuerSigned: mapOf({ [AGE]: [mapOf({ elementIdentifier: 'age_over_18', elementValue: true })] }),
    msoX5chain: certificateBytes(issuer.mdoc.signer),
  })
  const document = mapOf({ documentData: embedded(data), proof: PROOF })
  return Buffer.from(encodeCbor(mapOf({ version: '1.1', zkDocuments: [document], status: 0 }))).toString('base64url')
}

if (import.meta.main) {
  const [flood] = (await once(process, 'message')) as [Flood]
  const prepared = new Map<string, Answer[]>()
  for (const key of flood.keys) {
    const answers: Answer[] = []
    for (let i = 0; i < PROOFS_EACH; i += 1) answers.push(await prepareOne(flood, key))
    prepared.set(key, answers)
  }
  const flooded = { checked: 0, refused: 0 }
  process.send?.(flooded)
  await once(process, 'message')
  let stopped = false
  process.once('message', () => {
    stopped = true
  })
  let begun = false
  const answerOn = async (key: string) => {
    while (!stopped) {
      const answer = prepared.get(key)?.pop()
      if (answer === undefined) throw new Error('all proofs were sent before the flood was stopped')
      flooded[(await sendOne(flood, key, answer)) ? 'checked' : 'refused'] += 1
      if (!begun) process.send?.(flooded)
      begun = true
    }
  }
  await Promise.all(flood.keys.flatMap((key) => Array.from({ length: flood.each }, () => answerOn(key))))
  process.send?.(flooded)
}
