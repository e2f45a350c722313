// Defines why a wallet refuses a request. Every rule has its own name, so that a verifier's author sees which one was broken.

export const REQUEST_FAULTS = [
  // the link
  'wallet_uri_invalid',
  'client_id_missing',
  'request_uri_missing',
  'request_uri_insecure',
  'request_uri_method_invalid',
  'outer_parameter_unexpected',
  'parameter_repeated',
  // the request object over HTTP
  'request_unavailable',
  'request_content_type_invalid',
  // its signature
  'request_not_a_jws',
  'typ_invalid',
  'alg_not_allowed',
  'crit_not_understood',
  'x5c_missing',
  'x5c_invalid',
  'x5c_contains_anchor',
  'leaf_self_signed',
  'chain_broken',
  'certificate_not_valid_now',
  'certificate_untrusted',
  'signature_invalid',
  // who asks
  'client_id_mismatch',
  'client_id_prefix_unsupported',
  'x509_hash_mismatch',
  'san_dns_mismatch',
  'response_uri_foreign',
  // the query
  'aud_invalid',
  'response_type_invalid',
  'response_mode_invalid',
  'response_uri_invalid',
  'redirect_uri_present',
  'nonce_missing',
  'nonce_invalid',
  'nonce_too_short',
  'state_invalid',
  'wallet_nonce_not_echoed',
  'wallet_nonce_unexpected',
  'request_expired',
  'request_issued_in_future',
  'parameter_forbidden',
  'transaction_data_invalid',
  'dcql_query_missing',
  'dcql_query_invalid',
  // how to answer
  'client_metadata_missing',
  'vp_formats_missing',
  'vp_formats_invalid',
  'encryption_key_missing',
  'encryption_key_invalid',
  'encryption_enc_unsupported',
] as const

/** Further codes of requests through the Digital Credentials API. */
export const DC_API_FAULTS = [
  // the offer
  'offer_invalid',
  'protocol_unsupported',
  // OpenID4VP
  'expected_origins_missing',
  'origin_unexpected',
  'multisigned_invalid',
  // ISO 18013-7 Annex C
  'encryption_info_invalid',
  'device_request_invalid',
  'reader_auth_missing',
  'reader_auth_invalid',
  'reader_certificate_invalid',
] as const

export type RequestFault = (typeof REQUEST_FAULTS)[number] | (typeof DC_API_FAULTS)[number]

export class RequestRefused extends Error {
  readonly fault: RequestFault
  constructor(fault: RequestFault, detail: string) {
    super(`${fault}: ${detail}`)
    this.name = 'RequestRefused'
    this.fault = fault
  }
}

/** The credentials at hand cannot answer the query: a conformant wallet then returns none of them. */
export class NoMatchingCredential extends Error {
  constructor() {
    super('no credential at hand answers the query')
    this.name = 'NoMatchingCredential'
  }
}

export function demand(condition: boolean, fault: RequestFault, detail: string): asserts condition {
  if (!condition) throw new RequestRefused(fault, detail)
}
