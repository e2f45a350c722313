// Builds mdocs and CBOR that are expensive to verify: malformed, by an untrusted issuer, or genuine.

import { generateKeyPairSync } from 'node:crypto'
import { LIMITS } from '@vidimus/engine'
import { collidingIntegers } from '../../../engine/test/colliding-integers.ts'
import {
  cbor,
  coseKey,
  ELEMENTS,
  embedded,
  head,
  MDL_SPACE,
  type MdocPlan,
  mintMdoc,
  Raw,
  signCose,
  signer,
  Tagged,
} from '../../../engine/test/mdoc/mint-mdoc.ts'
import { CLIENT_ID, NONCE, RESPONSE_URI } from '../../../engine/test/sdjwt/mint-presentation.ts'
import { extensionOf, mintCertificate, oid, sequence, tlv } from '../../../engine/test/trust/mint-certificate.ts'
import { mintDocumentSigner, mintIaca } from '../../../engine/test/trust/mint-pki.ts'
import { many } from './identities.ts'
import { type Hostile, inClear, token } from './world.ts'

const untrustedSigner = mintDocumentSigner(mintIaca({}, { subject: { CN: 'Untrusted IACA', C: 'UT' } }))
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const transcript = { clientId: CLIENT_ID, nonce: NONCE, responseUri: RESPONSE_URI, thumbprint: null }

function forged(plan: MdocPlan = {}): string {
  return mintMdoc({ signer: untrustedSigner, transcript, ...plan })
}

const named = (name: unknown) => ({ [MDL_SPACE]: { ...ELEMENTS[MDL_SPACE], given_name: name } })
const members = (count: number) =>
  named(Object.fromEntries(many(count, (at) => `k${(at * 7919) % count}`).map((name) => [name, 'x'.repeat(55)])))

export function licences(): readonly Hostile[] {
  return [
    token('mdoc: a genuine mdoc', { licence: [mintMdoc({ transcript })] }),
    token('mdoc: 20 genuine mdocs', { licence: many(20, () => mintMdoc({ transcript })) }),
    ...[1_500, 4_400].map((count) =>
      token(`mdoc: 20 genuine mdocs, one with a map of ${count} members as a value`, {
        licence: [
          mintMdoc({ transcript, elements: members(count) }),
          ...many(19, (at) => mintMdoc({ transcript, elements: named(`name ${at}`) })),
        ],
      }),
    ),
    ...[120, 1_019].map((length) =>
      token(`mdoc: names of ${length} letters, the last one beyond Latin-1`, {
        licence: [mintMdoc({ elements: longNames(length, length > 128 ? 650 : 780), mso: withoutDigests })],
      }),
    ),
    token('mdoc: 20 forgeries', { licence: many(20, () => forged()) }),
    raw('mdoc: nested arrays', Buffer.alloc(1_400_000, 0x81)),
    raw('mdoc: nested tags', Buffer.alloc(1_400_000, 0xc0)),
    raw('mdoc: indefinite lengths', Buffer.alloc(1_400_000, 0x9f)),
    raw('mdoc: a wide array', Buffer.concat([head(4, 1_400_000), Buffer.alloc(1_400_000)])),
    raw(
      'mdoc: an array shorter than its declared length',
      Buffer.concat([head(4, 4_000_000_000), Buffer.alloc(1_000_000)]),
    ),
    raw(
      'mdoc: 59 maps of integer keys with colliding hashes',
      cbor(many(59, () => '').map(() => numbers(LIMITS.largeKeys))),
    ),
    raw(
      'mdoc: 11 maps of more integer keys with colliding hashes',
      cbor(many(11, () => '').map(() => numbers(LIMITS.integerKeys))),
    ),
    raw('mdoc: a wide map of texts', cbor(Object.fromEntries(many(9_000, (i) => `k${i}`).map((name) => [name, 0])))),
    raw('mdoc: many maps', Buffer.concat([head(4, 19_000), Buffer.alloc(19_000, 0xa0)])),
    raw('mdoc: one long text', cbor('a'.repeat(1_400_000))),
    raw('mdoc: one long text beyond ASCII', cbor('é'.repeat(700_000))),
    raw('mdoc: many texts beyond ASCII', cbor(many(9_000, (i) => `é${i}`))),
    token('mdoc: 20 × wide arrays', {
      licence: many(20, () => Buffer.concat([head(4, 19_000), Buffer.alloc(19_000)]).toString('base64url')),
    }),
    token('mdoc: 20 × wide maps', {
      licence: many(20, () =>
        cbor(Object.fromEntries(many(5_000, (i) => `k${i}`).map((name) => [name, 0]))).toString('base64url'),
      ),
    }),
    token('mdoc: 20 × 400 elements', { licence: many(20, () => forged({ elements: space(400) })) }),
    token('mdoc: as many elements as fit', { licence: [forged({ elements: space(480) })] }),
    token('mdoc: name spaces of many elements', { licence: [forged({ elements: spaces(8, 120) })] }),
    token('mdoc: many digests without items', { licence: [forged({ mso: digests(450) })] }),
    token('mdoc: 4 × many digests without items', { licence: many(4, () => forged({ mso: digests(450) })) }),
    token('mdoc: deep element values', {
      licence: [forged({ elements: { [MDL_SPACE]: { given_name: nested(12, 600) } } })],
    }),
    token('mdoc: large element values', {
      licence: [forged({ elements: { [MDL_SPACE]: { portrait: Buffer.alloc(1_300_000) } } })],
    }),
    token('mdoc: large element values under SHA-512', {
      licence: [
        forged({
          elements: { [MDL_SPACE]: { portrait: Buffer.alloc(1_300_000) } },
          mso: (members) => ({ ...members, digestAlgorithm: 'SHA-512' }),
        }),
      ],
    }),
    token('mdoc: a large security object', {
      licence: [forged({ mso: (members) => ({ ...members, more: Buffer.alloc(1_200_000) }) })],
    }),
    token('mdoc: many authorisations', {
      licence: [
        forged({
          mso: (members) => ({
            ...members,
            deviceKeyInfo: {
              ...(members.deviceKeyInfo as object),
              keyAuthorizations: { nameSpaces: many(9_000, (i) => `n${i}`) },
            },
          }),
        }),
      ],
    }),
    byDevice('many device-signed elements', 'a', 4_500),
    byDevice('20 mdocs, each with the maximum of device-signed elements', 'a'.repeat(1_024), LIMITS.deviceElements, 20),
    byDevice('many device-signed elements in a name space of control characters', '\u0001'.repeat(1_024), 5_850),
    token('mdoc: a device key on P-521, compressed', { licence: many(20, () => forged(compressed())) }),
    token('mdoc: 20 × 6 certificates', {
      licence: many(20, () =>
        forged({
          issuerAuth: ({ unprotected }) =>
            unprotected.set(
              33,
              many(6, () => '').map(() => Buffer.from(untrustedSigner.der)),
            ),
        }),
      ),
    }),
    token('mdoc: 20 genuine mdocs, each with 5 unrelated certificates in x5chain', {
      licence: many(20, () =>
        mintMdoc({ transcript, issuerAuth: ({ unprotected }) => unprotected.set(33, [signer.der, ...unrelated()]) }),
      ),
    }),
    token('mdoc: tags in every element', {
      licence: [forged({ elements: { [MDL_SPACE]: { given_name: Array(4_000).fill(new Tagged(0, 'x')) } } })],
    }),
  ]
}

/** The untrusted issuer authorises the device to sign this name space. */
function byDevice(kind: string, nameSpace: string, count: number, times = 1): Hostile {
  const elements = Object.fromEntries(many(count, (i) => `e${i}`).map((name) => [name, 0]))
  const plan: MdocPlan = {
    deviceNameSpaces: embedded({ [nameSpace]: elements }),
    mso: (members) => ({
      ...members,
      deviceKeyInfo: { ...(members.deviceKeyInfo as object), keyAuthorizations: { nameSpaces: [nameSpace] } },
    }),
  }
  return token(`mdoc: ${kind}`, { licence: many(times, () => forged(plan)) })
}

/** Certificates with the maximum number of name attributes, alternative names and key purposes. */
function unrelated(): Uint8Array[] {
  const attribute = tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from('a'))))
  const subjectName = sequence(...Array(64).fill(attribute))
  const names = extensionOf('551d11', false, sequence(...Array(100).fill(tlv(0x82, Buffer.from('a')))))
  const purposes = extensionOf('551d25', false, sequence(...Array(100).fill(oid('2a03'))))
  return Array.from({ length: 5 }, () => mintCertificate({ subjectName, extensions: [names, purposes] }).der)
}

function raw(kind: string, bytes: Uint8Array): Hostile {
  return inClear(kind, `vp_token={"licence":["${Buffer.from(bytes).toString('base64url')}"]}`)
}

const numbers = (count: number) => new Map(collidingIntegers(count, 1_024).map((key) => [key, 0]))

function space(count: number): NonNullable<MdocPlan['elements']> {
  return { [MDL_SPACE]: Object.fromEntries(many(count, (i) => `element_${i}`).map((name) => [name, 'x'])) }
}

/** Name spaces and elements of one name each, which are examined letter by letter. */
const longNames = (length: number, count: number): NonNullable<MdocPlan['elements']> =>
  Object.fromEntries(many(count, (at) => `${'~'.repeat(length)}€${at}`).map((name) => [name, { [name]: 1 }]))

const withoutDigests: NonNullable<MdocPlan['mso']> = (members) => ({ ...members, valueDigests: {} })

function spaces(count: number, each: number): NonNullable<MdocPlan['elements']> {
  return Object.fromEntries(many(count, (i) => `space.${i}`).map((name) => [name, space(each)[MDL_SPACE] ?? {}]))
}

function digests(count: number): NonNullable<MdocPlan['mso']> {
  const all = new Map(Array.from({ length: count }, (_, i) => [i, Buffer.alloc(32, i)]))
  return (members) => ({
    ...members,
    valueDigests: Object.fromEntries(many(20, (i) => `space.${i}`).map((name) => [name, all])),
  })
}

function nested(depth: number, width: number): unknown {
  let value: unknown = Array(width).fill(0)
  for (let i = 0; i < depth; i++) value = { a: value }
  return Array(10).fill(value)
}

function compressed(): MdocPlan {
  const key = coseKey(p521.publicKey)
  const y = key.get(-3)
  key.set(-3, y instanceof Uint8Array && ((y.at(-1) ?? 0) & 1) === 1)
  return {
    mso: (members) => ({ ...members, deviceKeyInfo: { deviceKey: key } }),
    deviceAuth: (authentication) => ({ deviceSignature: signCose(authentication, p521.privateKey, -36, 'sha512') }),
    elements: { [MDL_SPACE]: { given_name: new Raw(cbor('x')) } },
  }
}
