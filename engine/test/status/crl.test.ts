// Tests CRLs: whether the authority has revoked the signer's certificate.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { newBudget } from '../../src/limits.ts'
import { readList } from '../../src/status/content.ts'
import { readCrlStatus } from '../../src/status/crl.ts'
import type { CrlContent } from '../../src/status/list-types.ts'
import { createListMemory } from '../../src/status/memory.ts'
import { parseCertificate } from '../../src/trust/certificate.ts'
import { bytes, extension, extensionOf, integer, keyUsage, sequence, tlv } from '../trust/mint-certificate.ts'
import { mintAuthority } from '../trust/mint-pki.ts'
import { readVectors } from '../vectors/vector-files.ts'
import { authority, type CrlPlan, crlNumber, establish, mintCrl, NOW } from './mint-status.ts'

const SERIAL = bytes('4d2a')
const reason = (code: number) => extensionOf('551d15', false, tlv(0x0a, Buffer.of(code)))

test('a listed serial number is revoked, others are valid', async () => {
  assert.equal(await revocationStatusOf({}), 'valid')
  assert.equal(await revocationStatusOf({ revoked: [{ serial: bytes('4d2b') }] }), 'valid')
  assert.equal(await revocationStatusOf({ revoked: [{ serial: bytes('4d2b') }, { serial: SERIAL }] }), 'revoked')
  assert.equal(await revocationStatusOf({ revoked: [{ serial: SERIAL, extensions: [reason(1)] }] }), 'revoked')
  assert.equal(await revocationStatusOf({ revoked: [{ serial: SERIAL, extensions: [reason(6)] }] }), 'suspended')
})

const open: [string, CrlPlan][] = [
  ['of another authority', { by: mintAuthority({ subject: { CN: 'Other' } }) }],
  ['by another key under the same name', { by: mintAuthority({ subject: { CN: 'Invented Root' } }) }],
  ['that names another issuer', { issuer: sequence() }],
  ['that has expired', { nextUpdate: '20260301110000Z' }],
  ['of the future', { thisUpdate: '20260302000000Z' }],
  ['that never expires', { nextUpdate: null }],
  ['of version 1', { version: null }],
  ['of version 3', { version: integer(2) }],
  ['that is a delta', { extensions: [crlNumber, extensionOf('551d1b', true, integer(1))] }],
  ['for a part of the certificates', { extensions: [crlNumber, extensionOf('551d1c', true, sequence())] }],
  ['with a critical number', { extensions: [extensionOf('551d14', true, integer(1))] }],
  ['without a number', { extensions: [] }],
  [
    'of another key identifier',
    { extensions: [crlNumber, extensionOf('551d23', false, sequence(tlv(0x80, Buffer.alloc(20, 5))))] },
  ],
  [
    'with an entry of another issuer',
    { revoked: [{ serial: bytes('01'), extensions: [extensionOf('551d1d', true, sequence())] }] },
  ],
]
for (const [title, plan] of open) {
  test(`with a revocation list ${title} the status is unknown`, async () => {
    const top = mintAuthority({
      subject: { CN: 'Invented Root' },
      extensions: [extension.authority(), extension.subjectKeyId(Buffer.alloc(20, 4))],
    })
    const against = title.includes('identifier') ? top : authority
    assert.equal(await revocationStatusOf({ ...plan, ...(against === top && { by: top }) }, against.der), 'unknown')
  })
}

test('an authority that may not sign revocation lists cannot answer', async () => {
  const top = mintAuthority({ extensions: [extension.authority(), extension.keyUsage('0204')] })
  assert.equal(await revocationStatusOf({ by: top }, top.der), 'unknown')
  const may = mintAuthority({ extensions: [extension.authority(), extension.keyUsage(keyUsage.authority)] })
  assert.equal(await revocationStatusOf({ by: may }, may.der), 'valid')
})

test('every truncation and every changed byte makes the status unknown or leaves it unchanged', async () => {
  const crl = mintCrl({ revoked: [{ serial: SERIAL }] })
  const question = { serial: SERIAL, authority: parseCertificate(authority.der) }
  const outcomeIn = async (bytes: Uint8Array) =>
    (await readCrlStatus(crlIn(bytes), question, { now: NOW, skewSeconds: 60 }, means())).outcome
  assert.equal(await outcomeIn(crl), 'revoked')
  for (let length = 0; length < crl.length; length++) {
    assert.equal(await outcomeIn(crl.subarray(0, length)), 'unknown')
  }
  for (let position = 0; position < crl.length; position++) {
    const spoiled = Buffer.from(crl)
    spoiled[position] = (spoiled[position] ?? 0) ^ 0x11
    assert.equal(await outcomeIn(spoiled), 'unknown')
  }
})

test('a serial number that is listed twice is on hold only if both entries say so', async () => {
  const [revoked, onHold] = [{ serial: SERIAL }, { serial: SERIAL, extensions: [reason(6)] }]
  assert.equal(await revocationStatusOf({ revoked: [revoked, onHold] }), 'revoked')
  assert.equal(await revocationStatusOf({ revoked: [onHold, revoked] }), 'revoked')
  assert.equal(await revocationStatusOf({ revoked: [onHold, onHold] }), 'suspended')
})

test('finds one serial number among a hundred thousand', async () => {
  const revoked = Array.from({ length: 100_000 }, (_, number) => {
    const serial = Buffer.alloc(5, 1)
    serial.writeUInt32BE(number, 1)
    return { serial, extensions: [reason(1)] }
  })
  assert.equal(await revocationStatusOf({ revoked: [...revoked, { serial: SERIAL }] }), 'revoked')
})

interface LimboCrl {
  readonly id: string
  readonly crls?: readonly string[]
  readonly trusted_certs: readonly string[]
  readonly peer_certificate: string
  readonly validation_time: string
  readonly expected_result: 'SUCCESS' | 'FAILURE'
}

test('X.509 limbo: every CRL case is judged as expected', async () => {
  const limbo = readVectors('x509-limbo/limbo-generated.json') as { testcases: readonly LimboCrl[] } | null
  const cases = (limbo?.testcases ?? []).filter(({ id }) => id.startsWith('crl::'))
  const wrong: LimboCrl[] = []
  for (const vector of cases) if ((await isFine(vector)) !== (vector.expected_result === 'SUCCESS')) wrong.push(vector)
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  )
})

/** Valid if the CRL of the issuing authority says so. */
async function isFine(vector: LimboCrl): Promise<boolean> {
  const peer = parseCertificate(new X509Certificate(vector.peer_certificate).raw)
  const issuer = vector.trusted_certs
    .map((pem) => parseCertificate(new X509Certificate(pem).raw))
    .find(({ subjectKey }) => subjectKey === peer.issuerKey)
  assert.ok(issuer !== undefined)
  const expected = { now: Date.parse(vector.validation_time) / 1000, skewSeconds: 0 }
  for (const pem of vector.crls ?? []) {
    const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64')
    const question = { serial: peer.serial, authority: issuer }
    const { outcome } = await readCrlStatus(crlIn(der), question, expected, means())
    if (outcome === 'valid') return true
  }
  return false
}

const means = () => ({ memory: createListMemory(), budget: newBudget() })

function crlIn(bytes: Uint8Array): CrlContent | null {
  const list = readList(bytes, 'crl')?.list
  return list?.kind === 'crl' ? list : null
}

async function revocationStatusOf(plan: CrlPlan, by: Uint8Array = authority.der): Promise<string | undefined> {
  const source = { uri: 'http://iaca.example/crl', kind: 'crl', format: 'mso_mdoc' } as const
  const reference = { kind: 'crl', source, serial: SERIAL, authority: parseCertificate(by) } as const
  const [, signer] = await establish({
    references: [reference],
    answer: mintCrl(plan),
    contentType: 'application/pkix-crl',
  })
  assert.equal(signer?.check, 'signer_not_revoked')
  return signer?.outcome
}
