// Lists changed envelopes: the form post and the JWE around a valid presentation (N005-N011, N030-N045, N058).

import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt, importJWK } from 'jose'
import type { JsonObject } from '../src/encoding/json.ts'
import type { PublicJwk } from '../src/keys.ts'
import { generateKey, publicJwk, toBase64url } from '../src/keys.ts'
import { signJws } from '../src/sdjwt.ts'
import type { JweHooks } from './jwe.ts'
import { assembleJwe } from './jwe.ts'
import type { Mutation } from './mutation.ts'
import { presentSdJwt } from './sd-jwt/sd-jwt-trial.ts'
import type { Expectations, Trial, World } from './world.ts'
import { KID, SD_JWT_QUERY, STATE, trialOf } from './world.ts'

function enveloped(world: World, body: (payload: JsonObject) => string, changes: Partial<Expectations> = {}): Trial {
  const vpToken = { pid: [presentSdJwt(world)] }
  const trial = trialOf(world, null, { credentials: [SD_JWT_QUERY] })
  return { ...trial, body: body({ vp_token: vpToken }), expectations: { ...trial.expectations, ...changes } }
}

const form = (fields: { readonly [name: string]: string }): string => new URLSearchParams(fields).toString()

function encrypted(world: World, hooks: JweHooks, changes: Partial<Expectations> = {}): Trial {
  const key: PublicJwk = publicJwk(world.encryptionKey)
  return enveloped(world, (payload) => form({ response: assembleJwe({ payload, key, kid: KID }, hooks) }), changes)
}

const CLEAR = { responseMode: 'direct_post', encryptionKey: null } as const

const malformed = (id: string, title: string, make: Mutation['make']): Mutation => ({
  id,
  title,
  format: 'envelope',
  expectedCheck: 'malformed',
  make,
})
const accepted = (id: string, title: string, make: Mutation['make']): Mutation => ({
  id,
  title,
  format: 'envelope',
  expectedCheck: 'accepted',
  positive: true,
  make,
})

/** A JWE whose header was changed before encryption, so that only the header is wrong. */
const withHeader = (id: string, title: string, header: (usual: JsonObject) => JsonObject): Mutation =>
  malformed(id, title, (world) => encrypted(world, { header }))

function flipped(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes.toString('base64url')
}

const ENVELOPE: readonly Mutation[] = [
  accepted('N044', 'an envelope of our own JWE code', (world) => encrypted(world, {})),
  accepted('N044', 'an envelope by jose with A256GCM and random apu and apv', joseEnvelope),
  accepted('N044', 'a vp_token in clear where clear text was asked for', (world) =>
    enveloped(world, (payload) => form({ vp_token: JSON.stringify(payload.vp_token) }), CLEAR),
  ),
  malformed('N005', 'another state inside the JWE', (world) => stated(world, 'YW5vdGhlci1zdGF0ZQ')),
  malformed('N006', 'the state left out of the JWE', (world) => stated(world, null)),
  malformed('N008', 'a vp_token in clear where encryption was asked for', (world) =>
    enveloped(world, (payload) => form({ vp_token: JSON.stringify(payload.vp_token) })),
  ),
  malformed('N009', 'an encrypted response where clear text was asked for', (world) => encrypted(world, {}, CLEAR)),
  malformed('N010', 'a vp_token and an error together', (world) =>
    enveloped(world, (payload) => form({ vp_token: JSON.stringify(payload.vp_token), error: 'access_denied' }), CLEAR),
  ),
  malformed('N010', 'a vp_token and an error together inside the JWE', (world) => {
    const plaintext = JSON.stringify({ vp_token: { pid: [presentSdJwt(world)] }, error: 'access_denied' })
    return encrypted(world, { plaintext })
  }),
  malformed('N011', 'the vp_token field twice', (world) =>
    enveloped(world, (payload) => `${form({ vp_token: JSON.stringify(payload.vp_token) })}&vp_token=%7B%7D`, CLEAR),
  ),
  malformed('N011', 'the response field twice', (world) =>
    enveloped(world, (payload) => {
      const jwe = assembleJwe({ payload, key: publicJwk(world.encryptionKey), kid: KID })
      return `response=${jwe}&response=${jwe}`
    }),
  ),
]

const JWE: readonly Mutation[] = [
  malformed('N030', 'the authentication tag changed', (world) =>
    encrypted(world, { segments: ([a = '', b = '', c = '', d = '', tag = '']) => [a, b, c, d, flipped(tag)] }),
  ),
  malformed('N030', 'the authentication tag truncated to 8 bytes', (world) =>
    encrypted(world, { segments: ([a = '', b = '', c = '', d = '', tag = '']) => [a, b, c, d, tag.slice(0, 11)] }),
  ),
  malformed('N030', 'the ciphertext changed', (world) =>
    encrypted(world, { segments: ([a = '', b = '', c = '', d = '', tag = '']) => [a, b, c, flipped(d), tag] }),
  ),
  malformed('N031', 'the protected header changed after encryption', (world) =>
    encrypted(world, {
      segments: ([head = '', ...rest]) => [
        Buffer.from(Buffer.from(head, 'base64url').toString().replace('}', ',"x":1}')).toString('base64url'),
        ...rest,
      ],
    }),
  ),
  withHeader('N032', 'alg RSA-OAEP', (usual) => ({ ...usual, alg: 'RSA-OAEP' })),
  withHeader('N032', 'alg dir', (usual) => ({ ...usual, alg: 'dir' })),
  withHeader('N032', 'alg ECDH-ES+A256KW', (usual) => ({ ...usual, alg: 'ECDH-ES+A256KW' })),
  withHeader('N032', 'no alg', ({ alg: _, ...usual }) => usual),
  withHeader('N033', 'enc A256CBC-HS512', (usual) => ({ ...usual, enc: 'A256CBC-HS512' })),
  withHeader('N033', 'enc A192GCM', (usual) => ({ ...usual, enc: 'A192GCM' })),
  withHeader('N033', 'no enc', ({ enc: _, ...usual }) => usual),
  malformed('N034', 'a compressed plaintext with zip DEF', (world) =>
    encrypted(world, {
      header: (usual) => ({ ...usual, zip: 'DEF' }),
      plaintext: new Uint8Array(deflateRawSync(JSON.stringify({ vp_token: { pid: [presentSdJwt(world)] } }))),
    }),
  ),
  withHeader('N035', 'no kid', ({ kid: _, ...usual }) => usual),
  withHeader('N036', 'a kid that is not ours', (usual) => ({ ...usual, kid: 'another-key' })),
  withHeader('N037', 'an ephemeral key on P-384', (usual) => ({
    ...usual,
    epk: { ...publicJwk(generateKey('P-384')) },
  })),
  withHeader('N038', 'an ephemeral point that is not on the curve', (usual) => ({
    ...usual,
    epk: {
      kty: 'EC',
      crv: 'P-256',
      x: toBase64url(new Uint8Array(32).fill(1)),
      y: toBase64url(new Uint8Array(32).fill(2)),
    },
  })),
  withHeader('N038', 'an ephemeral point of zeros', (usual) => ({
    ...usual,
    epk: { kty: 'EC', crv: 'P-256', x: toBase64url(new Uint8Array(32)), y: toBase64url(new Uint8Array(32)) },
  })),
  withHeader('N038', 'an ephemeral point without coordinates', (usual) => ({
    ...usual,
    epk: { kty: 'EC', crv: 'P-256', x: '', y: '' },
  })),
  withHeader('N038', 'no ephemeral key', ({ epk: _, ...usual }) => usual),
  malformed('N039', 'encrypted to the key of an earlier request', (world) =>
    enveloped(world, (payload) => form({ response: assembleJwe({ payload, key: generateKey(), kid: KID }) })),
  ),
  malformed('N040', 'a nested JWS as plaintext', (world) =>
    encrypted(world, {
      plaintext: signJws({ alg: 'ES256' }, { vp_token: { pid: [presentSdJwt(world)] } }, world.holderKey),
    }),
  ),
  malformed('N041', 'an array as plaintext', (world) =>
    encrypted(world, { plaintext: JSON.stringify([{ vp_token: {} }]) }),
  ),
  malformed('N041', 'a string as plaintext', (world) => encrypted(world, { plaintext: '"vp_token"' })),
  malformed('N041', 'plaintext that is not JSON', (world) => encrypted(world, { plaintext: '{"vp_token":' })),
  malformed('N041', 'plaintext that is not UTF-8', (world) =>
    encrypted(world, { plaintext: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d) }),
  ),
  malformed('N041', 'plaintext without vp_token or error', (world) => encrypted(world, { plaintext: '{"state":"x"}' })),
  malformed('N042', 'four segments', (world) => encrypted(world, { segments: (segments) => segments.slice(0, 4) })),
  malformed('N042', 'six segments', (world) => encrypted(world, { segments: (segments) => [...segments, 'AAAA'] })),
  malformed('N043', 'an encrypted key where the agreement is direct', (world) =>
    encrypted(world, { segments: ([head = '', _, ...rest]) => [head, 'AAAA', ...rest] }),
  ),
  withHeader('N045', 'a crit header', (usual) => ({ ...usual, crit: ['exp'], exp: 1 })),
  malformed('N093', 'a header member twice', (world) =>
    encrypted(world, { headerText: (text) => text.replace('{', '{"alg":"dir",') }),
  ),
  malformed('N058', 'a query id twice inside the JWE', (world) =>
    encrypted(world, { plaintext: `{"vp_token":{"pid":["x"],"pid":${JSON.stringify([presentSdJwt(world)])}}}` }),
  ),
  malformed('N058', 'a query id twice in clear', (world) =>
    enveloped(world, () => form({ vp_token: `{"pid":["x"],"pid":${JSON.stringify([presentSdJwt(world)])}}` }), CLEAR),
  ),
  malformed('N058', 'vp_token twice inside the JWE', (world) =>
    encrypted(world, { plaintext: `{"vp_token":{},"vp_token":${JSON.stringify({ pid: [presentSdJwt(world)] })}}` }),
  ),
]

export const ENVELOPE_MUTATIONS: readonly Mutation[] = [...ENVELOPE, ...JWE]

function stated(world: World, state: string | null): Trial {
  const sent = { vp_token: { pid: [presentSdJwt(world)] }, ...(state === null ? {} : { state }) }
  return encrypted(world, { plaintext: JSON.stringify(sent) }, { state: STATE })
}

async function joseEnvelope(world: World): Promise<Trial> {
  const payload = new TextEncoder().encode(JSON.stringify({ vp_token: { pid: [presentSdJwt(world)] } }))
  const jwe = await new CompactEncrypt(payload)
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: KID })
    .setKeyManagementParameters({
      apu: crypto.getRandomValues(new Uint8Array(21)),
      apv: crypto.getRandomValues(new Uint8Array(7)),
    })
    .encrypt(await importJWK({ ...publicJwk(world.encryptionKey) }, 'ECDH-ES'))
  return enveloped(world, () => form({ response: jwe }))
}
