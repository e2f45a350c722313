// Mints SD-JWT VC presentations step by step, with a hook at each step, only with node:crypto.

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Demand, Examination } from '../../src/examination.ts'
import type { Trust } from '../../src/expected.ts'
import type { Expected } from '../../src/expected-answer.ts'
import { examineSdJwt } from '../../src/formats/sd-jwt/checks.ts'
import type { SdJwtQuery } from '../../src/formats/sd-jwt/query.ts'
import { newBudget } from '../../src/limits.ts'
import type { Anchor } from '../../src/trust/anchor.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { mintAuthority, mintSigner, NOW } from '../trust/mint-pki.ts'

export type Members = Record<string, unknown>

export const VCT = 'urn:example:identity'
export const CLIENT_ID = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk'
export const NONCE = 'n0S6_WzA2Mj1LmVbGz8C7A4hYkQxR9tUuEiOoPpAaSs'

export const RESPONSE_URI = 'https://verifier.example/wallet/response/ver_1'

export const authority = mintAuthority()
export const signer = mintSigner(authority)
export const holder = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const query: SdJwtQuery = {
  id: 'identity',
  format: 'dc+sd-jwt',
  meta: { vct_values: [VCT] },
  claims: [{ path: ['given_name'] }],
}

export const expected: Expected = {
  query: { credentials: [query] },
  channel: { kind: 'redirect', clientId: CLIENT_ID, responseUri: RESPONSE_URI },
  nonce: NONCE,
  encryption: null,
  requestedAt: NOW - 60,
  now: NOW,
  skewSeconds: 60,
}

export const anchor: Anchor = {
  kind: 'ca',
  certificate: authority.der,
  types: [`dc+sd-jwt:${VCT}`],
  profile: 'generic',
}

export const trust: Trust = {
  anchors: [anchor],
  statusPolicy: 'prefer',
  fetchStatus: () => Promise.resolve({ outcome: 'unavailable', reason: 'no list in this test' }),
  cache: createChainCache(100),
  haip: true,
}

export interface Plan {
  /** Claims behind digests at the top level. */
  readonly concealed?: Members
  readonly payload?: (payload: Members) => Members
  readonly header?: (header: Members) => Members
  readonly signWith?: KeyObject
  /** Replaces the signature of the issuer; ES256 by default. */
  readonly sign?: (input: string) => string
  readonly disclosures?: (disclosures: string[]) => string[]
  readonly bindingHeader?: (header: Members) => Members
  readonly binding?: (claims: Members) => Members
  readonly bindWith?: KeyObject
  /** The finished key binding JWT; an empty string removes it. */
  readonly bindingJwt?: (jwt: string) => string
  readonly presented?: (presented: string) => string
}

const same = <Value>(value: Value): Value => value
export const PERSON: Members = { given_name: 'Erika', family_name: 'Exemplar', birthdate: '1990-02-30' }

export function mintPresentation(plan: Plan = {}): string {
  const disclosures = Object.entries(plan.concealed ?? PERSON).map(([name, value]) => disclosure(name, value))
  const payload = (plan.payload ?? same)({
    vct: VCT,
    iss: 'https://issuer.example',
    iat: NOW - 3600,
    exp: NOW + 86_400,
    cnf: { jwk: holder.publicKey.export({ format: 'jwk' }) },
    _sd_alg: 'sha-256',
    _sd: disclosures.map(digest),
  })
  const header = (plan.header ?? same)({ alg: 'ES256', typ: 'dc+sd-jwt', x5c: [base64(signer.der)] })
  const issuerJwt = signJwt(header, payload, plan.sign ?? es256(plan.signWith ?? signer.privateKey))
  const sdJwt = [issuerJwt, ...(plan.disclosures ?? same)(disclosures), ''].join('~')
  return (plan.presented ?? same)(sdJwt + (plan.bindingJwt ?? same)(mintBinding(sdJwt, plan)))
}

export function mintBinding(sdJwt: string, plan: Plan = {}): string {
  const claims = (plan.binding ?? same)({ nonce: NONCE, aud: CLIENT_ID, iat: NOW - 5, sd_hash: digest(sdJwt) })
  const header = (plan.bindingHeader ?? same)({ alg: 'ES256', typ: 'kb+jwt' })
  return signJwt(header, claims, es256(plan.bindWith ?? holder.privateKey))
}

export function examine(presented: string, changes: Partial<Demand<SdJwtQuery>> = {}): Examination {
  return examineSdJwt(presented, { query, expected, trust, budget: newBudget(), ...changes })
}

/** The names of the failed checks, in order. */
export function failedChecks({ checks }: Pick<Examination, 'checks'>): readonly string[] {
  return checks.filter(({ status }) => status === 'fail').map(({ check }) => check)
}

export function signJwt(header: Members, payload: unknown, signer: (input: string) => string): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${signer(input)}`
}

export function es256(key: KeyObject): (input: string) => string {
  return (input) => sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

export function disclosure(name: string, value: unknown): string {
  return encode([`salt-${name}`, name, value])
}

export function elementDisclosure(value: unknown): string {
  return encode([`salt-${JSON.stringify(value)}`, value])
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
