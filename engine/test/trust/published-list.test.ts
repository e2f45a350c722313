// Who may say whose credentials are trusted? The certificate that was given for a list, and few others.

import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import { readLote } from '../../src/trust/lote.ts'
import { readVical } from '../../src/trust/vical.ts'
import { cbor, Tagged } from '../mdoc/mint-mdoc.ts'
import { base64, es256, signJwt } from '../sdjwt/mint-presentation.ts'
import { extension, keyUsage, type Minted, oids } from './mint-certificate.ts'
import { mintAuthority, mintDocumentSigner, mintIaca, mintSigner, NOW } from './mint-pki.ts'

const VICAL_SIGNER = '28818c5d050108'
const iaca = mintIaca()
const instant = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

function lote(by: Minted): Uint8Array {
  const service = { ServiceDigitalIdentity: { X509Certificates: [{ val: base64(iaca.der) }] } }
  const claims = {
    LoTE: {
      ListAndSchemeInformation: {
        ListIssueDateTime: instant(NOW - 60),
        NextUpdate: instant(NOW + 3600),
        LoTESequenceNumber: 1,
      },
      TrustedEntitiesList: [{ TrustedEntityServices: [{ ServiceInformation: service }] }],
    },
  }
  return Buffer.from(signJwt({ alg: 'ES256', x5c: [base64(by.der)] }, claims, es256(by.privateKey)))
}

function vical(by: Minted, above: readonly Minted[] = [], ballast = 0): Uint8Array {
  const payload = cbor({
    version: '1.0',
    vicalProvider: 'An invented provider',
    date: new Tagged(0, instant(NOW - 60)),
    certificateInfos: [{ certificate: iaca.der, docType: ['org.iso.18013.5.1.mDL'] }],
  })
  const header = cbor(new Map([[1, -7]]))
  const covered = cbor(['Signature1', header, Buffer.alloc(0), payload])
  const signature = sign('sha256', covered, { key: by.privateKey, dsaEncoding: 'ieee-p1363' })
  const chain = [by, ...above].map(({ der }) => der)
  const unprotected = new Map<unknown, unknown>([
    [33, chain.length === 1 ? chain[0] : chain],
    ['ballast', Array(ballast).fill(0)],
  ])
  return cbor([header, unprotected, payload, signature])
}

function withPurposes(by: Minted, ...purposes: readonly string[]): Minted {
  const extensions = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
  return mintSigner(by, {
    extensions: purposes.length === 0 ? extensions : [...extensions, extension.purposes(purposes)],
  })
}

const outcomes = (by: Minted, given: Minted, above: readonly Minted[] = []) => ({
  lote: readLote(lote(by), { signer: given.der, now: NOW }).outcome,
  vical: readVical(vical(by, above), { signer: given.der, now: NOW }).outcome,
})

const authority = mintAuthority({ subject: { CN: 'List Authority' } })

test('the very certificate that was given signs both kinds of list', () => {
  for (const signer of [withPurposes(authority), withPurposes(authority, VICAL_SIGNER)]) {
    assert.deepEqual(outcomes(signer, signer), { lote: 'read', vical: 'read' })
  }
})

test('below an authority that was given, only a signer of VICALs signs, and only VICALs', () => {
  assert.deepEqual(outcomes(withPurposes(authority, VICAL_SIGNER), authority), { lote: 'refused', vical: 'read' })
})

const others: [string, readonly string[]][] = [
  ['of no purpose', []],
  ['of licences', [oids.mdlSigner]],
  ['of documents', [oids.mdocSigner]],
  ['of VICALs and licences', [VICAL_SIGNER, oids.mdlSigner]],
  ['of VICALs and anything', [VICAL_SIGNER, '551d2500']],
  ['of anything', ['551d2500']],
  ['of web servers', [oids.serverAuth]],
  ['of a purpose nobody knows', ['2b060104018237140202']],
]
for (const [title, purposes] of others) {
  test(`below an authority that was given, a signer ${title} signs no list`, () => {
    const signer = withPurposes(authority, ...purposes)
    assert.deepEqual(outcomes(signer, authority), { lote: 'refused', vical: 'refused' })
  })
}

test('a document signer signs no list under its own IACA', () => {
  assert.deepEqual(outcomes(mintDocumentSigner(iaca), iaca), { lote: 'refused', vical: 'refused' })
})

test('an authority for other purposes hands the one of VICALs on to nobody', () => {
  const limited = (...purposes: readonly string[]) =>
    mintAuthority(
      {
        subject: { CN: 'Limited' },
        extensions: [extension.authority(), extension.keyUsage(keyUsage.authority), extension.purposes(purposes)],
      },
      authority,
    )
  const documents = limited(oids.mdlSigner)
  assert.equal(outcomes(withPurposes(documents, VICAL_SIGNER), authority, [documents]).vical, 'refused')
  const lists = limited(VICAL_SIGNER)
  assert.equal(outcomes(withPurposes(lists, VICAL_SIGNER), authority, [lists]).vical, 'read')
})

test('a stranger signs nothing', () => {
  const stranger = withPurposes(mintAuthority({ subject: { CN: 'List Authority' } }), VICAL_SIGNER)
  assert.deepEqual(outcomes(stranger, authority), { lote: 'refused', vical: 'refused' })
})

test('around a VICAL, where nobody signed anything, there is not much to read', () => {
  const signer = withPurposes(authority, VICAL_SIGNER)
  const read = (ballast: number) => readVical(vical(signer, [], ballast), { signer: signer.der, now: NOW }).outcome
  assert.equal(read(19_000), 'read')
  assert.equal(read(20_000), 'refused')
})
