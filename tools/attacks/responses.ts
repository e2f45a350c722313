// Sends hostile responses, and 25 delayed bodies that are released together; reports how long others wait.

import { request as httpRequest } from 'node:http'
import { formBody, type VerifierRequest } from '@vidimus/wallet'
import { base64, mintPresentation } from '../../engine/test/sdjwt/mint-presentation.ts'
import { mintAuthority } from '../../engine/test/trust/mint-pki.ts'
import { beginVerification } from '../attack-stage/verification.ts'

export const about =
  'responses of allowed size that are expensive to judge, and 25 bodies held back for one verification'

export interface Options {
  /** Base address of the service under attack, on loopback. */
  readonly url: string
  /** API keys of the attacking tenant. */
  readonly attackerKeys: readonly string[]
}

const HELD_BACK = 25
const FORM_BYTES = 1_990_000

export async function run({ url, attackerKeys: [key = ''] }: Options): Promise<Record<string, string>> {
  const report: Record<string, string> = {}
  const attack = async (name: string, bodyOf: (request: VerifierRequest) => Promise<string> | string) => {
    const { id, request } = await beginVerification(url, key, 'urn:eudi:pid:1')
    const body = await bodyOf(request)
    report[name] = await whileWatched(url, async () => [await post(url, id, body).finish()])
  }
  await attack('a form of pluses', () => `response=${'+'.repeat(FORM_BYTES)}`)
  await attack('20 × 6 certificates', (request) => formBody(request, { vpToken: tokenOf(request, manyCertificates) }))
  await attack('20 payloads of 4,000 members', (request) =>
    formBody(request, { vpToken: tokenOf(request, manyMembers) }),
  )

  const { id, request } = await beginVerification(url, key, 'urn:eudi:pid:1')
  const body = await formBody(request, { vpToken: tokenOf(request, manyCertificates) })
  const pending = Array.from({ length: HELD_BACK }, () => post(url, id, body))
  // Every request has passed the check for a pending verification before the first body is released.
  await Promise.all(pending.map(({ sent }) => sent))
  await answered(url)
  report[`${HELD_BACK} bodies held back`] = await whileWatched(url, () =>
    Promise.all(pending.map(({ finish }) => finish())),
  )
  return report
}

function tokenOf(request: VerifierRequest, header: () => object): { it: string[] } {
  const change = { header: (members: object) => ({ ...members, ...header() }) }
  const binding = (claims: object) => ({ ...claims, nonce: request.nonce, aud: request.clientId })
  return { it: Array.from({ length: 20 }, () => mintPresentation({ ...change, binding })) }
}

const certificates = Array.from({ length: 6 }, (_, i) => base64(mintAuthority({ subject: { CN: `Unknown ${i}` } }).der))
const manyCertificates = () => ({ x5c: certificates })
const manyMembers = () => Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`m${i}`, 0]))

interface Posted {
  /** Resolves when all but the last byte is sent. */
  readonly sent: Promise<void>
  /** Sends the last byte; returns the status of the answer. */
  finish(): Promise<number>
}

function post(url: string, id: string, body: string): Posted {
  const bytes = Buffer.from(body)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': bytes.length }
  const request = httpRequest(`${url}/wallet/response/${id}`, { method: 'POST', headers, agent: false })
  const status = new Promise<number>((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
  })
  const sent = new Promise<void>((resolve) => request.write(bytes.subarray(0, -1), () => resolve()))
  return {
    sent,
    finish() {
      request.end(bytes.subarray(-1))
      return status
    },
  }
}

/** Runs the attack. Returns its answers, and the longest time that another caller waited meanwhile. */
async function whileWatched(url: string, attack: () => Promise<readonly number[]>): Promise<string> {
  const began = performance.now()
  let running = true
  const watching = (async () => {
    let longest = 0
    while (running) longest = Math.max(longest, await answered(url))
    return longest
  })()
  const statuses = await attack()
  const took = performance.now() - began
  running = false
  const counts = Map.groupBy(statuses, (status) => status)
  const summary = [...counts].map(([status, all]) => `${all.length} × ${status}`).join(', ')
  return `${summary} within ${took.toFixed(0)} ms; others waited ${(await watching).toFixed(0)} ms at most`
}

async function answered(url: string): Promise<number> {
  const began = performance.now()
  await (await fetch(`${url}/healthz`)).text()
  return performance.now() - began
}

if (import.meta.main) {
  const [url = '', ...attackerKeys] = process.argv.slice(2)
  if (!/^http:\/\/127\./.test(url) || attackerKeys.length === 0)
    throw new Error('usage: responses.ts http://127.0.0.1:8080 <key>')
  for (const [what, value] of Object.entries(await run({ url, attackerKeys })))
    console.log(`${what.padEnd(32)} ${value}`)
}
