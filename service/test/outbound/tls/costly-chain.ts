// Builds certificate chains that are expensive to verify and lead to no authority.

import { ECDH, generateKeyPairSync } from 'node:crypto'
import {
  bits,
  type Der,
  explicit,
  integer,
  oid,
  sequence,
  set,
  time,
  utf8,
} from '../../../src/features/trust/outbound/der.ts'
import type { ServerCertificate } from '../certificates.ts'

const DAY = 86_400_000
const ECDSA = sequence(oid('1.2.840.10045.4.3.2'))

/** Returns a chain on a refused curve (the default), or on the most expensive allowed one. */
export function makeCostlyChain(certificates: number, curve: keyof typeof CURVES = 'sect571r1'): ServerCertificate {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const expensive = costlyKey(curve)
  const chain = Array.from({ length: certificates }, (_, at) =>
    certificate(at, at === 0 ? new Uint8Array(own.publicKey.export({ type: 'spki', format: 'der' })) : expensive),
  )
  return {
    cert: chain.map(pemOf).join(''),
    key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** The compressed point and the short signature leave the most space for further certificates. */
function costlyKey(curve: keyof typeof CURVES): Der {
  const { id, bytes } = CURVES[curve]
  const spki = generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({ type: 'spki', format: 'der' })
  const point = ECDH.convertKey(spki.subarray(-1 - 2 * bytes), curve, undefined, undefined, 'compressed')
  if (typeof point === 'string') throw new Error('a point is bytes')
  return sequence(sequence(oid('1.2.840.10045.2.1'), oid(id)), bits(point))
}

const CURVES = {
  sect571r1: { id: '1.3.132.0.39', bytes: 72 },
  secp384r1: { id: '1.3.132.0.34', bytes: 48 },
  secp521r1: { id: '1.3.132.0.35', bytes: 66 },
} as const

/** Returns a certificate with an invented signature. */
export function certificate(at: number, key: Der, ...extensions: readonly Der[]): Der {
  const now = Date.now()
  const validity = sequence(time(now - DAY), time(now + DAY))
  const parts = [integer(Uint8Array.of(1)), ECDSA, nameOf(at + 1), validity, nameOf(at), key]
  const content =
    extensions.length === 0
      ? sequence(...parts)
      : sequence(explicit(0, integer(Uint8Array.of(2))), ...parts, explicit(3, sequence(...extensions)))
  const signature = sequence(integer(Uint8Array.of(1)), integer(Uint8Array.of(3)))
  return sequence(content, ECDSA, bits(signature))
}

const nameOf = (at: number) => sequence(set(sequence(oid('2.5.4.3'), utf8(`${at}`))))

const pemOf = (der: Der) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`
