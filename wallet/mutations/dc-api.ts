// Mutates answers of the Digital Credentials API (D cases of docs/protocol/dc-api.md).

import { annexCTranscript, dcApiTranscript } from '../src/dc-api/transcript.ts'
import { encodeCbor, mapOf } from '../src/encoding/cbor.ts'
import { coseKey } from '../src/encoding/cose.ts'
import type { Json, JsonObject } from '../src/encoding/json.ts'
import { publicJwk, sha256, thumbprint, toBase64url } from '../src/keys.ts'
import { deviceMac, deviceResponse, sessionTranscript } from '../src/mdoc.ts'
import type { SealingHooks } from './annex-c.ts'
import { sealAnnexC } from './annex-c.ts'
import { assembleJwe } from './jwe.ts'
import type { MdocHooks } from './mdoc/mdoc-trial.ts'
import { goodDocument, mdocTrial } from './mdoc/mdoc-trial.ts'
import type { Mutation } from './mutation.ts'
import { sdJwtTrial } from './sd-jwt/sd-jwt-trial.ts'
import type { Trial, World } from './world.ts'
import { CLIENT_ID, expectationsFor, handoverFor, KID, MDL_QUERY, NONCE, ORIGIN } from './world.ts'

export type DcApiMutation = Mutation & { readonly channel: 'dc_api' | 'annex_c' }

const OTHER = 'https://other-shop.example'

const audience = (id: string, title: string, aud: Json): DcApiMutation => ({
  id,
  title,
  channel: 'dc_api',
  format: 'dc+sd-jwt',
  expectedCheck: 'bound_to_request',
  make: (world) => sdJwtTrial(world, { keyBindingClaims: (usual) => ({ ...usual, aud }) }),
})

const AUDIENCES: readonly DcApiMutation[] = [
  audience('D01', 'aud is the client id', CLIENT_ID),
  audience('D01', 'aud is the client id with the prefix', `origin:${CLIENT_ID}`),
  audience('D02', 'aud without origin:', ORIGIN),
  audience('D03', 'aud with a slash at the end', `origin:${ORIGIN}/`),
  audience('D03', 'aud with the usual port', `origin:${ORIGIN}:443`),
  audience('D04', 'aud of another origin', `origin:${OTHER}`),
  audience('D04', 'aud of a host that begins the same', `origin:${ORIGIN}.evil.example`),
  audience('D04', 'aud in an array', [`origin:${ORIGIN}`]),
]

const mdoc = (
  id: string,
  title: string,
  channel: DcApiMutation['channel'],
  hooks: (world: World) => MdocHooks,
): DcApiMutation => ({
  id,
  title,
  channel,
  format: 'mso_mdoc',
  expectedCheck: 'holder_signature_valid',
  make: (world) => mdocTrial(world, hooks(world)),
})

const transcript = (id: string, title: string, make: (world: World) => Uint8Array): DcApiMutation =>
  mdoc(id, title, 'dc_api', (world) => ({ transcript: () => make(world) }))

const handover = (world: World) => ({ origin: ORIGIN, nonce: NONCE, thumbprint: thumbprint(world.encryptionKey) })

const TRANSCRIPTS: readonly DcApiMutation[] = [
  transcript('D04', 'a transcript of another origin', (world) =>
    dcApiTranscript({ ...handover(world), origin: OTHER }),
  ),
  transcript('D05', 'the transcript of the redirect flow', (world) =>
    sessionTranscript(handoverFor(expectationsFor(world, MDL_QUERY))),
  ),
  transcript('D06', 'a transcript whose origin has the prefix', (world) =>
    dcApiTranscript({ ...handover(world), origin: `origin:${ORIGIN}` }),
  ),
  transcript('D06', 'a transcript whose origin has a slash', (world) =>
    dcApiTranscript({ ...handover(world), origin: `${ORIGIN}/` }),
  ),
  transcript('D07', 'no thumbprint although encrypted', (world) =>
    dcApiTranscript({ ...handover(world), thumbprint: null }),
  ),
  transcript('D07', 'the thumbprint of another key', (world) =>
    dcApiTranscript({ ...handover(world), thumbprint: thumbprint(world.otherKey) }),
  ),
  transcript('D12', 'the transcript of Annex C in an answer by OpenID4VP', () => annexCTranscript(NONCE, ORIGIN)),
  transcript('D16', 'the nonce of another verification', (world) =>
    dcApiTranscript({ ...handover(world), nonce: `${NONCE}x` }),
  ),
]

/** Changes only the body around a valid SD-JWT presentation. */
const posted = (id: string, title: string, body: (world: World, vpToken: Json) => string): DcApiMutation => ({
  id,
  title,
  channel: 'dc_api',
  format: 'envelope',
  expectedCheck: 'malformed',
  make: (world) => {
    const trial = sdJwtTrial(world)
    return { ...trial, vpToken: null, body: body(world, trial.vpToken) }
  },
})

const PROTOCOL = 'openid4vp-v1-signed'
const encrypted = (world: World, payload: { readonly [name: string]: Json }): string =>
  assembleJwe({ payload, key: publicJwk(world.encryptionKey), kid: KID })
const answer = (protocol: string, data: Json): string => JSON.stringify({ protocol, data })

const FRAMES: readonly DcApiMutation[] = [
  {
    ...posted('D08', 'a valid answer', (world, vpToken) =>
      answer(PROTOCOL, { response: encrypted(world, { vp_token: vpToken }) }),
    ),
    expectedCheck: 'accepted',
    positive: true,
  },
  posted('D08', 'an answer in clear where encryption was asked for', (_, vpToken) =>
    answer(PROTOCOL, { vp_token: vpToken }),
  ),
  posted('D08', 'an answer in clear beside an encrypted one', (world, vpToken) =>
    answer(PROTOCOL, { vp_token: vpToken, response: encrypted(world, { vp_token: vpToken }) }),
  ),
  posted('D08', 'an encrypted answer beside an error', (world, vpToken) =>
    answer(PROTOCOL, { error: 'access_denied', response: encrypted(world, { vp_token: vpToken }) }),
  ),
  posted('D09', 'a protocol that was not offered', (world, vpToken) =>
    answer('openid4vp-v1-unsigned', { response: encrypted(world, { vp_token: vpToken }) }),
  ),
  posted('D09', 'Annex C where it was not offered', (world, vpToken) =>
    answer('org-iso-mdoc', { response: encrypted(world, { vp_token: vpToken }) }),
  ),
  posted('D23', 'data that is a text', (world, vpToken) =>
    answer(PROTOCOL, JSON.stringify({ response: encrypted(world, { vp_token: vpToken }) })),
  ),
  posted('D23', 'data that is an array', (world, vpToken) =>
    answer(PROTOCOL, [{ response: encrypted(world, { vp_token: vpToken }) }]),
  ),
  posted('D23', 'data that is bytes', (world, vpToken) => {
    const bytes = Buffer.from(JSON.stringify({ response: encrypted(world, { vp_token: vpToken }) }))
    return answer(PROTOCOL, Object.fromEntries([...bytes].entries()))
  }),
]

const sealed = (id: string, title: string, hooks: SealingHooks | ((trial: Trial) => SealingHooks)): DcApiMutation => ({
  id,
  title,
  channel: 'annex_c',
  format: 'envelope',
  expectedCheck: 'malformed',
  make: async (world) => {
    const trial = mdocTrial(world)
    return { ...trial, body: await sealAnnexC(trial, typeof hooks === 'function' ? hooks(trial) : hooks) }
  },
})

const SEALS: readonly DcApiMutation[] = [
  { ...sealed('D10', 'sealed correctly', {}), expectedCheck: 'accepted', positive: true },
  sealed('D10', 'sealed for another origin', { info: (text) => annexCTranscript(text, OTHER) }),
  sealed('D11', 'sealed for encryptionInfo with padding', { info: (text) => annexCTranscript(`${text}=`, ORIGIN) }),
  sealed('D11', 'sealed for the bytes of encryptionInfo', {
    info: (text) => encodeCbor([null, null, ['dcapi', sha256(encodeCbor([Buffer.from(text, 'base64url'), ORIGIN]))]]),
  }),
  sealed('D12', 'sealed for the BrowserHandover of an older draft', (trial) => ({
    info: () =>
      encodeCbor([null, null, ['BrowserHandover', Buffer.from(NONCE), ORIGIN, coseKey(trial.expectations.hpkeKey)]]),
  })),
  sealed('D12', 'sealed with no info', { info: () => new Uint8Array() }),
  sealed('D13', 'enc off the curve', {
    sealed: (usual) => ({ ...usual, enc: usual.enc.map((byte, at) => (at === 64 ? byte ^ 1 : byte)) }),
  }),
  sealed('D13', 'enc of 64 bytes', { sealed: (usual) => ({ ...usual, enc: usual.enc.slice(1) }) }),
  sealed('D13', 'enc compressed', {
    sealed: ({ enc, ...usual }) => ({ ...usual, enc: Uint8Array.of(2 + ((enc[64] ?? 0) % 2), ...enc.slice(1, 33)) }),
  }),
  sealed('D13', 'the tag cut', { sealed: (usual) => ({ ...usual, cipherText: usual.cipherText.slice(0, -4) }) }),
  sealed('D16', 'sealed for another verification of this origin', {
    info: () => annexCTranscript(toBase64url(encodeCbor(['dcapi', mapOf({ nonce: new Uint8Array(16) })])), ORIGIN),
  }),
  {
    ...sealed('D14', 'two documents of one docType', {}),
    format: 'vp_token',
    expectedCheck: 'query_not_satisfied',
    make: async (world) => {
      const trial = mdocTrial(world)
      const documents = [goodDocument(world, {}), goodDocument(world, {})]
      return { ...trial, body: await sealAnnexC(trial, { plaintext: encodeCbor(deviceResponse(documents)) }) }
    },
  },
]

const DEVICES: readonly DcApiMutation[] = [
  mdoc('D10', 'sealed for this origin, signed for another', 'annex_c', (world) => ({
    transcript: () => annexCTranscript(infoOf(world), OTHER),
  })),
  mdoc('D11', 'signed for encryptionInfo with padding', 'annex_c', (world) => ({
    transcript: () => annexCTranscript(`${infoOf(world)}=`, ORIGIN),
  })),
  mdoc('D12', 'signed for the handover of OpenID4VP', 'annex_c', (world) => ({
    transcript: () => dcApiTranscript(handover(world)),
  })),
  {
    ...mdoc('D22', 'a document of an untrusted issuer', 'annex_c', () => ({
      trial: (trial) => ({ ...trial, anchors: [] }),
    })),
    expectedCheck: 'issuer_trusted',
  },
  {
    ...mdoc('D22', 'a document under another authority than the requested one', 'annex_c', () => ({
      trial: (trial) => ({ ...trial, expectations: { ...trial.expectations, query: { credentials: [FOREIGN] } } }),
    })),
    expectedCheck: 'authority_requested',
  },
  mdoc('D24', 'a MAC with the key of encryptionInfo', 'annex_c', (world) => ({
    deviceAuth: (authentication, bytes, key) =>
      deviceMac(authentication, key, { key: publicJwk(world.hpkeKey), transcript: bytes }),
  })),
  mdoc('D24', 'a MAC with the key of the JWE', 'annex_c', (world) => ({
    deviceAuth: (authentication, bytes, key) =>
      deviceMac(authentication, key, { key: publicJwk(world.encryptionKey), transcript: bytes }),
  })),
]

const FOREIGN: JsonObject = { ...MDL_QUERY, trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] }

function infoOf({ channel }: World): string {
  if (channel.kind !== 'annex_c') throw new Error('bug: a world of another channel')
  return channel.encryptionInfo
}

export const DC_API_MUTATIONS: readonly DcApiMutation[] = [
  ...AUDIENCES,
  ...TRANSCRIPTS,
  ...FRAMES,
  ...SEALS,
  ...DEVICES,
]
