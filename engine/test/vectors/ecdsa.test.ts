// Tests signatures of JWS and COSE (r‖s) and of certificates (DER) with Wycheproof.

import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import type { JwsAlgorithm } from '../../src/algorithms.ts'
import { verifySignature } from '../../src/jose.ts'
import { importCertifiedKey, isSignedBy, signatureAlgorithmOf } from '../../src/trust/certified-key.ts'
import { readVectors } from './vector-files.ts'

interface Wycheproof {
  readonly testGroups: readonly {
    readonly publicKeyDer: string
    readonly tests: readonly {
      readonly tcId: number
      readonly msg: string
      readonly sig: string
      readonly result: 'valid' | 'invalid' | 'acceptable'
    }[]
  }[]
}

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean

const raw: [string, JwsAlgorithm][] = [
  ['ecdsa_secp256r1_sha256_p1363', 'ES256'],
  ['ecdsa_secp384r1_sha384_p1363', 'ES384'],
  ['ecdsa_secp521r1_sha512_p1363', 'ES512'],
]
for (const [name, algorithm] of raw) {
  test(`Wycheproof ${name}: every signature is judged as expected`, () => {
    agrees(name, (key, data, signature) => {
      const publicKey = createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' })
      return verifySignature(algorithm, publicKey, { data, signature })
    })
  })
}

test('Wycheproof ecdsa_secp256r1_sha256: every signature in DER is judged as expected', () => {
  const algorithm = signatureAlgorithmOf(Buffer.from('300a06082a8648ce3d040302', 'hex'))
  const p256 = Buffer.from('301306072a8648ce3d020106082a8648ce3d030107', 'hex')
  assert.ok(algorithm !== null)
  agrees('ecdsa_secp256r1_sha256', (spki, bytes, signature) => {
    const key = importCertifiedKey(spki, p256)
    return key !== null && isSignedBy(key, { bytes, signature, algorithm })
  })
})

function agrees(name: string, verify: Verify): void {
  const vectors = readVectors(`wycheproof/${name}_test.json`) as Wycheproof | null
  const wrong: number[] = []
  let count = 0
  for (const { publicKeyDer, tests } of vectors?.testGroups ?? []) {
    for (const { tcId, msg, sig, result } of tests) {
      count += 1
      const isValid = verify(bytes(publicKeyDer), bytes(msg), bytes(sig))
      if (isValid !== (result === 'valid')) wrong.push(tcId)
    }
  }
  assert.deepEqual(wrong, [])
  console.log(`wycheproof ${name}: ${count} signatures agree`)
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex')
}
