// Builds hostile fetches of a request object: metadata at its limits, and floods of keys on the most expensive curve.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { declarationOf, encryptRequest, negotiate, readWalletMetadata, requestEncryptionOf } from '@vidimus/engine'
import { createCostlyAgreements } from '../../../service/src/core/verifications/domain/costly-agreements.ts'
import { PROPOSAL } from '../negotiation/metadata.ts'
import type { Hostile } from './world.ts'

/** A text of the length of a signed request object. */
const JWS = 'a'.repeat(4_000)
const EXPIRES_AT = '2100-01-01T00:00:00.000000Z'
const agreements = createCostlyAgreements(Date.now)
let fetched = 0

/** Does what the service does with the metadata of a fetch. All fetches are of one verification. */
async function judge(body: Uint8Array): Promise<string> {
  const texts = Buffer.from(body).toString().split('\n')
  // Uses another key for each fetch.
  const metadata = readWalletMetadata(texts[fetched % texts.length] ?? '')
  fetched += 1
  const agreement = negotiate(metadata, PROPOSAL)
  declarationOf(metadata)
  const encryption = requestEncryptionOf(metadata, agreements.of({ id: 'ver_1', expiresAt: EXPIRES_AT }))
  if (encryption !== null) encryptRequest(JWS, encryption, randomBytes)
  return encryption === null ? agreement.outcome : `encrypted to ${encryption.curve}`
}

const ENCRYPTION = {
  request_object_encryption_alg_values_supported: ['ECDH-ES'],
  request_object_encryption_enc_values_supported: ['A256GCM'],
}

function flood(curves: readonly string[], count: number): string {
  const keyOn = (namedCurve: string) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve })
    return { ...publicKey.export({ format: 'jwk' }), use: 'enc' }
  }
  const texts = Array.from({ length: count }, () =>
    JSON.stringify({ jwks: { keys: curves.map(keyOn) }, ...ENCRYPTION }),
  )
  return texts.join('\n')
}

export function fetches(): readonly Hostile[] {
  const eight = Array<string>(8).fill('P-521')
  const offCurve = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43), use: 'enc' }
  const wide = { vp_formats_supported: Object.fromEntries(Array.from({ length: 480 }, (_, at) => [`f${at}`, {}])) }
  const kinds: readonly (readonly [string, string])[] = [
    ['a flood of P-521 keys, eight in each', flood(eight, 25)],
    ['a flood of P-521 keys with one on P-256', flood([...eight.slice(1), 'P-256'], 25)],
    ['eight keys that are not points', JSON.stringify({ jwks: { keys: Array(8).fill(offCurve) }, ...ENCRYPTION })],
    ['metadata with as many formats as it may have', JSON.stringify(wide)],
    ['metadata of one long string', JSON.stringify({ a: 'é'.repeat(8_000) })],
    [
      'metadata of algorithms',
      JSON.stringify({ vp_formats_supported: { mso_mdoc: { issuerauth_alg_values: Array(480).fill(-7) } } }),
    ],
  ]
  return kinds.map(([kind, body]) => ({ kind: `fetch: ${kind}`, body: Buffer.from(body), judge }))
}
