// An example of every body, without real people. A test validates each against its schema.

const ID = 'ver_OcAFufqmAe309UV8DM3SPAXHfq0Qk9uw'
const CREATED = '2027-06-15T12:00:00.000000Z'
const RESPONDED = '2027-06-15T12:00:41.503112Z'
const JWS = 'eyJhbGciOiJFUzI1NiJ9.eyJpZCI6Ii4uLiJ9.c2lnbmF0dXJl'
const ISSUER = 'https://verify.example.com/oidc/ten_PGV4lYHoh0MjRKox/test'

const PENDING = {
  id: ID,
  status: 'pending',
  template: 'age_over_18',
  wallet_uri: `openid4vp://?client_id=x509_hash%3AE6HZ3L77bUr-Qg-F8z_-4pXhstXQMJvne2uIlo40V9s&request_uri=https%3A%2F%2Fverify.example.com%2Fwallet%2Frequest%2F${ID}&request_uri_method=post`,
  request_uri: `https://verify.example.com/wallet/request/${ID}`,
  metadata: { order: '4711' },
  purpose: 'To sell you wine',
  created_at: CREATED,
  expires_at: '2027-06-15T12:05:00.000000Z',
}

export const VERIFICATION_EXAMPLE = {
  id: ID,
  status: 'completed',
  template: 'age_over_18',
  claims: { age_over_18: true },
  credentials: [
    {
      format: 'dc+sd-jwt',
      doctype_or_vct: 'urn:eudi:pid:1',
      claims: { age_equal_or_over: { '18': true } },
      issuer: { common_name: 'Example issuer', country: 'DE' },
      trusted: true,
      signature_valid: true,
      holder_binding_valid: true,
      findings: [],
    },
  ],
  metadata: { order: '4711' },
  created_at: CREATED,
  expires_at: '2027-06-15T12:05:00.000000Z',
  responded_at: RESPONDED,
}

const DEVICE = {
  id: '6f1f3a9e-5a0e-4a9b-9a44-0d7f5f6f2f10',
  name: 'Till 1',
  status: 'pending',
  allowed_templates: ['age_over_18'],
  created_at: CREATED,
  pairing_expires_at: '2027-06-15T12:15:00.000000Z',
}

const LINK = {
  id: 'lnk_4q7Jc1bD0mXw9Zs2Kf8Lh3Tn',
  state: 'open',
  template: 'age_over_18',
  metadata: { order: '4711' },
  starts_at: CREATED,
  ends_at: '2027-07-15T12:00:00.000000Z',
  uses: 3,
  opened: 0,
  completed: 0,
  created_at: CREATED,
}

/** Request bodies, by operation. */
export const REQUEST_EXAMPLES: Readonly<Record<string, unknown>> = {
  createVerification: {
    template: 'age_over_18',
    purpose: 'To sell you wine',
    metadata: { order: '4711' },
    ttl_seconds: 300,
  },
  createLink: { template: 'age_over_18', metadata: { order: '4711' }, ends_at: '2027-07-15T12:00:00Z', uses: 3 },
  redeemResponseCode: { response_code: 'vrc_4q7Jc1bD0mXw9Zs2Kf8Lh3Tn' },
  registerDevice: { name: 'Till 1', allowed_templates: ['age_over_18'], pairing_ttl_seconds: 900 },
  enrollDevice: { pairing_code: 'VD-7K2M-9QXR' },
  rotateDeviceToken: { refresh_token: 'vdr_4q7Jc1bD0mXw9Zs2Kf8Lh3TnAa' },
  createUniversalRequest: { query_id: 'age_over_18', correlation_id: 'order-4711' },
  postRequestObject: { wallet_nonce: 'qPmxiNFCR3QTm19POc8u' },
  postWalletResponse: { response: 'eyJhbGciOiJFQ0RILUVTIn0..aXY.Y2lwaGVydGV4dA.dGFn' },
  postDigitalCredential: {
    protocol: 'openid4vp-v1-signed',
    data: { response: 'eyJhbGciOiJFQ0RILUVTIn0..aXY.Y2lwaGVydGV4dA.dGFn' },
  },
  redeemCode: {
    grant_type: 'authorization_code',
    code: 'Z2l2ZW4gb25jZQ',
    redirect_uri: 'https://shop.example.com/callback',
    code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  },
  pushAuthorizationRequest: {
    response_type: 'code',
    scope: 'openid profile',
    redirect_uri: 'https://shop.example.com/callback',
    state: 'af0ifjsldkj',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  },
}

/** Responses, by schema name. */
export const ANSWER_EXAMPLES: Readonly<Record<string, unknown>> = {
  Verification: VERIFICATION_EXAMPLE,
  VerificationList: { data: [VERIFICATION_EXAMPLE] },
  VerificationStatus: { id: ID, status: 'pending' },
  VerificationVerdict: { id: ID, status: 'completed', verdict: 'yes' },
  VerificationTransaction: { id: ID, status: 'completed', transaction: [] },
  VerificationDiagnostics: {
    id: ID,
    status: 'failed',
    channel: 'redirect',
    binding: null,
    requests: [
      {
        at: CREATED,
        client_id: 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk',
        request_sha256: 'pzDM5-TVpTbDGWaAL4BNtjqNgd4xM92bvZbdkTwjGhU',
        left_out: ['pid_mdoc'],
        encrypted_to: null,
        missing: [],
        declared: [
          { member: 'vp_formats_supported', values: ['dc+sd-jwt'], others: 0 },
          { member: 'vp_formats_supported.dc+sd-jwt', values: ['ES256'], others: 0 },
        ],
      },
    ],
    credentials: [
      {
        query: 'pid',
        format: 'dc+sd-jwt',
        checks: [
          { check: 'well_formed', outcome: 'passed' },
          { check: 'issuer_trusted', outcome: 'failed' },
          { check: 'not_revoked', outcome: 'not_checked' },
        ],
      },
    ],
  },
  ErasureResult: {
    id: ID,
    deleted: { verification_sessions: 1, verification_results: 1, webhook_deliveries: 1 },
    erased_at: RESPONDED,
  },
  EvidenceDelivery: {
    id: ID,
    evidence: 'eyJhbGciOiJFQ0RILUVTIn0..aXY.Y2lwaGVydGV4dA.dGFn',
    receipt: JWS,
    receipt_proof: null,
  },
  Link: LINK,
  CreatedLink: { ...LINK, url: 'https://verify.example.com/l/4q7Jc1bD0mXw9Zs2Kf8Lh3Tn4q7Jc1bD0mXw9Zs2Kf8' },
  LinkList: { data: [{ ...LINK, opened: 2, completed: 1 }] },
  Device: DEVICE,
  RegisteredDevice: { device: DEVICE, pairing_code: 'VD-7K2M-9QXR' },
  DeviceList: { data: [DEVICE] },
  DeviceTokenPair: {
    access_token: 'vd_4q7Jc1bD0mXw9Zs2Kf8Lh3Tn',
    refresh_token: 'vdr_4q7Jc1bD0mXw9Zs2Kf8Lh3Tn',
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_expires_in: 2_592_000,
    device: { ...DEVICE, status: 'active', enrolled_at: RESPONDED },
  },
  TemplateList: { environment: 'test', data: [{ key: 'age_over_18', title: '18 or older' }] },
  Usage: {
    day: '2027-06-15',
    verifications_created: 12,
    daily_quota: 100,
    remaining: 88,
    recent: [{ day: '2027-06-15', verifications_created: 12 }],
  },
  UniversalRequestMade: {
    correlation_id: 'order-4711',
    query_id: 'age_over_18',
    request_uri: PENDING.wallet_uri,
    status_uri: 'https://verify.example.com/oid4vp/backend/auth/requests/order-4711',
  },
  UniversalRequestStatus: {
    status: 'authorization_request_created',
    correlation_id: 'order-4711',
    query_id: 'age_over_18',
    last_updated: 1_813_060_800_000,
  },
  ReceiptKeys: {
    keys: [{ kty: 'EC', crv: 'P-256', x: 'f83OJ3D2…', y: 'x_FEzRu9…', kid: 'NzbLsXh8…', use: 'sig', alg: 'ES256' }],
  },
  WalletReply: { redirect_uri: 'https://shop.example.com/done#response_code=vrc_4q7Jc1bD0mXw9Zs2Kf8Lh3Tn' },
  DigitalCredentialOffer: { requests: [{ protocol: 'openid4vp-v1-signed', data: { request: JWS } }] },
  OidcDiscovery: { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks`, token_endpoint: `${ISSUER}/token` },
  OidcKeys: { keys: [{ kty: 'EC', kid: 'NzbLsXh8…', crv: 'P-256', x: 'f83OJ3D2…', y: 'x_FEzRu9…' }] },
  OidcPushed: { request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c', expires_in: 90 },
  OidcTokens: { access_token: 'b25lIGhvdXI', token_type: 'Bearer', expires_in: 3600, id_token: JWS },
  OidcError: { error: 'invalid_grant' },
  OidcUserinfo: { sub: '4q7Jc1bD0mXw9Zs2Kf8Lh3Tn', age_over_18: true },
}

/** Responses without a named schema, and operations for which the schema's example would mislead. */
export const EXAMPLES_OF_OPERATIONS: Readonly<Record<string, unknown>> = {
  createVerification: PENDING,
  getReceipt: JWS,
  getCertificate: '%PDF-1.7\n…',
  getReceiptProof: 'c2sp.org/tlog-proof@v1\nindex 4711\n…',
  getLogCheckpoint: 'verify.example.com/log\n4712\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n…',
  getLogKey: 'verify.example.com/log+8f1a2b3c+AbCd…',
  getRequestObject: JWS,
  postRequestObject: JWS,
}
