// Reads the key of a certificate signing request (PKCS #10), and checks that its author has the private key.

import { createPublicKey, verify } from 'node:crypto'
import * as asn1 from 'asn1js'
import type { PublicJwk } from '../keys.ts'
import { fromPem } from '../pki.ts'
import { RegistrarRefused } from './party.ts'

/** The key of the request. Names in it are ignored: the register decides the identity. */
export function readSigningRequest(pem: string): PublicJwk {
  try {
    const [information, , signature] = membersOf(parse(fromPem(pem)))
    const [, , spki] = membersOf(information)
    if (information === undefined || spki === undefined || !(signature instanceof asn1.BitString)) throw NOT_A_REQUEST
    const key = createPublicKey({ key: Buffer.from(spki.valueBeforeDecodeView), format: 'der', type: 'spki' })
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new RegistrarRefused('a key on P-256 is expected')
    if (!verify('sha256', information.valueBeforeDecodeView, key, signature.valueBlock.valueHexView))
      throw new RegistrarRefused('the signing request is not signed with its own key')
    return key.export({ format: 'jwk' }) as unknown as PublicJwk
  } catch (error) {
    if (error instanceof RegistrarRefused) throw error
    throw NOT_A_REQUEST
  }
}

const NOT_A_REQUEST = new RegistrarRefused('not a signing request in PEM')

function parse(der: Uint8Array): asn1.AsnType {
  const { offset, result } = asn1.fromBER(new Uint8Array(der).buffer)
  if (offset !== der.length) throw NOT_A_REQUEST
  return result
}

function membersOf(value: asn1.AsnType | undefined): readonly asn1.AsnType[] {
  if (!(value instanceof asn1.Sequence)) throw NOT_A_REQUEST
  return value.valueBlock.value
}
