// Builds hostile certificate chains: as many, as large and as expensive to check as the limits allow.

import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { base64 } from '../../../engine/test/sdjwt/mint-presentation.ts'
import {
  type CertificatePlan,
  extension,
  extensionOf,
  type Minted,
  mintCertificate,
  oid,
  sequence,
  tlv,
} from '../../../engine/test/trust/mint-certificate.ts'
import { forged, many } from './identities.ts'
import { authorities, type Hostile, pinned, token } from './world.ts'

const P521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })

export function certificates(): readonly Hostile[] {
  const dns = tlv(0x82, Buffer.from('a'))
  return [
    chains('20 × 6 certificates that name an authority on P-521', naming(authorities.p521)),
    chains('20 × 6 certificates that name an authority with RSA', naming(authorities.rsa)),
    chains('20 × 6 unrelated certificates', (i) => stranger({ subject: { CN: `Stranger ${i}` } })),
    chains('20 × 6 certificates with keys on P-521', () => stranger({ key: P521 })),
    chains('names of 1,000 attributes', () => stranger({ issuer: name(1_000) }), 6, 14),
    chains(
      'subjects of 1,000 attributes',
      () => stranger({ issuer: authorities.rsa.subject, subjectName: name(1_000) }),
      6,
      14,
    ),
    chains('1,000 alternative names', () =>
      stranger({ extensions: [extensionOf('551d11', false, sequence(...repeated(1_000, dns)))] }),
    ),
    chains(
      '1,000 revocation lists',
      () => stranger({ extensions: [extensionOf('551d1f', false, sequence(...repeated(1_000, point())))] }),
      6,
      11,
    ),
    chains('1,000 purposes', () =>
      stranger({ extensions: [extensionOf('551d25', false, sequence(...repeated(1_000, oid('2a03'))))] }),
    ),
    chains(
      '1,000 extensions',
      () => stranger({ extensions: many(1_000, arcs).map((hex) => extensionOf(hex, false, sequence())) }),
      6,
      15,
    ),
    chains(
      'certificates of 32 KB',
      () => stranger({ extensions: [extensionOf('2a0304', false, tlv(0x04, Buffer.alloc(30_000)))] }),
      2,
      18,
    ),
    chains('x5c of 10, all junk', () => ({ der: Buffer.alloc(5_000, 0x30) }), 10),
    pinnedBeside('a pinned signer beside RSA keys of a huge exponent', pinned.rsa, hugeExponent()),
    pinnedBeside('a pinned signer beside keys on P-521', pinned.ec, P521),
  ]
}

function chains(kind: string, make: (index: number) => Pick<Minted, 'der'>, length = 6, times = 20): Hostile {
  const x5c = many(length, (i) => base64(make(i).der))
  return token(kind, { identity: many(times, () => forged({ header: (header) => ({ ...header, x5c }) })) })
}

/** Every certificate has the authority's name, and claims to be issued by it. */
function naming(authority: Minted): (index: number) => Minted {
  const { asymmetricKeyType } = authority.privateKey
  const other =
    asymmetricKeyType === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-521' })
  const impostor: Minted = { der: authority.der, subject: authority.subject, privateKey: other.privateKey }
  return (index) => {
    const extensions = [index === 0 ? extension.noAuthority() : extension.authority()]
    return mintCertificate({ subjectName: authority.subject, extensions }, impostor)
  }
}

function stranger(plan: CertificatePlan): Minted {
  return mintCertificate({ extensions: [extension.authority()], ...plan })
}

function name(attributes: number): Uint8Array {
  return sequence(...repeated(attributes, tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from('a'))))))
}

/** Returns a different object identifier for each index. */
function arcs(index: number): string {
  return Buffer.of(0x2a, 0x81 + (index >> 7), index & 0x7f).toString('hex')
}

function point(): Uint8Array {
  return sequence(tlv(0xa0, tlv(0xa0, tlv(0x86, Buffer.from('http://a')))))
}

function repeated(count: number, part: Uint8Array): Uint8Array[] {
  return Array(count).fill(part)
}

/** Adds five certificates with the name of the pinned signer's issuer, and a key that is expensive to use. */
function pinnedBeside(kind: string, signer: Minted, key: { publicKey: KeyObject; privateKey: KeyObject }): Hostile {
  const extra = many(5, (i) =>
    base64(
      mintCertificate(
        { subject: { CN: 'Issuer of a pinned signer', C: 'UT' }, key, serial: Buffer.of(i + 1) },
        stranger({}),
      ).der,
    ),
  )
  const x5c = [base64(signer.der), ...extra]
  return token(kind, { identity: many(20, () => forged({ header: (header) => ({ ...header, x5c }) })) })
}

/** With a modulus of 3072 bits OpenSSL allows an exponent of the same length, so verifying costs as much as signing. */
function hugeExponent(): { publicKey: KeyObject; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 })
  const { n = '' } = publicKey.export({ format: 'jwk' })
  const e = Buffer.alloc(383, 0xff).toString('base64url')
  return { publicKey: createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' }), privateKey }
}
