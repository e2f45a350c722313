// Tests that the holder's key must be complete, public, on its curve, and of an algorithm that fits.

import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { accepts, rejects } from './examine.ts'
import { coseKey, deviceKey, type KeyPair, type MdocPlan, p256, signCose } from './mint-mdoc.ts'

const SIGNATURE = 'holder_signature_valid'
const BINDING = 'holder_binding_invalid'

const keys: [string, KeyPair, number, string | null][] = [
  ['P-256, fully specified', p256(), -9, 'sha256'],
  ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }), -35, 'sha384'],
  ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' }), -36, 'sha512'],
  ['Ed25519', generateKeyPairSync('ed25519'), -8, null],
]
for (const [title, key, algorithm, hash] of keys) {
  test(`accepts a device key on ${title}`, () => {
    const deviceAuth = (authentication: Buffer) => ({
      deviceSignature: signCose(authentication, key.privateKey, algorithm, hash),
    })
    accepts({ mso: withDeviceKey(coseKey(key.publicKey)), deviceAuth })
    rejects(
      { mso: withDeviceKey(coseKey(key.publicKey)), deviceAuth: signedBy(key, algorithm === -9 ? -8 : -7, hash) },
      SIGNATURE,
      BINDING,
    )
  })
}

test('accepts a compressed point and decompresses it to the right one of the two possible points', () => {
  const { x = '', y = '' } = deviceKey.publicKey.export({ format: 'jwk' })
  const odd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1
  const compressed = (sign: boolean) =>
    new Map<number, unknown>([
      [1, 2],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, sign],
    ])
  accepts({ mso: withDeviceKey(compressed(odd)) })
  rejects({ mso: withDeviceKey(compressed(!odd)) }, SIGNATURE, BINDING)
})

const coordinates = coseKey(deviceKey.publicKey)
const badKeys: [string, unknown][] = [
  ['that is missing', null],
  ['that is a list', []],
  ['off its curve', changed(-3, Buffer.alloc(32, 1))],
  ['with no such compressed point', changed(-2, Buffer.alloc(32, 0xff), -3, true)],
  ['with a short coordinate of another point', changed(-2, Buffer.alloc(31, 1))],
  ['with an empty coordinate', changed(-2, Buffer.alloc(0))],
  ['with a long coordinate', changed(-2, Buffer.concat([Buffer.alloc(1), coordinates.get(-2) as Buffer]))],
  ['without y', without(-3)],
  ['with a private part', changed(-4, Buffer.alloc(32, 1))],
  ['of another type', changed(1, 4)],
  ['on an unknown curve', changed(-1, 8)],
  ['on the curve of another type', changed(1, 1)],
  ['for another algorithm', changed(3, -35)],
  ['for deriving keys only', changed(4, [7])],
]
for (const [title, key] of badKeys) {
  test(`rejects a device key ${title}`, () => {
    rejects({ mso: withDeviceKey(key) }, 'holder_key_present', BINDING)
  })
}

function signedBy(key: KeyPair, algorithm: number, hash: string | null) {
  return (authentication: Buffer) => ({ deviceSignature: signCose(authentication, key.privateKey, algorithm, hash) })
}

function withDeviceKey(key: unknown): NonNullable<MdocPlan['mso']> {
  return (members) => ({ ...members, deviceKeyInfo: { deviceKey: key } })
}

function changed(...pairs: readonly unknown[]): Map<number, unknown> {
  const key = new Map(coordinates)
  for (let index = 0; index < pairs.length; index += 2) key.set(pairs[index] as number, pairs[index + 1])
  return key
}

function without(label: number): Map<number, unknown> {
  return new Map([...coordinates].filter(([key]) => key !== label))
}
