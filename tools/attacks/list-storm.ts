// One merchant's own issuer gives each of 20 documents an identifier list of its own, as long as one may be, at an address that was
// never fetched before. Such responses are sent one after another; reports what another merchant noticed, beside a control without.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { formBody, thumbprint } from '@vidimus/wallet'
import { cbor, date, head, MDL, mintMdoc, Raw } from '../../engine/test/mdoc/mint-mdoc.ts'
import { mintCwt } from '../../engine/test/status/mint-status.ts'
import type { Minted } from '../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../../engine/test/trust/mint-pki.ts'
import { openWorld } from '../../service/src/assemble.ts'
import { addAnchor } from '../../service/src/features/trust/usecases/manage-anchors.ts'
import { readConfig } from '../../service/src/platform/config/config.ts'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, timesQuiet, watchBystander } from '../attack-stage/bystander.ts'
import { ANSWER_MS_MAX, beginMdocVerification, RefusedCreation } from '../attack-stage/verification.ts'

export const about = '20 documents in each response, each with a long identifier list of its own'

const DOCUMENTS = 20
/** Two megabytes a list. */
const IDENTIFIERS = 240_000
const ID_BYTES = 6

export async function run(options: AttackOptions): Promise<AttackReport> {
  const { url, attackerKeys, bystanderKey, seconds, own, memory, cpu } = options
  if (own === null) throw new Error('this attack needs a service of its own: an anchor is installed')
  const authority = mintAuthority({ subject: { CN: 'An authority of the attacker', C: 'UT' } })
  const signer = mintSigner(authority)
  await trust(authority, own, url)
  const hosted = await serveLists(signer)
  try {
    // Once without lists, so that what is compiled at the first response is not counted.
    await respond({ url, key: attackerKeys[0] ?? '', signer, listAt: null })
    console.error(`the bystander alone, ${seconds} s`)
    const quiet = await watchBystander({ url, key: bystanderKey, seconds })
    const memoryBefore = memory()
    const cpuBefore = cpu()
    const tally = { answers: new Map<string, number>(), sent: 0, longestMs: 0 }
    const storm = { isOver: false }
    console.error(`the storm, ${seconds} s`)
    const watching = watchBystander({ url, key: bystanderKey, seconds }).finally(() => {
      storm.isOver = true
    })
    const [noticed] = await Promise.all([watching, attack(options, { signer, base: hosted.base, storm, tally })])
    const used = cpu() - cpuBefore
    return {
      ...quietRow(quiet),
      ...noticed,
      ...timesQuiet(quiet, noticed),
      'responses of the attacker': tally.sent,
      'how they ended': [...tally.answers].map(([status, count]) => `${count} × ${status}`).join(', '),
      'longest answer to the attacker ms': Math.round(tally.longestMs),
      'lists fetched': hosted.served(),
      'CPU ms of the service for each': Math.round(used / Math.max(1, tally.sent)),
      'memory before MiB': Math.round(memoryBefore ?? Number.NaN),
      'memory after MiB': Math.round(memory() ?? Number.NaN),
    }
  } finally {
    hosted.close()
  }
}

interface Tally {
  readonly answers: Map<string, number>
  sent: number
  longestMs: number
}

async function attack(
  { url, attackerKeys }: AttackOptions,
  stage: { readonly signer: Minted; readonly base: string; readonly storm: { isOver: boolean }; readonly tally: Tally },
): Promise<void> {
  const { signer, base, storm, tally } = stage
  while (!storm.isOver) {
    const key = attackerKeys[tally.sent % attackerKeys.length] ?? ''
    const round = tally.sent
    tally.sent += 1
    const began = performance.now()
    const outcome = await respond({ url, key, signer, listAt: (at) => `${base}/${round}/${at}` }).catch(refusalOf)
    if (outcome === REFUSED) await delay(REFUSED_PAUSE_MS)
    tally.longestMs = Math.max(tally.longestMs, performance.now() - began)
    tally.answers.set(outcome, (tally.answers.get(outcome) ?? 0) + 1)
  }
}

/** The attacker's own rates may be spent: that is a result and no failure. */
const REFUSED = 'no verification made'
const REFUSED_PAUSE_MS = 100

function refusalOf(error: unknown): string {
  if (error instanceof RefusedCreation) return REFUSED
  throw error
}

interface Presenting {
  readonly url: string
  readonly key: string
  readonly signer: Minted
  readonly listAt: ((document: number) => string) | null
}

/** Presents 20 genuine documents; returns how the verification ended. */
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
    const uri = listAt?.(at)
    const status = uri === undefined ? {} : { status: { identifier_list: { id: Buffer.from('cafe', 'hex'), uri } } }
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

async function serveLists(signer: Minted) {
  const ids = Buffer.alloc(IDENTIFIERS * (ID_BYTES + 2))
  for (let at = 0; at < IDENTIFIERS; at += 1) {
    const offset = at * (ID_BYTES + 2)
    ids[offset] = 0x40 + ID_BYTES
    // Spread, as issuers draw them.
    ids.writeUInt32BE((at * 2_654_435_761) >>> 0, offset + 1)
    ids[offset + 1 + ID_BYTES] = 0xa0
  }
  const identifiers = new Raw(Buffer.concat([head(5, IDENTIFIERS), ids]))
  const list = new Raw(cbor({ identifiers }))
  let served = 0
  const server = createServer((request, answer) => {
    served += 1
    const now = Math.floor(Date.now() / 1000)
    answer.setHeader('content-type', 'application/identifierlist+cwt')
    const claims = new Map<number, unknown>([
      [2, `http://127.0.0.1:${port}${request.url}`],
      [6, now - 60],
      [4, now + 86_400],
      [65534, 86_400],
      [65533, undefined],
      [65530, list],
    ])
    answer.end(mintCwt({ by: signer, type: 'application/identifierlist+cwt', claims }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { base: `http://127.0.0.1:${port}`, served: () => served, close: () => void server.close() }
}

async function trust(authority: Minted, own: NonNullable<AttackOptions['own']>, url: string): Promise<void> {
  const config = readConfig({ ...own.env, PORT: new URL(url).port, VIDIMUS_LOG_LEVEL: 'silent' })
  const world = await openWorld(config, () => undefined)
  try {
    const added = await addAnchor(world.deps, {
      owner: { tenantId: own.attackerTenant, environment: 'test' },
      kind: 'ca',
      profile: 'generic',
      types: [`mso_mdoc:${MDL}`],
      certificate: authority.der,
      actor: { type: 'system', id: 'attack' },
    })
    if (added.outcome === 'refused') throw new Error(added.problem)
  } finally {
    await world.close()
  }
}
