// Lists a wallet's stated abilities for the merchant: registered names only. Other values are counted, but not repeated.

import { algorithmListed } from '../algorithms.ts'
import { FORMAT_NAMES } from '../formats/table.ts'
import { isJsonObject, member } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { CONTENT_ENCRYPTIONS_WRITTEN, CURVES_WRITTEN, KEY_AGREEMENTS } from './jwe-writing.ts'
import { listOf } from './wallet-metadata.ts'

/** A list in the metadata. Lists that the wallet did not send are omitted. */
export interface DeclaredList {
  /** `vp_formats_supported` for the list of formats. For the algorithms of a format, a dot and the format follow. */
  readonly member: string
  /** Without duplicates, in the wallet's order. Algorithms by their JOSE names, keys by their curves. */
  readonly values: readonly string[]
  /** How many values are not registered. */
  readonly others: number
}

const FORMATS_MEMBER = 'vp_formats_supported'
const FORMATS = [...FORMAT_NAMES, 'jwt_vc_json', 'ldp_vc', 'vc+sd-jwt', 'zk-jwt']
const CURVES = [...CURVES_WRITTEN, 'X448', 'Ed25519', 'secp256k1']
const KEY_ALGORITHMS = [...KEY_AGREEMENTS, 'ECDH-ES+A192KW', 'RSA-OAEP', 'RSA-OAEP-256']
const ENCRYPTIONS = [...CONTENT_ENCRYPTIONS_WRITTEN, 'A192GCM', 'A192CBC-HS384']
const PREFIXES = ['x509_hash', 'x509_san_dns', 'redirect_uri', 'verifier_attestation', 'decentralized_identifier']

type NameOf = (value: Json) => string | null

const oneOf =
  (known: readonly string[]): NameOf =>
  (value) =>
    known.find((name) => name === value) ?? null

const LISTS: Readonly<Record<string, NameOf>> = {
  client_id_prefixes_supported: oneOf([...PREFIXES, 'openid_federation', 'pre-registered']),
  request_object_signing_alg_values_supported: algorithmListed,
  response_types_supported: oneOf(['vp_token', 'vp_token id_token', 'id_token', 'code']),
  response_modes_supported: oneOf(['direct_post', 'direct_post.jwt', 'fragment', 'query', 'form_post']),
  request_object_encryption_alg_values_supported: oneOf(KEY_ALGORITHMS),
  request_object_encryption_enc_values_supported: oneOf(ENCRYPTIONS),
  authorization_encryption_alg_values_supported: oneOf(KEY_ALGORITHMS),
  authorization_encryption_enc_values_supported: oneOf(ENCRYPTIONS),
}

export function declarationOf(metadata: JsonObject): readonly DeclaredList[] {
  const formats = member(metadata, FORMATS_MEMBER)
  const jwks = member(metadata, 'jwks')
  const keys = isJsonObject(jwks) ? listOf(jwks, 'keys') : null
  return [
    ...(isJsonObject(formats) ? formatLists(formats) : []),
    ...Object.entries(LISTS).flatMap(([name, nameOf]) => {
      const values = listOf(metadata, name)
      return values === null ? [] : [listed(name, values, nameOf)]
    }),
    ...(keys === null
      ? []
      : [listed('jwks', keys, (key) => (isJsonObject(key) ? oneOf(CURVES)(key.crv ?? null) : null))]),
  ]
}

/** Omits a format whose value is not an object, which some libraries write. */
function formatLists(formats: JsonObject): readonly DeclaredList[] {
  const names = Object.keys(formats).filter((name) => isJsonObject(formats[name]))
  const all = listed(FORMATS_MEMBER, names, oneOf(FORMATS))
  const algorithms = all.values.flatMap((name) => {
    const lists = Object.values(formats[name] as JsonObject).filter(Array.isArray)
    return lists.length === 0 ? [] : [listed(`${FORMATS_MEMBER}.${name}`, lists.flat(), algorithmListed)]
  })
  return [all, ...algorithms]
}

function listed(name: string, values: readonly Json[], nameOf: NameOf): DeclaredList {
  const names = values.map(nameOf)
  const known = names.filter((one) => one !== null)
  return { member: name, values: [...new Set(known)], others: names.length - known.length }
}
