// Attacks for the list storm, in a separate thread: presents 16 genuine documents in each response, one response after another.

import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { formBody, thumbprint } from '@vidimus/wallet'
import { date, MDL, mintMdoc } from '../../engine/test/mdoc/mint-mdoc.ts'
import type { Minted } from '../../engine/test/trust/mint-certificate.ts'
import { lowerPriority } from './priority.ts'
import { ANSWER_MS_MAX, beginMdocVerification, RefusedCreation } from './verification.ts'

/** The limit of lists in one response. If a response names more, the service fetches none. */
const DOCUMENTS = 16

export interface AttackerPlan {
  readonly url: string
  readonly keys: readonly string[]
  readonly signer: Minted
  /** The address of the lists, before `/0`, `/1` and so on; null: the documents name no list. */
  readonly lists: string | null
}

export interface Tally {
  readonly sent: number
  /** How many verifications ended in each status. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly longestMs: number
}

export interface ListAttacker {
  /** The number of the first list that the next response names. */
  useFrom(firstUnused: number): void
  stop(): Promise<Tally>
}

/** `[0]`: the number of the first list to name; `[1]`: 1 stops the attacker. */
const SHARED = { first: 0, isOver: 1 } as const

export function startListAttacker(plan: AttackerPlan): ListAttacker {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL(import.meta.url), { workerData: { plan, shared } })
  const tally = new Promise<Tally>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the attacker ended with ${code} and without a report`)))
  })
  // `stop` reports it later.
  tally.catch(() => undefined)
  return {
    useFrom: (firstUnused) => void Atomics.store(shared, SHARED.first, firstUnused),
    stop() {
      Atomics.store(shared, SHARED.isOver, 1)
      return tally
    },
  }
}

async function attack({ url, keys, signer, lists }: AttackerPlan, shared: Int32Array): Promise<Tally> {
  const outcomes: Record<string, number> = {}
  let sent = 0
  let longestMs = 0
  while (Atomics.load(shared, SHARED.isOver) === 0) {
    const key = keys[sent % keys.length] ?? ''
    const first = Atomics.load(shared, SHARED.first)
    const listAt = (document: number) => (lists === null ? null : `${lists}/${first + document}`)
    const began = performance.now()
    const outcome = await respond({ url, key, signer, listAt }).catch(refusalOf)
    if (outcome === REFUSED) await delay(REFUSED_PAUSE_MS)
    else {
      sent += 1
      longestMs = Math.max(longestMs, performance.now() - began)
    }
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  return { sent, outcomes, longestMs }
}

/** The attacker may reach its own rate limits. That is a result, not a failure. */
const REFUSED = 'no verification made'
const REFUSED_PAUSE_MS = 100

function refusalOf(error: unknown): string {
  if (error instanceof RefusedCreation) return REFUSED
  throw error
}

interface Presenting extends Pick<AttackerPlan, 'url' | 'signer'> {
  readonly key: string
  readonly listAt: (document: number) => string | null
}

/** Presents 16 genuine documents; returns how the verification ended. */
async function respond({ url, key, signer, listAt }: Presenting): Promise<string> {
  const { id, request } = await beginMdocVerification(url, key, MDL)
  const now = Math.floor(Date.now() / 1000)
  const { clientId, nonce, responseUri, encryption } = request
  const transcript = {
    clientId,
    nonce,
    responseUri,
    thumbprint: encryption === null ? null : thumbprint(encryption.key),
  }
  const documents = Array.from({ length: DOCUMENTS }, (_, at) => {
    const uri = listAt(at)
    const status = uri === null ? {} : { status: { identifier_list: { id: Buffer.from('cafe', 'hex'), uri } } }
    const validityInfo = { signed: date(now - 3600 - at), validFrom: date(now - 3600), validUntil: date(now + 86_400) }
    return mintMdoc({ signer, transcript, mso: (members) => ({ ...members, validityInfo, ...status }) })
  })
  const body = await formBody(request, { vpToken: { it: documents } })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await fetch(`${url}/wallet/response/${id}`, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  })
  if (answer.status !== 200) return String(answer.status)
  const found = await fetch(`${url}/v1/verifications/${id}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  })
  return ((await found.json()) as { status: string }).status
}

if (!isMainThread) {
  lowerPriority()
  const { plan, shared } = workerData as { plan: AttackerPlan; shared: Int32Array }
  parentPort?.postMessage(await attack(plan, shared))
}
