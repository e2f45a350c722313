// Tests COSE_Sign1 with the valid and invalid examples of the COSE Working Group.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { cborBudget, decodeCbor, MalformedCbor } from '../../src/cbor/cbor.ts'
import { COSE_SIGN1_TAG, certificateChain, coveredBytes, isSignedWithStated, readCose } from '../../src/cbor/cose.ts'
import { readPublicJwk, type StatedKey } from '../../src/jose.ts'
import { readVectorFolder } from './vector-files.ts'

type Jwk = Readonly<Record<string, string>>

interface CoseVector {
  readonly title: string
  readonly fail?: boolean
  readonly input: {
    readonly plaintext: string
    readonly sign0?: { readonly key: Jwk; readonly external?: string }
    readonly sign?: { readonly signers: readonly { readonly key: Jwk }[] }
  }
  readonly intermediates?: { readonly ToBeSign_hex?: string }
  readonly output: { readonly cbor: string }
}

const EXTERNAL = 'external data: device and issuer authentication have none (ISO 18013-5 §12.3.4)'
const MANY = 'COSE_Sign with several signers: an mdoc has COSE_Sign1 only'
const CURVE = 'ES512 with a P-256 key: algorithm and curve must belong together, so it is refused'
const IMPLICIT = 'the algorithm is not in the protected header: it must be, so it is refused'

/** Messages that do not concern us, or that we refuse deliberately, each with the reason. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'sign1-tests/sign-pass-02.json': EXTERNAL,
  'sign1-tests/sign-pass-01.json': IMPLICIT,
  'ecdsa-examples/ecdsa-sig-04.json': CURVE,
  ...Object.fromEntries(['01', '02', '03', '04'].map((name) => [`ecdsa-examples/ecdsa-${name}.json`, MANY])),
  ...Object.fromEntries(['01', '02', '03', '04', '05'].map((name) => [`x509-examples/signed-${name}.json`, MANY])),
}

const cases = ['sign1-tests', 'ecdsa-examples', 'RFC8152', 'x509-examples'].flatMap((folder) =>
  readVectorFolder(`cose/${folder}`).map(({ name, vector }) => ({
    id: `${folder}/${name}`,
    vector: vector as CoseVector,
  })),
)
const applicable = cases.filter(({ id }) => !Object.hasOwn(NOT_APPLICABLE, id))

test('COSE_Sign1: every applicable example verifies, and no broken one does', () => {
  const wrong = applicable.filter(({ vector }) => verifies(vector) !== (vector.fail !== true))
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  )
  console.log(`cose: ${applicable.length} messages agree, ${cases.length - applicable.length} do not apply`)
})

test('COSE_Sign1: the signed bytes are built exactly', () => {
  for (const { id, vector } of applicable) {
    if (vector.fail === true || vector.intermediates?.ToBeSign_hex === undefined) continue
    const message = readCose(decodeCbor(bytes(vector.output.cbor)), COSE_SIGN1_TAG, cborBudget())
    const covered = Buffer.from(coveredBytes('Signature1', message, Buffer.from(vector.input.plaintext)))
    assert.equal(covered.toString('hex'), vector.intermediates.ToBeSign_hex.toLowerCase(), id)
  }
})

test('COSE_Sign1: examples that do not apply are refused, never accepted', () => {
  const accepted = cases.filter(({ id, vector }) => Object.hasOwn(NOT_APPLICABLE, id) && verifies(vector))
  assert.deepEqual(
    accepted.map(({ id }) => id),
    [],
  )
})

test("COSE x5chain: reads one or several certificates from the signer's header", () => {
  const chains = cases
    .filter(({ id }) => /signed-0[34]/.test(id))
    .map(({ vector }) => {
      const signed = decodeCbor(bytes(vector.output.cbor))
      const [, , , signers] = (signed as unknown as { value: [unknown, unknown, unknown, unknown[][]] }).value
      const [protectedBytes, unprotectedHeader, seal] = signers[0] ?? []
      const message = readCose([protectedBytes, unprotectedHeader, null, seal] as never, COSE_SIGN1_TAG, cborBudget())
      return (certificateChain(message) ?? []).map((der) => new X509Certificate(der).subject)
    })
  if (cases.length > 0) {
    assert.deepEqual(chains, [['CN=Alice Lovelace'], ['CN=Alice Lovelace', 'CN=Sample COSE Certificate Authority']])
  }
})

function verifies(vector: CoseVector): boolean {
  try {
    const message = readCose(decodeCbor(bytes(vector.output.cbor)), COSE_SIGN1_TAG, cborBudget())
    const key = keyOf(vector)
    return message.payload !== null && key !== null && isSignedWithStated(message, key, message.payload) === true
  } catch (error) {
    if (error instanceof MalformedCbor) return false
    throw error
  }
}

function keyOf({ input }: CoseVector): StatedKey | null {
  const key = input.sign0?.key
  if (key === undefined) return null
  const { crv = '', x = '', y = '' } = key
  return readPublicJwk({ kty: 'EC', crv, x, y })
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex')
}
