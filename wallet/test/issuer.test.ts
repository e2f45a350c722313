// Tests the test issuer's credentials with independent libraries.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createIssuer, issue, issueAll, issuerCrl, renewSigners, STATUS_INDEX, statusListJwt } from '../src/issuer.ts'
import { generateKey } from '../src/keys.ts'
import { certificateBytes, fromPem, toPem } from '../src/pki.ts'
import { allPaths, presentCredential } from '../src/present.ts'
import { isDeviceMacValid, mdocObjections, verifySdJwt } from './oracle.ts'

const now = 1_790_000_000
const issuer = createIssuer({ base: 'https://issuer.example/sandbox', now })
const holderKey = generateKey()
const encryptionKey = generateKey()
const question = {
  clientId: 'x509_san_dns:verifier.example',
  nonce: 'n-0S6_WzA2Mj_n-0S6_WzA2Mj',
  responseUri: 'https://verifier.example/response/1',
  encryptionKey,
  now,
}

const keys = { issuer: issuer.sdJwt.signer.key, holder: holderKey, statusList: statusListJwt(issuer, now) }

test("@sd-jwt accepts the PID with every claim disclosed and returns the person's data", async () => {
  const credential = issue(issuer, 'pid_sd_jwt', { holderKey, now })
  const presented = presentCredential(credential, allPaths(credential), { ...question, deviceAuth: 'signature' })
  const payload = (await verifySdJwt(presented, keys, question)) as Record<string, unknown>
  assert.equal(payload.family_name, 'Specimen')
  assert.deepEqual(payload.nationalities, ['DE', 'FR'])
  assert.deepEqual(payload.place_of_birth, { locality: 'Musterdorf', country: 'AT' })
})

test('@sd-jwt sees only the chosen claims', async () => {
  const credential = issue(issuer, 'pid_sd_jwt', { holderKey, now })
  const paths = [
    ['age_equal_or_over', '18'],
    ['address', 'country'],
  ]
  const presented = presentCredential(credential, paths, { ...question, deviceAuth: 'signature' })
  const payload = (await verifySdJwt(presented, keys, question)) as Record<string, unknown>
  assert.deepEqual(payload.age_equal_or_over, { 18: true })
  assert.deepEqual(payload.address, { country: 'DE' })
  assert.equal('family_name' in payload, false)
})

for (const [word, statusIndex] of [
  ['revoked', STATUS_INDEX.revoked],
  ['suspended', STATUS_INDEX.suspended],
] as const) {
  test(`@sd-jwt reads the status list and refuses a ${word} PID`, async () => {
    const credential = issue(issuer, 'pid_sd_jwt', { holderKey, now, statusIndex })
    const presented = presentCredential(credential, allPaths(credential), { ...question, deviceAuth: 'signature' })
    await assert.rejects(verifySdJwt(presented, keys, question), /Status is not valid/)
  })
}

for (const kind of ['pid_mdoc', 'mdl', 'age_proof'] as const) {
  test(`@owf/mdoc accepts the ${kind} with a device signature`, async () => {
    const credential = issue(issuer, kind, { holderKey, now })
    const presented = presentCredential(credential, allPaths(credential), { ...question, deviceAuth: 'signature' })
    assert.deepEqual(await mdocObjections(presented, certificateBytes(issuer.mdoc.authority), question), [])
  })

  test(`@owf/mdoc accepts the ${kind} with a device MAC`, async () => {
    const credential = issue(issuer, kind, { holderKey, now })
    const presented = presentCredential(credential, allPaths(credential), { ...question, deviceAuth: 'mac' })
    const objections = await mdocObjections(presented, certificateBytes(issuer.mdoc.authority), question)
    assert.deepEqual(objections, ['Device MAC must use alg 5 (HMAC 256/256)'])
    assert.equal(await isDeviceMacValid(presented, encryptionKey, question), true)
    assert.equal(await isDeviceMacValid(presented, generateKey(), question), false)
  })
}

test('@owf/mdoc refuses the same mdoc for another nonce, so it does check signatures', async () => {
  const credential = issue(issuer, 'mdl', { holderKey, now })
  const presented = presentCredential(credential, allPaths(credential), { ...question, deviceAuth: 'signature' })
  const objections = await mdocObjections(presented, certificateBytes(issuer.mdoc.authority), {
    ...question,
    nonce: 'another-nonce-0123456789',
  })
  assert.deepEqual(objections, ['Device signature must be valid'])
})

test('OpenSSL verifies both chains strictly and finds no signer on the CRL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pki-'))
  try {
    for (const { authority, signer } of [issuer.sdJwt, issuer.mdoc]) {
      writeFileSync(join(folder, 'ca.pem'), toPem(certificateBytes(authority)))
      writeFileSync(join(folder, 'leaf.pem'), toPem(certificateBytes(signer)))
      const output = execFileSync('openssl', [
        'verify',
        '-x509_strict',
        '-attime',
        String(now),
        '-CAfile',
        join(folder, 'ca.pem'),
        join(folder, 'leaf.pem'),
      ])
      assert.match(output.toString(), /: OK/)
    }
    writeFileSync(join(folder, 'crl.pem'), toPem(issuerCrl(issuer, now), 'X509 CRL'))
    const text = execFileSync('openssl', [
      'verify',
      '-crl_check',
      '-attime',
      String(now),
      '-CAfile',
      join(folder, 'ca.pem'),
      '-CRLfile',
      join(folder, 'crl.pem'),
      join(folder, 'leaf.pem'),
    ])
    assert.match(text.toString(), /: OK/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('converts between PEM and DER without a change', () => {
  const der = certificateBytes(issuer.mdoc.signer)
  assert.deepEqual(fromPem(toPem(der)), der)
  assert.equal(new X509Certificate(toPem(der)).subject, 'C=DE\nCN=Vidimus Sandbox document signer')
})

test('the state of the issuer is unchanged after a conversion to JSON and back', async () => {
  const copy = JSON.parse(JSON.stringify(issuer)) as typeof issuer
  assert.deepEqual(copy, issuer)
  const credentials = JSON.parse(JSON.stringify(issueAll(copy, { holderKey, now }))) as ReturnType<typeof issueAll>
  const mdl = credentials.find((credential) => credential.type === 'org.iso.18013.5.1.mDL')
  assert.ok(mdl)
  const presented = presentCredential(mdl, allPaths(mdl), { ...question, deviceAuth: 'signature' })
  assert.deepEqual(await mdocObjections(presented, certificateBytes(issuer.mdoc.authority), question), [])
})

test('signers are renewed only shortly before they expire, under the same authorities', () => {
  assert.equal(renewSigners(issuer, { now }), issuer)
  const renewed = renewSigners(issuer, { now: now + 330 * 86_400 })
  assert.equal(renewed.mdoc.authority, issuer.mdoc.authority)
  assert.notEqual(renewed.mdoc.signer.certificate, issuer.mdoc.signer.certificate)
})
