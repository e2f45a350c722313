// The tables that move with a tenant, in the order of their foreign keys. A test compares them with the schema.

export interface MovedTable {
  readonly table: string
  /** The primary key. Empty if there is none: then the table is replaced as a whole. */
  readonly key: readonly string[]
  /** Rows are never changed or deleted, so a copy only adds. */
  readonly isAppendOnly?: true
  /** Columns with the id of a person, which may differ in the other installation. */
  readonly people?: readonly string[]
  /**
   * Whether ids of people who do not move stay in these columns: the row must name a person, but the person needs no
   * account.
   */
  readonly keepsStrangers?: true
  /** Columns by which rows are found without a tenant. A row is not written if another tenant has the same value. */
  readonly secrets?: readonly string[]
  /** Columns that the other installation sets itself, and the values it writes. */
  readonly own?: Readonly<Record<string, string | null>>
  /** The partition of all moved rows. */
  readonly partition?: string
}

const realmOf = (table: string, ...more: string[]): MovedTable => ({
  table,
  key: ['tenant_id', 'environment', ...more],
})
const byId = (table: string, id = 'id'): MovedTable => ({ table, key: ['tenant_id', id] })
/** The key is the id without a tenant: the operator also has rows in the table, or requests look rows up by id. */
const byIdAlone = (table: string, id = 'id'): MovedTable => ({ table, key: [id] })
/** Only the installation that created an id knows its day, so elsewhere the rows are deleted one by one. */
const singly = (moved: MovedTable): MovedTable => ({
  ...moved,
  own: { day: '0' },
  partition: `${moved.table}_singly`,
})

/** Without the tenant's own row and its people, which are copied first. */
export const MOVED_TABLES: readonly MovedTable[] = [
  { table: 'members', key: ['tenant_id', 'person_id'], people: ['person_id'] },
  { table: 'alert_subscriptions', key: ['tenant_id', 'person_id', 'topic'], people: ['person_id'] },
  { table: 'alert_mails', key: ['tenant_id', 'topic', 'about'] },
  { ...byId('sign_in_links', 'hash'), people: ['invited_by'], secrets: ['hash'] },
  { table: 'usage_days', key: ['tenant_id', 'day'] },
  { ...byId('api_keys'), secrets: ['hash'] },
  { table: 'api_key_days', key: ['tenant_id', 'key_id', 'day'] },
  realmOf('templates', 'key'),
  realmOf('transaction_types', 'type'),
  realmOf('tenant_branding'),
  byId('tenant_origins'),
  byIdAlone('access_keys'),
  byIdAlone('trust_lists'),
  { table: 'listed_keys', key: ['list_id', 'public_key_sha256'] },
  byIdAlone('anchors'),
  realmOf('registered_identities'),
  byId('registration_certificates'),
  realmOf('register_looks'),
  realmOf('mandates'),
  byId('operator_requests'),
  byId('result_keys'),
  { ...byId('devices'), secrets: ['pairing_code_hash', 'display_code'] },
  { ...byId('device_token_pairs', 'refresh_hash'), secrets: ['refresh_hash', 'access_hash'] },
  realmOf('webhook_secrets'),
  byId('webhook_old_secrets'),
  byId('webhook_endpoints'),
  realmOf('webhook_destinations', 'origin'),
  realmOf('webhook_hours', 'hour'),
  byId('webhook_test_events'),
  realmOf('usage_alerts'),
  realmOf('usage_alerts_told', 'month', 'threshold'),
  realmOf('verification_counts', 'step', 'kind', 'start', 'name', 'outcome'),
  { table: 'uncounted_endings', key: [] },
  { table: 'uncounted_batches', key: [] },
  singly(byIdAlone('verifications')),
  singly(byIdAlone('verification_results', 'verification_id')),
  byId('evidence_bundles', 'verification_id'),
  // Each log has its own positions: the other log adds the receipts as new ones, with its own salts.
  {
    ...byIdAlone('receipts', 'verification_id'),
    own: { leaf_index: null, leaf_salt: null, seq: null, arrived: 'true' },
  },
  realmOf('idempotency_keys', 'key'),
  realmOf('authentication_codes', 'digest'),
  { ...byId('links'), people: ['person_id'], keepsStrangers: true, secrets: ['secret_hash'] },
  byId('link_openings', 'verification_id'),
  byId('oidc_clients'),
  byId('oidc_client_secrets', 'hash'),
  byId('oidc_keys'),
  { table: 'oidc_assertions', key: ['tenant_id', 'client_id', 'hash'] },
  byId('oidc_pushed_requests'),
  byId('oidc_authorizations'),
  realmOf('oid4vp_requests', 'correlation'),
  byIdAlone('webhook_deliveries'),
  { ...realmOf('audit_entries', 'seq'), isAppendOnly: true, own: { day: '0' } },
  singly(realmOf('audit_details', 'seq')),
  // The MAC is computed with the other installation's key once the chain is verified.
  { ...realmOf('audit_heads'), own: { mac: null, closed_until: 'infinity' } },
]

/** Tables with a tenant's rows that stay behind. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  audit_checkpoints: 'signed by the key of this installation, from before there was a log',
  lapsed_verifications: 'past their retention; a job is deleting them',
  log_blinded_heads: "places in this installation's log; the other log adds the chain again",
  log_chain_heads: "places in this installation's log; the other log adds the chain again",
  receipt_places: "places in this installation's log; the other log adds the receipts again",
  mails: 'already queued: this installation sends them',
  unlogged_receipts: 'a queue of this log; waiting receipts move with the others',
  webhook_answers: 'numbered like the attempts that they answer; kept for days, for diagnosis',
  webhook_attempts: 'numbered by each installation; the deliveries move with their state and number of attempts',
  webhook_due_times: 'derived: a trigger adds them with the deliveries',
}

/** Rows that stay in the old installation after a move: they redirect to the new one, or cannot be deleted. */
export const KEPT_HERE: Readonly<Record<string, string>> = {
  api_keys: 'a call with it is redirected',
  api_key_days: 'counts of calls; deleted by age',
  devices: 'a call of such a device is redirected',
  device_token_pairs: 'a call with it is redirected',
  links: 'an opened link is redirected until it ends; then a job deletes it',
  audit_entries: 'append-only; they hold no content',
  audit_heads: 'the end of the entries',
}
