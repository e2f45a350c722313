// Measures what wallet metadata adds to a fetch: the engine only, without store and encryption.

import { declarationOf, negotiate, parseQuery, readWalletMetadata } from '@vidimus/engine'

export const METADATA_MICROS_MAX = 100
const WARM_UP = 2_000
const ROUNDS = 40
const BATCH = 500

/** The metadata that the EU's wallet library sends with all its features. */
const METADATA = JSON.stringify({
  issuer: 'https://self-issued.me/v2',
  authorization_endpoint: 'eudi-openid4vp:',
  response_types_supported: ['vp_token'],
  response_modes_supported: ['direct_post', 'direct_post.jwt'],
  vp_formats_supported: {
    mso_mdoc: { issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] },
    'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'ES384'], 'kb-jwt_alg_values': ['ES256'] },
  },
  client_id_prefixes_supported: ['x509_hash', 'x509_san_dns', 'redirect_uri'],
  request_object_signing_alg_values_supported: ['ES256', 'ES384', 'ES512'],
  request_object_encryption_alg_values_supported: ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'],
  request_object_encryption_enc_values_supported: ['A128GCM', 'A256GCM', 'A128CBC-HS256'],
  jwks: { keys: [{ kty: 'EC', crv: 'P-256', use: 'enc', x: 'A'.repeat(43), y: 'A'.repeat(43) }] },
})
const QUERY = parseQuery({
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['birthdate'] }] },
    { id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: 'a' }, claims: [{ path: ['a', 'birth_date'] }] },
    { id: 'age', format: 'mso_mdoc', meta: { doctype_value: 'b' }, claims: [{ path: ['b', 'age_over_18'] }] },
  ],
  credential_sets: [{ options: [['age'], ['mdl'], ['pid']] }],
})
/** The query of a fetch: any of three documents answers it. */
export const PROPOSAL = {
  query: QUERY,
  signingAlgorithm: 'ES256',
  responseMode: 'direct_post.jwt',
  prefixes: ['x509_hash', 'x509_san_dns'],
  needed: new Set<string>(),
} as const

function work(): void {
  const metadata = readWalletMetadata(METADATA)
  if (negotiate(metadata, PROPOSAL).outcome !== 'fits') throw new Error('a wallet with valid metadata was refused')
  declarationOf(metadata)
}

/** Microseconds of CPU for one fetch, in the median batch. */
export function benchMetadata(): number {
  for (let at = 0; at < WARM_UP; at += 1) work()
  const times = Array.from({ length: ROUNDS }, () => {
    const began = process.cpuUsage()
    for (let at = 0; at < BATCH; at += 1) work()
    const { user, system } = process.cpuUsage(began)
    return (user + system) / BATCH
  })
  return times.sort((a, b) => a - b)[ROUNDS / 2] ?? Number.NaN
}

if (import.meta.main) console.log(`${benchMetadata().toFixed(1)} us of CPU`)
