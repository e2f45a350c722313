// Written by "node tools/generate-dashboard-types.ts" from the schemas of the dashboard's routes. Read it; change the routes.

export type AnswerChannel = 'age_link' | 'annex_c' | 'dc_api' | 'redirect'

export interface ApiKey {
  id: string
  tenant_id: string
  environment: Environment
  name: string
  prefix: string
  scopes: Scope[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

export interface AuditEntry {
  seq: number
  at: string
  action: string
  actor: {
    type: string
    id: string
    name: string | null
  }
  object: {
    type: string
    id: string
    name: string | null
  }
  details: Record<string, unknown> | null
}

export interface AuditPage {
  data: AuditEntry[]
  next: number | null
  guard: {
    /** The head is as the service wrote it */
    sealed: boolean
    /** There should be a checkpoint, and there is none */
    checkpoint_missing: boolean
  }
}

export type AuditVerdict = {
  outcome: 'whole'
  entries: number
  details_erased: number
  checkpoints: number
  head: string
  log?: {
    /** Up to this entry the public log has the chain */
    seq: number
    index: number
    size: number
    origin: string
    cosigned: {
      witness: string
      at: number
    }[]
  }
} | {
  outcome: 'tampered'
  seq: number
  problem: string
  checkpoints: number
  log?: {
    /** Up to this entry the public log has the chain */
    seq: number
    index: number
    size: number
    origin: string
    cosigned: {
      witness: string
      at: number
    }[]
  }
} | {
  outcome: 'incomplete'
  seq: number
  problem: string
  checkpoints: number
  log?: {
    /** Up to this entry the public log has the chain */
    seq: number
    index: number
    size: number
    origin: string
    cosigned: {
      witness: string
      at: number
    }[]
  }
} | {
  outcome: 'untrusted'
  problem: string
}

export interface Branding {
  name: string | null
  colour: string | null
  support_url: string | null
  privacy_url: string | null
  logo: string | null
}

export type BrandingChange = {
  outcome: 'changed'
  branding: Branding
} | {
  outcome: 'refused'
  problem: 'name' | 'colour' | 'support_url' | 'privacy_url' | 'logo_too_large' | 'logo_not_a_picture' | 'logo_forbidden'
  what: string | null
}

export type BrandingPreview = {
  outcome: 'shown'
  html: string
} | {
  outcome: 'refused'
  problem: 'name' | 'colour' | 'support_url' | 'privacy_url' | 'logo_too_large' | 'logo_not_a_picture' | 'logo_forbidden'
  what: string | null
}

export type CertificateRequested = {
  outcome: 'requested'
  csr: string
} | {
  outcome: 'refused'
  code: 'no_tenant' | 'by_operator_in_live' | 'registrations_by_operator' | 'one_certificate' | 'too_many_anchors' | 'types_missing' | 'types_mixed' | 'key_mixed' | 'sole_type' | 'pinned_in_test_only' | 'not_an_authority' | 'anchor_unfit' | 'address' | 'signer_certificate' | 'too_many_lists' | 'list_not_fetched' | 'list_too_long' | 'list_signer_revoked' | 'list_older' | 'list_unfit' | 'list_providers' | 'list_mismatch' | 'list_names_nobody' | 'too_many_waiting' | 'not_waiting' | 'service' | 'identity_missing' | 'country' | 'email' | 'apple_name' | 'apple_subject' | 'no_certificates' | 'no_private_key' | 'no_key_waits' | 'certificate_unfit' | 'installed_meanwhile'
  problem: string
}

export interface CreatedKey {
  id: string
  tenant_id: string
  environment: Environment
  name: string
  prefix: string
  scopes: Scope[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  /** Shown only here */
  key: string
}

export interface CredentialResult {
  format: 'dc+sd-jwt' | 'mso_mdoc' | 'mso_mdoc_zk'
  doctype_or_vct: string
  claims: Record<string, unknown>
  issuer: {
    common_name?: string
    country?: string
  }
  trusted: boolean
  signature_valid: boolean
  holder_binding_valid: boolean
  /** Only what did not pass */
  findings: {
    check: string
    status: 'pass' | 'fail' | 'warning' | 'skipped'
    detail?: string
  }[]
}

export interface Delivery {
  id: string
  verification_id: string | null
  /** The event it tells; a newer release may know more of them */
  type: string
  state: 'pending' | 'delivered' | 'failed' | 'held'
  created_at: string
  next_at: string | null
  attempts: {
    trigger: 'schedule' | 'manual'
    started_at: string
    finished_at: string | null
    outcome: string | null
    http_status: number | null
    took_ms: number | null
    url: string | null
  }[]
}

export interface DeliveryDetail {
  id: string
  verification_id: string | null
  /** The event it tells; a newer release may know more of them */
  type: string
  state: 'pending' | 'delivered' | 'failed' | 'held'
  created_at: string
  next_at: string | null
  /** Whether the reader may see bodies */
  shows_content: boolean
  attempts: {
    trigger: 'schedule' | 'manual'
    started_at: string
    finished_at: string | null
    outcome: string | null
    http_status: number | null
    took_ms: number | null
    request: WebhookRequest | null
    answer: WebhookAnswer | null
  }[]
}

export interface Device {
  id: string
  /** Shown in the audit trail as the actor */
  name: string
  status: 'pending' | 'active' | 'revoked'
  /** The only templates this device may create verifications with */
  allowed_templates: string[]
  created_at: string
  /** When the unused pairing code stops working */
  pairing_expires_at?: string
  enrolled_at?: string
  /** To the minute */
  last_seen_at?: string
  revoked_at?: string
  revoked_reason: 'merchant' | 'refresh_reuse' | null
}

export type Environment = 'test' | 'live'

export interface ErasureResult {
  /** The erased verification */
  id: string
  /** Rows hard-deleted, by table */
  deleted: {
    verification_sessions: number
    verification_results: number
    webhook_deliveries: number
  }
  erased_at: string
}

export interface Figures {
  from: string
  to: string
  step_seconds: number
  bars: {
    completed: number
    failed: number
    expired: number
  }[]
  total: {
    completed: number
    failed: number
    expired: number
  }
  before: {
    completed: number
    failed: number
    expired: number
  }
  answer_ms: {
    median: number
    p90: number
  } | null
  reasons: {
    code: string
    count: number
  }[]
  templates: {
    template: string | null
    completed: number
    failed: number
    expired: number
  }[]
  channels: {
    channel: string
    completed: number
    failed: number
    expired: number
  }[]
  devices: {
    id: string
    name: string | null
    completed: number
    failed: number
    expired: number
  }[]
  keys: {
    by: 'api_key' | 'staff' | 'openid'
    id: string | null
    name: string | null
    completed: number
    failed: number
    expired: number
  }[]
}

export interface GoingLive {
  steps: GoingLiveStep[]
  mandate: {
    kind: MandateKind
    sha256: string
    dated: string
    recorded_at: string
    checked_at: string | null
  } | null
  mandate_kinds: MandateKind[]
  /** Whether owners add issuers here */
  own_issuers: boolean
  requests: OperatorRequest[]
}

export type GoingLiveReason = 'missing' | 'operator_unknown' | 'unchecked' | 'not_good' | 'over_asking' | 'generated' | 'not_own' | 'ended' | 'outdated' | 'failing'

export interface GoingLiveStep {
  name: 'identity' | 'mandate' | 'registration' | 'access_certificate' | 'trusted_lists' | 'live_key' | 'webhook'
  state: 'done' | 'open' | 'not_needed'
  reasons: GoingLiveReason[]
  request: OperatorRequestKind | null
}

export type IdentityChange = {
  outcome: 'changed'
  identity: RegisteredIdentity
} | {
  outcome: 'refused'
  problems: RegistrationProblem[]
}

export interface Invitation {
  /** Shown only here */
  url: string
  email: string
  expires_at: string
}

export interface LogState {
  origin: string | null
  size: number
  signed_at: string | null
  /** Nothing is signed any more: the operator knows why */
  halted: boolean
  /** As verifiers of signed notes take it */
  key: string
  witnesses: {
    name: string
    key: string
    state: 'cosigned' | 'unreachable' | 'refused' | 'ahead' | 'forked' | 'not_asked'
    size: number | null
    asked_at: string | null
    cosigned_at: string | null
  }[]
}

export type MandateKind = 'contract' | 'power_of_attorney' | 'order' | 'other'

export interface Me {
  id: string
  email: string
  signed_in_with: 'password' | 'passkey' | 'link' | 'oidc'
  fresh_until: string | null
  has_password: boolean
  /** Bound to somebody at the provider that is configured */
  has_oidc: boolean
  tenants: {
    id: string
    name: string
    role: Role
  }[]
  passkeys: {
    id: string
    name: string
    created_at: string
    last_used_at: string | null
  }[]
  service: {
    base_url: string
    sandbox: boolean
    haip: boolean
    oidc: string | null
  }
  terms: Terms
}

export interface OidcClient {
  id: string
  name: string
  auth_method: 'client_secret' | 'private_key_jwt' | 'none'
  redirect_uris: string[]
  templates: string[]
  default_template: string | null
  subject_mode: 'ephemeral' | 'claim' | 'derived'
  subject_claims: string[]
  require_true: boolean
  vp_data: boolean
  verified_claims: boolean
  id_token_alg: 'ES256' | 'RS256'
  remember_minutes: number
  cross_device: 'confirm' | 'off' | 'unconfirmed'
  jwks: string | null
  created_at: string
}

export type OidcClientChange = {
  outcome: 'done'
  client: OidcClient
  secret: string | null
} | {
  outcome: 'refused'
  problem: 'redirect_uri_malformed' | 'redirect_uri_not_https' | 'redirect_uri_count' | 'template_unknown' | 'template_count' | 'default_not_allowed' | 'subject_claims' | 'unconfirmed_in_live' | 'jwks' | 'too_many' | 'no_tenant'
}

export interface OidcClients {
  issuer: string
  data: OidcClient[]
}

export type OperatorAsking = {
  outcome: 'asked'
  request: OperatorRequest
} | {
  outcome: 'refused'
  problems: RegistrationProblem[]
}

export interface OperatorRequest {
  id: string
  kind: OperatorRequestKind
  wanted: {
    identifier?: string
    trade_name?: string
    registry_uri?: string | null
    sha256?: string
    dated?: string
  }
  state: 'open' | 'done' | 'declined'
  made_at: string
  answered_at: string | null
  answer: string | null
}

export type OperatorRequestKind = 'identity' | 'registration_provider' | 'access_certificate' | 'trusted_list' | 'mandate'

export interface Origin {
  id: string
  origin: string
  kind: 'web' | 'local' | 'app'
  proven_at: string | null
  proof: {
    url: string
    /** What the host must show there */
    line: string
  } | null
}

export type OriginAddition = {
  outcome: 'added'
  origin: Origin
} | {
  outcome: 'refused'
  problem: 'not_an_origin' | 'not_https' | 'local_in_test_only' | 'app_by_operator' | 'there_already' | 'too_many' | 'no_tenant'
}

export type OriginProof = 'proven' | 'not_shown' | 'not_reached' | 'too_soon'

export interface Overview {
  steps: {
    key: boolean
    verification: boolean
    completed: boolean
    webhook: boolean
    device: boolean
  }
  waiting: number
  usage: {
    day: string
    verifications_created: number
    daily_quota: number
    remaining: number
    recent: {
      day: string
      verifications_created: number
    }[]
  }
  failing_destinations: number
  deliveries: {
    delivered: number
    waiting: number
    failed: number
  }
}

export interface PasskeyCreation {
  rp: {
    name: string
    id?: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  challenge: string
  pubKeyCredParams: {
    alg: number
    type: 'public-key'
  }[]
  timeout?: number
  attestation?: 'none' | 'indirect' | 'direct' | 'enterprise'
  excludeCredentials?: {
    id: string
    type: string
  }[]
  authenticatorSelection?: {
    residentKey?: 'required' | 'preferred' | 'discouraged'
    requireResidentKey?: boolean
    userVerification?: 'required' | 'preferred' | 'discouraged'
  }
  extensions?: {
    credProps?: boolean
  }
  hints?: ('hybrid' | 'security-key' | 'client-device')[]
}

export interface PasskeyRequest {
  rpId?: string
  challenge: string
  timeout?: number
  userVerification?: 'required' | 'preferred' | 'discouraged'
}

export type Preview = {
  outcome: 'sound'
  question: Question
  concerns: RegistrationConcern[]
  over_asking: {
    /** The id of the credential query */
    credential: string
    claim: string | null
    covered_by: string[]
  }[]
  intended_use: string | null
  html: string | null
} | {
  outcome: 'invalid'
  /** Of what is wrong, in the document */
  path: string
  code: TemplateProblem
  /** For the sentence */
  value: string
}

export interface Question {
  credentials: {
    id: string
    format: string
    types: string[]
    claims: string[]
    /** One of the claims is enough */
    alternatives: boolean
    /** The whole credential is asked for */
    everything: boolean
  }[]
  /** The holder may choose among several credentials */
  choice: boolean
  warnings: ('whole_credential' | 'unused_claims' | 'birth_date_for_age' | 'many_claims' | 'portrait')[]
}

export interface ReceiptFiles {
  /** JWS */
  receipt: string
  proof: string | null
}

export interface RegisteredDevice {
  device: Device
  pairing_code: string
}

export interface RegisteredIdentity {
  identifier: string
  trade_name: string
  registry_uri: string | null
  /** Of the operator: it acts for others */
  is_intermediary: boolean
  changed_at: string
}

export type RegistrationAddition = {
  outcome: 'added'
  certificate: RegistrationCertificate
  warnings: RegistrationProblem[]
} | {
  outcome: 'refused'
  problems: RegistrationProblem[]
}

export interface RegistrationCertificate {
  id: string
  environment: Environment
  intended_use: string
  subject: string
  service_name: string
  service_id: string | null
  intermediary: string | null
  purposes: {
    lang: string
    text: string
  }[]
  privacy_policy: string | null
  credentials: {
    format: string
    types: string[]
    paths: (string | number | null)[][]
  }[]
  sha256: string
  issued_at: string
  expires_at: string | null
  days_left: number | null
  ending: 'ended' | 30 | 7 | 1 | null
  /** A trusted provider signed it */
  verified: boolean
  status: 'none' | 'valid' | 'revoked' | 'suspended' | 'invalid' | 'unknown'
  checked_at: string
  /** Why live does not use it */
  faults: RegistrationProblem[]
  /** What the registrar should have done otherwise */
  remarks: RegistrationProblem[]
}

export interface RegistrationConcern {
  code: 'not_registered' | 'over_asking'
  reason: RegistrationProblem
  intended_use: string | null
}

export interface RegistrationProblem {
  code: RegistrationProblemCode
  values: string[]
}

export type RegistrationProblemCode = 'identity_unknown' | 'about_another' | 'intermediary_missing' | 'operator_unknown' | 'other_intermediary' | 'unverified' | 'issued_in_future' | 'expired' | 'revoked' | 'suspended' | 'invalid' | 'endless' | 'long_lived' | 'no_certificate' | 'use_missing' | 'use_other' | 'use_form' | 'no_tenant' | 'too_many_removed' | 'too_many' | 'too_many_claims' | 'there_already' | 'use_unclear' | 'use_unknown' | 'beyond' | 'not_comparable' | 'none_at_all' | 'identifier' | 'trade_name' | 'registry' | 'for_others' | 'identity_beside' | 'asked_already' | 'hash' | 'day' | 'dated_in_future' | 'dated_too_early'

export interface RegistrationReport {
  identity: RegisteredIdentity | null
  operator: RegisteredIdentity | null
  certificates: RegistrationCertificate[]
  templates: {
    key: string
    intended_use: string | null
    concerns: RegistrationConcern[]
  }[]
  under_use: {
    intended_use: string
    unused: {
      format: string
      types: string[]
      path: (string | number | null)[] | null
    }[]
  }[]
  access_certificates: {
    certificate_id: string
    service_id: string | null
    level: 'problem' | 'warning' | 'info'
    check: string
    detail: string
  }[]
}

export interface ResultKey {
  id: string
  /** RFC 7638 thumbprint; results name it */
  kid: string
  created_at: string
  proven_at: string | null
}

export type ResultKeyAddition = {
  outcome: 'added'
  key: ResultKey
  /** A compact JWE; what is in it proves the key */
  challenge: string
} | {
  outcome: 'refused'
  problem: 'not_a_jwk' | 'private_key' | 'not_p256' | 'not_for_encryption' | 'unknown_member' | 'not_on_curve' | 'there_already' | 'too_many' | 'no_tenant'
}

export type ResultKeyProof = 'proven' | 'wrong' | 'lapsed' | 'not_found'

export type Role = 'owner' | 'admin' | 'viewer'

export type Scope = 'verifications:create' | 'verifications:read' | 'verifications:delete' | 'devices:manage'

export interface Setting {
  name: string
  group: 'data' | 'documents' | 'protocol'
  kind: 'switch' | 'number' | 'choice' | 'text'
  label: {
    en: string
    de: string
  }
  explanation: {
    en: string
    de: string
  }
  holder: {
    en: string
    de: string
  } | null
  value: SettingValue
  under_haip: SettingValue | null
  forced: SettingValue | null
  /** Of a number */
  min?: number
  /** Of a number */
  max?: number
  choices?: {
    value: SettingValue
    label: {
      en: string
      de: string
    }
  }[]
  none?: {
    en: string
    de: string
  }
}

export type SettingValue = boolean | number | string | null

export interface Settings {
  settings: Setting[]
}

export interface SignInLink {
  email: string
  tenant_name: string
  role: Role
  expires_at: string
  needs_sign_in: boolean
  needs_password: boolean
  may_open_another: boolean
  password_length_min: number
}

export interface SignInWays {
  oidc: {
    name: string
  } | null
}

export type Status = 'pending' | 'completed' | 'failed' | 'expired'

export interface Team {
  members: {
    id: string
    email: string
    role: Role
    joined_at: string
    has_passkey: boolean
    last_seen_at: string | null
  }[]
  invitations: {
    email: string
    role: Role
    expires_at: string
    invited_by: string | null
  }[]
}

export interface Template {
  key: string
  title: string
  description: string
  built_in: boolean
  query: Record<string, unknown>
  outputs: Record<string, unknown> | null
  intended_use: string | null
  transaction: Record<string, unknown> | null
  concerns: RegistrationConcern[]
  question: Question
}

export type TemplateProblem = 'key_form' | 'key_built_in' | 'query_missing' | 'query' | 'transaction' | 'intended_use' | 'outputs_count' | 'output_name' | 'output_kind' | 'output_form' | 'empty' | 'age_sources' | 'no_credential' | 'name' | 'no_claim' | 'unknown_member' | 'object' | 'list' | 'age' | 'text'

export interface Terms {
  roles: Role[]
  statuses: Status[]
  scopes: Scope[]
  default_scopes: Scope[]
  key_lifetimes_days: number[]
  roll_overlap_hours: number[]
  name_length_max: number
  password_length_min: number
  invitation_hours: number
  secret_overlap_hours: number
  endpoint_url_length_max: number
  webhook_answer_days: number
  webhook_test_events_kept: number
  webhook_events: string[]
  resent_at_once_max: number
  /** A regular expression for the whole of it */
  template_key_pattern: string
  template_title_length_max: number
  template_description_length_max: number
  shown_name_length_max: number
  logo_bytes_max: number
  erase_confirm_length: number
  purpose_length_max: number
  reference_length_max: number
  ttl_seconds_max: number
  usage_days: number
  audit_kinds: string[]
  actor_types: string[]
  certificate_warning_days: number
  formats: {
    name: string
    label: string
    /** Whether it can show that its issuer has not revoked it */
    shows_status: boolean
  }[]
  channels: {
    name: AnswerChannel
    label: {
      en: string
      de: string
    }
  }[]
}

export interface TestedEndpoint {
  /** In the log of deliveries */
  id: string
  outcome: string
  http_status: number | null
  took_ms: number
  request: WebhookRequest
  answer: WebhookAnswer | null
}

export interface Trust {
  /** The built-in issuer of the test environment is trusted */
  sandbox: boolean
  /** Whether owners add issuers here */
  own_allowed: boolean
  /** How many are trusted; 200 of them are shown */
  anchor_count: number
  anchors: {
    id: string
    environment: Environment
    tenant_id: string | null
    /** The tenant's own, not the operator's */
    own: boolean
    kind: 'ca' | 'pinned' | 'exact'
    profile: 'generic' | 'iso-mdl'
    types: string[]
    sole_type: {
      doc_type: string
      namespace: string
      without_status: boolean
    } | null
    list_id: string | null
    from_list: boolean
    subject: string
    valid_until: string | null
  }[]
  lists: {
    id: string
    environment: Environment
    tenant_id: string | null
    kind: 'vical' | 'lote' | 'tsl'
    providers: 'pid' | 'mdl' | 'public-attestation' | 'attestation' | 'registration-certificate' | 'register' | 'mdoc' | 'age-attestation' | 'wallet' | 'access-certificate' | null
    source: string
    types: string[]
    sole_type: {
      doc_type: string
      namespace: string
      without_status: boolean
    } | null
    created_at: string
    issuer: string | null
    sequence: number | null
    issued_at: string | null
    next_update_at: string | null
    loaded_at: string | null
    attempted_at: string | null
    failure: string | null
  }[]
  certificates: {
    id: string
    environment: Environment
    tenant_id: string | null
    /** The tenant's own, not the operator's */
    own: boolean
    purpose: 'openid4vp' | 'iso-reader' | 'apple' | 'google'
    service_id: string | null
    origin: 'generated' | 'installed'
    state: 'waiting' | 'current' | 'retired'
    subject: string | null
    issuer: string | null
    hosts: string[]
    client_id: string | null
    created_at: string
    valid_until: string | null
    csr: string | null
  }[]
  register: {
    outcome: 'same' | 'drift' | 'failed'
    findings: {
      code: 'not_registered' | 'intermediary_not_named' | 'not_an_intermediary' | 'intended_use_missing' | 'intended_use_revoked' | 'claims_differ' | 'unreachable' | 'not_authentic' | 'unreadable' | 'no_register'
      detail: string
    }[]
    looked_at: string
  } | null
}

export type TrustChange = {
  outcome: 'done'
  warnings: string[]
} | {
  outcome: 'refused'
  code: 'no_tenant' | 'by_operator_in_live' | 'registrations_by_operator' | 'one_certificate' | 'too_many_anchors' | 'types_missing' | 'types_mixed' | 'key_mixed' | 'sole_type' | 'pinned_in_test_only' | 'not_an_authority' | 'anchor_unfit' | 'address' | 'signer_certificate' | 'too_many_lists' | 'list_not_fetched' | 'list_too_long' | 'list_signer_revoked' | 'list_older' | 'list_unfit' | 'list_providers' | 'list_mismatch' | 'list_names_nobody' | 'too_many_waiting' | 'not_waiting' | 'service' | 'identity_missing' | 'country' | 'email' | 'apple_name' | 'apple_subject' | 'no_certificates' | 'no_private_key' | 'no_key_waits' | 'certificate_unfit' | 'installed_meanwhile'
  problem: string
}

export interface Usage {
  day: string
  verifications_created: number
  daily_quota: number
  remaining: number
  recent: {
    day: string
    verifications_created: number
  }[]
  resets_at: string
  forecast: {
    today: number | null
    spent_at: string | null
    month: {
      so_far: number
      at_end: number | null
    }
  }
}

export interface UsageAlerts {
  url: string | null
  host: string | null
  thresholds: number[]
  told: {
    threshold: number
    day: string
    noticed_at: string
    outcome: string | null
  }[]
}

export interface UsedKey {
  id: string
  tenant_id: string
  environment: Environment
  name: string
  prefix: string
  scopes: Scope[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  uses: number[]
}

export interface Verification {
  /** Opaque and unguessable */
  id: string
  status: VerificationState
  template?: string
  /** For a QR code or a link; only while pending */
  wallet_uri?: string
  /** The `request_uri` inside `wallet_uri`; only while pending */
  request_uri?: string
  /** Merged verified claims */
  claims?: Record<string, unknown>
  credentials?: CredentialResult[]
  error?: {
    code: string
    message: string
  }
  metadata?: Record<string, string>
  purpose?: string
  redirect_url?: string
  created_at: string
  expires_at: string
  responded_at?: string
}

export interface VerificationDetail {
  id: string
  status: Status
  template: string | null
  created_at: string
  responded_at: string | null
  reference: {
    /** In the metadata */
    name: string
    value: string
  } | null
  actor: {
    type: 'api_key' | 'device' | 'user' | 'oidc_client'
    id: string
    name: string | null
  }
  purpose: string | null
  redirect_url: string | null
  webhook_url: string | null
  metadata: Record<string, string> | null
  expires_at: string
  /** Expired because somebody took it back */
  cancelled: boolean
  open: {
    /** The hosted page */
    page_url: string
    /** For a QR code */
    wallet_uri: string
  } | null
  channel: AnswerChannel | null
  request_fetched_at: string | null
  redeemed_at: string | null
  first_read_at: string | null
  forget_at: string | null
  forgotten_at: string | null
  error: {
    code: string
    message: string
  } | null
  claim_names: string[] | null
  claims: Record<string, unknown> | null
  credentials: {
    format: 'dc+sd-jwt' | 'mso_mdoc' | 'mso_mdoc_zk'
    doctype_or_vct: string
    issuer: {
      common_name?: string
      country?: string
    }
    trusted: boolean
    signature_valid: boolean
    holder_binding_valid: boolean
    findings: {
      check: string
      status: 'pass' | 'fail' | 'warning' | 'skipped'
      detail?: string
    }[]
    claim_names: string[]
  }[]
  deliveries: Delivery[]
}

export interface VerificationPage {
  data: VerificationRow[]
  next: string | null
  /** As many as fit on a page; if not, the search stopped before the end */
  full: boolean
}

export interface VerificationRequest {
  request: Record<string, unknown>
  question: Question
  /** The question of a built-in template, as this release asks it */
  built_in: boolean
  encryption_key: 'in_request' | 'destroyed' | 'none'
  /** Of the page whose browser may ask the same */
  origin: string
  registration: {
    intended_use: string
    purposes: {
      lang: string
      text: string
    }[]
    privacy_policy: string | null
  } | null
  /** It was asked under one that is no longer kept */
  registration_forgotten: boolean
  /** The parameters of the link for an age, by which it was answered; nobody signed them */
  by_age_link: boolean
}

export interface VerificationRow {
  id: string
  status: Status
  template: string | null
  created_at: string
  responded_at: string | null
  reference: {
    /** In the metadata */
    name: string
    value: string
  } | null
  actor: {
    type: 'api_key' | 'device' | 'user' | 'oidc_client'
    id: string
    name: string | null
  }
  error_code: string | null
}

export type VerificationState = 'pending' | 'completed' | 'failed' | 'expired'

export interface WebhookAnswer {
  headers: {
    name: string
    value: string
  }[]
  body: string | null
  truncated: boolean
}

export interface WebhookEndpoint {
  id: string
  name: string
  /** Its origin for viewers */
  url: string
  is_default: boolean
  created_at: string
}

export interface WebhookRequest {
  url: string
  headers: {
    name: string
    value: string
  }[]
  body: string | null
}

export interface WebhookSecret {
  secret: string
  created_at: string
  previous_until: string | null
}

export interface Webhooks {
  secret: {
    created_at: string
    previous_until: string | null
  } | null
  plain_http_at: string | null
  endpoints: WebhookEndpoint[]
  test_events: ('verification.failed' | 'verification.completed')[]
  health: {
    hour: string
    attempts: number
    delivered: number
    mean_ms: number
    slowest_ms: number
  }[]
  destinations: {
    origin: string
    failing_since: string
    failures: number
    disabled_at: string | null
  }[]
}

/** What each route answers. */
export interface Answers {
  'GET @/audit': AuditPage
  'GET @/branding': Branding
  'GET @/clients': OidcClients
  'GET @/deliveries': {
    data: Delivery[]
    next: string | null
  }
  'GET @/deliveries/:id': DeliveryDetail
  'GET @/devices': {
    data: Device[]
  }
  'GET @/figures': Figures
  'GET @/going-live': GoingLive
  'GET @/keys': {
    data: UsedKey[]
  }
  'GET @/log': LogState
  'GET @/origins': {
    data: Origin[]
  }
  'GET @/overview': Overview
  'GET @/registration': RegistrationReport
  'GET @/result-keys': {
    data: ResultKey[]
  }
  'GET @/settings': Settings
  'GET @/team': Team
  'GET @/templates': {
    data: Template[]
  }
  'GET @/trust': Trust
  'GET @/usage': Usage
  'GET @/usage/alerts': UsageAlerts
  'GET @/verifications': VerificationPage
  'GET @/verifications/:id': VerificationDetail
  'GET @/verifications/:id/receipt': ReceiptFiles
  'GET @/verifications/:id/request': VerificationRequest
  'GET @/webhooks': Webhooks
  'GET /me': Me
  'GET /sign-in/ways': SignInWays
  'POST @/audit/verify': {
    verdict: AuditVerdict
    at: string
  }
  'POST @/branding': BrandingChange
  'POST @/branding/preview': BrandingPreview
  'POST @/clients': OidcClientChange
  'POST @/clients/:id': OidcClientChange
  'POST @/clients/:id/remove': Record<string, never>
  'POST @/clients/:id/secret': OidcClientChange
  'POST @/deliveries/:id/resend': {
    outcome: string
    http_status: number | null
  }
  'POST @/deliveries/resend-failed': {
    resent: number
  }
  'POST @/devices': RegisteredDevice
  'POST @/devices/:id/revoke': Device
  'POST @/going-live/mandate': OperatorAsking
  'POST @/going-live/requests': OperatorAsking
  'POST @/keys': CreatedKey
  'POST @/keys/:id/revoke': ApiKey
  'POST @/keys/:id/roll': CreatedKey
  'POST @/origins': OriginAddition
  'POST @/origins/:id/prove': {
    outcome: OriginProof
  }
  'POST @/origins/:id/remove': Record<string, never>
  'POST @/registration/certificates': RegistrationAddition
  'POST @/registration/certificates/:id/remove': Record<string, never>
  'POST @/registration/identity': IdentityChange
  'POST @/result-keys': ResultKeyAddition
  'POST @/result-keys/:id/prove': {
    outcome: ResultKeyProof
  }
  'POST @/result-keys/:id/remove': Record<string, never>
  'POST @/settings': Settings
  'POST @/team/:id/remove': Record<string, never>
  'POST @/team/:id/role': Record<string, never>
  'POST @/team/invitations/again': Invitation
  'POST @/team/invitations/withdraw': Record<string, never>
  'POST @/team/invite': Invitation
  'POST @/templates/:key': Template
  'POST @/templates/:key/remove': Record<string, never>
  'POST @/templates/preview': Preview
  'POST @/trust/anchors': TrustChange
  'POST @/trust/anchors/:id/remove': Record<string, never>
  'POST @/trust/certificates/:id/withdraw': Record<string, never>
  'POST @/trust/certificates/install': TrustChange
  'POST @/trust/certificates/request': CertificateRequested
  'POST @/trust/lists': TrustChange
  'POST @/trust/lists/:id/remove': Record<string, never>
  'POST @/usage/alerts': Record<string, never>
  'POST @/verifications': Verification
  'POST @/verifications/:id/cancel': Verification
  'POST @/verifications/:id/erase': ErasureResult
  'POST @/verifications/:id/forget': Record<string, never>
  'POST @/webhooks/destinations/enable': Record<string, never>
  'POST @/webhooks/endpoints': WebhookEndpoint
  'POST @/webhooks/endpoints/:id': WebhookEndpoint
  'POST @/webhooks/endpoints/:id/remove': Record<string, never>
  'POST @/webhooks/endpoints/:id/test': TestedEndpoint
  'POST @/webhooks/secret/end-old': Record<string, never>
  'POST @/webhooks/secret/rotate': WebhookSecret
  'POST @/webhooks/secret/show': WebhookSecret
  'POST /links/accept': {
    tenant_id: string
  }
  'POST /links/look': SignInLink
  'POST /links/use': Record<string, never>
  'POST /me/passkeys': Record<string, never>
  'POST /me/passkeys/options': PasskeyCreation
  'POST /me/passkeys/remove': Record<string, never>
  'POST /me/password': Record<string, never>
  'POST /me/sessions/end-others': {
    ended: number
  }
  'POST /sign-in/oidc': {
    url: string
  }
  'POST /sign-in/oidc/again': {
    url: string
  }
  'POST /sign-in/passkey': Record<string, never>
  'POST /sign-in/passkey/options': PasskeyRequest
  'POST /sign-in/password': Record<string, never>
  'POST /sign-out': Record<string, never>
}
