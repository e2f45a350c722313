// Tests the checks of what the issuer signed: certificates, signature, digests, type, time, status reference.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { mintDocumentSigner, mintIaca } from '../trust/mint-pki.ts'
import { accepts, examine, rejects } from './examine.ts'
import { anchor, cbor, ELEMENTS, iaca, MDL, MDL_SPACE, type MdocPlan, mintMdoc, signer, Tagged } from './mint-mdoc.ts'

const OTHER_SPACE = 'org.example.other'

test('accepts issuerAuth under tag 18, and x5chain in the protected header', () => {
  accepts({ issuerAuthParts: (parts) => new Tagged(18, parts) })
  accepts({ issuerAuth: moveChain })
  accepts({ issuerAuth: ({ protectedHeader }) => void protectedHeader.set(33, signer.der) })
  accepts({ issuerAuth: ({ unprotected }) => void unprotected.set(33, [signer.der]) })
})

test('accepts a signed thumbprint of the signer, and no other', () => {
  const thumbprint = createHash('sha256').update(signer.der).digest()
  const signedThumbprint = (value: unknown): MdocPlan => ({
    issuerAuth: ({ protectedHeader }) => void protectedHeader.set(34, value),
  })
  accepts(signedThumbprint([-16, thumbprint]))
  for (const value of [[-16, Buffer.alloc(32)], [-15, thumbprint], [-16], thumbprint, null]) {
    rejects(signedThumbprint(value), 'issuer_certificate_present', 'issuer_untrusted')
  }
})

const malformedAuth: [string, MdocPlan][] = [
  ['under another tag', { issuerAuthParts: (parts) => new Tagged(17, parts) }],
  ['with three parts', { issuerAuthParts: (parts) => parts.slice(0, 3) }],
  ['with five parts', { issuerAuthParts: (parts) => [...parts, null] }],
  ['without a payload', { issuerAuthParts: ([a, b, , d]) => [a, b, null, d] }],
  ['with a payload that is not embedded', { issuerAuthParts: ([a, b, , d]) => [a, b, cbor({}), d] }],
  ['with a critical header', { issuerAuth: ({ protectedHeader }) => void protectedHeader.set(2, [33]) }],
  ['with a protected header that is a map, not bytes', { issuerAuthParts: ([, b, c, d]) => [{}, b, c, d] }],
  ['with a signature that is text', { issuerAuthParts: ([a, b, c]) => [a, b, c, 'signature'] }],
]
for (const [title, plan] of malformedAuth) {
  test(`rejects issuerAuth ${title}`, () => rejects(plan, 'well_formed', 'credential_invalid'))
}

test('rejects an algorithm that is missing, unprotected, unknown or of another type', () => {
  const algorithm = (value: unknown): MdocPlan => ({
    issuerAuth: ({ protectedHeader, unprotected }) => {
      protectedHeader.delete(1)
      unprotected.set(1, -7)
      if (value !== undefined) protectedHeader.set(1, value)
    },
  })
  for (const value of [undefined, 5, -65535, 'ES256', null, 0, -37]) {
    rejects(algorithm(value), 'algorithm_allowed', 'credential_invalid')
  }
  rejects({ issuerAuthParts: ([, b, c, d]) => [Buffer.alloc(0), b, c, d] }, 'algorithm_allowed', 'credential_invalid')
})

test('rejects an algorithm of another curve than the key of the certificate', () => {
  const plan: MdocPlan = { issuerAuth: ({ protectedHeader }) => void protectedHeader.set(1, -35) }
  rejects(plan, 'issuer_signature_valid', 'credential_invalid')
  const key = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  rejects({ signer: mintDocumentSigner(iaca, {}, { key }) }, 'issuer_signature_valid', 'credential_invalid')
})

test('rejects an x5chain that is missing, empty or of another type, and two that differ', () => {
  const other = mintDocumentSigner(iaca)
  const chains: MdocPlan['issuerAuth'][] = [
    ({ unprotected }) => void unprotected.delete(33),
    ({ unprotected }) => void unprotected.set(33, []),
    ({ unprotected }) => void unprotected.set(33, 'text'),
    ({ unprotected }) => void unprotected.set(33, [signer.der, 'text']),
    ({ protectedHeader }) => void protectedHeader.set(33, other.der),
    ({ protectedHeader }) => void protectedHeader.set(33, [signer.der, other.der]),
    ({ protectedHeader }) => void protectedHeader.set(33, 'text'),
  ]
  for (const issuerAuth of chains) {
    rejects({ ...(issuerAuth && { issuerAuth }) }, 'issuer_certificate_present', 'issuer_untrusted')
  }
})

test('rejects a signer that no anchor vouches for, and still reports whether its signature is valid', () => {
  const stranger = mintDocumentSigner(mintIaca())
  rejects({ signer: stranger }, 'issuer_trusted', 'issuer_untrusted')
  rejects({}, 'issuer_trusted', 'issuer_untrusted', { trust: { anchors: [] } })
  rejects({}, 'issuer_trusted', 'issuer_untrusted', { trust: { anchors: [{ ...anchor, types: ['mso_mdoc:other'] }] } })
  rejects({ signer: iaca }, 'issuer_trusted', 'issuer_untrusted')
  rejects({ signer: mintDocumentSigner(iaca, { purposes: null }) }, 'issuer_trusted', 'issuer_untrusted')
})

test('rejects an expired signer as expired', () => {
  const old = mintDocumentSigner(iaca, {}, { notAfter: '20260301113000Z' })
  rejects({ signer: old }, 'issuer_trusted', 'credential_expired')
})

test('rejects a certificate that cannot be read', () => {
  const examination = examine(
    mintMdoc({ issuerAuth: ({ unprotected }) => void unprotected.set(33, Buffer.from('3000', 'hex')) }),
  )
  assert.equal(examination.failure?.code, 'issuer_untrusted')
  assert.equal(examination.claims, null)
})

test('rejects a licence of another country or state than its signer', () => {
  const licence = (changes: object): MdocPlan => ({ elements: { [MDL_SPACE]: { ...ELEMENTS[MDL_SPACE], ...changes } } })
  accepts(licence({ issuing_jurisdiction: 'UT-A' }))
  rejects(licence({ issuing_country: 'UX' }), 'issuer_trusted', 'issuer_untrusted')
  rejects(licence({ issuing_jurisdiction: 'UT-B' }), 'issuer_trusted', 'issuer_untrusted')
})

test('rejects a licence whose signer has a name that cannot be read', () => {
  const generic = { trust: { anchors: [{ ...anchor, profile: 'generic' } as const] } }
  const signerNamed = (CN: string) => mintDocumentSigner(iaca, {}, { subject: { CN, C: 'UT' } })
  accepts({ signer: signerNamed('Plain') }, generic)
  rejects({ signer: signerNamed('Turned \u202eround') }, 'issuer_trusted', 'issuer_untrusted', generic)
})

test('rejects a signature by another key, over other bytes, or of another form', () => {
  const spoil = (change: (signature: Buffer) => Buffer): MdocPlan => ({
    issuerAuthParts: ([a, b, c, d]) => [a, b, c, change(Buffer.from(d as Uint8Array))],
  })
  const spoiled = [
    spoil((signature) => signature.fill(0)),
    spoil((signature) => signature.subarray(0, 63)),
    spoil((signature) => Buffer.concat([signature, Buffer.alloc(1)])),
    spoil(() => Buffer.alloc(0)),
    spoil((signature) => signature.fill((signature[0] ?? 0) ^ 1, 0, 1)),
  ]
  for (const plan of spoiled) rejects(plan, 'issuer_signature_valid', 'credential_invalid')
  const impostor = { ...signer, privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }
  rejects({ signer: impostor }, 'issuer_signature_valid', 'credential_invalid')
})

test('rejects an element whose bytes are not those of its digest', () => {
  const changed = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('Erika', 'Erina'), 'latin1')
  rejects({ item: changed }, 'digests_valid', 'credential_invalid')
  // The same value in another encoding is not what the issuer signed.
  rejects(
    { item: (bytes) => Buffer.concat([Buffer.from('d90018', 'hex'), bytes.subarray(2)]) },
    'digests_valid',
    'credential_invalid',
  )
})

test('rejects a digest over the inner bytes only', () => {
  const overInner: MdocPlan['mso'] = (members) => ({ ...members, valueDigests: { [MDL_SPACE]: innerDigests } })
  const innerDigests = new Map<number, Buffer>()
  const collect: MdocPlan['item'] = (bytes) => {
    innerDigests.set(
      10,
      createHash('sha256')
        .update(bytes.subarray(bytes.indexOf(0xa4)))
        .digest(),
    )
    return bytes
  }
  rejects(
    { elements: { [MDL_SPACE]: { given_name: 'Erika' } }, item: collect, mso: overInner },
    'digests_valid',
    'credential_invalid',
  )
})

test('rejects digests that are missing, elsewhere, of another element or of another kind', () => {
  type Digests = Record<string, Map<number, unknown>>
  const withDigests = (change: (digests: Digests) => unknown): MdocPlan => ({
    mso: (members) => ({ ...members, valueDigests: change(members.valueDigests as Digests) }),
  })
  const changes: ((digests: Digests) => unknown)[] = [
    () => ({}),
    (digests) => ({ [OTHER_SPACE]: digests[MDL_SPACE] }),
    (digests) => ({ [MDL_SPACE]: new Map([...(digests[MDL_SPACE] ?? [])].slice(1)) }),
    (digests) => ({ [MDL_SPACE]: rotated(digests[MDL_SPACE] ?? new Map()) }),
    (digests) => ({ [MDL_SPACE]: new Map([...(digests[MDL_SPACE] ?? [])].map(([id]) => [id, null])) }),
    (digests) => ({
      [MDL_SPACE]: new Map([...(digests[MDL_SPACE] ?? [])].map(([id, digest]) => [String(id), digest])),
    }),
  ]
  for (const change of changes) rejects(withDigests(change), 'digests_valid', 'credential_invalid')
})

test('rejects an item shown under another name space than the issuer signed it for', () => {
  const moved: MdocPlan = {
    elements: { [OTHER_SPACE]: { age_over_18: true }, [MDL_SPACE]: { age_over_18: false } },
    document: ({ issuerSigned, ...rest }) => {
      const signed = issuerSigned as { nameSpaces: Record<string, unknown> }
      const nameSpaces = { [MDL_SPACE]: signed.nameSpaces[OTHER_SPACE] }
      return { ...rest, issuerSigned: { ...signed, nameSpaces } }
    },
  }
  rejects(moved, 'digests_valid', 'credential_invalid')
})

test('accepts SHA-512 digests, rejects SHA-1', () => {
  rejects({ mso: (members) => ({ ...members, digestAlgorithm: 'SHA-512' }) }, 'digests_valid', 'credential_invalid')
  rejects({ mso: (members) => ({ ...members, digestAlgorithm: 'SHA-1' }) }, 'well_formed', 'credential_invalid')
  rejects({ mso: (members) => ({ ...members, digestAlgorithm: 'constructor' }) }, 'well_formed', 'credential_invalid')
})

test('rejects another type than requested', () => {
  rejects({}, 'type_requested', 'query_not_satisfied', { docType: 'org.example.other' })
})

test('rejects an outer docType that the issuer did not sign, although the device did', () => {
  const plan: MdocPlan = { docType: MDL, mso: (members) => ({ ...members, docType: 'org.example.other' }) }
  const trust = { anchors: [{ ...anchor, types: ['mso_mdoc:*'] as const }] }
  rejects(plan, 'type_requested', 'credential_invalid', { trust })
  rejects({ docType: 'org.example.other' }, 'type_requested', 'credential_invalid', { trust })
})

function moveChain(headers: { protectedHeader: Map<number, unknown>; unprotected: Map<number, unknown> }): void {
  headers.protectedHeader.set(33, headers.unprotected.get(33))
  headers.unprotected.clear()
}

function rotated(digests: Map<number, unknown>): Map<number, unknown> {
  const values = [...digests.values()]
  return new Map([...digests.keys()].map((id, index) => [id, values[(index + 1) % values.length]]))
}
