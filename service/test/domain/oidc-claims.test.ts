// Tests how results become claims of OpenID Connect.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject } from '@vidimus/engine'
import type { CredentialResult } from '../../src/core/verifications/domain/verification.ts'
import { assuranceOf } from '../../src/features/oidc/domain/assurance.ts'
import { smallClaims, standardClaims } from '../../src/features/oidc/domain/claims.ts'
import { subjectOf } from '../../src/features/oidc/domain/subject.ts'

test('claims get standard names where they exist, and never the name of a claim that a token makes about itself', () => {
  const claims = standardClaims({
    given_name: 'A',
    family_name: 'B',
    birth_date: '2000-01-01',
    birth_place: { country: 'AT' },
    nationality: 'DE',
    portrait: Buffer.from([0xff, 0xd8, 0xff]).toString('base64url'),
    age_over_18: true,
    age_over_21: false,
    document_number: '1',
    ...{ sub: 'x', iss: 'x', aud: 'x', exp: 1, acr: 'x', email_verified: true, groups: ['admin'], nonce: 'x' },
  })
  assert.deepEqual(claims, {
    given_name: 'A',
    family_name: 'B',
    birthdate: '2000-01-01',
    place_of_birth: { country: 'AT' },
    nationalities: ['DE'],
    picture: 'data:image/jpeg;base64,/9j/',
    age_over_18: true,
    age_over_21: false,
    document_number: '1',
    age_equal_or_over: { 18: true, 21: false },
    name: 'A B',
  })
})

test('an age that is denied under one of its names is denied', () => {
  const agesOf = (own: boolean, output: boolean) =>
    standardClaims({ age_equal_or_over: { 18: own, 16: true }, age_over_18: output }).age_equal_or_over
  assert.deepEqual(agesOf(false, true), { 16: true, 18: false })
  assert.deepEqual(agesOf(true, false), { 16: true, 18: false })
  assert.deepEqual(agesOf(true, true), { 16: true, 18: true })
  const denied = standardClaims({ age_equal_or_over: { 18: false }, age_over_18: true })
  assert.deepEqual(denied, { age_equal_or_over: { 18: false }, age_over_18: false })
})

test('an age that a later credential denies is denied, under either name', () => {
  const first = { age_over_18: true, age_over_16: true }
  for (const later of [{ age_over_18: false }, { age_equal_or_over: { 18: false } }]) {
    const claims = standardClaims(first, [{ claims: first }, { claims: later }])
    assert.deepEqual(claims, { age_over_18: false, age_over_16: true, age_equal_or_over: { 16: true, 18: false } })
  }
  const own = { age_equal_or_over: { 18: true } }
  const claims = standardClaims(own, [{ claims: own }, { claims: { age_over_18: false, age_over_21: false } }])
  assert.deepEqual(claims, { age_equal_or_over: { 18: false } }, 'only ages of the result')
})

test('small values are in the ID token, even if others are too large or too many', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`claim_${at}`, 'x'.repeat(90)]))
  const small = smallClaims({ picture: 'x'.repeat(100_000), name: 'A', ...many })
  assert.equal(small.name, 'A')
  assert.equal(small.picture, undefined)
  assert.ok(JSON.stringify(small).length <= 3_200)
})

const credential = (doctype_or_vct: string, trusted = true, common_name = 'I'): CredentialResult => ({
  format: 'mso_mdoc',
  doctype_or_vct,
  claims: {},
  issuer: { common_name },
  trusted,
  signature_valid: true,
  holder_binding_valid: true,
  findings: [],
})

test('assurance level: by issuer and type, the lowest of them, and absent if none is defined', () => {
  const [pid, age] = [credential('urn:eudi:pid:de:1'), credential('eu.europa.ec.av.1')]
  assert.equal(assuranceOf([pid]), 'http://eidas.europa.eu/LoA/high')
  assert.equal(assuranceOf([pid, age]), 'http://eidas.europa.eu/LoA/substantial')
  assert.equal(assuranceOf([pid, credential('org.iso.18013.5.1.mDL')]), null)
  assert.equal(assuranceOf([credential('urn:eudi:pid:1', false)]), null)
  assert.equal(assuranceOf([]), null)
})

test('a change of only the tenant, the client, the issuer, a claim or a key gives another subject', () => {
  const derivedKeys = { derive: () => Buffer.alloc(32, 1), ofTenant: () => null }
  const client = {
    id: 'oic_1',
    tenantId: 'ten_1',
    environment: 'test',
    subjectMode: 'derived',
    subjectClaims: ['a', 'b'],
    subjectPerType: true,
  } as const
  const presented = { id: 'ver_1', claims: { a: 'xy', b: 'z' }, credentials: [credential('t')] }
  const subjects = [
    subjectOf(derivedKeys, client, presented),
    subjectOf({ ...derivedKeys, derive: () => Buffer.alloc(32, 2) }, client, presented),
    subjectOf({ ...derivedKeys, ofTenant: () => Buffer.alloc(32, 3) }, client, presented),
    subjectOf(derivedKeys, { ...client, tenantId: 'ten_2' }, presented),
    subjectOf(derivedKeys, { ...client, environment: 'live' }, presented),
    subjectOf(derivedKeys, { ...client, id: 'oic_2' }, presented),
    subjectOf(derivedKeys, { ...client, subjectClaims: ['b', 'a'] }, presented),
    subjectOf(derivedKeys, client, { ...presented, claims: { a: 'x', b: 'yz' } }),
    subjectOf(derivedKeys, client, { ...presented, credentials: [credential('t', true, 'J')] }),
    subjectOf(derivedKeys, { ...client, subjectMode: 'ephemeral', subjectClaims: [] }, presented),
    subjectOf(derivedKeys, { ...client, subjectMode: 'ephemeral', subjectClaims: [] }, { ...presented, id: 'ver_2' }),
  ]
  assert.equal(new Set(subjects).size, subjects.length)
  assert.equal(subjectOf(derivedKeys, client, { ...presented, id: 'ver_2' }), subjects[0])
  assert.equal(subjectOf(derivedKeys, client, { ...presented, claims: { a: 'xy' } }), null)
  assert.equal(subjectOf(derivedKeys, client, { ...presented, claims: { a: 'xy', b: '' } }), null)
})

test('a subject depends on the type of the credential, as anchors name it; all PIDs are one type', () => {
  const derivedKeys = { derive: () => Buffer.alloc(32, 1), ofTenant: () => null }
  const client = {
    id: 'oic_1',
    tenantId: 'ten_1',
    environment: 'test',
    subjectMode: 'claim',
    subjectClaims: ['a'],
  } as const
  const of = (subjectPerType: boolean, ...credentials: readonly CredentialResult[]) =>
    subjectOf(derivedKeys, { ...client, subjectPerType }, { id: 'ver_1', claims: { a: 'x' }, credentials })
  const sdJwt = (type: string): CredentialResult => ({ ...credential(type), format: 'dc+sd-jwt' })
  const proof = (type: string): CredentialResult => ({ ...credential(type), format: 'mso_mdoc_zk' })
  const pid = credential('eu.europa.ec.eudi.pid.1')
  const pids = [pid, proof(pid.doctype_or_vct), sdJwt('urn:eudi:pid:1'), sdJwt('urn:eudi:pid:de:1')]
  const others = [credential('org.iso.18013.5.1.mDL'), credential('https://club.example/card')]
  const distinct = (subjects: readonly (string | null)[]) => new Set(subjects).size
  assert.equal(distinct([...pids, ...others].map((one) => of(false, one))), 1, 'clients from before')
  assert.equal(distinct([of(false, pid), ...pids.map((one) => of(true, one))]), 1, 'PIDs have the subjects of before')
  assert.equal(of(true, proof('org.iso.18013.5.1.mDL')), of(true, credential('org.iso.18013.5.1.mDL')))
  const all = [[pid], ...others.map((one) => [one]), [sdJwt('https://club.example/card')], others]
  assert.equal(distinct(all.map((credentials) => of(true, ...credentials))), all.length)
  assert.equal(of(true, ...others, pid, pid), of(true, pid, ...others))
})

const SUBJECT_KEYS = { derive: () => Buffer.alloc(32, 1), ofTenant: () => null }
const shop = { id: 'oic_1', tenantId: 'ten_1', environment: 'test', subjectMode: 'derived' } as const

/** Returns the subject of these claims of a result, and of the credentials that they are from. */
function subjectFrom(
  claims: JsonObject,
  credentials: readonly CredentialResult[],
  subjectClaims = Object.keys(claims),
) {
  const terms = { ...shop, subjectClaims, subjectPerType: true }
  return subjectOf(SUBJECT_KEYS, terms, { id: 'ver_1', claims, credentials })
}
const pid = (claims: JsonObject): CredentialResult => ({ ...credential('urn:eudi:pid:1', true, 'State'), claims })
const card = (claims: JsonObject): CredentialResult => ({ ...credential('urn:club:1', true, 'Club'), claims })
const licence = (claims: JsonObject): CredentialResult => ({
  ...credential('org.iso.18013.5.1.mDL', true, 'Roads'),
  claims,
})

test('only credentials that have all values count, of these PIDs first, whatever else the answer has', () => {
  const person = { given_name: 'Erika', birth_date: '1964-08-12' }
  const of = (...credentials: readonly CredentialResult[]) => subjectFrom(person, credentials)
  const own = of(pid({ given_name: 'Erika', birthdate: '1964-08-12' }))
  const former = { ...shop, subjectClaims: Object.keys(person), subjectPerType: false }
  assert.equal(own, subjectOf(SUBJECT_KEYS, former, { id: 'ver_1', claims: person, credentials: [pid(person)] }))
  assert.equal(of(pid(person), card({ member: 7 })), own, 'a card that has none of the values')
  assert.equal(of(card(person), pid(person)), own, 'a card that has the same values')
  const driver = of(licence(person))
  assert.equal(of(licence(person), card({ given_name: 'Erika' })), driver, 'a card that has one of the values')
  const mixtures = [
    of(card(person)),
    of(pid({ given_name: 'Erika' }), card({ birth_date: '1964-08-12' })),
    of(pid({ birthdate: '1964-08-12' }), card({ given_name: 'Erika' })),
    of(pid({ other: 'Erika' }), card({ birth_date: '1964-08-12' })),
  ]
  assert.equal(new Set([own, driver, ...mixtures]).size, 5, 'each value with who states it, under any name')
  assert.equal(mixtures[1], mixtures[3])
  assert.equal(of(pid({ country: 'UT' }), card(person)), mixtures[0], 'a PID that has none of the values')
})

test('an issuer of one type cannot state what a PID states, however the template names and combines claims', () => {
  const number = { customer_number: '7' }
  const numbered = subjectFrom(number, [pid({ personal_administrative_number: '7' }), licence({})])
  assert.notEqual(subjectFrom(number, [pid({ given_name: 'Mallory' }), licence({ document_number: '7' })]), numbered)
  const born = { given_name: 'Erika', place_of_birth: { locality: 'Bonn' } }
  const claims = ['given_name', 'place_of_birth.locality']
  const victim = subjectFrom(born, [pid(born)], claims)
  const namesake = pid({ given_name: 'Erika', address: { locality: 'Bonn' } })
  assert.notEqual(subjectFrom(born, [namesake, card({ place_of_birth: { locality: 'Bonn' } })], claims), victim)
  const person = { given_name: 'Erika', family_name: 'Exemplar' }
  const halves = [pid({ given_name: 'Erika' }), pid({ family_name: 'Exemplar' })]
  assert.notEqual(subjectFrom(person, halves), subjectFrom(person, [pid(person)]), 'two people with one issuer')
  const resident = { given_name: 'Erika', address: { locality: 'Bonn' } }
  const apart = [pid({ given_name: 'Erika' }), pid({ address: resident.address })]
  assert.notEqual(subjectFrom(resident, apart), subjectFrom(resident, [pid(resident)]), 'a value that is an object')
  assert.notEqual(subjectFrom(person, [...halves, card(person)]), subjectFrom(person, [pid(person)]))
})

test('a claim that a template renames has one subject with and without a card that does not contain it', () => {
  const person = { given_name: 'Erika', address: { locality: 'Bonn' } }
  const claims = ['given_name', 'address.locality']
  const resident = pid({ given_name: 'Erika', resident_city: 'Bonn' })
  assert.equal(subjectFrom(person, [resident], claims), subjectFrom(person, [resident, card({ member: 7 })], claims))
})

test('a value that a template puts together identifies no one if the answer has several credentials', () => {
  const joined = { name: 'Erika Exemplar', birth_date: '1964-08-12' }
  const [named, born] = [{ given_name: 'Erika', family_name: 'Exemplar' }, { birth_date: '1964-08-12' }]
  const all = { ...named, ...born }
  assert.equal(typeof subjectFrom(joined, [pid(all)]), 'string')
  assert.equal(subjectFrom(joined, [pid(all), card(named)]), null)
  assert.equal(subjectFrom(joined, [pid(born), card(named)]), null)
  const listed = { nationality: ['DE'] }
  const own = subjectFrom(listed, [licence({ nationality: 'DE' })])
  assert.equal(subjectFrom(listed, [licence({ nationality: 'DE' }), card({ member: 7 })]), own)
})

test('several people do not have the subject of a person whose claims a template renames, beside further credentials', () => {
  const born = { birth_date: '1964-08-12' }
  const claims = { vorname: 'Erika', nachname: 'Exemplar', geburtsdatum: born.birth_date }
  const name = { given_name: 'Erika', family_name: 'Exemplar' }
  const of = (...credentials: readonly CredentialResult[]) => subjectFrom(claims, credentials)
  const [namesake, stranger] = [pid({ ...name, birthdate: '1990-01-01' }), pid({ birthdate: born.birth_date })]
  const all = card({ ...name, ...born })
  for (const further of [licence(born), card(name), all]) {
    const person = of(pid({ ...name, birthdate: born.birth_date }), further)
    assert.notEqual(of(namesake, stranger, further), person)
    assert.notEqual(of(stranger, namesake, further, all), person)
  }
})

test('a value that is too long to identify a person gives no subject', () => {
  assert.equal(typeof subjectFrom({ given_name: 'x'.repeat(7_990) }, [pid({})]), 'string')
  assert.equal(subjectFrom({ given_name: 'x'.repeat(8_001) }, [pid({})]), null)
})
