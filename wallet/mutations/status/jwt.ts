// Lists changed status of SD-JWT credentials: the list's content, and faults of the list (N193-N206, N210, N212).

import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { mintAuthority, mintSigner } from '../../src/authorities.ts'
import type { Json, JsonObject } from '../../src/encoding/json.ts'
import { isObject } from '../../src/encoding/json.ts'
import { STATUS_INDEX, STATUS_LIST, statusListUri } from '../../src/issuer.ts'
import { toBase64url } from '../../src/keys.ts'
import type { Identity } from '../../src/pki.ts'
import { signJws } from '../../src/sdjwt.ts'
import type { ListFields } from '../../src/status-list.ts'
import { statusListClaims, statusListHeader } from '../../src/status-list.ts'
import type { Mutation } from '../mutation.ts'
import { sdJwtTrial } from '../sd-jwt/sd-jwt-trial.ts'
import type { StatusAnswer, Trial, World } from '../world.ts'
import { DAY, fetched, NOW, RESERVED_INDEX } from '../world.ts'

const MEDIA_TYPE = 'application/statuslist+jwt'

export function listFields(world: World, form: 'jwt' | 'cwt'): ListFields {
  return {
    uri: statusListUri(world.issuer.base, form),
    ...STATUS_LIST,
    statuses: world.issuer.statuses,
    issuedAt: NOW - 60,
    expiresAt: NOW + DAY,
  }
}

interface ListHooks {
  readonly header?: (usual: JsonObject) => JsonObject
  readonly claims?: (usual: JsonObject) => JsonObject
  readonly signer?: (world: World) => Identity
}

function servedList(world: World, hooks: ListHooks): StatusAnswer {
  const signer = hooks.signer?.(world) ?? world.issuer.sdJwt.signer
  const header = statusListHeader(signer)
  const claims = statusListClaims(listFields(world, 'jwt'))
  const token = signJws(hooks.header?.(header) ?? header, hooks.claims?.(claims) ?? claims, signer.key)
  return fetched(Buffer.from(token), MEDIA_TYPE)
}

function serving(world: World, answer: StatusAnswer, change: (trial: Trial) => Trial = (trial) => trial): Trial {
  return sdJwtTrial(world, {
    trial: (trial) => change({ ...trial, status: new Map([[statusListUri(world.issuer.base, 'jwt'), answer]]) }),
  })
}

const mutation = (id: string, title: string, make: Mutation['make']): Mutation => ({
  id,
  title,
  format: 'dc+sd-jwt',
  expectedCheck: 'not_revoked',
  make,
})
const listed = (id: string, title: string, hooks: ListHooks): Mutation =>
  mutation(id, title, (world) => serving(world, servedList(world, hooks)))

/** Lets the credential refer to another index of the list. */
const referring = (id: string, title: string, idx: Json): Mutation =>
  mutation(id, title, (world) =>
    sdJwtTrial(world, {
      template: (claims) => ({
        ...claims,
        status: { status_list: { idx, uri: statusListUri(world.issuer.base, 'jwt') } },
      }),
    }),
  )

function packed(claims: JsonObject, lst: string): JsonObject {
  const list = claims.status_list
  return { ...claims, status_list: { ...(isObject(list) ? (list as JsonObject) : {}), lst } }
}

const SOUND = Buffer.alloc(STATUS_LIST.size / 4)

const SAID: readonly Mutation[] = [
  referring('N193', 'revoked', STATUS_INDEX.revoked),
  referring('N194', 'suspended', STATUS_INDEX.suspended),
  referring('N195', 'an undefined status', RESERVED_INDEX),
  referring('N196', 'an index beyond the list', STATUS_LIST.size),
  referring('N197', 'a negative index', -1),
  referring('N197', 'a fraction as index', 0.5),
  referring('N197', 'a string as index', '0'),
  { ...referring('N197', 'an index of 2^53', 2 ** 53), expectedCheck: 'well_formed' },
  mutation('N197', 'no index', (world) =>
    sdJwtTrial(world, {
      template: (claims) => ({ ...claims, status: { status_list: { uri: statusListUri(world.issuer.base, 'jwt') } } }),
    }),
  ),
  mutation('N197', 'a status that is not a list', (world) =>
    sdJwtTrial(world, { template: (claims) => ({ ...claims, status: { other: {} } }) }),
  ),
  mutation('N197', 'an empty status', (world) =>
    sdJwtTrial(world, { template: (claims) => ({ ...claims, status: {} }) }),
  ),
  mutation('N197', 'an address that is not a text', (world) =>
    sdJwtTrial(world, {
      template: (claims) => ({ ...claims, status: { status_list: { idx: 0, uri: ['https://issuer.example'] } } }),
    }),
  ),
]

const TOKENS: readonly Mutation[] = [
  listed('N198', 'the subject is another list', {
    claims: (usual) => ({ ...usual, sub: 'https://issuer.example/another' }),
  }),
  listed('N198', 'no subject', { claims: ({ sub: _, ...usual }) => usual }),
  listed('N199', 'an expired list', { claims: (usual) => ({ ...usual, exp: NOW - 3600 }) }),
  listed('N199', 'a list from the future', { claims: (usual) => ({ ...usual, iat: NOW + 3600 }) }),
  listed('N199', 'no iat', { claims: ({ iat: _, ...usual }) => usual }),
  listed('N200', 'typ JWT', { header: (usual) => ({ ...usual, typ: 'JWT' }) }),
  listed('N200', 'no typ', { header: ({ typ: _, ...usual }) => usual }),
  listed('N200', 'alg none', { header: (usual) => ({ ...usual, alg: 'none' }) }),
  listed('N201', 'signed under an authority that is not installed', { signer: stranger }),
  listed('N201', 'signed by another key under the name of the signer', {
    signer: (world) => ({ ...world.issuer.sdJwt.signer, key: world.otherKey }),
  }),
  mutation('N201', 'a list changed after signing', (world) => {
    const answer = servedList(world, {})
    const bytes = answer.outcome === 'fetched' ? answer.bytes : new Uint8Array()
    const [head = '', body = '', signature = ''] = Buffer.from(bytes).toString().split('.')
    const claims = Buffer.from(body, 'base64url')
      .toString()
      .replace(`"exp":${NOW + DAY}`, `"exp":${NOW + 2 * DAY}`)
    return serving(
      world,
      fetched(Buffer.from(`${head}.${Buffer.from(claims).toString('base64url')}.${signature}`), MEDIA_TYPE),
    )
  }),
  listed('N202', 'three bits', { claims: (usual) => withBits(usual, 3) }),
  listed('N202', 'no bits', { claims: (usual) => withBits(usual, null) }),
  listed('N202', 'bits as text', { claims: (usual) => withBits(usual, '2') }),
  listed('N203', 'a list that unpacks to 64 MiB', {
    claims: (usual) => packed(usual, toBase64url(deflateSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 }))),
  }),
  listed('N204', 'raw deflate', { claims: (usual) => packed(usual, toBase64url(deflateRawSync(SOUND))) }),
  listed('N204', 'gzip', { claims: (usual) => packed(usual, toBase64url(gzipSync(SOUND))) }),
  listed('N205', 'truncated zlib', {
    claims: (usual) =>
      packed(usual, toBase64url(deflateSync(Buffer.from(Array.from(SOUND, (_, index) => index % 4))).subarray(0, -5))),
  }),
  listed('N205', 'bytes after the zlib stream', {
    claims: (usual) => packed(usual, toBase64url(Buffer.concat([deflateSync(SOUND), Buffer.from('more')]))),
  }),
  listed('N205', 'a wrong checksum', {
    claims: (usual) => packed(usual, toBase64url(Buffer.concat([deflateSync(SOUND).subarray(0, -4), Buffer.alloc(4)]))),
  }),
  listed('N204', 'lst that is not base64url', { claims: (usual) => packed(usual, '!!!!') }),
]

const HAIP: readonly Mutation[] = [
  mutation('N201', 'a list without certificates under HAIP', (world) =>
    serving(world, servedList(world, { header: ({ x5c: _, ...usual }) => usual }), (trial) => ({
      ...trial,
      haip: true,
    })),
  ),
  {
    ...listed('N201', 'a list without certificates, signed by the issuer itself', {
      header: ({ x5c: _, ...usual }) => usual,
    }),
    expectedCheck: 'accepted',
    positive: true,
  },
  listed('N201', 'an empty chain of certificates', { header: (usual) => ({ ...usual, x5c: [] }) }),
  listed('N206', 'a time to live of zero', { claims: (usual) => ({ ...usual, ttl: 0 }) }),
  listed('N206', 'a time to live that is text', { claims: (usual) => ({ ...usual, ttl: '300' }) }),
  listed('N202', 'a status list that is text', { claims: (usual) => ({ ...usual, status_list: 'x' }) }),
]

const FETCHING: readonly Mutation[] = [
  mutation('N210', 'a list served as text/html', (world) => {
    const answer = servedList(world, {})
    return serving(world, answer.outcome === 'fetched' ? { ...answer, contentType: 'text/html' } : answer)
  }),
  mutation('N210', 'an error page under the right type', (world) =>
    serving(world, fetched(Buffer.from('<html>gone</html>'), MEDIA_TYPE)),
  ),
  mutation('N212', 'an unavailable list where a status is required', (world) =>
    serving(world, { outcome: 'unavailable', reason: 'timeout' }),
  ),
  {
    ...mutation('N212', 'an unavailable list where a status is preferred', (world) =>
      serving(world, { outcome: 'unavailable', reason: 'timeout' }, (trial) => ({ ...trial, statusPolicy: 'prefer' })),
    ),
    expectedCheck: 'accepted',
    positive: true,
    warnings: ['not_revoked'],
  },
  mutation('N193', 'a revoked credential where a status is only preferred', (world) =>
    sdJwtTrial(world, {
      template: (claims) => ({
        ...claims,
        status: { status_list: { idx: STATUS_INDEX.revoked, uri: statusListUri(world.issuer.base, 'jwt') } },
      }),
      trial: (trial) => ({ ...trial, statusPolicy: 'prefer' }),
    }),
  ),
  mutation('N212', 'neither status nor expiry where a status is required', (world) =>
    sdJwtTrial(world, { template: ({ status: _, exp: __, ...claims }) => claims }),
  ),
]

const ACCEPTED: readonly Mutation[] = [
  {
    ...listed('N206', 'a time to live of ten years', { claims: (usual) => ({ ...usual, ttl: 315_360_000 }) }),
    expectedCheck: 'accepted',
    positive: true,
  },
  {
    ...listed('N199', 'no exp', { claims: ({ exp: _, ...usual }) => usual }),
    expectedCheck: 'accepted',
    positive: true,
  },
  ...([1, 4, 8] as const).map(
    (bits): Mutation => ({
      ...listed('N202', `${bits} bits`, {
        claims: (usual) => withBits(packed(usual, toBase64url(deflateSync(SOUND))), bits),
      }),
      expectedCheck: 'accepted',
      positive: true,
    }),
  ),
  {
    ...mutation('N212', 'no status but an expiry', (world) =>
      sdJwtTrial(world, { template: ({ status: _, ...claims }) => claims }),
    ),
    expectedCheck: 'accepted',
    positive: true,
  },
]

export const STATUS_JWT_MUTATIONS: readonly Mutation[] = [...SAID, ...TOKENS, ...HAIP, ...FETCHING, ...ACCEPTED]

function withBits(claims: JsonObject, bits: Json): JsonObject {
  const list = claims.status_list
  return { ...claims, status_list: { ...(isObject(list) ? (list as JsonObject) : {}), bits } }
}

function stranger(world: World): Identity {
  const period = { notBefore: NOW - DAY, notAfter: NOW + DAY }
  return mintSigner(mintAuthority(world.issuer.sdJwt.authority.name, period), world.issuer.sdJwt.signer.name, period)
}
