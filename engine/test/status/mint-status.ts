// Mints valid and invalid status lists, identifier lists and CRLs.

import { sign } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { Examination, StatusReference } from '../../src/examination.ts'
import type { StatusAnswer, StatusSource, Trust } from '../../src/expected.ts'
import type { Expected } from '../../src/expected-answer.ts'
import { establishStatus, type StatusOutcome } from '../../src/status/establish.ts'
import type { Anchor } from '../../src/trust/anchor.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { NOTHING_WITHHELD } from '../../src/withheld.ts'
import { cbor, expected, Tagged } from '../mdoc/mint-mdoc.ts'
import { bytes, extensionOf, integer, type Minted, oid, oids, sequence, time, tlv } from '../trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from '../trust/mint-pki.ts'

export { NOW }
export const URI = 'https://issuer.example/status/1'
export const TYPE = 'urn:invented:credential'
export const authority = mintAuthority({ subject: { CN: 'Invented Root' } })
export const issuer = mintSigner(authority)
export const stranger = mintSigner(mintAuthority({ subject: { CN: 'Invented Root' } }))

const types = [`dc+sd-jwt:${TYPE}`, `mso_mdoc:${TYPE}`] as const
export const anchor: Anchor = { kind: 'ca', certificate: authority.der, types, profile: 'generic' }

/** Packs statuses by index, from the least significant bits on. */
export function pack(statuses: Readonly<Record<number, number>>, bits = 1, bytesCount = 16): Buffer {
  const packed = Buffer.alloc(bytesCount)
  for (const [index, status] of Object.entries(statuses)) {
    const bit = Number(index) * bits
    packed[bit >> 3] = (packed[bit >> 3] ?? 0) | (status << (bit & 7))
  }
  return packed
}

export interface JwtPlan {
  readonly header?: object
  readonly claims?: object
  readonly list?: object
  readonly by?: Minted
  readonly spoil?: boolean
}

export function mintJwt(plan: JwtPlan = {}): Buffer {
  const by = plan.by ?? issuer
  const header = { alg: 'ES256', typ: 'statuslist+jwt', x5c: [Buffer.from(by.der).toString('base64')], ...plan.header }
  const lst = deflateSync(pack({})).toString('base64url')
  const claims = {
    sub: URI,
    iat: NOW - 60,
    exp: NOW + 3600,
    ttl: 600,
    status_list: { bits: 1, lst, ...plan.list },
    ...plan.claims,
  }
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = sign('sha256', Buffer.from(text), { key: by.privateKey, dsaEncoding: 'ieee-p1363' })
  if (plan.spoil === true) signature[5] = (signature[5] ?? 0) ^ 1
  return Buffer.from(`${text}.${signature.toString('base64url')}`)
}

export interface CwtPlan {
  readonly type?: unknown
  readonly headers?: Map<number, unknown>
  readonly claims?: ReadonlyMap<number, unknown>
  readonly by?: Minted
  readonly wrap?: (parts: unknown[]) => unknown
}

export function mintCwt(plan: CwtPlan = {}): Buffer {
  const by = plan.by ?? issuer
  const headers = new Map<number, unknown>([
    [1, -7],
    [16, plan.type ?? 'application/statuslist+cwt'],
    [33, by.der],
    ...(plan.headers ?? []),
  ])
  const present = new Map([...headers].filter(([, value]) => value !== undefined))
  const claims = new Map<number, unknown>([
    [2, URI],
    [6, NOW - 60],
    [4, NOW + 3600],
    [65534, 600],
    [65533, { bits: 1, lst: deflateSync(pack({})) }],
    ...(plan.claims ?? []),
  ])
  const payload = cbor(new Map([...claims].filter(([, value]) => value !== undefined)))
  const protectedBytes = cbor(present)
  const covered = cbor(['Signature1', protectedBytes, Buffer.alloc(0), payload])
  const signature = sign('sha256', covered, { key: by.privateKey, dsaEncoding: 'ieee-p1363' })
  const parts = [protectedBytes, {}, payload, signature]
  return cbor(plan.wrap?.(parts) ?? new Tagged(18, parts))
}

export interface CrlPlan {
  readonly version?: Uint8Array | null
  readonly issuer?: Uint8Array
  readonly revoked?: readonly { readonly serial: Uint8Array; readonly extensions?: readonly Uint8Array[] }[]
  readonly thisUpdate?: string
  readonly nextUpdate?: string | null
  readonly extensions?: readonly Uint8Array[]
  readonly by?: Minted
}

export const crlNumber = extensionOf('551d14', false, integer(1))

export function mintCrl(plan: CrlPlan = {}): Buffer {
  const by = plan.by ?? authority
  const algorithm = sequence(oid(oids.ecdsaSha256))
  const entries = (plan.revoked ?? []).map(({ serial, extensions }) =>
    sequence(
      tlv(0x02, serial),
      time('20260101000000Z'),
      ...(extensions === undefined ? [] : [sequence(...extensions)]),
    ),
  )
  const tbs = sequence(
    ...(plan.version === null ? [] : [plan.version ?? integer(1)]),
    algorithm,
    plan.issuer ?? by.subject,
    time(plan.thisUpdate ?? '20260201000000Z'),
    ...(plan.nextUpdate === null ? [] : [time(plan.nextUpdate ?? '20260401000000Z')]),
    ...(entries.length === 0 ? [] : [sequence(Buffer.concat(entries))]),
    tlv(0xa0, sequence(...(plan.extensions ?? [crlNumber]))),
  )
  return Buffer.from(sequence(tbs, algorithm, tlv(0x03, bytes('00'), sign('sha256', tbs, by.privateKey))))
}

export interface Situation {
  readonly references: readonly StatusReference[]
  readonly answer: StatusAnswer | Uint8Array
  readonly contentType?: string
  readonly examination?: Partial<Omit<Examination, 'format'>>
  readonly expected?: Partial<Expected>
  readonly trust?: Partial<Trust>
  readonly requests?: StatusSource[]
}

/** Checks the status of a credential for which `answer` is served. */
export function establish(situation: Situation): Promise<readonly StatusOutcome[]> {
  const { answer } = situation
  const examination = {
    queryId: 'q',
    format: 'dc+sd-jwt' as const,
    type: TYPE,
    issuer: {},
    checks: [],
    failure: null,
    claims: {},
    withheld: NOTHING_WITHHELD,
    signedPart: null,
    proofs: [],
    expiresAt: null,
    confirmed: [],
    status: situation.references,
    authorityKeyIds: [],
    signerNamesList: true,
    signer: { certificate: issuer.der, anchor: authority.der, fingerprint: 'i', anchorFingerprint: 'a' },
    ...situation.examination,
  }
  const trust: Trust = {
    anchors: [anchor],
    statusPolicy: 'require',
    cache: createChainCache(10),
    haip: true,
    fetchStatus: async (source) => {
      situation.requests?.push(source)
      if (!(answer instanceof Uint8Array)) return answer
      return { outcome: 'fetched', bytes: answer, contentType: situation.contentType ?? '', stale: false }
    },
    ...situation.trust,
  }
  return Promise.resolve(establishStatus(examination, { ...expected, ...situation.expected }, trust))
}
