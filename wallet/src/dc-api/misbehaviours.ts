// Lists what the test wallet can do wrong over the Digital Credentials API, and the verdict that must follow.

import type { CborValue } from '../encoding/cbor.ts'
import { encodeCbor } from '../encoding/cbor.ts'
import type { Json } from '../encoding/json.ts'
import type { PublicJwk } from '../keys.ts'
import { generateKey, sha256, toBase64url } from '../keys.ts'
import { sessionTranscript } from '../mdoc.ts'
import type { Proof } from '../present.ts'
import { annexCTranscript, dcApiTranscript } from './transcript.ts'

/** What the wallet knows when it answers. */
export interface Situation {
  readonly origin: string
  readonly clientId: string | null
  readonly nonce: string
  /** The thumbprint of the encryption key; null if the answer is not encrypted. */
  readonly thumbprint: Uint8Array | null
  /** The `encryptionInfo` of Annex C; null for OpenID4VP. */
  readonly encryptionInfo: string | null
}

export interface Misbehaviour {
  /** The case in docs/protocol/dc-api.md. */
  readonly case: string
  readonly title: string
  readonly by: 'openid4vp' | 'org-iso-mdoc' | 'either'
  /** `refused`: the answer does not count, and the verification continues; otherwise it fails with this code. */
  readonly expected: 'refused' | 'holder_binding_invalid' | 'query_not_satisfied'
  /** The misbehaviour has an effect only with credentials of this format. */
  readonly format?: 'dc+sd-jwt' | 'mso_mdoc'
  readonly proof?: (usual: Proof, situation: Situation) => Proof
  /** `info` of HPKE. */
  readonly info?: (usual: Uint8Array, situation: Situation) => Uint8Array
  /** The encapsulated key of HPKE. */
  readonly enc?: (usual: Uint8Array) => Uint8Array
  readonly documents?: (usual: readonly CborValue[]) => readonly CborValue[]
  readonly protocol?: (usual: string) => string
  /** `data` as the platform passes it on. */
  readonly data?: (usual: Json, clear: Json) => Json
}

const BINDING = { by: 'openid4vp', expected: 'holder_binding_invalid' } as const
const SEALED = { by: 'org-iso-mdoc', expected: 'refused' } as const

const audience = (id: string, title: string, change: (situation: Situation) => string): Misbehaviour => ({
  ...BINDING,
  case: id,
  title,
  format: 'dc+sd-jwt',
  proof: (usual, situation) => ({ ...usual, audience: change(situation) }),
})

const transcript = (id: string, title: string, change: (situation: Situation) => Uint8Array): Misbehaviour => ({
  ...BINDING,
  case: id,
  title,
  format: 'mso_mdoc',
  proof: (usual, situation) => ({ ...usual, transcript: change(situation) }),
})

/** Uses a wrong transcript, both for the device's signature and for the encryption. */
const annexC = (id: string, title: string, change: (situation: Situation) => Uint8Array): Misbehaviour => ({
  ...SEALED,
  case: id,
  title,
  proof: (usual, situation) => ({ ...usual, transcript: change(situation) }),
  info: (_, situation) => change(situation),
})

const otherOrigin = (origin: string): string => `${origin}.other.example`

export const MISBEHAVIOURS = {
  aud_client_id: audience('D01', 'aud is the client id', ({ clientId }) => clientId ?? 'x509_hash:none'),
  aud_without_prefix: audience('D02', 'aud without origin:', ({ origin }) => origin),
  aud_with_slash: audience('D03', 'aud with a slash at the end', ({ origin }) => `origin:${origin}/`),
  aud_of_other_origin: audience('D04', 'aud of another origin', ({ origin }) => `origin:${otherOrigin(origin)}`),
  redirect_transcript: transcript('D05', 'the transcript of the redirect flow', (situation) =>
    sessionTranscript({ ...situation, clientId: situation.clientId ?? '', responseUri: situation.origin }),
  ),
  transcript_with_prefix: transcript('D06', 'a transcript whose origin has the prefix', (situation) =>
    dcApiTranscript({ ...situation, origin: `origin:${situation.origin}` }),
  ),
  transcript_without_thumbprint: transcript('D07', 'no thumbprint although encrypted', (situation) =>
    dcApiTranscript({ ...situation, thumbprint: null }),
  ),
  answer_in_clear: {
    case: 'D08',
    title: 'an answer in clear where encryption was asked for',
    by: 'openid4vp',
    expected: 'refused',
    data: (_, clear) => clear,
  },
  protocol_not_offered: {
    case: 'D09',
    title: 'a protocol that was not offered',
    by: 'either',
    expected: 'refused',
    protocol: () => 'openid4vp-v2-signed',
  },
  sealed_for_other_origin: annexC('D10', 'sealed for another origin', ({ encryptionInfo, origin }) =>
    annexCTranscript(encryptionInfo ?? '', otherOrigin(origin)),
  ),
  signed_for_other_origin: {
    case: 'D10',
    title: 'sealed for this origin, signed by the device for another',
    by: 'org-iso-mdoc',
    expected: 'holder_binding_invalid',
    proof: (usual, { encryptionInfo, origin }) => ({
      ...usual,
      transcript: annexCTranscript(encryptionInfo ?? '', otherOrigin(origin)),
    }),
  },
  encryption_info_padded: annexC('D11', 'encryptionInfo written with padding', ({ encryptionInfo, origin }) =>
    annexCTranscript(`${encryptionInfo}=`, origin),
  ),
  browser_handover: annexC('D12', 'the BrowserHandover of an older draft', ({ nonce, origin }) =>
    encodeCbor([null, null, ['BrowserHandover', Buffer.from(nonce), origin, sha256(Buffer.from(origin))]]),
  ),
  enc_off_curve: {
    ...SEALED,
    case: 'D13',
    title: 'enc is not a point of the curve',
    enc: (usual) => usual.map((byte, index) => (index === 64 ? byte ^ 1 : byte)),
  },
  enc_of_64_bytes: { ...SEALED, case: 'D13', title: 'enc of 64 bytes', enc: (usual) => usual.slice(1) },
  enc_of_other_key: {
    ...SEALED,
    case: 'D13',
    title: 'enc of another exchange',
    enc: () => pointOf(generateKey()),
  },
  two_of_one_type: {
    case: 'D14',
    title: 'two documents of one docType',
    by: 'org-iso-mdoc',
    expected: 'query_not_satisfied',
    documents: (usual) => [...usual, ...usual.slice(0, 1)],
  },
  other_verification: {
    ...BINDING,
    case: 'D16',
    title: 'made for another verification of the same origin',
    proof: (usual, { origin, thumbprint }) => {
      const nonce = generateKey().x
      return { ...usual, nonce, transcript: dcApiTranscript({ origin, nonce, thumbprint }) }
    },
  },
  other_annex_c_verification: annexC('D16', 'sealed for another verification of the same origin', ({ origin }) =>
    annexCTranscript(toBase64url(encodeCbor(['dcapi', generateKey().x])), origin),
  ),
  data_is_text: {
    case: 'D23',
    title: 'data that is a text',
    by: 'either',
    expected: 'refused',
    data: (usual) => JSON.stringify(usual),
  },
  data_is_array: {
    case: 'D23',
    title: 'data that is an array',
    by: 'either',
    expected: 'refused',
    data: (usual) => [usual],
  },
  data_is_bytes: {
    case: 'D23',
    title: 'data that is bytes, as an object of numbers',
    by: 'either',
    expected: 'refused',
    data: (usual) => Object.fromEntries([...Buffer.from(JSON.stringify(usual))].entries()),
  },
  device_mac: {
    case: 'D24',
    title: 'a MAC in an Annex C answer',
    by: 'org-iso-mdoc',
    expected: 'holder_binding_invalid',
    proof: (usual) => ({ ...usual, deviceAuth: 'mac' }),
  },
} as const satisfies { readonly [name: string]: Misbehaviour }

export type MisbehaviourName = keyof typeof MISBEHAVIOURS

export const MISBEHAVIOUR_NAMES = Object.keys(MISBEHAVIOURS) as readonly MisbehaviourName[]

/** Uncompressed, as HPKE sends it. */
function pointOf({ x, y }: PublicJwk): Uint8Array {
  return new Uint8Array(Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y ?? '', 'base64url')]))
}
