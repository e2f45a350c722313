// Measures the verification of one presentation, next to the unavoidable work and to other libraries.

import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from 'node:crypto'
import { Verifier as Auth0Verifier } from '@auth0/mdl'
import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import {
  createChainCache,
  type Expected,
  parseQuery,
  type Trust,
  thumbprintOf,
  verifyPresentation,
} from '@vidimus/engine'
import {
  createIssuer,
  generateKey,
  type HeldCredential,
  issue,
  issuerAnchors,
  presentCredential,
  toPem,
} from '@vidimus/wallet'
import { publicJwk, thumbprint } from '../../wallet/src/keys.ts'
import { sessionTranscript } from '../../wallet/src/mdoc.ts'
import { mdocObjections } from '../../wallet/test/oracle.ts'

/** Verifications until the code is as warm as in a running service: the compiler finishes after some fifteen thousand. */
const WARM_UP = 15_000
const ROUNDS = 1_000
/** Verifications of one window. It is so short that most windows end before the scheduler or the garbage collector interrupts. */
const WINDOW = 10
/** Fewer than for our engine, because other libraries take up to thirty times as long. */
const PEER_WARM_UP = 1_000
const PEER_ROUNDS = 50
const NOW = Math.floor(Date.now() / 1000)

export interface EngineRow {
  readonly name: string
  /** Microseconds of one verification by the wall clock, in the median window; without garbage collection. */
  readonly micros: number
  /** The floor's time over this row's. */
  readonly ratio: number
}

export type Work = () => Promise<void> | void

export async function benchEngine(): Promise<{
  readonly sdJwt: readonly EngineRow[]
  readonly mdoc: readonly EngineRow[]
}> {
  return { sdJwt: await compare(sdJwtWork()), mdoc: await compare(mdocWork()) }
}

/** Measures the floor and ours alternately, so that a disturbance affects both. Other libraries follow, whose garbage must not cost us. */
async function compare(works: Readonly<Record<string, Work>>): Promise<EngineRow[]> {
  const [floorName = '', oursName = '', ...peers] = Object.keys(works)
  const medians = new Map<string, number>()
  for (const group of [[floorName, oursName], ...peers.map((name) => [name])]) {
    const isPeer = group.length === 1
    const rounds = isPeer ? PEER_ROUNDS : ROUNDS
    for (const name of group) await repeat(works[name], isPeer ? PEER_WARM_UP : WARM_UP)
    const times = new Map<string, number[]>(group.map((name) => [name, []]))
    for (let round = 0; round < rounds; round += 1) {
      for (const name of group) times.get(name)?.push(await window(works[name]))
    }
    for (const [name, taken] of times)
      medians.set(name, taken.sort((x, y) => x - y)[Math.floor(rounds / 2)] ?? Number.NaN)
  }
  const floor = medians.get(floorName) ?? Number.NaN
  return [...medians].map(([name, micros]) => ({ name, micros, ratio: floor / micros }))
}

/** Microseconds of one verification. */
async function window(work: Work | undefined): Promise<number> {
  const began = performance.now()
  await repeat(work, WINDOW)
  return ((performance.now() - began) * 1_000) / WINDOW
}

async function repeat(work: Work | undefined, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await work?.()
}

/** The unavoidable work. Certificate chains are cached, as in the service. */
export const FLOOR = 'floor: two ECDSA verifications, one key import'

const issuer = createIssuer({ base: 'https://issuer.example', now: NOW })
const holderKey = generateKey()
const readerKey = generateKey()
const request = {
  clientId: `x509_hash:${'A'.repeat(43)}`,
  nonce: 'n'.repeat(43),
  responseUri: 'https://verify.example.com/wallet/response/x',
}

function present(credential: HeldCredential, paths: readonly (readonly string[])[]): string {
  return presentCredential(credential, paths, {
    ...request,
    encryptionKey: publicJwk(readerKey),
    now: NOW,
    deviceAuth: 'signature',
  })
}

function expectedFor(query: object): Expected {
  const thumb = thumbprintOf({ ...readerKey })
  if (thumb === null) throw new Error('no thumbprint')
  const encryption = { privateKey: createPrivateKey({ key: { ...readerKey }, format: 'jwk' }), thumbprint: thumb }
  const credentials = [{ id: 'it', ...query }]
  return {
    query: parseQuery({ credentials } as Parameters<typeof parseQuery>[0]),
    channel: { kind: 'redirect', clientId: request.clientId, responseUri: request.responseUri },
    nonce: request.nonce,
    encryption,
    requestedAt: NOW - 10,
    now: NOW,
    skewSeconds: 60,
  }
}

const trust: Trust = {
  anchors: issuerAnchors(issuer),
  statusPolicy: 'prefer',
  haip: false,
  cache: createChainCache(100),
  fetchStatus: async () => ({ outcome: 'unavailable', reason: 'not asked' }),
}

function ours(presented: string, expected: Expected): Work {
  return async () => {
    const verdict = await verifyPresentation({ it: [presented] }, expected, trust)
    if (verdict.outcome !== 'accepted') throw new Error(`${verdict.code}: ${verdict.message}`)
  }
}

/** Two valid signatures over as many bytes as a presentation signs. */
function floorWork(): Work {
  const holder = publicJwk(holderKey)
  const signed = [generateKey(), holderKey].map((jwk) => {
    const data = Buffer.alloc(900, 1)
    const key = createPrivateKey({ key: { ...jwk }, format: 'jwk' })
    return { data, signature: sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }), issuer: createPublicKey(key) }
  })
  return () => {
    for (const [index, { data, signature, issuer }] of signed.entries()) {
      const key = index === 0 ? issuer : createPublicKey({ key: { ...holder }, format: 'jwk' })
      if (!verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature))
        throw new Error('the floor refuses a valid signature')
    }
  }
}

export function sdJwtWork(): Record<string, Work> {
  const names = ['given_name', 'family_name', 'birthdate', 'email', 'phone_number', 'personal_administrative_number']
  const credential = issue(issuer, 'pid_sd_jwt', { holderKey, now: NOW, statusIndex: null })
  const presented = present(
    credential,
    names.map((name) => [name]),
  )
  if (presented.split('~').length !== 8) throw new Error(`${presented.split('~').length - 2} disclosures instead of 6`)
  const query = {
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:eudi:pid:1'] },
    claims: names.map((name) => ({ path: [name] })),
  }
  const header = JSON.parse(Buffer.from(presented.split('.')[0] ?? '', 'base64url').toString())
  const issuerJwk = new X509Certificate(Buffer.from(header.x5c[0], 'base64')).publicKey.export({ format: 'jwk' })
  const verifier = ES256.getVerifier(issuerJwk)
  return {
    [FLOOR]: floorWork(),
    'Vidimus, SD-JWT VC + KB-JWT, 6 disclosures': ours(presented, expectedFor(query)),
    '@sd-jwt/sd-jwt-vc 0.19': async () => {
      const kbVerifier = await ES256.getVerifier({ ...publicJwk(holderKey) })
      const instance = new SDJwtVcInstance({
        hasher: digest,
        hashAlg: 'sha-256',
        saltGenerator: generateSalt,
        verifier: await verifier,
        kbVerifier,
      })
      await instance.verify(presented, { keyBindingNonce: request.nonce, currentDate: NOW })
    },
  }
}

export function mdocWork(): Record<string, Work> {
  const namespace = 'org.iso.18013.5.1'
  const names = ['given_name', 'family_name', 'birth_date', 'document_number', 'issuing_country', 'expiry_date']
  const credential = issue(issuer, 'mdl', { holderKey, now: NOW, statusIndex: null })
  const paths = names.map((name) => [namespace, name])
  const presented = present(credential, paths)
  const query = {
    format: 'mso_mdoc',
    meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
    claims: paths.map((path) => ({ path })),
  }
  const anchor = issuerAnchors(issuer).find(({ types }) => types.includes('mso_mdoc:org.iso.18013.5.1.mDL'))
  if (anchor === undefined) throw new Error('no anchor for the mDL')
  const question = { ...request, encryptionKey: readerKey, now: NOW }
  // That library expects the transcript wrapped in tag 24.
  const inner = sessionTranscript({ ...request, thumbprint: thumbprint(publicJwk(readerKey)) })
  const transcript = Buffer.concat([Uint8Array.of(0xd8, 0x18, 0x58, inner.length), inner])
  const auth0 = new Auth0Verifier([toPem(anchor.certificate)])
  const bytes = Buffer.from(presented, 'base64url')
  return {
    [FLOOR]: floorWork(),
    'Vidimus, mdoc, 6 elements, deviceSignature': ours(presented, expectedFor(query)),
    '@owf/mdoc 0.6': async () => {
      const objections = await mdocObjections(presented, anchor.certificate, question)
      if (objections.length > 0) throw new Error(objections.join(', '))
    },
    '@auth0/mdl 3.0': async () => {
      await auth0.verify(bytes, { encodedSessionTranscript: transcript })
    },
  }
}

if (import.meta.main) {
  const { sdJwt, mdoc } = await benchEngine()
  for (const { name, micros, ratio } of [...sdJwt, ...mdoc])
    console.log(`${name.padEnd(50)} ${micros.toFixed(0).padStart(6)} us  ${ratio.toFixed(2)} of the floor`)
}
