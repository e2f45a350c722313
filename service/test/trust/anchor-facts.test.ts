// Tests what reading the certificates of owners and their lists may cost.

import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import test from 'node:test'
import { LIMITS } from '@vidimus/engine/limits'
import { leastCpuMs } from '../../../engine/test/cpu-time.ts'
import { mintCertificate } from '../../../engine/test/trust/mint-certificate.ts'
import { anchorFacts } from '../../src/features/trust/domain/anchor-facts.ts'

const signing = mintCertificate()
function certificateWithExponent(bytes: number): Uint8Array {
  const n = Buffer.alloc(256, 0xd7).toString('base64url')
  const e = Buffer.alloc(bytes, 0xb3).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })
  return mintCertificate({ key: { publicKey, privateKey: signing.privateKey } }, signing).der
}

// One such certificate of 0.8 MB in an owner's list held up the service for 24 s.
test('a certificate costs no more than its bytes, and is not read if it is too long for the engine', () => {
  const long = certificateWithExponent(30_000)
  assert.ok(anchorFacts(long) !== null)
  const cost = leastCpuMs(20, () => void anchorFacts(long))
  assert.ok(cost < 20, `${cost} ms`)
  const tooLong = certificateWithExponent(LIMITS.certificateBytes)
  assert.equal(anchorFacts(tooLong), null)
})
