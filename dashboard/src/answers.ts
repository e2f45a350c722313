// What the service answers, as far as the pages read it.

export type Role = 'owner' | 'admin' | 'viewer'
export type Environment = 'test' | 'live'
export type Status = 'pending' | 'completed' | 'failed' | 'expired'

export interface Me {
  id: string
  email: string
  signed_in_with: string
  fresh_until: string | null
  has_password: boolean
  has_oidc: boolean
  tenants: { id: string; name: string; role: Role }[]
  passkeys: { id: string; name: string; created_at: string; last_used_at: string | null }[]
  service: { base_url: string; sandbox: boolean; haip: boolean; oidc: string | null }
}

export interface Usage {
  day: string
  verifications_created: number
  daily_quota: number
  remaining: number
  recent: { day: string; verifications_created: number }[]
  resets_at: string
}

export interface Overview {
  steps: { key: boolean; verification: boolean; completed: boolean; webhook: boolean; device: boolean }
  last_day: { completed: number; failed: number; waiting: number }
  usage: Omit<Usage, 'resets_at'>
  failing_destinations: number
}

export interface Actor {
  type: string
  id: string
  name: string | null
}

export interface VerificationRow {
  id: string
  status: Status
  template: string | null
  created_at: string
  responded_at: string | null
  error_code: string | null
  actor: Actor
}

export interface Finding {
  check: string
  status: 'pass' | 'fail' | 'warning' | 'skipped'
  detail?: string
}

export interface VerificationDetail extends VerificationRow {
  purpose: string | null
  redirect_url: string | null
  webhook_url: string | null
  metadata: Record<string, string> | null
  expires_at: string
  /** Expired because somebody took it back. */
  cancelled: boolean
  request_fetched_at: string | null
  redeemed_at: string | null
  error: { code: string; message: string } | null
  claim_names: string[] | null
  claims: Record<string, unknown> | null
  credentials: {
    format: string
    doctype_or_vct: string
    claim_names: string[]
    issuer: { common_name?: string; country?: string }
    trusted: boolean
    signature_valid: boolean
    holder_binding_valid: boolean
    findings: Finding[]
  }[]
  deliveries: Delivery[]
}

export interface Delivery {
  id: string
  verification_id: string
  state: 'pending' | 'delivered' | 'failed' | 'held'
  created_at: string
  next_at: string | null
  attempts: {
    trigger: 'schedule' | 'manual'
    url: string
    started_at: string
    finished_at: string | null
    outcome: string | null
    http_status: number | null
  }[]
}

export interface ApiKey {
  id: string
  name: string
  prefix: string
  scopes: string[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

export interface Question {
  credentials: {
    id: string
    format: string
    types: string[]
    claims: string[]
    alternatives: boolean
    everything: boolean
  }[]
  choice: boolean
  warnings: ('whole_credential' | 'unused_claims' | 'birth_date_for_age' | 'many_claims' | 'portrait')[]
}

export interface Template {
  key: string
  title: string
  description: string
  built_in: boolean
  query: object
  outputs: object | null
  question: Question
}

export type Preview = { outcome: 'sound'; question: Question } | { outcome: 'invalid'; problem: string }

export interface Device {
  id: string
  name: string
  status: 'pending' | 'active' | 'revoked'
  allowed_templates: string[]
  created_at: string
  pairing_expires_at?: string
  enrolled_at?: string
  last_seen_at?: string
  revoked_at?: string
  revoked_reason: 'merchant' | 'refresh_reuse' | null
}

export interface Webhooks {
  secret: { created_at: string; previous_until: string | null } | null
  /** When a live webhook last went over plain http; null where none did lately. */
  plain_http_at: string | null
  destinations: { origin: string; failing_since: string; failures: number; disabled_at: string | null }[]
}

export interface AuditEntry {
  seq: number
  at: string
  action: string
  actor: { type: string; id: string }
  object: { type: string; id: string }
  details: Record<string, unknown> | null
}

export interface AuditGuard {
  sealed: boolean
  checkpointMissing: boolean
}

export interface Trust {
  sandbox: boolean
  anchors: {
    id: string
    subject: string
    kind: string
    types: string[]
    valid_until: string | null
    own: boolean
    from_list: boolean
  }[]
  lists: {
    id: string
    kind: string
    source: string
    issuer: string | null
    loaded_at: string | null
    next_update_at: string | null
    failure: string | null
  }[]
  certificates: {
    id: string
    purpose: string
    state: string
    origin: string
    subject: string | null
    issuer: string | null
    client_id: string | null
    valid_until: string | null
    own: boolean
  }[]
}

export type SettingValue = boolean | number | string

export interface Setting {
  name: string
  kind: 'switch' | 'number' | 'choice'
  label: { en: string; de: string }
  explanation: { en: string; de: string }
  value: SettingValue
  /** What holds instead where HAIP is on; null where HAIP has no say. */
  under_haip: SettingValue | null
  /** Of a number. */
  min?: number
  max?: number
  /** Of a choice. */
  choices?: { value: SettingValue; label: { en: string; de: string } }[]
}

export interface Settings {
  settings: Setting[]
}

export interface Team {
  members: {
    id: string
    email: string
    role: Role
    joined_at: string
    has_passkey: boolean
    last_seen_at: string | null
  }[]
  invitations: { email: string; role: Role; expires_at: string; invited_by: string | null }[]
}

export interface PageOf<T> {
  data: T[]
  next: string | null
}
