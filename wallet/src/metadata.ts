// Checks client_metadata of a request (OpenID4VP 5.1, 8.3): accepted formats, and the encryption to the verifier.

import { isObject, member } from './encoding/json.ts'
import type { PublicJwk } from './keys.ts'
import { demand } from './refusal.ts'

export interface ResponseEncryption {
  readonly key: PublicJwk
  readonly kid: string
  readonly enc: ContentEncryption
}

export type ContentEncryption = 'A128GCM' | 'A256GCM'

interface MetadataRules {
  readonly mode: 'direct_post' | 'direct_post.jwt' | 'dc_api' | 'dc_api.jwt'
  /** The wallet uses this encryption if the verifier offers it. */
  readonly preferredEnc: ContentEncryption
}

/** The encryption to use; null for the unencrypted modes. */
export function checkClientMetadata(metadata: unknown, rules: MetadataRules): ResponseEncryption | null {
  demand(isObject(metadata), 'client_metadata_missing', 'it names the formats and the key')
  checkFormats(member(metadata, 'vp_formats_supported'))
  return rules.mode === 'direct_post' || rules.mode === 'dc_api' ? null : chooseEncryption(metadata, rules.preferredEnc)
}

const ALGORITHM_MEMBERS = {
  'dc+sd-jwt': { names: ['sd-jwt_alg_values', 'kb-jwt_alg_values'], type: 'string' },
  mso_mdoc: { names: ['issuerauth_alg_values', 'deviceauth_alg_values'], type: 'number' },
} as const

function checkFormats(formats: unknown): void {
  demand(isObject(formats) && Object.keys(formats).length > 0, 'vp_formats_missing', 'OpenID4VP 5.1')
  for (const [format, rule] of Object.entries(ALGORITHM_MEMBERS)) {
    for (const name of rule.names) {
      const values = member(member(formats, format), name)
      if (values === undefined) continue
      // OpenID4VP B.2.2, B.3.4: JOSE names are strings, COSE algorithms integers; never an empty array.
      const isSound = Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === rule.type)
      demand(isSound, 'vp_formats_invalid', `${format} ${name}`)
    }
  }
}

function chooseEncryption(metadata: unknown, preferred: ContentEncryption): ResponseEncryption {
  const keys = member(member(metadata, 'jwks'), 'keys')
  demand(Array.isArray(keys) && keys.length > 0, 'encryption_key_missing', 'client_metadata.jwks')
  const kids = keys.map((key) => member(key, 'kid'))
  for (const key of keys) {
    // OpenID4VP 8.3 and 5.1: every key names its algorithm and its id, and ids are unique.
    demand(typeof member(key, 'alg') === 'string', 'encryption_key_invalid', 'alg is missing')
    demand(typeof member(key, 'kid') === 'string', 'encryption_key_invalid', 'kid is missing')
    demand(member(key, 'd') === undefined, 'encryption_key_invalid', 'a private key was published')
  }
  demand(new Set(kids).size === kids.length, 'encryption_key_invalid', 'kid is not unique')
  const usable = keys.find(
    (key) => member(key, 'alg') === 'ECDH-ES' && member(key, 'crv') === 'P-256' && isForEncryption(key),
  )
  const { x, y, kid } = isObject(usable) ? usable : {}
  demand(
    typeof x === 'string' && typeof y === 'string' && typeof kid === 'string',
    'encryption_key_invalid',
    'no P-256 key for ECDH-ES',
  )
  return {
    key: { kty: 'EC', crv: 'P-256', x, y },
    kid,
    enc: chooseEnc(member(metadata, 'encrypted_response_enc_values_supported'), preferred),
  }
}

function isForEncryption(key: unknown): boolean {
  const use = member(key, 'use')
  return use === undefined || use === 'enc'
}

function chooseEnc(offered: unknown, preferred: ContentEncryption): ContentEncryption {
  // OpenID4VP 5.1: the default is A128GCM.
  const values: unknown = offered === undefined ? ['A128GCM'] : offered
  demand(Array.isArray(values), 'encryption_enc_unsupported', 'an array is expected')
  const enc = ([preferred, 'A256GCM', 'A128GCM'] as const).find((known) => values.includes(known))
  demand(enc !== undefined, 'encryption_enc_unsupported', 'neither A128GCM nor A256GCM')
  return enc
}
