// Tests results that only the merchant can read. Titles have the names of the cases E02 to E07.

import assert from 'node:assert/strict'
import { createECDH, generateKeyPairSync } from 'node:crypto'
import test from 'node:test'
import { generateKey, issue, issueAll, PERSON } from '@vidimus/wallet'
import { compactDecrypt, importJWK } from 'jose'
import { generateResultKey, openChallenge, openResult, ResultError } from '../../../sdk/typescript/src/result.ts'
import {
  addResultKey,
  proveResultKey,
  removeResultKey,
} from '../../src/core/result-keys/usecases/manage-result-keys.ts'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { testWallet } from '../harness/wallet.ts'
import { deliverDue, LOOPBACK, startReceiver } from '../harness/webhooks.ts'
import { create } from '../wallet/verifications.ts'
import { addMerchantKey } from './merchant-keys.ts'
import { merchant, present } from './merchants.ts'

const service = await testService({}, LOOPBACK)
const { deps, clock } = service
const KEEP = { content: 'keep' } as const

const FAMILY_NAME = {
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['family_name'] }] },
  ],
}

/** Asks a PID and a licence for the same age. */
const AGE_OF_TWO = {
  credentials: [
    ['pid', 'eu.europa.ec.eudi.pid.1', 'eu.europa.ec.eudi.pid.1'],
    ['mdl', 'org.iso.18013.5.1.mDL', 'org.iso.18013.5.1'],
  ].map(([id, doctype_value, space]) => ({
    id,
    format: 'mso_mdoc',
    meta: { doctype_value },
    claims: [{ path: [space, 'age_over_18'] }],
  })),
}

const failsWith = (code: string) => (error: unknown) => error instanceof ResultError && error.code === code

test('a result is a JWE to the merchant: the same by read, redeem and webhook, and the key decrypts it', async () => {
  const { realm, key, read } = await merchant(service, KEEP)
  const { privateKey, kid } = await addMerchantKey(service, realm)
  const receiver = await startReceiver()
  const body = { template: 'identity', webhook_url: receiver.url, redirect_url: 'https://shop.example/back' }
  const created = await create(service, key, body)
  const { redirectUri } = await (await testWallet(service)).present(created.wallet_uri)
  const code = new URL(String(redirectUri)).hash.slice('#response_code='.length)
  const result = await read(created.id)
  assert.deepEqual(Object.keys(result.claims), ['$jwe'])
  assert.deepEqual(
    result.credentials.map((one: { claims: object; trusted: boolean }) => [one.claims, one.trusted]),
    [[{}, true]],
  )
  const redeemed = await service.call('POST', `/v1/verifications/${created.id}/redeem`, {
    key,
    body: { response_code: code },
  })
  assert.deepEqual(redeemed.json, result)
  await deliverDue(service)
  assert.deepEqual(JSON.parse(String(receiver.received[0]?.body)).verification, result)

  const opened = await openResult(result, privateKey)
  assert.deepEqual(opened.claims, { given_name: 'Vida', family_name: 'Specimen', birth_date: '1990-07-14' })
  assert.equal(Object.values(opened.credentials?.[0]?.claims ?? {}).includes('Specimen'), true)
  // Decrypts with another library, without our code.
  const { plaintext, protectedHeader } = await compactDecrypt(
    result.claims.$jwe,
    await importJWK({ ...privateKey }, 'ECDH-ES'),
  )
  assert.deepEqual(JSON.parse(Buffer.from(plaintext).toString()).claims, opened.claims)
  const { epk, ...header } = protectedHeader
  assert.deepEqual(header, {
    alg: 'ECDH-ES',
    enc: 'A256GCM',
    typ: 'vidimus-result+jwe',
    kid,
    apv: Buffer.from(created.id).toString('base64url'),
  })
  assert.deepEqual(Object.keys(epk ?? {}).sort(), ['crv', 'kty', 'x', 'y'])
})

test('E02 another key does not decrypt it, even under the name of the right one', async () => {
  const { realm, ended, read } = await merchant(service, KEEP)
  const { privateKey } = await addMerchantKey(service, realm)
  const result = await read(await ended())
  const other = await generateResultKey()
  await assert.rejects(openResult(result, other.privateKey), failsWith('no_key'))
  await assert.rejects(openResult(result, []), failsWith('no_key'))
  const disguised = { ...other.privateKey, x: privateKey.x, y: privateKey.y }
  await assert.rejects(openResult(result, disguised), failsWith('damaged'))
})

test('E03 it cannot be decrypted in another verification, or if any part of it was changed', async () => {
  const { realm, ended, read } = await merchant(service, KEEP)
  const { privateKey } = await addMerchantKey(service, realm)
  const [one, other] = [await read(await ended()), await read(await ended())]
  await assert.rejects(openResult({ ...other, claims: one.claims }, privateKey), failsWith('damaged'))
  const parts = one.claims.$jwe.split('.')
  for (const at of [0, 2, 3, 4]) {
    const changed = parts.map((part: string, index: number) =>
      index === at ? `${part.startsWith('e') ? 'f' : 'e'}${part.slice(1)}` : part,
    )
    await assert.rejects(openResult({ ...one, claims: { $jwe: changed.join('.') } }, privateKey), failsWith('damaged'))
  }
  // The header names the other verification, and all else matches, but not what was authenticated.
  const header = JSON.parse(Buffer.from(parts[0], 'base64url').toString())
  header.apv = Buffer.from(other.id).toString('base64url')
  const forged = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...parts.slice(1)].join('.')
  await assert.rejects(openResult({ ...other, claims: { $jwe: forged } }, privateKey), failsWith('damaged'))
  assert.ok((await openResult(one, privateKey)).claims?.family_name)
})

test('E04 of two keys that overlap the newest proven key is used, and the old key still decrypts earlier results', async () => {
  const { realm, ended, read } = await merchant(service, KEEP)
  const old = await addMerchantKey(service, realm)
  const before = await read(await ended())
  clock.advance(1_000)
  const waiting = await generateResultKey()
  const added = await addResultKey(deps, { realm, jwk: JSON.stringify(waiting.publicKey), actor: OPERATOR })
  assert.ok(added.outcome === 'added')
  const meanwhile = await read(await ended())
  const answer = await openChallenge(added.challenge, waiting.privateKey, added.key.id)
  assert.equal(await proveResultKey(deps, { realm, id: added.key.id, answer, actor: OPERATOR }), 'proven')
  const after = await read(await ended())
  const both = [waiting.privateKey, old.privateKey]
  for (const result of [before, meanwhile, after])
    assert.equal((await openResult(result, both)).claims?.family_name, 'Specimen')
  await assert.rejects(openResult(after, old.privateKey), failsWith('no_key'))
  await assert.rejects(openResult(meanwhile, waiting.privateKey), failsWith('no_key'))
  const third = await generateResultKey()
  const tooMany = await addResultKey(deps, { realm, jwk: JSON.stringify(third.publicKey), actor: OPERATOR })
  assert.deepEqual(tooMany, { outcome: 'refused', problem: 'too_many' })
  assert.equal(await removeResultKey(deps, { realm, id: old.id, actor: OPERATOR }), true)
  assert.equal((await openResult(before, both)).claims?.family_name, 'Specimen')
})

test('claims that are also encrypted may have fewer bytes', async () => {
  const { realm, key, read } = await merchant(service, KEEP)
  const [pid] = FAMILY_NAME.credentials
  const query = { credentials: [{ ...pid, claims: [{ path: ['family_name'] }, { path: ['given_name'] }] }] }
  const longPerson = { ...PERSON, familyName: 'x'.repeat(250_000), givenName: 'x'.repeat(50_000) }
  const outcome = async () => {
    const created = await create(service, key, { query })
    await present(service, created, (issuer, now) =>
      issueAll(issuer, { holderKey: generateKey(), now, person: longPerson }),
    )
    return (await read(created.id)).status
  }
  assert.equal(await outcome(), 'completed')
  await addMerchantKey(service, realm)
  assert.equal(await outcome(), 'failed')
})

test('E05 erasing and forgetting remove the JWE', async () => {
  const { realm, key, ended, read, forget, stored } = await merchant(service, KEEP)
  await addMerchantKey(service, realm)
  const [erased, forgotten] = [await ended(), await ended()]
  await service.call('DELETE', `/v1/verifications/${erased}`, { key })
  await forget(forgotten)
  assert.equal('claims' in (await read(forgotten)), false)
  assert.equal((await stored(forgotten)).sealed, null)
  const rows = await deps.db.query(
    { name: 'test_results_of', text: 'select 1 as row from verification_results where verification_id = $1' },
    [erased],
  )
  assert.equal(rows.length, 0)
})

test('E06 nothing is encrypted to an unproven key; wrong, late and foreign answers prove nothing', async () => {
  const { realm, ended, read } = await merchant(service, KEEP)
  const { publicKey, privateKey } = await generateResultKey()
  const added = await addResultKey(deps, { realm, jwk: JSON.stringify(publicKey), actor: OPERATOR })
  assert.ok(added.outcome === 'added')
  const { id } = added.key
  const prove = (answer: string, of = id) => proveResultKey(deps, { realm, id: of, answer, actor: OPERATOR })
  assert.equal((await read(await ended())).claims.family_name, 'Specimen', 'results are not encrypted')
  const answer = await openChallenge(added.challenge, privateKey, id)
  assert.equal(await prove('x'.repeat(43)), 'wrong')
  assert.equal(await prove(added.challenge), 'wrong')
  assert.equal(await prove(answer, `rky_${'0'.repeat(16)}`), 'not_found')
  const stranger = await merchant(service, KEEP)
  const foreign = await proveResultKey(deps, { realm: stranger.realm, id, answer, actor: OPERATOR })
  assert.equal(foreign, 'not_found')
  await assert.rejects(openChallenge(added.challenge, privateKey, `rky_${'0'.repeat(16)}`), failsWith('damaged'))
  clock.advance(3_600_000)
  assert.equal(await prove(answer), 'lapsed')
  assert.equal((await read(await ended())).claims.family_name, 'Specimen')
})

test('E07 other keys are refused, each with its reason: P-384, RSA, symmetric and private ones, off the curve, for another use', async () => {
  const { realm } = await merchant(service, KEEP)
  const { publicKey, privateKey } = await generateResultKey()
  const jwkOf = (pair: { publicKey: { export(options: { format: 'jwk' }): object } }) =>
    pair.publicKey.export({ format: 'jwk' })
  const enc = { use: 'enc', alg: 'ECDH-ES' }
  const p384 = { ...jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-384' })), ...enc }
  const rsa = { ...jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 })), ...enc }
  const off = Buffer.from(createECDH('prime256v1').generateKeys()).subarray(1, 33)
  const { use, ...useless } = publicKey
  const { alg, ...algless } = publicKey
  const refused: readonly (readonly [unknown, string])[] = [
    [p384, 'not_p256'],
    [rsa, 'not_p256'],
    [{ kty: 'oct', k: 'AAAA', ...enc }, 'private_key'],
    [{ ...publicKey, d: privateKey.d }, 'private_key'],
    [{ ...publicKey, crv: 'P-384' }, 'not_p256'],
    [{ ...publicKey, y: off.toString('base64url') }, 'not_on_curve'],
    [{ ...publicKey, y: publicKey.y.slice(1) }, 'not_on_curve'],
    [{ ...publicKey, use: 'sig' }, 'not_for_encryption'],
    [useless, 'not_for_encryption'],
    [{ ...publicKey, alg: 'ECDH-ES+A256KW' }, 'not_for_encryption'],
    [algless, 'not_for_encryption'],
    [{ ...publicKey, key_ops: ['deriveBits'] }, 'unknown_member'],
    [[publicKey], 'not_a_jwk'],
    [null, 'not_a_jwk'],
  ]
  for (const [jwk, problem] of refused) {
    const added = await addResultKey(deps, { realm, jwk: JSON.stringify(jwk), actor: OPERATOR })
    assert.deepEqual(added, { outcome: 'refused', problem }, JSON.stringify(jwk))
  }
  const broken = await addResultKey(deps, { realm, jwk: '{"kty":"EC","kty":"EC"}', actor: OPERATOR })
  assert.deepEqual(broken, { outcome: 'refused', problem: 'not_a_jwk' })
  const twice = () => addResultKey(deps, { realm, jwk: JSON.stringify(publicKey), actor: OPERATOR })
  assert.equal((await twice()).outcome, 'added')
  assert.deepEqual(await twice(), { outcome: 'refused', problem: 'there_already' })
})

test('a key that replaced the proven one in the store is not used: the verification stays open', async () => {
  const { realm, key, read } = await merchant(service, KEEP)
  const { id } = await addMerchantKey(service, realm)
  const stranger = await merchant(service, KEEP)
  const theirs = await addMerchantKey(service, stranger.realm)
  await deps.db.query(
    {
      name: 'test_swap_key',
      text: 'update result_keys k set sealed = (select sealed from result_keys where id = $2) where k.id = $1',
    },
    [id, theirs.id],
  )
  const created = await create(service, key)
  assert.equal((await (await testWallet(service)).present(created.wallet_uri)).status, 500)
  assert.equal((await read(created.id)).status, 'pending')
})

test('the verdict for tills is yes, no or nothing: with and without a key, for a query, and once forgotten', async () => {
  const { realm, key, ended, forget } = await merchant(service, KEEP)
  const verdict = async (id: string) => (await service.call('GET', `/v1/verifications/${id}/verdict`, { key })).json
  const clear = await ended({ template: 'age_over_18' })
  assert.deepEqual(await verdict(clear), { id: clear, status: 'completed', verdict: 'yes' })
  await addMerchantKey(service, realm)
  const [yes, failed] = [await ended({ template: 'age_over_18' }), await ended({}, 'untrusted')]
  assert.equal((await verdict(yes)).verdict, 'yes')
  const no = await create(service, key, { template: 'age_over_18' })
  const child = { ...PERSON, birthDate: '2015-01-01' }
  await present(service, no, (issuer, now) => issueAll(issuer, { holderKey: generateKey(), now, person: child }))
  assert.equal((await verdict(no.id)).verdict, 'no')
  await saveTemplate(deps, {
    realm,
    key: 'two_ages',
    actor: OPERATOR,
    document: { title: 'Two ages', query: AGE_OF_TWO },
  })
  for (const [second, expected] of [
    [PERSON, 'yes'],
    [child, 'no'],
  ] as const) {
    const both = await create(service, key, { template: 'two_ages' })
    await present(service, both, (issuer, now) => [
      issue(issuer, 'pid_mdoc', { holderKey: generateKey(), now, person: PERSON }),
      issue(issuer, 'mdl', { holderKey: generateKey(), now, person: second }),
    ])
    assert.equal((await verdict(both.id)).verdict, expected, 'without outputs')
  }
  const query = await create(service, key, { query: FAMILY_NAME })
  await present(service, query, (issuer, now) => issueAll(issuer, { holderKey: generateKey(), now }))
  assert.deepEqual(await verdict(query.id), { id: query.id, status: 'completed', verdict: null })
  assert.deepEqual(await verdict(failed), { id: failed, status: 'failed', verdict: null })
  await forget(yes)
  assert.deepEqual(await verdict(yes), { id: yes, status: 'completed', verdict: null })
  const pending = await create(service, key)
  assert.equal((await verdict(pending.id)).verdict, null)
})

test('staff register and prove a key in the dashboard; viewers see the list', async () => {
  const { realm } = await merchant(service, KEEP)
  const admin = await person(service, realm.tenantId, 'admin')
  const { publicKey, privateKey } = await generateResultKey()
  const added = await admin.call('POST', '@/result-keys', { body: { jwk: JSON.stringify(publicKey) } })
  assert.equal(added.json.outcome, 'added', added.text)
  const { key, challenge } = added.json
  const answer = await openChallenge(challenge, privateKey, key.id)
  const prove = (text: string) => admin.call('POST', `@/result-keys/${key.id}/prove`, { body: { answer: text } })
  assert.deepEqual((await prove('nothing')).json, { outcome: 'wrong' })
  assert.deepEqual((await prove(answer)).json, { outcome: 'proven' })
  const viewer = await person(service, realm.tenantId, 'viewer')
  const [listed] = (await viewer.call('GET', '@/result-keys')).json.data
  assert.deepEqual(Object.keys(listed), ['id', 'kid', 'created_at', 'proven_at'])
  assert.notEqual(listed.proven_at, null)
  assert.equal((await admin.call('POST', `@/result-keys/${key.id}/remove`)).status, 200)
  assert.deepEqual((await viewer.call('GET', '@/result-keys')).json, { data: [] })
})
