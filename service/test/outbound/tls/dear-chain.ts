// Certificates that are dear to verify and lead to no authority: every signature is made up, and each costs the verifier
// milliseconds on a long binary curve.

import { ECDH, generateKeyPairSync } from 'node:crypto'
import { bits, type Der, integer, oid, sequence, set, time, utf8 } from '../../../src/features/trust/outbound/der.ts'
import type { ServerCertificate } from '../certificates.ts'

const DAY = 86_400_000
const ECDSA = sequence(oid('1.2.840.10045.4.3.2'))

export function makeDearChain(certificates: number): ServerCertificate {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const dear = dearKey()
  const chain = Array.from({ length: certificates }, (_, at) =>
    certificate(at, at === 0 ? new Uint8Array(own.publicKey.export({ type: 'spki', format: 'der' })) : dear),
  )
  return {
    cert: chain.map(pemOf).join(''),
    key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** The compressed point and the short signature leave the most room for further certificates. */
function dearKey(): Der {
  const point = ECDH.convertKey(createPoint(), 'sect571r1', undefined, undefined, 'compressed')
  if (typeof point === 'string') throw new Error('a point is bytes')
  return sequence(sequence(oid('1.2.840.10045.2.1'), oid('1.3.132.0.39')), bits(point))
}

function createPoint(): Buffer {
  const spki = generateKeyPairSync('ec', { namedCurve: 'sect571r1' }).publicKey.export({ type: 'spki', format: 'der' })
  return spki.subarray(-145)
}

function certificate(at: number, key: Der): Der {
  const now = Date.now()
  const validity = sequence(time(now - DAY), time(now + DAY))
  const content = sequence(integer(Uint8Array.of(1)), ECDSA, nameOf(at + 1), validity, nameOf(at), key)
  const signature = sequence(integer(Uint8Array.of(1)), integer(Uint8Array.of(3)))
  return sequence(content, ECDSA, bits(signature))
}

const nameOf = (at: number) => sequence(set(sequence(oid('2.5.4.3'), utf8(`${at}`))))

const pemOf = (der: Der) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`
