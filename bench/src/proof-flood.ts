// The flood of a benchmark: wallets that answer by a proof, each again as soon as it is answered. In a process of the lowest
// priority, as it stands for phones that take no processor from the service: encrypting a proof costs them far more than reading it
// costs us.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { certificateBytes, encryptResponse, type IssuerState, verifyRequestObject } from '@vidimus/wallet'
import { dateTime, embedded, encodeCbor, mapOf } from '../../wallet/src/encoding/cbor.ts'

export interface Flood {
  readonly port: number
  /** Of a tenant each. */
  readonly keys: readonly string[]
  /** Proofs of one tenant under way at once. */
  readonly each: number
  readonly issuer: IssuerState
}

/** Resolves once the first was answered; `stop` says how many were, and found to hold. */
export async function startFlood(flood: Flood): Promise<{ stop(): Promise<number> }> {
  const child = fork(fileURLToPath(import.meta.url), { serialization: 'advanced' })
  if (child.pid === undefined) throw new Error('the flood does not start')
  setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the flood ended with ${code}`)
  })
  const said = async () => Number((await Promise.race([once(child, 'message'), ended]))[0])
  child.send(flood)
  await said()
  return {
    async stop() {
      child.send('stop')
      const held = await said()
      ended.catch(() => undefined)
      child.disconnect()
      return held
    },
  }
}

const AGE = 'eu.europa.ec.av.1'
/** As large as real ones. */
const PROOF = new Uint8Array(400_000).fill(1)

async function answerOnce({ port, issuer }: Flood, key: string): Promise<boolean> {
  const base = `http://127.0.0.1:${port}`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ template: 'age_over_18' })
  const made = await (await fetch(`${base}/v1/verifications`, { method: 'POST', headers, body })).json()
  const { id, wallet_uri: link } = made as { id: string; wallet_uri: string }
  const object = await (await fetch(`${base}/wallet/request/${id}`)).text()
  const now = Math.floor(Date.now() / 1000)
  const clientId = new URL(link).searchParams.get('client_id') ?? ''
  const request = await verifyRequestObject(object, { clientId, walletNonce: null, now, trusted: [] })
  if (request.encryption === null || request.state === null) throw new Error('a proof is asked for encrypted')
  const payload = {
    vp_token: { age_proof_zk: [proved(systemOf(object), issuer, now)] },
    state: request.state,
  }
  await fetch(`${base}/wallet/response/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `response=${await encryptResponse(payload, request.encryption)}`,
  })
  const ended = (await (await fetch(`${base}/v1/verifications/${id}`, { headers })).json()) as { status: string }
  return ended.status === 'completed'
}

interface AskedQuery {
  readonly dcql_query: {
    readonly credentials: readonly { id: string; meta: { zk_system_type?: { zkSystemId: string }[] } }[]
  }
}

/** The first that is asked for. */
function systemOf(object: string): string {
  const claims = JSON.parse(Buffer.from(object.split('.')[1] ?? '', 'base64url').toString()) as AskedQuery
  const asked = claims.dcql_query.credentials.find(({ id }) => id === 'age_proof_zk')
  const system = asked?.meta.zk_system_type?.[0]?.zkSystemId
  if (system === undefined) throw new Error('no proof was asked for')
  return system
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
  let stopped = false
  process.once('message', () => {
    stopped = true
  })
  let held = 0
  let begun = false
  const answerOn = async (key: string) => {
    while (!stopped) {
      if (await answerOnce(flood, key)) held += 1
      if (!begun) process.send?.(held)
      begun = true
    }
  }
  await Promise.all(flood.keys.flatMap((key) => Array.from({ length: flood.each }, () => answerOn(key))))
  process.send?.(held)
}
