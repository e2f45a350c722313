// Lists changed disclosures (N094-N115). The holder signs for everything that is presented, so only the disclosures are wrong.

import type { Json, JsonObject } from '../../src/encoding/json.ts'
import { STATUS_INDEX, statusListUri, TYPE } from '../../src/issuer.ts'
import { publicJwk } from '../../src/keys.ts'
import { PERSON } from '../../src/person.ts'
import { digestOf, encodeDisclosure, salt } from '../../src/sdjwt.ts'
import type { Mutation } from '../mutation.ts'
import type { World } from '../world.ts'
import { DAY, NOW } from '../world.ts'
import type { SdJwtHooks } from './sd-jwt-trial.ts'
import { sdJwtTrial } from './sd-jwt-trial.ts'

const spoiled = (
  id: string,
  title: string,
  hooks: SdJwtHooks | ((world: World) => SdJwtHooks),
  expectedCheck = 'disclosures_valid',
): Mutation => ({
  id,
  title,
  format: 'dc+sd-jwt',
  expectedCheck,
  make: (world) => sdJwtTrial(world, typeof hooks === 'function' ? hooks(world) : hooks),
})

const accepted = (id: string, title: string, hooks: SdJwtHooks): Mutation => ({
  ...spoiled(id, title, hooks, 'accepted'),
  positive: true,
})

/** Presents other disclosures than the usual ones. */
const texts = (id: string, title: string, change: (usual: readonly string[]) => readonly string[]): Mutation =>
  spoiled(id, title, { disclosures: change })

/** Puts disclosures under the digests of the top level, signed by the issuer. */
function planted(
  parts: readonly (readonly Json[] | string)[],
  where: (payload: JsonObject, digests: readonly string[]) => JsonObject = atTop,
): SdJwtHooks {
  const disclosures = parts.map((part) => (typeof part === 'string' ? part : encodeDisclosure(part)))
  const digests = disclosures.map((text) => digestOf(text))
  return { payload: (payload) => where(payload, digests), disclosures: (usual) => [...usual, ...disclosures] }
}

function atTop(payload: JsonObject, digests: readonly string[]): JsonObject {
  return { ...payload, _sd: [...digestsOf(payload), ...digests] }
}

function digestsOf(payload: JsonObject): readonly Json[] {
  const digests = payload._sd
  return Array.isArray(digests) ? digests : []
}

function reencoded(text: string, change: (parts: Json[]) => void): string {
  const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as Json[]
  change(parts)
  return encodeDisclosure(parts)
}

const decoy = (): string => digestOf(salt())

const REFERENCES: readonly Mutation[] = [
  texts('N094', 'a value changed', ([first = '', ...rest]) => [
    reencoded(first, (parts) => parts.splice(2, 1, 'Somebody')),
    ...rest,
  ]),
  texts('N094', 'the same JSON written with a space', ([first = '', ...rest]) => [
    Buffer.from(Buffer.from(first, 'base64url').toString().replace(',', ', ')).toString('base64url'),
    ...rest,
  ]),
  texts('N095', 'a disclosure that no digest refers to', (usual) => [
    ...usual,
    encodeDisclosure([salt(), 'admin', true]),
  ]),
  texts('N096', 'a disclosure twice', (usual) => [...usual, ...usual.slice(0, 1)]),
  spoiled('N097', 'a digest twice in one _sd', {
    payload: (payload) => ({ ...payload, _sd: [...digestsOf(payload), ...digestsOf(payload).slice(0, 1)] }),
  }),
  spoiled('N098', 'a digest again at another level', {
    payload: (payload) => ({ ...payload, extra: { _sd: digestsOf(payload).slice(0, 1) } }),
  }),
  spoiled('N098', 'a decoy digest again in an array', {
    payload: (payload) => ({ ...payload, _sd: [...digestsOf(payload), DECOY], list: [{ '...': DECOY }] }),
  }),
  texts('N103', 'a child without its parent', (usual) =>
    usual.filter((text) => !Buffer.from(text, 'base64url').toString().includes('"address"')),
  ),
]

const DECOY = digestOf('decoy')

const NAMES: readonly Mutation[] = [
  spoiled('N099', 'a claim named _sd', planted([[salt(), '_sd', [decoy()]]])),
  spoiled('N099', 'a claim named ...', planted([[salt(), '...', decoy()]])),
  spoiled('N100', 'a name that is already in the payload', planted([[salt(), 'iat', NOW]])),
  spoiled(
    'N101',
    'two disclosures of one name',
    planted([
      [salt(), 'nickname', 'A'],
      [salt(), 'nickname', 'B'],
    ]),
  ),
  spoiled('N102', 'an array element where a claim belongs', planted([[salt(), 'value only']])),
  spoiled(
    'N102',
    'a claim where an array element belongs',
    planted([[salt(), 'name', 'value']], (payload, [digest = '']) => ({ ...payload, list: [{ '...': digest }] })),
  ),
  ...(['exp', 'nbf', 'iss', 'cnf', 'status'] as const).map((name) =>
    spoiled('N110', `${name} delivered by a disclosure`, (world) => {
      const hooks = planted([[salt(), name, termOf(world, name)]])
      return { ...hooks, payload: (payload) => (hooks.payload ?? ((same) => same))(without(payload, name)) }
    }),
  ),
  spoiled('N110', 'a key inside cnf delivered by a disclosure', (world) => {
    const hooks = planted([[salt(), 'jwk', { ...publicJwk(world.holderKey) }]], (payload, digests) => ({
      ...payload,
      cnf: { _sd: digests },
    }))
    return hooks
  }),
  spoiled(
    'N110',
    'vct delivered by a disclosure',
    () => {
      const hooks = planted([[salt(), 'vct', TYPE.pidSdJwt]])
      return { ...hooks, payload: (payload) => (hooks.payload ?? ((same) => same))(without(payload, 'vct')) }
    },
    'well_formed',
  ),
]

const ENCODINGS: readonly Mutation[] = [
  texts('N106', 'a padded disclosure', ([first = '', ...rest]) => [`${first}=`, ...rest]),
  spoiled(
    'N106',
    'padding that the issuer digested',
    plantedText((text) => `${text}=`),
  ),
  spoiled(
    'N106',
    'the standard alphabet that the issuer digested',
    plantedText((text) =>
      Buffer.from(text, 'base64url').toString('base64').replaceAll('=', '').padEnd(text.length, '/'),
    ),
  ),
  spoiled(
    'N106',
    'white space that the issuer digested',
    plantedText((text) => `${text.slice(0, 4)} ${text.slice(4)}`),
  ),
  spoiled(
    'N107',
    'invalid UTF-8 that the issuer digested',
    planted([
      Buffer.concat([Buffer.from('["salt","name","'), Uint8Array.of(0xc3, 0x28), Buffer.from('"]')]).toString(
        'base64url',
      ),
    ]),
  ),
  spoiled(
    'N107',
    'a lone surrogate that the issuer digested',
    planted([Buffer.from('["salt","name","\\ud800"]').toString('base64url')]),
  ),
  spoiled('N108', 'a salt that is not a string', planted([[1, 'name', 'value']])),
  spoiled('N108', 'a name that is not a string', planted([[salt(), 1, 'value']])),
  spoiled('N108', 'four elements', planted([[salt(), 'name', 'value', 'more']])),
  spoiled('N108', 'one element', planted([[salt()]])),
  spoiled(
    'N108',
    'an object instead of an array',
    planted([Buffer.from('{"0":"salt","1":"name","2":"value","length":3}').toString('base64url')]),
  ),
  spoiled(
    'N108',
    'a member twice inside a disclosed value',
    planted([Buffer.from('["salt","name",{"a":1,"a":2}]').toString('base64url')]),
  ),
  spoiled(
    'N115',
    'no final tilde and no key binding',
    { keyBinding: () => '', presented: (presented) => presented.slice(0, -1) },
    'well_formed',
  ),
  spoiled('N115', 'an empty disclosure', { presented: (presented) => presented.replace('~', '~~') }, 'well_formed'),
]

const STRUCTURES: readonly Mutation[] = [
  ...(['sha-256-32', 'md5', 'sha-1', 'SHA-256', '', 'constructor'] as const).map((name) =>
    spoiled('N109', `_sd_alg ${JSON.stringify(name)}`, { payload: (payload) => ({ ...payload, _sd_alg: name }) }),
  ),
  spoiled('N109', '_sd_alg is a number', { payload: (payload) => ({ ...payload, _sd_alg: 256 }) }),
  spoiled('N109', '_sd_alg is null', { payload: (payload) => ({ ...payload, _sd_alg: null }) }),
  spoiled('N109', '_sd_alg in a nested object', {
    payload: (payload) => ({ ...payload, extra: { _sd_alg: 'sha-256' } }),
  }),
  spoiled(
    'N111',
    'a digest element with another member',
    planted([[salt(), 'value']], (payload, [digest = '']) => ({ ...payload, list: [{ '...': digest, x: 1 }] })),
  ),
  spoiled('N111', 'a digest element that is not a string', {
    payload: (payload) => ({ ...payload, list: [{ '...': 1 }] }),
  }),
  spoiled('N111', 'a digest element outside an array', {
    payload: (payload) => ({ ...payload, list: { '...': DECOY } }),
  }),
  spoiled('N112', '_sd is a string', { payload: (payload) => ({ ...payload, extra: { _sd: DECOY } }) }),
  spoiled('N112', '_sd is null', { payload: (payload) => ({ ...payload, extra: { _sd: null } }) }),
  spoiled('N112', '_sd holds a number', { payload: (payload) => ({ ...payload, extra: { _sd: [1] } }) }),
  spoiled('N104', 'four hundred disclosures inside each other', () => nested(400)),
  spoiled(
    'N104',
    'ten thousand arrays inside each other',
    planted([Buffer.from(`["salt","deep",${'['.repeat(10_000)}${']'.repeat(10_000)}]`).toString('base64url')]),
  ),
  spoiled(
    'N105',
    'one hundred thousand disclosures',
    { disclosures: (usual) => [...usual, ...Array.from({ length: 100_000 }, () => 'WyJhIl0')] },
    'well_formed',
  ),
]

const ACCEPTED: readonly Mutation[] = [
  accepted('N113', 'decoy digests', {
    payload: (payload) => ({
      ...payload,
      _sd: [...digestsOf(payload), decoy(), decoy()],
      list: [{ '...': decoy() }, 'x'],
    }),
  }),
  {
    ...accepted(
      'N114',
      'claims named like members of every object do not leak into it',
      planted([
        [salt(), '__proto__', { polluted: true }],
        [salt(), 'constructor', 'x'],
        [salt(), 'toString', 'x'],
      ]),
    ),
    claims: [usualClaims()],
  },
  accepted('N113', 'disclosures in another order than the digests', { disclosures: (usual) => usual.toReversed() }),
  accepted('N109', '_sd_alg left out means sha-256', { payload: (payload) => without(payload, '_sd_alg') }),
]

export const DISCLOSURE_MUTATIONS: readonly Mutation[] = [
  ...REFERENCES,
  ...NAMES,
  ...ENCODINGS,
  ...STRUCTURES,
  ...ACCEPTED,
]

function usualClaims(): JsonObject {
  return {
    family_name: PERSON.familyName,
    given_name: PERSON.givenName,
    birthdate: PERSON.birthDate,
    address: { country: PERSON.country },
    nationalities: [PERSON.nationality, 'FR'],
    age_equal_or_over: { 18: true },
  }
}

function without(payload: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([member]) => member !== name))
}

function termOf(world: World, name: 'exp' | 'nbf' | 'iss' | 'cnf' | 'status'): Json {
  const terms = {
    exp: NOW + DAY,
    nbf: NOW - DAY,
    iss: 'https://issuer.example',
    cnf: { jwk: { ...publicJwk(world.holderKey) } },
    status: { status_list: { idx: STATUS_INDEX.valid, uri: statusListUri(world.issuer.base, 'jwt') } },
  }
  return terms[name]
}

/** Adds a disclosure whose text is changed before the issuer digests it. */
function plantedText(change: (text: string) => string): SdJwtHooks {
  return planted([change(encodeDisclosure([salt(), 'nickname', 'Vi?>?']))])
}

function nested(depth: number): SdJwtHooks {
  const disclosures: string[] = []
  let value: Json = 'bottom'
  for (let level = 0; level < depth; level++) {
    const text = encodeDisclosure([salt(), 'deeper', value])
    disclosures.unshift(text)
    value = { _sd: [digestOf(text)] }
  }
  return { payload: (payload) => ({ ...payload, deep: value }), disclosures: (usual) => [...usual, ...disclosures] }
}
