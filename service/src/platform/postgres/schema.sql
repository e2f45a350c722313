-- Written by "node tools/dump-schema.ts" from the migrations beside it. Read it; change the migrations.

create table access_authorities (
  environment text not null,
  certificate bytea not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  constraint access_authorities_pkey PRIMARY KEY (environment),
  constraint access_authorities_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text])))
);

create table access_keys (
  id text not null,
  tenant_id text,
  environment text not null,
  origin text not null,
  private_key bytea not null,
  chain bytea[] not null,
  created_at timestamp with time zone not null,
  installed_at timestamp with time zone,
  retired_at timestamp with time zone,
  purpose text default 'openid4vp'::text not null,
  service_id text,
  signing_request bytea,
  constraint access_keys_pkey PRIMARY KEY (id),
  constraint access_keys_check CHECK (((installed_at IS NULL) = (cardinality(chain) = 0))),
  constraint access_keys_check1 CHECK (((retired_at IS NULL) OR (installed_at IS NOT NULL))),
  constraint access_keys_check2 CHECK (((service_id IS NULL) OR (tenant_id IS NOT NULL))),
  constraint access_keys_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint access_keys_origin_check CHECK ((origin = ANY (ARRAY['generated'::text, 'installed'::text]))),
  constraint access_keys_purpose_check CHECK ((purpose = ANY (ARRAY['openid4vp'::text, 'iso-reader'::text, 'apple'::text, 'google'::text]))),
  constraint access_keys_service_id_check CHECK (((char_length(service_id) >= 1) AND (char_length(service_id) <= 200))),
  constraint access_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table access_links (
  hash bytea not null,
  person_id text not null,
  browser_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint access_links_pkey PRIMARY KEY (hash),
  constraint access_links_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  constraint access_links_hash_check CHECK ((octet_length(hash) = 32)),
  constraint access_links_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table alert_mails (
  tenant_id text not null,
  topic text not null,
  about text not null,
  created_at timestamp with time zone not null,
  constraint alert_mails_pkey PRIMARY KEY (tenant_id, topic, about),
  constraint alert_mails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table alert_subscriptions (
  person_id text not null,
  tenant_id text not null,
  topic text not null,
  language text not null,
  created_at timestamp with time zone not null,
  constraint alert_subscriptions_pkey PRIMARY KEY (tenant_id, person_id, topic),
  constraint alert_subscriptions_topic_check CHECK ((topic = ANY (ARRAY['quota'::text, 'webhooks'::text]))),
  constraint alert_subscriptions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint alert_subscriptions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table anchors (
  id text not null,
  tenant_id text,
  environment text not null,
  kind text not null,
  profile text not null,
  types text[] not null,
  certificate bytea not null,
  list_id text,
  created_at timestamp with time zone not null,
  key_sha256 bytea,
  subject text,
  valid_until timestamp with time zone,
  sole json,
  public_key_sha256 bytea,
  constraint anchors_pkey PRIMARY KEY (id),
  constraint anchors_check CHECK (((kind = 'ca'::text) OR (environment = 'test'::text))),
  constraint anchors_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint anchors_kind_check CHECK ((kind = ANY (ARRAY['ca'::text, 'pinned'::text, 'exact'::text]))),
  constraint anchors_profile_check CHECK ((profile = ANY (ARRAY['iso-mdl'::text, 'generic'::text]))),
  constraint anchors_types_check CHECK ((cardinality(types) > 0)),
  constraint anchors_list_id_fkey FOREIGN KEY (list_id) REFERENCES trust_lists(id) ON DELETE CASCADE,
  constraint anchors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table api_key_days (
  tenant_id text not null,
  environment text not null,
  key_id text not null,
  day date not null,
  uses bigint not null,
  constraint api_key_days_pkey PRIMARY KEY (tenant_id, key_id, day),
  constraint api_key_days_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint api_key_days_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint api_key_days_tenant_id_key_id_fkey FOREIGN KEY (tenant_id, key_id) REFERENCES api_keys(tenant_id, id)
);

create table api_keys (
  id text not null,
  tenant_id text not null,
  environment text not null,
  name text not null,
  hash bytea not null,
  prefix text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (tenant_id, id),
  constraint api_keys_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint api_keys_hash_check CHECK ((octet_length(hash) = 32)),
  constraint api_keys_prefix_check CHECK ((char_length(prefix) = 12)),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table audit_checkpoints (
  tenant_id text not null,
  environment text not null,
  seq bigint not null,
  note text not null,
  constraint audit_checkpoints_pkey PRIMARY KEY (tenant_id, environment, seq),
  constraint audit_checkpoints_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint audit_checkpoints_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table audit_details (
  tenant_id text not null,
  environment text not null,
  seq bigint not null,
  object_id text not null,
  salt bytea not null,
  details jsonb not null,
  day integer default 0 not null
)
partition by LIST (day);

create table audit_details_singly (
  tenant_id text not null,
  environment text not null,
  seq bigint not null,
  object_id text not null,
  salt bytea not null,
  details jsonb not null,
  day integer default 0 not null,
  constraint audit_details_pkey PRIMARY KEY (tenant_id, environment, seq),
  constraint audit_details_singly_check CHECK ((day = 0))
)
-- partition of audit_details FOR VALUES IN (0);

create table audit_details_unplanned (
  tenant_id text not null,
  environment text not null,
  seq bigint not null,
  object_id text not null,
  salt bytea not null,
  details jsonb not null,
  day integer default 0 not null,
  constraint audit_details_unplanned_pkey PRIMARY KEY (tenant_id, environment, seq)
)
-- partition of audit_details DEFAULT;

create table audit_entries (
  tenant_id text not null,
  environment text not null,
  seq bigint not null,
  object_id text not null,
  bytes bytea not null,
  hash bytea not null,
  day integer default 0 not null,
  constraint audit_entries_pkey PRIMARY KEY (tenant_id, environment, seq)
);

create table audit_heads (
  tenant_id text not null,
  environment text not null,
  seq bigint not null,
  hash bytea not null,
  at timestamp with time zone not null,
  mac bytea,
  closed_until timestamp with time zone,
  constraint audit_heads_pkey PRIMARY KEY (tenant_id, environment),
  constraint audit_heads_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint audit_heads_mac_check CHECK ((octet_length(mac) = 32)),
  constraint audit_heads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table authentication_codes (
  tenant_id text not null,
  environment text not null,
  digest bytea not null,
  verification_id text,
  used_at timestamp with time zone not null,
  constraint authentication_codes_pkey PRIMARY KEY (tenant_id, environment, digest),
  constraint authentication_codes_digest_check CHECK ((octet_length(digest) = 32)),
  constraint authentication_codes_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint authentication_codes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table dashboard_sessions (
  id text not null,
  hash bytea not null,
  person_id text not null,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  method text not null,
  proven_at timestamp with time zone,
  constraint dashboard_sessions_pkey PRIMARY KEY (hash),
  constraint dashboard_sessions_id_key UNIQUE (id),
  constraint dashboard_sessions_hash_check CHECK ((octet_length(hash) = 32)),
  constraint dashboard_sessions_method_check CHECK ((method = ANY (ARRAY['password'::text, 'passkey'::text, 'link'::text, 'oidc'::text]))),
  constraint dashboard_sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table device_token_pairs (
  refresh_hash bytea not null,
  access_hash bytea not null,
  tenant_id text not null,
  environment text not null,
  device_id uuid not null,
  issued_at timestamp with time zone not null,
  access_expires_at timestamp with time zone not null,
  refresh_expires_at timestamp with time zone not null,
  spent_at timestamp with time zone,
  constraint device_token_pairs_pkey PRIMARY KEY (tenant_id, refresh_hash),
  constraint device_token_pairs_access_hash_check CHECK ((octet_length(access_hash) = 32)),
  constraint device_token_pairs_refresh_hash_check CHECK ((octet_length(refresh_hash) = 32)),
  constraint device_token_pairs_tenant_id_device_id_fkey FOREIGN KEY (tenant_id, device_id) REFERENCES devices(tenant_id, id)
);

create table devices (
  id uuid not null,
  tenant_id text not null,
  environment text not null,
  name text not null,
  allowed_templates text[] not null,
  status text not null,
  created_at timestamp with time zone not null,
  pairing_code_hash bytea,
  pairing_expires_at timestamp with time zone not null,
  enrolled_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_reason text,
  display_code text,
  display_token_hash bytea,
  display_seen_at timestamp with time zone,
  constraint devices_pkey PRIMARY KEY (tenant_id, id),
  constraint devices_pairing_code_hash_key UNIQUE (pairing_code_hash),
  constraint devices_tenant_id_environment_created_at_key UNIQUE (tenant_id, environment, created_at),
  constraint devices_allowed_templates_check CHECK (((cardinality(allowed_templates) >= 1) AND (cardinality(allowed_templates) <= 20))),
  constraint devices_check CHECK (((status = 'pending'::text) = (pairing_code_hash IS NOT NULL))),
  constraint devices_check1 CHECK (((status <> 'active'::text) OR (enrolled_at IS NOT NULL))),
  constraint devices_check2 CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
  constraint devices_check3 CHECK (((status = 'revoked'::text) = (revoked_reason IS NOT NULL))),
  constraint devices_display CHECK ((((display_code IS NULL) = (display_seen_at IS NULL)) AND ((display_code IS NOT NULL) OR (display_token_hash IS NULL)))),
  constraint devices_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint devices_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint devices_pairing_code_hash_check CHECK ((octet_length(pairing_code_hash) = 32)),
  constraint devices_revoked_reason_check CHECK ((revoked_reason = ANY (ARRAY['merchant'::text, 'refresh_reuse'::text]))),
  constraint devices_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'revoked'::text]))),
  constraint devices_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table evidence_bundles (
  verification_id text not null,
  tenant_id text not null,
  environment text not null,
  jwe text not null,
  drop_at timestamp with time zone not null,
  constraint evidence_bundles_pkey PRIMARY KEY (tenant_id, verification_id),
  constraint evidence_bundles_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint evidence_bundles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table expired_key_mark (
  only_one boolean default true not null,
  until timestamp with time zone not null,
  constraint expired_key_mark_pkey PRIMARY KEY (only_one),
  constraint expired_key_mark_only_one_check CHECK (only_one)
);

create table expiry_count_mark (
  only_one boolean default true not null,
  expires_at timestamp with time zone not null,
  id text not null,
  constraint expiry_count_mark_pkey PRIMARY KEY (only_one),
  constraint expiry_count_mark_only_one_check CHECK (only_one)
);

create table idempotency_keys (
  tenant_id text not null,
  environment text not null,
  key text not null,
  fingerprint bytea not null,
  fence text not null,
  lease_until timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  verification_id text,
  answer bytea,
  warnings json,
  owner integer,
  constraint idempotency_keys_pkey PRIMARY KEY (tenant_id, environment, key),
  constraint idempotency_keys_check CHECK (((verification_id IS NULL) = (answer IS NULL))),
  constraint idempotency_keys_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
)
with (fillfactor=50);

create table jobs (
  name text not null,
  lease_until timestamp with time zone not null,
  ran_at timestamp with time zone,
  constraint jobs_pkey PRIMARY KEY (name)
);

create table kept_keys (
  label text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  constraint kept_keys_pkey PRIMARY KEY (label)
);

create table known_browsers (
  person_id text not null,
  hash bytea not null,
  seen_at timestamp with time zone not null,
  constraint known_browsers_pkey PRIMARY KEY (person_id, hash),
  constraint known_browsers_hash_check CHECK ((octet_length(hash) = 32)),
  constraint known_browsers_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table lapsed_verifications (
  id text not null,
  tenant_id text not null,
  environment text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  status text default 'pending'::text not null,
  template text,
  query json,
  outputs json,
  purpose text,
  redirect_url text,
  webhook_url text,
  metadata json,
  actor_type text not null,
  actor_id text not null,
  nonce text not null,
  state text not null,
  client_id text not null,
  response_mode text not null,
  encryption_key bytea,
  request_fetched_at timestamp with time zone,
  responded_at timestamp with time zone,
  response_code_hash bytea,
  redeemed_at timestamp with time zone,
  idempotency_key text,
  particulars bytea,
  metadata_index bytea,
  registration_id text,
  same_device boolean,
  request_sha256 bytea,
  request_object text,
  transaction_data bytea,
  answered_by_age_link boolean,
  browser_binding text,
  browser_hash bytea,
  bound_by text,
  requests_sent jsonb,
  day integer default 0 not null,
  served_requests bytea
)
partition by LIST (day);

create table link_openings (
  verification_id text not null,
  link_id text not null,
  tenant_id text not null,
  environment text not null,
  opened_at timestamp with time zone not null,
  browser_hash bytea,
  constraint link_openings_pkey PRIMARY KEY (tenant_id, verification_id),
  constraint link_openings_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  constraint link_openings_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint link_openings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint link_openings_tenant_id_link_id_fkey FOREIGN KEY (tenant_id, link_id) REFERENCES links(tenant_id, id)
);

create table links (
  id text not null,
  tenant_id text not null,
  environment text not null,
  key_id text,
  secret_hash bytea not null,
  request bytea not null,
  created_at timestamp with time zone not null,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  uses integer,
  opened integer default 0 not null,
  completed integer default 0 not null,
  last_opened_at timestamp with time zone,
  revoked_at timestamp with time zone,
  person_id text,
  constraint links_pkey PRIMARY KEY (tenant_id, id),
  constraint links_tenant_id_environment_created_at_key UNIQUE (tenant_id, environment, created_at),
  constraint links_check CHECK ((ends_at > starts_at)),
  constraint links_check1 CHECK (((opened >= 0) AND ((uses IS NULL) OR (opened <= uses)))),
  constraint links_creator CHECK ((num_nonnulls(key_id, person_id) = 1)),
  constraint links_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint links_id_check CHECK ((id ~ '^lnk_[0-9A-Za-z]{24}$'::text)),
  constraint links_secret_hash_check CHECK ((octet_length(secret_hash) = 32)),
  constraint links_uses_check CHECK ((uses >= 1)),
  constraint links_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table listed_keys (
  list_id text not null,
  public_key_sha256 bytea not null,
  doc_type text,
  named_at timestamp with time zone not null,
  tenant_id text,
  constraint listed_keys_pkey PRIMARY KEY (list_id, public_key_sha256),
  constraint listed_keys_list_id_fkey FOREIGN KEY (list_id) REFERENCES trust_lists(id) ON DELETE CASCADE
);

create table log_blinded_heads (
  tenant_id text not null,
  environment text not null,
  ordinal bigint not null,
  seq bigint not null,
  leaf_index bigint not null,
  constraint log_blinded_heads_pkey PRIMARY KEY (tenant_id, environment, ordinal),
  constraint log_blinded_heads_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint log_blinded_heads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table log_chain_heads (
  tenant_id text not null,
  environment text not null,
  seq bigint not null,
  leaf_index bigint not null,
  constraint log_chain_heads_pkey PRIMARY KEY (tenant_id, environment, seq),
  constraint log_chain_heads_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint log_chain_heads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table log_epochs (
  number integer not null,
  statement text not null,
  cosignatures text default ''::text not null,
  created_at timestamp with time zone not null,
  opened_at timestamp with time zone,
  constraint log_epochs_pkey PRIMARY KEY (number),
  constraint log_epochs_number_check CHECK ((number > 1))
);

create table log_heads (
  single boolean default true not null,
  size bigint not null,
  origin text,
  note text,
  cosignatures text default ''::text not null,
  signed_at timestamp with time zone,
  halted text,
  complete_at timestamp with time zone,
  store_id uuid default gen_random_uuid() not null,
  set_back text,
  set_back_from bigint,
  checked_at timestamp with time zone,
  restored_from bigint,
  acknowledged_to bigint,
  witnessed_note text,
  entrances bigint default 0 not null,
  judged_size bigint default 0 not null,
  batch_size integer default 0 not null,
  batch_until timestamp with time zone,
  padded_until timestamp with time zone,
  set_back_note text,
  halted_runs bigint default 0 not null,
  changed_chains text[] default '{}'::text[] not null,
  judged_mac bytea,
  constraint log_heads_pkey PRIMARY KEY (single),
  constraint log_heads_single_check CHECK (single)
);

create table log_tiles (
  level integer not null,
  index bigint not null,
  bytes bytea not null,
  constraint log_tiles_pkey PRIMARY KEY (level, index)
);

create table log_witnesses (
  name text not null,
  asked_at timestamp with time zone not null,
  state text not null,
  size bigint,
  cosigned_at timestamp with time zone,
  constraint log_witnesses_pkey PRIMARY KEY (name)
);

create table mails (
  id text not null,
  kind text not null,
  tenant_id text,
  address_mac bytea not null,
  sealed bytea,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  attempts integer default 0 not null,
  next_at timestamp with time zone,
  outcome text,
  about_mac bytea,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_about_mac_check CHECK ((octet_length(about_mac) = 16)),
  constraint mails_address_mac_check CHECK ((octet_length(address_mac) = 32)),
  constraint mails_waiting_check CHECK (((sealed IS NULL) = (next_at IS NULL))),
  constraint mails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table mandates (
  tenant_id text not null,
  environment text not null,
  kind text not null,
  sha256 text not null,
  dated date not null,
  recorded_at timestamp with time zone not null,
  checked_at timestamp with time zone,
  constraint mandates_pkey PRIMARY KEY (tenant_id, environment),
  constraint mandates_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint mandates_kind_check CHECK ((kind = ANY (ARRAY['contract'::text, 'power_of_attorney'::text, 'order'::text, 'other'::text]))),
  constraint mandates_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint mandates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table members (
  tenant_id text not null,
  person_id text not null,
  role text not null,
  created_at timestamp with time zone not null,
  constraint members_pkey PRIMARY KEY (tenant_id, person_id),
  constraint members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'viewer'::text]))),
  constraint members_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oid4vp_requests (
  tenant_id text not null,
  environment text not null,
  correlation bytea not null,
  verification_id text not null,
  constraint oid4vp_requests_pkey PRIMARY KEY (tenant_id, environment, correlation),
  constraint oid4vp_requests_correlation_check CHECK ((octet_length(correlation) = 32)),
  constraint oid4vp_requests_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint oid4vp_requests_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oidc_assertions (
  client_id text not null,
  hash bytea not null,
  tenant_id text not null,
  environment text not null,
  expires_at timestamp with time zone not null,
  constraint oidc_assertions_pkey PRIMARY KEY (tenant_id, client_id, hash),
  constraint oidc_assertions_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint oidc_assertions_hash_check CHECK ((octet_length(hash) = 32)),
  constraint oidc_assertions_tenant_id_client_id_fkey FOREIGN KEY (tenant_id, client_id) REFERENCES oidc_clients(tenant_id, id) ON DELETE CASCADE,
  constraint oidc_assertions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oidc_authorizations (
  id text not null,
  tenant_id text not null,
  environment text not null,
  client_id text not null,
  verification_id text not null,
  browser_hash bytea not null,
  request bytea not null,
  created_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  code_hash bytea,
  code_expires_at timestamp with time zone,
  code_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  token_hash bytea,
  token_expires_at timestamp with time zone,
  userinfo bytea,
  share_day date,
  network_hash bytea,
  confirm_tries smallint default 0 not null,
  returned_elsewhere_at timestamp with time zone,
  constraint oidc_authorizations_pkey PRIMARY KEY (tenant_id, id),
  constraint oidc_authorizations_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  constraint oidc_authorizations_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  constraint oidc_authorizations_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint oidc_authorizations_network_hash_check CHECK ((octet_length(network_hash) = 32)),
  constraint oidc_authorizations_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  constraint oidc_authorizations_tenant_id_client_id_fkey FOREIGN KEY (tenant_id, client_id) REFERENCES oidc_clients(tenant_id, id) ON DELETE CASCADE,
  constraint oidc_authorizations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oidc_client_secrets (
  hash bytea not null,
  client_id text not null,
  tenant_id text not null,
  environment text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  constraint oidc_client_secrets_pkey PRIMARY KEY (tenant_id, hash),
  constraint oidc_client_secrets_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint oidc_client_secrets_hash_check CHECK ((octet_length(hash) = 32)),
  constraint oidc_client_secrets_tenant_id_client_id_fkey FOREIGN KEY (tenant_id, client_id) REFERENCES oidc_clients(tenant_id, id) ON DELETE CASCADE,
  constraint oidc_client_secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oidc_clients (
  id text not null,
  tenant_id text not null,
  environment text not null,
  name text not null,
  auth_method text not null,
  jwks text,
  redirect_uris text[] not null,
  templates text[] not null,
  default_template text,
  subject_mode text not null,
  subject_claims text[] not null,
  require_true boolean not null,
  vp_data boolean not null,
  verified_claims boolean not null,
  id_token_alg text not null,
  remember_minutes integer not null,
  created_at timestamp with time zone not null,
  cross_device text default 'confirm'::text not null,
  claims_in_id_token boolean default true not null,
  request_uris text[] default '{}'::text[] not null,
  profile text default 'openid'::text not null,
  subject_per_type boolean default true not null,
  constraint oidc_clients_pkey PRIMARY KEY (tenant_id, id),
  constraint oidc_clients_auth_method_check CHECK ((auth_method = ANY (ARRAY['client_secret'::text, 'private_key_jwt'::text, 'none'::text]))),
  constraint oidc_clients_check1 CHECK (((default_template IS NULL) OR (default_template = ANY (templates)))),
  constraint oidc_clients_check2 CHECK (((subject_mode = 'ephemeral'::text) = (cardinality(subject_claims) = 0))),
  constraint oidc_clients_cross_device_check CHECK ((cross_device = ANY (ARRAY['confirm'::text, 'off'::text, 'unconfirmed'::text]))),
  constraint oidc_clients_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint oidc_clients_id_token_alg_check CHECK ((id_token_alg = ANY (ARRAY['ES256'::text, 'RS256'::text]))),
  constraint oidc_clients_jwks_check CHECK (((jwks IS NOT NULL) OR (auth_method <> 'private_key_jwt'::text))) NOT VALID,
  constraint oidc_clients_profile_check CHECK ((profile = ANY (ARRAY['openid'::text, 'fapi2'::text]))),
  constraint oidc_clients_redirect_uris_check CHECK ((cardinality(redirect_uris) > 0)),
  constraint oidc_clients_remember_minutes_check CHECK (((remember_minutes >= 0) AND (remember_minutes <= 60))),
  constraint oidc_clients_subject_mode_check CHECK ((subject_mode = ANY (ARRAY['ephemeral'::text, 'claim'::text, 'derived'::text]))),
  constraint oidc_clients_templates_check CHECK ((cardinality(templates) > 0)),
  constraint oidc_clients_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oidc_identities (
  issuer text not null,
  subject text not null,
  person_id text not null,
  created_at timestamp with time zone not null,
  constraint oidc_identities_pkey PRIMARY KEY (issuer, subject),
  constraint oidc_identities_person_id_issuer_key UNIQUE (person_id, issuer),
  constraint oidc_identities_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255))),
  constraint oidc_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table oidc_keys (
  id text not null,
  tenant_id text not null,
  environment text not null,
  alg text not null,
  public_jwk text not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  signs_from timestamp with time zone not null,
  constraint oidc_keys_pkey PRIMARY KEY (tenant_id, id),
  constraint oidc_keys_alg_check CHECK ((alg = ANY (ARRAY['ES256'::text, 'RS256'::text]))),
  constraint oidc_keys_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint oidc_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oidc_pushed_requests (
  id text not null,
  client_id text not null,
  tenant_id text not null,
  environment text not null,
  request bytea not null,
  expires_at timestamp with time zone not null,
  constraint oidc_pushed_requests_pkey PRIMARY KEY (tenant_id, id),
  constraint oidc_pushed_requests_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint oidc_pushed_requests_id_check CHECK ((id ~ '^[0-9a-f]{64}$'::text)),
  constraint oidc_pushed_requests_tenant_id_client_id_fkey FOREIGN KEY (tenant_id, client_id) REFERENCES oidc_clients(tenant_id, id) ON DELETE CASCADE,
  constraint oidc_pushed_requests_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table oidc_rounds (
  hash bytea not null,
  person_id text,
  asked_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint oidc_rounds_pkey PRIMARY KEY (hash),
  constraint oidc_rounds_hash_check CHECK ((octet_length(hash) = 32)),
  constraint oidc_rounds_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table operator_requests (
  id text not null,
  tenant_id text not null,
  environment text not null,
  kind text not null,
  wanted json not null,
  state text not null,
  made_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  answer text,
  constraint operator_requests_pkey PRIMARY KEY (tenant_id, id),
  constraint operator_requests_answer_check CHECK (((char_length(answer) >= 1) AND (char_length(answer) <= 300))),
  constraint operator_requests_check CHECK (((state = 'open'::text) = (answered_at IS NULL))),
  constraint operator_requests_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint operator_requests_kind_check CHECK ((kind = ANY (ARRAY['identity'::text, 'mandate'::text, 'registration_provider'::text, 'access_certificate'::text, 'trusted_list'::text]))),
  constraint operator_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'done'::text, 'declined'::text]))),
  constraint operator_requests_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table passkey_challenges (
  challenge text not null,
  person_id text,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge),
  constraint passkey_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table passkeys (
  id text not null,
  person_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table people (
  id text not null,
  email text not null,
  password text,
  created_at timestamp with time zone not null,
  opened_by text,
  failed_sign_ins integer default 0 not null,
  failures_recorded_at timestamp with time zone,
  came_with text,
  constraint people_pkey PRIMARY KEY (id),
  constraint people_email_opened_by_key UNIQUE NULLS NOT DISTINCT (email, opened_by),
  constraint people_email_check CHECK (((email = lower(email)) AND ((char_length(email) >= 3) AND (char_length(email) <= 254)))),
  constraint people_came_with_fkey FOREIGN KEY (came_with) REFERENCES tenants(id),
  constraint people_opened_by_fkey FOREIGN KEY (opened_by) REFERENCES tenants(id)
);

create table receipt_keys (
  kid text not null,
  public_jwk jsonb not null,
  private_key bytea not null,
  created_at timestamp with time zone not null,
  active_at timestamp with time zone not null,
  came_with text[],
  constraint receipt_keys_pkey PRIMARY KEY (kid)
);

create table receipt_places (
  tenant_id text not null,
  environment text not null,
  up_to bigint not null,
  seqs bigint[] not null,
  leaves bigint[] not null,
  constraint receipt_places_pkey PRIMARY KEY (tenant_id, environment, up_to),
  constraint receipt_places_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text])))
);

create table receipts (
  verification_id text not null,
  tenant_id text not null,
  environment text not null,
  jws text not null,
  leaf_index bigint,
  arrived boolean,
  seq bigint,
  leaf_salt bytea,
  constraint receipts_pkey PRIMARY KEY (verification_id),
  constraint receipts_arrived_salted CHECK (((arrived IS NOT TRUE) OR (leaf_index IS NULL) OR (leaf_salt IS NOT NULL))) NOT VALID,
  constraint receipts_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint receipts_place_once CHECK (((seq IS NULL) OR (leaf_index IS NULL))) NOT VALID
);

create table register_keys (
  registry_uri text not null,
  environment text not null,
  thumbprint text not null,
  pinned_at timestamp with time zone not null,
  constraint register_keys_pkey PRIMARY KEY (registry_uri, environment, thumbprint),
  constraint register_keys_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint register_keys_registry_uri_check CHECK (((char_length(registry_uri) >= 1) AND (char_length(registry_uri) <= 500))),
  constraint register_keys_thumbprint_check CHECK ((thumbprint ~ '^[A-Za-z0-9_-]{43}$'::text))
);

create table register_looks (
  tenant_id text,
  environment text not null,
  looked_at timestamp with time zone not null,
  outcome text not null,
  findings json not null,
  constraint register_looks_key UNIQUE NULLS NOT DISTINCT (tenant_id, environment),
  constraint register_looks_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint register_looks_outcome_check CHECK ((outcome = ANY (ARRAY['same'::text, 'drift'::text, 'failed'::text]))),
  constraint register_looks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table registered_identities (
  tenant_id text,
  environment text not null,
  identifier text not null,
  trade_name text not null,
  registry_uri text,
  is_intermediary boolean not null,
  changed_at timestamp with time zone not null,
  constraint registered_identities_key UNIQUE NULLS NOT DISTINCT (tenant_id, environment),
  constraint registered_identities_check CHECK (((tenant_id IS NULL) OR (NOT is_intermediary))),
  constraint registered_identities_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint registered_identities_identifier_check CHECK (((char_length(identifier) >= 1) AND (char_length(identifier) <= 200))),
  constraint registered_identities_registry_uri_check CHECK ((char_length(registry_uri) <= 500)),
  constraint registered_identities_trade_name_check CHECK (((char_length(trade_name) >= 1) AND (char_length(trade_name) <= 200))),
  constraint registered_identities_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table registration_certificates (
  id text not null,
  tenant_id text not null,
  environment text not null,
  intended_use text not null,
  jwt text not null,
  content json not null,
  hash text not null,
  unverified text,
  status text not null,
  checked_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint registration_certificates_pkey PRIMARY KEY (tenant_id, id),
  constraint registration_certificates_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint registration_certificates_hash_check CHECK ((char_length(hash) = 64)),
  constraint registration_certificates_intended_use_check CHECK (((char_length(intended_use) >= 1) AND (char_length(intended_use) <= 200))),
  constraint registration_certificates_status_check CHECK ((status = ANY (ARRAY['none'::text, 'valid'::text, 'revoked'::text, 'suspended'::text, 'invalid'::text, 'unknown'::text]))),
  constraint registration_certificates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table result_keys (
  id text not null,
  tenant_id text not null,
  environment text not null,
  kid text not null,
  sealed bytea not null,
  challenge bytea,
  challenge_ends_at timestamp with time zone,
  proven_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint result_keys_pkey PRIMARY KEY (tenant_id, id),
  constraint result_keys_tenant_id_environment_kid_key UNIQUE (tenant_id, environment, kid),
  constraint result_keys_check CHECK (((challenge IS NULL) = (challenge_ends_at IS NULL))),
  constraint result_keys_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint result_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table sandbox_issuers (
  name text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  constraint sandbox_issuers_pkey PRIMARY KEY (name)
);

create table schema_migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default clock_timestamp() not null,
  compatible_from integer,
  late_from integer,
  late_at timestamp with time zone,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table sign_in_links (
  hash bytea not null,
  email text not null,
  tenant_id text not null,
  role text not null,
  by_operator boolean not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  invited_by text,
  constraint sign_in_links_pkey PRIMARY KEY (tenant_id, hash),
  constraint sign_in_links_hash_check CHECK ((octet_length(hash) = 32)),
  constraint sign_in_links_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'viewer'::text]))),
  constraint sign_in_links_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES people(id),
  constraint sign_in_links_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table status_list_failures (
  environment text not null,
  origin text not null,
  cause text not null,
  reason text not null,
  failed_at timestamp with time zone not null,
  constraint status_list_failures_pkey PRIMARY KEY (environment, origin),
  constraint status_list_failures_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text])))
);

create table templates (
  tenant_id text not null,
  environment text not null,
  id text not null,
  key text not null,
  title text not null,
  description text not null,
  query json not null,
  outputs json,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  intended_use text,
  transaction json,
  constraint templates_pkey PRIMARY KEY (tenant_id, environment, key),
  constraint templates_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint templates_intended_use_check CHECK (((char_length(intended_use) >= 1) AND (char_length(intended_use) <= 200))),
  constraint templates_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 64))),
  constraint templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table tenant_branding (
  tenant_id text not null,
  environment text not null,
  shown_name text,
  colour text,
  support_url text,
  privacy_url text,
  logo bytea,
  logo_type text,
  logo_hash text,
  changed_at timestamp with time zone not null,
  background text,
  radius text,
  font text,
  help_text text,
  logo_dark bytea,
  logo_dark_type text,
  logo_dark_hash text,
  constraint tenant_branding_pkey PRIMARY KEY (tenant_id, environment),
  constraint tenant_branding_background_check CHECK ((background ~ '^#[0-9a-f]{6}$'::text)),
  constraint tenant_branding_check CHECK ((((logo IS NULL) = (logo_type IS NULL)) AND ((logo IS NULL) = (logo_hash IS NULL)))),
  constraint tenant_branding_colour_check CHECK ((colour ~ '^#[0-9a-f]{6}$'::text)),
  constraint tenant_branding_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint tenant_branding_font_check CHECK ((font = ANY (ARRAY['system'::text, 'inter'::text, 'nunito'::text, 'source_serif'::text, 'atkinson'::text]))),
  constraint tenant_branding_help_text_check CHECK (((length(help_text) >= 1) AND (length(help_text) <= 200))),
  constraint tenant_branding_logo_check CHECK ((octet_length(logo) <= 131072)),
  constraint tenant_branding_logo_dark_check CHECK ((octet_length(logo_dark) <= 131072)),
  constraint tenant_branding_logo_dark_type_check CHECK ((logo_dark_type = ANY (ARRAY['image/svg+xml'::text, 'image/png'::text]))),
  constraint tenant_branding_logo_dark_whole CHECK ((((logo_dark IS NULL) = (logo_dark_type IS NULL)) AND ((logo_dark IS NULL) = (logo_dark_hash IS NULL)))),
  constraint tenant_branding_logo_type_check CHECK ((logo_type = ANY (ARRAY['image/svg+xml'::text, 'image/png'::text]))),
  constraint tenant_branding_radius_check CHECK ((radius = ANY (ARRAY['none'::text, 'small'::text, 'medium'::text, 'large'::text]))),
  constraint tenant_branding_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table tenant_origins (
  id text not null,
  tenant_id text not null,
  environment text not null,
  origin text not null,
  kind text not null,
  token text not null,
  proven_at timestamp with time zone,
  checked_at timestamp with time zone,
  created_at timestamp with time zone not null,
  failed_checks integer default 0 not null,
  constraint tenant_origins_pkey PRIMARY KEY (tenant_id, id),
  constraint tenant_origins_tenant_id_environment_origin_key UNIQUE (tenant_id, environment, origin),
  constraint tenant_origins_check CHECK (((kind <> 'local'::text) OR (environment = 'test'::text))),
  constraint tenant_origins_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint tenant_origins_kind_check CHECK ((kind = ANY (ARRAY['web'::text, 'local'::text, 'app'::text]))),
  constraint tenant_origins_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table tenants (
  id text not null,
  name text not null,
  plan text not null,
  daily_quota integer,
  created_at timestamp with time zone not null,
  retention_days integer default 30 not null,
  wallet_rejection_status integer default 200 not null,
  status_policy_test text default 'prefer'::text not null,
  status_policy_live text default 'require'::text not null,
  haip boolean default false not null,
  client_id_prefix text default 'x509_hash'::text not null,
  response_mode text default 'direct_post.jwt'::text not null,
  live_webhooks_https_only boolean default false not null,
  plain_http_webhook_at timestamp with time zone,
  dc_api_unsigned_in_test boolean default false not null,
  dc_api_clear_in_test boolean default false not null,
  content text default 'keep'::text not null,
  hold_seconds integer default 900 not null,
  forward_only boolean default false not null,
  own_trust_in_live boolean default false not null,
  evidence_basis text,
  age_link boolean default false not null,
  browser_binding text default 'first'::text not null,
  closed_until timestamp with time zone,
  moved_to text,
  moved_from text,
  arrived_at timestamp with time zone,
  copy_since timestamp with time zone,
  opened_there_at timestamp with time zone,
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_browser_binding_check CHECK ((browser_binding = ANY (ARRAY['first'::text, 'none'::text]))),
  constraint tenants_client_id_prefix_check CHECK ((client_id_prefix = ANY (ARRAY['x509_hash'::text, 'x509_san_dns'::text]))),
  constraint tenants_content_check CHECK ((content = ANY (ARRAY['keep'::text, 'forward'::text]))),
  constraint tenants_daily_quota_check CHECK ((daily_quota >= 0)),
  constraint tenants_hold_seconds_check CHECK (((hold_seconds >= 60) AND (hold_seconds <= 3600))),
  constraint tenants_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint tenants_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'starter'::text, 'business'::text, 'enterprise'::text]))),
  constraint tenants_response_mode_check CHECK ((response_mode = ANY (ARRAY['direct_post'::text, 'direct_post.jwt'::text]))),
  constraint tenants_retention_days_check CHECK (((retention_days >= 1) AND (retention_days <= 3650))),
  constraint tenants_status_policy_live_check CHECK ((status_policy_live = ANY (ARRAY['require'::text, 'prefer'::text]))),
  constraint tenants_status_policy_test_check CHECK ((status_policy_test = ANY (ARRAY['require'::text, 'prefer'::text]))),
  constraint tenants_wallet_rejection_status_check CHECK ((wallet_rejection_status = ANY (ARRAY[200, 400])))
);

create table transaction_types (
  tenant_id text not null,
  environment text not null,
  type text not null,
  title text not null,
  schema json not null,
  saved_at timestamp with time zone not null,
  constraint transaction_types_pkey PRIMARY KEY (tenant_id, environment, type),
  constraint transaction_types_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint transaction_types_type_check CHECK (((char_length(type) >= 1) AND (char_length(type) <= 200))),
  constraint transaction_types_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table trust_lists (
  id text not null,
  tenant_id text,
  environment text not null,
  kind text not null,
  source text not null,
  signer bytea,
  types text[] not null,
  created_at timestamp with time zone not null,
  issuer text,
  sequence bigint,
  issued_at timestamp with time zone,
  next_update_at timestamp with time zone,
  loaded_at timestamp with time zone,
  attempted_at timestamp with time zone,
  failure text,
  signer_authority bytea,
  signer_chain bytea[],
  sha256 bytea,
  by_owner boolean not null,
  providers text,
  mismatched boolean default false not null,
  sole json,
  keys_sha256 bytea,
  other_issues jsonb default '{}'::jsonb not null,
  constraint trust_lists_pkey PRIMARY KEY (id),
  constraint trust_lists_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint trust_lists_kind_check CHECK ((kind = ANY (ARRAY['vical'::text, 'lote'::text, 'tsl'::text]))),
  constraint trust_lists_owned CHECK (((tenant_id IS NOT NULL) OR (NOT by_owner))),
  constraint trust_lists_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table uncounted_batches (
  tenant_id text not null,
  environment text not null,
  ended_at timestamp with time zone not null,
  endings json not null,
  constraint uncounted_batches_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text])))
);

create table uncounted_endings (
  tenant_id text not null,
  environment text not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  outcome text not null,
  template text,
  actor_type text not null,
  actor_id text not null,
  channel text not null,
  error_code text,
  constraint uncounted_endings_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint uncounted_endings_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text])))
);

create table unlogged_receipts (
  tenant_id text not null,
  environment text not null,
  seqs bigint[] not null,
  constraint unlogged_receipts_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text])))
);

create table usage_alerts (
  tenant_id text not null,
  environment text not null,
  sealed_url bytea not null,
  thresholds integer[] not null,
  changed_at timestamp with time zone not null,
  constraint usage_alerts_pkey PRIMARY KEY (tenant_id, environment),
  constraint usage_alerts_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint usage_alerts_thresholds_check CHECK (((cardinality(thresholds) >= 1) AND (cardinality(thresholds) <= 5))),
  constraint usage_alerts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table usage_alerts_told (
  tenant_id text not null,
  environment text not null,
  month text not null,
  threshold integer not null,
  id text not null,
  day date not null,
  used integer not null,
  quota integer not null,
  noticed_at timestamp with time zone not null,
  attempts integer default 0 not null,
  next_at timestamp with time zone,
  outcome text,
  constraint usage_alerts_told_pkey PRIMARY KEY (tenant_id, environment, month, threshold),
  constraint usage_alerts_told_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint usage_alerts_told_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table usage_days (
  tenant_id text not null,
  day date not null,
  created integer not null,
  test_sign_ins integer default 0 not null,
  live_sign_ins integer default 0 not null,
  constraint usage_days_pkey PRIMARY KEY (tenant_id, day),
  constraint usage_days_created_check CHECK ((created >= 0)),
  constraint usage_days_live_sign_ins_check CHECK ((live_sign_ins >= 0)),
  constraint usage_days_test_sign_ins_check CHECK ((test_sign_ins >= 0)),
  constraint usage_days_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table verification_counts (
  tenant_id text not null,
  environment text not null,
  step text not null,
  kind text not null,
  start timestamp with time zone not null,
  name text not null,
  outcome text not null,
  count integer not null,
  constraint verification_counts_pkey PRIMARY KEY (tenant_id, environment, step, kind, start, name, outcome),
  constraint verification_counts_count_check CHECK ((count > 0)),
  constraint verification_counts_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint verification_counts_kind_check CHECK ((kind = ANY (ARRAY['all'::text, 'template'::text, 'reason'::text, 'channel'::text, 'device'::text, 'key'::text, 'wait'::text]))),
  constraint verification_counts_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'expired'::text]))),
  constraint verification_counts_step_check CHECK ((step = ANY (ARRAY['hour'::text, 'day'::text])))
)
with (fillfactor=50);

create table verification_results (
  verification_id text not null,
  tenant_id text not null,
  environment text not null,
  sealed bytea,
  error_code text,
  forget_at timestamp with time zone,
  forgotten_at timestamp with time zone,
  unrecorded_forgetting text,
  channel text,
  first_read_at timestamp with time zone,
  answered_by text,
  day integer default 0 not null,
  constraint verification_results_check CHECK (((sealed IS NOT NULL) OR (forgotten_at IS NOT NULL))),
  constraint verification_results_check1 CHECK (((forget_at IS NULL) OR (forgotten_at IS NULL))),
  constraint verification_results_unrecorded_forgetting_check CHECK ((unrecorded_forgetting = ANY (ARRAY['receipt'::text, 'hold'::text])))
)
partition by LIST (day);

create table verification_results_singly (
  verification_id text not null,
  tenant_id text not null,
  environment text not null,
  sealed bytea,
  error_code text,
  forget_at timestamp with time zone,
  forgotten_at timestamp with time zone,
  unrecorded_forgetting text,
  channel text,
  first_read_at timestamp with time zone,
  answered_by text,
  day integer default 0 not null,
  constraint verification_results_pkey PRIMARY KEY (verification_id),
  constraint verification_results_check CHECK (((sealed IS NOT NULL) OR (forgotten_at IS NOT NULL))),
  constraint verification_results_check1 CHECK (((forget_at IS NULL) OR (forgotten_at IS NULL))),
  constraint verification_results_singly_check CHECK ((day = 0)),
  constraint verification_results_unrecorded_forgetting_check CHECK ((unrecorded_forgetting = ANY (ARRAY['receipt'::text, 'hold'::text])))
)
-- partition of verification_results FOR VALUES IN (0)
with (fillfactor=50);

create table verification_results_unplanned (
  verification_id text not null,
  tenant_id text not null,
  environment text not null,
  sealed bytea,
  error_code text,
  forget_at timestamp with time zone,
  forgotten_at timestamp with time zone,
  unrecorded_forgetting text,
  channel text,
  first_read_at timestamp with time zone,
  answered_by text,
  day integer default 0 not null,
  constraint verification_results_unplanned_pkey PRIMARY KEY (verification_id),
  constraint verification_results_check CHECK (((sealed IS NOT NULL) OR (forgotten_at IS NOT NULL))),
  constraint verification_results_check1 CHECK (((forget_at IS NULL) OR (forgotten_at IS NULL))),
  constraint verification_results_unrecorded_forgetting_check CHECK ((unrecorded_forgetting = ANY (ARRAY['receipt'::text, 'hold'::text])))
)
-- partition of verification_results DEFAULT
with (fillfactor=50);

create table verifications (
  id text not null,
  tenant_id text not null,
  environment text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  status text default 'pending'::text not null,
  template text,
  query json,
  outputs json,
  purpose text,
  redirect_url text,
  webhook_url text,
  metadata json,
  actor_type text not null,
  actor_id text not null,
  nonce text not null,
  state text not null,
  client_id text not null,
  response_mode text not null,
  encryption_key bytea,
  request_fetched_at timestamp with time zone,
  responded_at timestamp with time zone,
  response_code_hash bytea,
  redeemed_at timestamp with time zone,
  idempotency_key text,
  particulars bytea,
  metadata_index bytea,
  registration_id text,
  same_device boolean,
  request_sha256 bytea,
  request_object text,
  transaction_data bytea,
  answered_by_age_link boolean,
  browser_binding text,
  browser_hash bytea,
  bound_by text,
  requests_sent jsonb,
  day integer default 0 not null,
  served_requests bytea,
  constraint verifications_actor_type_check CHECK ((actor_type = ANY (ARRAY['api_key'::text, 'device'::text, 'user'::text, 'oidc_client'::text]))),
  constraint verifications_bound_by_check CHECK ((bound_by = ANY (ARRAY['browser_api'::text, 'response_code'::text, 'code'::text, 'unconfirmed'::text]))),
  constraint verifications_browser_binding_check CHECK ((browser_binding = ANY (ARRAY['first'::text, 'none'::text, 'confirm'::text, 'same_device'::text, 'unconfirmed'::text]))),
  constraint verifications_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  constraint verifications_check CHECK (((status = ANY (ARRAY['pending'::text, 'cancelled'::text])) = (responded_at IS NULL))),
  constraint verifications_check1 CHECK (((query IS NOT NULL) OR (template IS NOT NULL))),
  constraint verifications_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint verifications_response_mode_check CHECK ((response_mode = ANY (ARRAY['direct_post'::text, 'direct_post.jwt'::text]))),
  constraint verifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
)
partition by LIST (day);

create table verifications_singly (
  id text not null,
  tenant_id text not null,
  environment text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  status text default 'pending'::text not null,
  template text,
  query json,
  outputs json,
  purpose text,
  redirect_url text,
  webhook_url text,
  metadata json,
  actor_type text not null,
  actor_id text not null,
  nonce text not null,
  state text not null,
  client_id text not null,
  response_mode text not null,
  encryption_key bytea,
  request_fetched_at timestamp with time zone,
  responded_at timestamp with time zone,
  response_code_hash bytea,
  redeemed_at timestamp with time zone,
  idempotency_key text,
  particulars bytea,
  metadata_index bytea,
  registration_id text,
  same_device boolean,
  request_sha256 bytea,
  request_object text,
  transaction_data bytea,
  answered_by_age_link boolean,
  browser_binding text,
  browser_hash bytea,
  bound_by text,
  requests_sent jsonb,
  day integer default 0 not null,
  served_requests bytea,
  constraint verifications_pkey PRIMARY KEY (id),
  constraint verifications_tenant_id_environment_created_at_key UNIQUE (tenant_id, environment, created_at),
  constraint verifications_actor_type_check CHECK ((actor_type = ANY (ARRAY['api_key'::text, 'device'::text, 'user'::text, 'oidc_client'::text]))),
  constraint verifications_bound_by_check CHECK ((bound_by = ANY (ARRAY['browser_api'::text, 'response_code'::text, 'code'::text, 'unconfirmed'::text]))),
  constraint verifications_browser_binding_check CHECK ((browser_binding = ANY (ARRAY['first'::text, 'none'::text, 'confirm'::text, 'same_device'::text, 'unconfirmed'::text]))),
  constraint verifications_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  constraint verifications_check CHECK (((status = ANY (ARRAY['pending'::text, 'cancelled'::text])) = (responded_at IS NULL))),
  constraint verifications_check1 CHECK (((query IS NOT NULL) OR (template IS NOT NULL))),
  constraint verifications_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint verifications_response_mode_check CHECK ((response_mode = ANY (ARRAY['direct_post'::text, 'direct_post.jwt'::text]))),
  constraint verifications_singly_check CHECK ((day = 0)),
  constraint verifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
)
-- partition of verifications FOR VALUES IN (0)
with (fillfactor=50);

create table verifications_unplanned (
  id text not null,
  tenant_id text not null,
  environment text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  status text default 'pending'::text not null,
  template text,
  query json,
  outputs json,
  purpose text,
  redirect_url text,
  webhook_url text,
  metadata json,
  actor_type text not null,
  actor_id text not null,
  nonce text not null,
  state text not null,
  client_id text not null,
  response_mode text not null,
  encryption_key bytea,
  request_fetched_at timestamp with time zone,
  responded_at timestamp with time zone,
  response_code_hash bytea,
  redeemed_at timestamp with time zone,
  idempotency_key text,
  particulars bytea,
  metadata_index bytea,
  registration_id text,
  same_device boolean,
  request_sha256 bytea,
  request_object text,
  transaction_data bytea,
  answered_by_age_link boolean,
  browser_binding text,
  browser_hash bytea,
  bound_by text,
  requests_sent jsonb,
  day integer default 0 not null,
  served_requests bytea,
  constraint verifications_unplanned_pkey PRIMARY KEY (id),
  constraint verifications_unplanned_tenant_id_environment_created_at_key UNIQUE (tenant_id, environment, created_at),
  constraint verifications_actor_type_check CHECK ((actor_type = ANY (ARRAY['api_key'::text, 'device'::text, 'user'::text, 'oidc_client'::text]))),
  constraint verifications_bound_by_check CHECK ((bound_by = ANY (ARRAY['browser_api'::text, 'response_code'::text, 'code'::text, 'unconfirmed'::text]))),
  constraint verifications_browser_binding_check CHECK ((browser_binding = ANY (ARRAY['first'::text, 'none'::text, 'confirm'::text, 'same_device'::text, 'unconfirmed'::text]))),
  constraint verifications_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  constraint verifications_check CHECK (((status = ANY (ARRAY['pending'::text, 'cancelled'::text])) = (responded_at IS NULL))),
  constraint verifications_check1 CHECK (((query IS NOT NULL) OR (template IS NOT NULL))),
  constraint verifications_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint verifications_response_mode_check CHECK ((response_mode = ANY (ARRAY['direct_post'::text, 'direct_post.jwt'::text]))),
  constraint verifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
)
-- partition of verifications DEFAULT
with (fillfactor=50);

create table webhook_answers (
  attempt text not null,
  delivery_id text not null,
  tenant_id text not null,
  environment text not null,
  sealed bytea not null,
  kept_until timestamp with time zone not null,
  constraint webhook_answers_pkey PRIMARY KEY (attempt),
  constraint webhook_answers_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE
);

create table webhook_attempts (
  id bigint generated always as identity not null,
  delivery_id text not null,
  tenant_id text not null,
  environment text not null,
  trigger text not null,
  url text,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  outcome text,
  http_status integer,
  sent_at timestamp with time zone,
  took_ms integer,
  constraint webhook_attempts_pkey PRIMARY KEY (id),
  constraint webhook_attempts_check CHECK (((finished_at IS NULL) = (outcome IS NULL))),
  constraint webhook_attempts_took_ms_check CHECK ((took_ms >= 0)),
  constraint webhook_attempts_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'manual'::text])))
);

create table webhook_deliveries (
  id text not null,
  tenant_id text not null,
  environment text not null,
  verification_id text not null,
  state text default 'pending'::text not null,
  attempts integer default 0 not null,
  abandoned integer default 0 not null,
  created_at timestamp with time zone not null,
  next_at timestamp with time zone not null,
  leased_until timestamp with time zone,
  fence bigint default 0 not null,
  held_for text,
  failed_at_origin text,
  type text,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_told_once UNIQUE (verification_id, type),
  constraint webhook_deliveries_check CHECK (((held_for IS NULL) = (state <> 'held'::text))),
  constraint webhook_deliveries_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'held'::text]))),
  constraint webhook_deliveries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
)
with (fillfactor=70);

create table webhook_destinations (
  tenant_id text not null,
  environment text not null,
  origin text not null,
  failing_since timestamp with time zone not null,
  failed_at timestamp with time zone not null,
  failures integer not null,
  noticed_at timestamp with time zone,
  disabled_at timestamp with time zone,
  constraint webhook_destinations_pkey PRIMARY KEY (tenant_id, environment, origin),
  constraint webhook_destinations_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_destinations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table webhook_due_times (
  id bigint generated always as identity not null,
  tenant_id text not null,
  environment text not null,
  due_at timestamp with time zone not null,
  constraint webhook_due_times_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_due_times_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_due_times_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table webhook_endpoints (
  id text not null,
  tenant_id text not null,
  environment text not null,
  name text not null,
  url bytea not null,
  is_default boolean not null,
  created_at timestamp with time zone not null,
  constraint webhook_endpoints_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_endpoints_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_endpoints_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table webhook_hours (
  tenant_id text not null,
  environment text not null,
  hour timestamp with time zone not null,
  attempts integer not null,
  delivered integer not null,
  took_ms bigint not null,
  slowest_ms integer not null,
  constraint webhook_hours_pkey PRIMARY KEY (tenant_id, environment, hour),
  constraint webhook_hours_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_hours_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table webhook_old_secrets (
  id text default (gen_random_uuid())::text not null,
  tenant_id text not null,
  environment text not null,
  secret bytea not null,
  signs_until timestamp with time zone not null,
  nth bigint generated always as identity not null,
  constraint webhook_old_secrets_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_old_secrets_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_old_secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table webhook_secrets (
  tenant_id text not null,
  environment text not null,
  secret bytea not null,
  created_at timestamp with time zone not null,
  constraint webhook_secrets_pkey PRIMARY KEY (tenant_id, environment),
  constraint webhook_secrets_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table webhook_test_events (
  id text not null,
  tenant_id text not null,
  environment text not null,
  type text not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  outcome text not null,
  http_status integer,
  took_ms integer not null,
  sealed bytea not null,
  kept_until timestamp with time zone not null,
  constraint webhook_test_events_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_test_events_environment_check CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint webhook_test_events_took_ms_check CHECK ((took_ms >= 0)),
  constraint webhook_test_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table write_probe (
  only_row boolean default true not null,
  written_at timestamp with time zone not null,
  constraint write_probe_pkey PRIMARY KEY (only_row),
  constraint write_probe_only_row_check CHECK (only_row)
);

alter table access_authorities alter column certificate set statistics 0, alter column private_key set statistics 0;

alter table access_keys alter column private_key set statistics 0, alter column chain set statistics 0, alter column signing_request set statistics 0;

alter table access_links alter column hash set statistics 0, alter column browser_hash set statistics 0;

alter table alert_mails alter column about set statistics 0;

alter table anchors alter column certificate set statistics 0, alter column key_sha256 set statistics 0, alter column sole set statistics 0, alter column public_key_sha256 set statistics 0;

alter table api_keys alter column hash set statistics 0;

alter table audit_details alter column salt set statistics 0, alter column details set statistics 0;

alter table audit_details_singly alter column salt set statistics 0, alter column details set statistics 0;

alter table audit_details_unplanned alter column salt set statistics 0, alter column details set statistics 0;

alter table audit_entries alter column bytes set statistics 0, alter column hash set statistics 0;

alter table audit_heads alter column hash set statistics 0, alter column mac set statistics 0;

alter table authentication_codes alter column digest set statistics 0;

alter table dashboard_sessions alter column hash set statistics 0;

alter table device_token_pairs alter column refresh_hash set statistics 0, alter column access_hash set statistics 0;

alter table devices alter column pairing_code_hash set statistics 0, alter column display_code set statistics 0, alter column display_token_hash set statistics 0;

alter table evidence_bundles alter column jwe set statistics 0;

alter table idempotency_keys alter column key set statistics 0, alter column fingerprint set statistics 0, alter column fence set statistics 0, alter column answer set statistics 0, alter column warnings set statistics 0;

alter table kept_keys alter column sealed set statistics 0;

alter table known_browsers alter column hash set statistics 0;

alter table lapsed_verifications alter column query set statistics 0, alter column outputs set statistics 0, alter column purpose set statistics 0, alter column redirect_url set statistics 0, alter column webhook_url set statistics 0, alter column metadata set statistics 0, alter column nonce set statistics 0, alter column state set statistics 0, alter column encryption_key set statistics 0, alter column response_code_hash set statistics 0, alter column idempotency_key set statistics 0, alter column particulars set statistics 0, alter column metadata_index set statistics 0, alter column request_sha256 set statistics 0, alter column request_object set statistics 0, alter column transaction_data set statistics 0, alter column browser_hash set statistics 0, alter column requests_sent set statistics 0, alter column served_requests set statistics 0;

alter table link_openings alter column link_id set statistics 0, alter column browser_hash set statistics 0;

alter table links alter column secret_hash set statistics 0, alter column request set statistics 0;

alter table listed_keys alter column public_key_sha256 set statistics 0, alter column doc_type set statistics 0;

alter table log_heads alter column changed_chains set statistics 0, alter column judged_mac set statistics 0;

alter table log_tiles alter column bytes set statistics 0;

alter table mails alter column address_mac set statistics 0, alter column sealed set statistics 0, alter column about_mac set statistics 0;

alter table mandates alter column sha256 set statistics 0;

alter table oid4vp_requests alter column correlation set statistics 0;

alter table oidc_assertions alter column client_id set statistics 0, alter column hash set statistics 0, alter column tenant_id set statistics 0, alter column environment set statistics 0, alter column expires_at set statistics 0;

alter table oidc_authorizations alter column id set statistics 0, alter column tenant_id set statistics 0, alter column environment set statistics 0, alter column client_id set statistics 0, alter column verification_id set statistics 0, alter column browser_hash set statistics 0, alter column request set statistics 0, alter column created_at set statistics 0, alter column ends_at set statistics 0, alter column code_hash set statistics 0, alter column code_expires_at set statistics 0, alter column code_used_at set statistics 0, alter column revoked_at set statistics 0, alter column token_hash set statistics 0, alter column token_expires_at set statistics 0, alter column userinfo set statistics 0, alter column share_day set statistics 0, alter column network_hash set statistics 0, alter column confirm_tries set statistics 0, alter column returned_elsewhere_at set statistics 0;

alter table oidc_client_secrets alter column hash set statistics 0;

alter table oidc_identities alter column subject set statistics 0;

alter table oidc_keys alter column private_key set statistics 0;

alter table oidc_pushed_requests alter column id set statistics 0, alter column request set statistics 0;

alter table oidc_rounds alter column hash set statistics 0;

alter table operator_requests alter column wanted set statistics 0;

alter table passkey_challenges alter column challenge set statistics 0;

alter table passkeys alter column id set statistics 0, alter column public_key set statistics 0, alter column name set statistics 0;

alter table people alter column email set statistics 0, alter column password set statistics 0;

alter table receipt_keys alter column public_jwk set statistics 0, alter column private_key set statistics 0, alter column came_with set statistics 0;

alter table receipt_places alter column seqs set statistics 0, alter column leaves set statistics 0;

alter table receipts alter column jws set statistics 0, alter column leaf_salt set statistics 0;

alter table register_looks alter column findings set statistics 0;

alter table registration_certificates alter column content set statistics 0, alter column hash set statistics 0;

alter table result_keys alter column sealed set statistics 0, alter column challenge set statistics 0;

alter table sandbox_issuers alter column sealed set statistics 0;

alter table sign_in_links alter column hash set statistics 0, alter column email set statistics 0;

alter table status_list_failures alter column origin set statistics 0, alter column cause set statistics 0, alter column reason set statistics 0;

alter table templates alter column query set statistics 0, alter column outputs set statistics 0, alter column transaction set statistics 0;

alter table tenant_branding alter column logo set statistics 0, alter column logo_hash set statistics 0, alter column logo_dark set statistics 0, alter column logo_dark_hash set statistics 0;

alter table tenant_origins alter column token set statistics 0;

alter table transaction_types alter column schema set statistics 0;

alter table trust_lists alter column signer set statistics 0, alter column signer_authority set statistics 0, alter column signer_chain set statistics 0, alter column sha256 set statistics 0, alter column sole set statistics 0, alter column keys_sha256 set statistics 0, alter column other_issues set statistics 0;

alter table uncounted_batches alter column endings set statistics 0;

alter table unlogged_receipts alter column seqs set statistics 0;

alter table usage_alerts alter column sealed_url set statistics 0;

alter table verification_results alter column sealed set statistics 0;

alter table verification_results_singly alter column sealed set statistics 0;

alter table verification_results_unplanned alter column sealed set statistics 0;

alter table verifications alter column query set statistics 0, alter column outputs set statistics 0, alter column purpose set statistics 0, alter column redirect_url set statistics 0, alter column webhook_url set statistics 0, alter column metadata set statistics 0, alter column nonce set statistics 0, alter column state set statistics 0, alter column encryption_key set statistics 0, alter column response_code_hash set statistics 0, alter column idempotency_key set statistics 0, alter column particulars set statistics 0, alter column metadata_index set statistics 0, alter column request_sha256 set statistics 0, alter column request_object set statistics 0, alter column transaction_data set statistics 0, alter column browser_hash set statistics 0, alter column requests_sent set statistics 0, alter column served_requests set statistics 0;

alter table verifications_singly alter column query set statistics 0, alter column outputs set statistics 0, alter column purpose set statistics 0, alter column redirect_url set statistics 0, alter column webhook_url set statistics 0, alter column metadata set statistics 0, alter column nonce set statistics 0, alter column state set statistics 0, alter column encryption_key set statistics 0, alter column response_code_hash set statistics 0, alter column idempotency_key set statistics 0, alter column particulars set statistics 0, alter column metadata_index set statistics 0, alter column request_sha256 set statistics 0, alter column request_object set statistics 0, alter column transaction_data set statistics 0, alter column browser_hash set statistics 0, alter column requests_sent set statistics 0, alter column served_requests set statistics 0;

alter table verifications_unplanned alter column query set statistics 0, alter column outputs set statistics 0, alter column purpose set statistics 0, alter column redirect_url set statistics 0, alter column webhook_url set statistics 0, alter column metadata set statistics 0, alter column nonce set statistics 0, alter column state set statistics 0, alter column encryption_key set statistics 0, alter column response_code_hash set statistics 0, alter column idempotency_key set statistics 0, alter column particulars set statistics 0, alter column metadata_index set statistics 0, alter column request_sha256 set statistics 0, alter column request_object set statistics 0, alter column transaction_data set statistics 0, alter column browser_hash set statistics 0, alter column requests_sent set statistics 0, alter column served_requests set statistics 0;

alter table webhook_answers alter column sealed set statistics 0;

alter table webhook_attempts alter column url set statistics 0;

alter table webhook_deliveries alter column held_for set statistics 0, alter column failed_at_origin set statistics 0;

alter table webhook_destinations alter column origin set statistics 0;

alter table webhook_endpoints alter column url set statistics 0;

alter table webhook_old_secrets alter column secret set statistics 0;

alter table webhook_secrets alter column secret set statistics 0;

alter table webhook_test_events alter column sealed set statistics 0;

CREATE INDEX access_keys_by_realm ON public.access_keys USING btree (environment, tenant_id) WHERE (retired_at IS NULL);

CREATE UNIQUE INDEX access_keys_current ON public.access_keys USING btree (COALESCE(tenant_id, ''::text), environment, purpose, COALESCE(service_id, ''::text)) WHERE ((installed_at IS NOT NULL) AND (retired_at IS NULL));

CREATE INDEX access_links_person ON public.access_links USING btree (person_id);

CREATE INDEX alert_mails_created ON public.alert_mails USING btree (created_at);

CREATE INDEX alert_subscriptions_by_person ON public.alert_subscriptions USING btree (person_id);

CREATE INDEX alert_subscriptions_topic ON public.alert_subscriptions USING btree (topic, tenant_id);

CREATE INDEX anchors_by_key ON public.anchors USING btree (environment, key_sha256);

CREATE INDEX anchors_by_place ON public.anchors USING btree (environment, tenant_id);

CREATE INDEX anchors_by_public_key ON public.anchors USING btree (environment, public_key_sha256);

CREATE INDEX api_key_days_by_age ON public.api_key_days USING btree (day);

CREATE UNIQUE INDEX api_key_days_of_release_before ON public.api_key_days USING btree (key_id, day);

CREATE INDEX api_keys_by_hash ON public.api_keys USING btree (hash);

CREATE INDEX api_keys_by_id ON public.api_keys USING btree (id);

CREATE INDEX api_keys_by_tenant ON public.api_keys USING btree (tenant_id, created_at);

CREATE UNIQUE INDEX api_keys_hash_of_tenant ON public.api_keys USING btree (tenant_id, hash);

CREATE INDEX audit_details_by_object ON public.audit_details_singly USING btree (tenant_id, environment, object_id);

CREATE INDEX audit_details_of_people ON public.audit_details_singly USING btree (object_id) WHERE (details ? 'email'::text);

CREATE INDEX audit_details_with_address ON public.audit_details_singly USING btree (tenant_id, environment, seq) WHERE (details ? 'email'::text);

CREATE INDEX audit_details_unplanned_by_day ON public.audit_details_unplanned USING btree (day);

CREATE INDEX audit_details_unplanned_tenant_id_environment_object_id_idx ON public.audit_details_unplanned USING btree (tenant_id, environment, object_id);

CREATE INDEX authentication_codes_used ON public.authentication_codes USING btree (used_at);

CREATE INDEX authentication_codes_verification ON public.authentication_codes USING btree (verification_id) WHERE (verification_id IS NOT NULL);

CREATE INDEX dashboard_sessions_by_creation ON public.dashboard_sessions USING btree (created_at);

CREATE INDEX dashboard_sessions_by_person ON public.dashboard_sessions USING btree (person_id);

CREATE UNIQUE INDEX device_token_pairs_access_hash_of_tenant ON public.device_token_pairs USING btree (tenant_id, access_hash);

CREATE INDEX device_token_pairs_by_access_hash ON public.device_token_pairs USING btree (access_hash);

CREATE INDEX device_token_pairs_by_device ON public.device_token_pairs USING btree (device_id);

CREATE INDEX device_token_pairs_by_expiry ON public.device_token_pairs USING btree (refresh_expires_at);

CREATE INDEX device_token_pairs_by_refresh_hash ON public.device_token_pairs USING btree (refresh_hash);

CREATE INDEX devices_by_display_code ON public.devices USING btree (display_code) WHERE (display_code IS NOT NULL);

CREATE INDEX devices_by_id ON public.devices USING btree (id);

CREATE INDEX devices_by_lapsed_code ON public.devices USING btree (pairing_expires_at) WHERE (status = 'pending'::text);

CREATE UNIQUE INDEX devices_display_code_of_tenant ON public.devices USING btree (tenant_id, display_code) WHERE (display_code IS NOT NULL);

CREATE UNIQUE INDEX devices_pairing_code_of_tenant ON public.devices USING btree (tenant_id, pairing_code_hash);

CREATE INDEX evidence_bundles_due ON public.evidence_bundles USING btree (drop_at);

CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING brin (expires_at) WITH (autosummarize='on');

CREATE INDEX known_browsers_seen ON public.known_browsers USING btree (seen_at);

CREATE INDEX link_openings_by_age ON public.link_openings USING btree (link_id, opened_at);

CREATE INDEX link_openings_by_browser ON public.link_openings USING btree (link_id, browser_hash);

CREATE INDEX link_openings_by_time ON public.link_openings USING btree (opened_at);

CREATE INDEX links_by_end ON public.links USING btree (ends_at);

CREATE INDEX links_by_secret ON public.links USING btree (secret_hash);

CREATE UNIQUE INDEX links_secret_of_tenant ON public.links USING btree (tenant_id, secret_hash);

CREATE INDEX listed_keys_by_age ON public.listed_keys USING btree (list_id, named_at);

CREATE INDEX mails_by_subject ON public.mails USING btree (tenant_id, about_mac) WHERE (next_at IS NOT NULL);

CREATE INDEX mails_counted ON public.mails USING btree (kind, created_at);

CREATE INDEX mails_due ON public.mails USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX members_by_person ON public.members USING btree (person_id);

CREATE INDEX oid4vp_requests_by_verification ON public.oid4vp_requests USING btree (verification_id);

CREATE INDEX oidc_assertions_by_end ON public.oidc_assertions USING btree (expires_at);

CREATE INDEX oidc_authorizations_by_client ON public.oidc_authorizations USING btree (client_id);

CREATE INDEX oidc_authorizations_by_end ON public.oidc_authorizations USING btree (ends_at);

CREATE INDEX oidc_authorizations_by_id ON public.oidc_authorizations USING btree (id);

CREATE INDEX oidc_authorizations_by_verification ON public.oidc_authorizations USING btree (verification_id);

CREATE UNIQUE INDEX oidc_authorizations_code_of_tenant ON public.oidc_authorizations USING btree (tenant_id, code_hash);

CREATE INDEX oidc_authorizations_open ON public.oidc_authorizations USING btree (client_id, created_at) INCLUDE (network_hash, tenant_id, environment) WHERE (code_hash IS NULL);

CREATE UNIQUE INDEX oidc_authorizations_token_of_tenant ON public.oidc_authorizations USING btree (tenant_id, token_hash);

CREATE INDEX oidc_client_secrets_by_client ON public.oidc_client_secrets USING btree (client_id);

CREATE INDEX oidc_clients_by_realm ON public.oidc_clients USING btree (tenant_id, environment);

CREATE INDEX oidc_keys_by_realm ON public.oidc_keys USING btree (tenant_id, environment);

CREATE INDEX oidc_pushed_requests_by_client ON public.oidc_pushed_requests USING btree (client_id);

CREATE INDEX oidc_pushed_requests_by_end ON public.oidc_pushed_requests USING btree (expires_at);

CREATE INDEX oidc_pushed_requests_by_tenant ON public.oidc_pushed_requests USING btree (tenant_id, expires_at);

CREATE INDEX operator_requests_of_realm ON public.operator_requests USING btree (tenant_id, environment);

CREATE UNIQUE INDEX operator_requests_open ON public.operator_requests USING btree (tenant_id, environment, kind) WHERE (state = 'open'::text);

CREATE INDEX passkeys_by_person ON public.passkeys USING btree (person_id);

CREATE INDEX receipts_arrived ON public.receipts USING btree (verification_id) WHERE ((leaf_index IS NULL) AND arrived);

CREATE INDEX receipts_without_leaf ON public.receipts USING btree (verification_id) WHERE ((leaf_index IS NULL) AND (seq IS NULL));

CREATE UNIQUE INDEX registration_certificates_current ON public.registration_certificates USING btree (tenant_id, environment, hash) WHERE (removed_at IS NULL);

CREATE INDEX registration_certificates_of_realm ON public.registration_certificates USING btree (tenant_id, environment);

CREATE INDEX sign_in_links_by_hash ON public.sign_in_links USING btree (hash);

CREATE INDEX sign_in_links_by_inviter ON public.sign_in_links USING btree (invited_by) WHERE (used_at IS NULL);

CREATE INDEX sign_in_links_open ON public.sign_in_links USING btree (tenant_id, created_at) WHERE (used_at IS NULL);

CREATE INDEX trust_lists_by_realm ON public.trust_lists USING btree (environment, tenant_id);

CREATE INDEX usage_alerts_due ON public.usage_alerts_told USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE UNIQUE INDEX usage_alerts_told_id_of_tenant ON public.usage_alerts_told USING btree (tenant_id, id);

CREATE INDEX verification_counts_by_age ON public.verification_counts USING btree (step, start);

CREATE INDEX verification_results_forget_at ON public.verification_results_singly USING btree (forget_at) WHERE (forget_at IS NOT NULL);

CREATE INDEX verification_results_unrecorded ON public.verification_results_singly USING btree (tenant_id, environment) WHERE (unrecorded_forgetting IS NOT NULL);

CREATE INDEX verification_results_unplanned_by_day ON public.verification_results_unplanned USING btree (day);

CREATE INDEX verification_results_unplanned_forget_at_idx ON public.verification_results_unplanned USING btree (forget_at) WHERE (forget_at IS NOT NULL);

CREATE INDEX verification_results_unplanned_tenant_id_environment_idx ON public.verification_results_unplanned USING btree (tenant_id, environment) WHERE (unrecorded_forgetting IS NOT NULL);

CREATE INDEX verifications_by_device ON public.verifications_singly USING btree (tenant_id, environment, actor_id, created_at) WHERE (actor_type = 'device'::text);

CREATE INDEX verifications_by_expiry ON public.verifications_singly USING btree (expires_at);

CREATE INDEX verifications_plain ON public.verifications_singly USING btree (id) WHERE ((metadata IS NOT NULL) OR (redirect_url IS NOT NULL) OR (webhook_url IS NOT NULL));

CREATE INDEX verifications_unplanned_by_day ON public.verifications_unplanned USING btree (day);

CREATE INDEX verifications_unplanned_expires_at_idx ON public.verifications_unplanned USING btree (expires_at);

CREATE INDEX verifications_unplanned_id_idx ON public.verifications_unplanned USING btree (id) WHERE ((metadata IS NOT NULL) OR (redirect_url IS NOT NULL) OR (webhook_url IS NOT NULL));

CREATE INDEX verifications_unplanned_tenant_id_environment_actor_id_crea_idx ON public.verifications_unplanned USING btree (tenant_id, environment, actor_id, created_at) WHERE (actor_type = 'device'::text);

CREATE INDEX webhook_answers_by_delivery ON public.webhook_answers USING btree (delivery_id);

CREATE INDEX webhook_answers_by_end ON public.webhook_answers USING btree (kept_until);

CREATE INDEX webhook_attempts_by_delivery ON public.webhook_attempts USING btree (delivery_id, id);

CREATE INDEX webhook_attempts_plain ON public.webhook_attempts USING btree (id) WHERE (url IS NOT NULL);

CREATE INDEX webhook_deliveries_by_failed_origin ON public.webhook_deliveries USING btree (tenant_id, environment, failed_at_origin) WHERE (failed_at_origin IS NOT NULL);

CREATE INDEX webhook_deliveries_by_place ON public.webhook_deliveries USING btree (tenant_id, environment, created_at);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (tenant_id, environment, next_at) WHERE (state = 'pending'::text);

CREATE INDEX webhook_deliveries_longest_due ON public.webhook_deliveries USING btree (next_at) WHERE (state = 'pending'::text);

CREATE INDEX webhook_deliveries_pending ON public.webhook_deliveries USING btree ((((tenant_id || '|'::text) || environment)), next_at) WHERE (state = 'pending'::text);

CREATE INDEX webhook_deliveries_unsettled ON public.webhook_deliveries USING btree (tenant_id, environment, state, created_at) WHERE (state = ANY (ARRAY['failed'::text, 'held'::text]));

CREATE INDEX webhook_due_times_by_realm ON public.webhook_due_times USING btree (tenant_id, environment, due_at);

CREATE INDEX webhook_due_times_by_time ON public.webhook_due_times USING btree (due_at);

CREATE INDEX webhook_endpoints_by_realm ON public.webhook_endpoints USING btree (tenant_id, environment, created_at);

CREATE UNIQUE INDEX webhook_endpoints_one_default ON public.webhook_endpoints USING btree (tenant_id, environment) WHERE is_default;

CREATE INDEX webhook_hours_by_age ON public.webhook_hours USING btree (hour);

CREATE INDEX webhook_old_secrets_by_place ON public.webhook_old_secrets USING btree (tenant_id, environment, signs_until);

CREATE INDEX webhook_test_events_by_end ON public.webhook_test_events USING btree (kept_until);

CREATE INDEX webhook_test_events_by_realm ON public.webhook_test_events USING btree (tenant_id, environment, created_at);

CREATE OR REPLACE FUNCTION public.add_partition(parent text, partition text, of_day integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  like_that regclass := parent || '_singly';
  -- An ending changes the first ten, the first fetch the others.
  changing text[] := array['encryption_key', 'request_object', 'served_requests', 'transaction_data', 'status', 'responded_at',
    'response_code_hash', 'bound_by', 'answered_by_age_link', 'redeemed_at', 'same_device', 'request_fetched_at', 'request_sha256', 'requests_sent'];
  columns text;
  one record;
begin
  select string_agg(format('%I %s', attname, concat_ws(' ', format_type(atttypid, atttypmod),
      'default ' || pg_get_expr(adbin, adrelid), case when attnotnull then 'not null' end)),
      ', ' order by coalesce(array_position(changing, attname::text), 0), attnum) into columns
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = like_that and attnum > 0 and not attisdropped;
  execute format('create table %I (%s)', partition, columns);
  for one in select attname from pg_attribute
             where attrelid = like_that and attnum > 0 and not attisdropped and attstattarget = 0 loop
    execute format('alter table %I alter column %I set statistics 0', partition, one.attname);
  end loop;
  -- In their order: of indexes that cost the same, PostgreSQL takes the newest.
  for one in select coalesce(format('alter table %I add ', partition) || pg_get_constraintdef(c.oid),
               regexp_replace(pg_get_indexdef(indexrelid), ' INDEX \S+ ON \S+ ', format(' INDEX ON %I ', partition))) as creating
             from pg_index left join pg_constraint c on c.conindid = indexrelid and c.contype in ('p', 'u')
             where indrelid = like_that order by indexrelid loop
    execute one.creating;
  end loop;
  for one in select conname, pg_get_constraintdef(oid) as definition from pg_constraint
             where conrelid = parent::regclass and contype = 'c' loop
    execute format('alter table %I add constraint %I %s', partition, one.conname, one.definition);
  end loop;
  for one in select unnest(reloptions) as option from pg_class where oid = like_that loop
    execute format('alter table %I set (%s)', partition, one.option);
  end loop;
  if of_day is null then
    execute format('alter table %I attach partition %I default', parent, partition);
  else
    -- Saves the scan when it is attached elsewhere.
    execute format('alter table %I add constraint %I check (day = %s)', partition, partition || '_day', of_day);
    execute format('alter table %I attach partition %I for values in (%s)', parent, partition, of_day);
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_lapsed(of_day integer)
 RETURNS TABLE(tenant_id text, environment text, verifications bigint, last bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return query execute format($query$
    select c.* from tenants t cross join unnest(array['test', 'live']) as e (environment) cross join lateral (
      select t.id, e.environment,
        (select count(*) from %1$I v where v.tenant_id = t.id and v.environment = e.environment) as verifications,
        (select max(d.seq) from %2$I d where d.tenant_id = t.id and d.environment = e.environment)) c
    where c.verifications > 0 order by 1, 2 desc
  $query$, 'lapsed_verifications_' || of_day, 'audit_details_' || of_day);
end
$function$
;

CREATE OR REPLACE FUNCTION public.delete_attempts_of_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  delete from webhook_attempts where delivery_id = any (array(select id from gone));
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.drop_day(of_day integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('drop table if exists %I', 'lapsed_verifications_' || of_day);
end
$function$
;

CREATE OR REPLACE FUNCTION public.drop_details(of_day integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('drop table %I', 'audit_details_' || of_day);
end
$function$
;

CREATE OR REPLACE FUNCTION public.forget_what_verifications_left()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  delete from evidence_bundles where verification_id = any (array(select id from gone));
  delete from oid4vp_requests where verification_id = any (array(select id from gone));
  delete from oidc_authorizations where verification_id = any (array(select id from gone));
  update authentication_codes set verification_id = null where verification_id = any (array(select id from gone));
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.is_day_kept(of_day integer, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  kept boolean;
begin
  execute format('select exists (select from tenants t
      where ($1 < to_timestamp(%s * 86400.0) + make_interval(days => t.retention_days, mins => 10) or t.closed_until > clock_timestamp())
        and exists (select from %I v where v.tenant_id = t.id))', of_day + 1, 'verifications_' || of_day) into kept using at;
  return kept;
end
$function$
;

CREATE OR REPLACE FUNCTION public.lapse_day(of_day integer, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  verifications_then text := 'verifications_' || of_day;
  results_then text := 'verification_results_' || of_day;
begin
  perform pg_advisory_xact_lock(7310011);
  execute format('lock table only verifications, only verification_results, only audit_details, %I, %I, %I in access exclusive mode',
    verifications_then, results_then, 'audit_details_' || of_day);
  if is_day_kept(of_day, at) then return false; end if;
  execute format('alter table verifications detach partition %I', verifications_then);
  execute format('alter table %I rename to %I', verifications_then, 'lapsed_' || verifications_then);
  execute format('alter table lapsed_verifications attach partition %I for values in (%s)', 'lapsed_' || verifications_then, of_day);
  execute format('drop table %I', results_then);
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.make_day(of_day integer, bytes_max bigint DEFAULT ((512 * 1024) * 1024))
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  parents text[] := array['verifications', 'verification_results', 'audit_details'];
  parent text;
  taken boolean;
begin
  perform pg_advisory_xact_lock(7310011);
  foreach parent in array parents loop
    if pg_relation_size((parent || '_unplanned')::regclass) > bytes_max then return false; end if;
    execute format('select exists (select from %I where day = %s)', parent || '_unplanned', of_day) into taken;
    if taken then return false; end if;
  end loop;
  foreach parent in array parents loop
    if to_regclass(parent || '_' || of_day) is null then perform add_partition(parent, parent || '_' || of_day, of_day); end if;
  end loop;
  return true;
end
$function$
;

CREATE OR REPLACE FUNCTION public.move_details_to_their_day()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  update audit_details d set day = v.day from verifications v
  where d.tenant_id = new.tenant_id and d.environment = new.environment and d.seq = new.seq and d.day = 0
    and v.id = new.object_id and v.tenant_id = new.tenant_id and v.day <> 0;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.move_result_to_its_day()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  update verification_results r set day = v.day from verifications v
  where r.verification_id = new.verification_id and r.day = 0 and v.id = new.verification_id and v.tenant_id = new.tenant_id and v.day <> 0;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.name_day_of_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  new.day := coalesce((select v.day from verifications v where v.id = new.object_id and v.tenant_id = new.tenant_id), 0);
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.name_entries(of_day integer, after_tenant text, up_to_tenant text)
 RETURNS TABLE(tenant_id text, environment text, entries text, last bigint, newest text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return query execute format($query$
    with recursive ends as materialized (
      select t.id as tenant_id, e.environment, s.first, s.last from tenants t cross join unnest(array['test', 'live']) as e (environment)
      cross join lateral (
        select min(seq) as first, max(seq) as last from %1$I where tenant_id = t.id and environment = e.environment) s
      where t.id > $1 and t.id <= $2 and s.first is not null
    ), pages as (
      select tenant_id, environment, first, -1::bigint as before, (
        select count(*) from %1$I where tenant_id = e.tenant_id and environment = e.environment
          and seq >= e.first and seq < e.first + 1000) as count from ends e
      union all
      select p.tenant_id, p.environment, n.seq, case when p.count = 1000 then p.first + 999 else (
          select max(seq) from %1$I where tenant_id = p.tenant_id and environment = p.environment and seq < n.seq) end, (
        select count(*) from %1$I where tenant_id = p.tenant_id and environment = p.environment and seq >= n.seq and seq < n.seq + 1000)
      from pages p cross join lateral (
        select seq from %1$I where tenant_id = p.tenant_id and environment = p.environment
          and seq >= p.first + 1000 order by seq limit 1) n
    ), numbers as (
      select tenant_id, environment, first as seq, before from pages
      union all
      select p.tenant_id, p.environment, n.seq, n.before from pages p cross join lateral (
        select seq, lag(seq) over (order by seq) as before from %1$I
        where tenant_id = p.tenant_id and environment = p.environment and seq >= p.first and seq < p.first + 1000) n
      where p.count < 1000
    ), runs as (
      select tenant_id, environment, seq as first, before, lead(before) over realm as last
      from numbers where seq <> before + 1 window realm as (partition by tenant_id, environment order by seq)
    ), named as (
      select tenant_id, environment, e.last, string_agg(
        r.first - 1 - greatest(before, 0) || ',' || coalesce(r.last, e.last) - r.first + 1, ',' order by r.first) as entries
      from runs r join ends e using (tenant_id, environment) group by 1, 2, 3
    )
    select n.tenant_id, n.environment, n.entries, n.last, convert_from(e.bytes, 'UTF8')::jsonb ->> 'at'
    from named n left join audit_entries e on e.tenant_id = n.tenant_id and e.environment = n.environment and e.seq = n.last
  $query$, 'audit_details_' || of_day) using after_tenant, up_to_tenant;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_due_delivery()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform from webhook_due_times t
    where t.tenant_id = new.tenant_id and t.environment = new.environment and t.due_at <= new.next_at
    limit 1 for share skip locked;
  if not found then
    insert into webhook_due_times (tenant_id, environment, due_at) values (new.tenant_id, new.environment, new.next_at);
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the audit chain is append-only';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_creation_of_lost_key()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'another request took the idempotency key' using errcode = 'VK001';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_stale_batch()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'another writer changed what this batch was prepared for' using errcode = 'VK002';
end
$function$
;

CREATE TRIGGER audit_checkpoints_append_only BEFORE DELETE OR UPDATE ON public.audit_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER audit_checkpoints_no_truncate BEFORE TRUNCATE ON public.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER audit_details_singly_move AFTER INSERT ON public.audit_details_singly FOR EACH ROW WHEN (((current_setting('vidimus.days'::text, true) IS DISTINCT FROM 'on'::text) AND starts_with(new.object_id, 'ver_'::text))) EXECUTE FUNCTION move_details_to_their_day();

CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER audit_entries_name_day BEFORE INSERT ON public.audit_entries FOR EACH ROW WHEN (((current_setting('vidimus.days'::text, true) IS DISTINCT FROM 'on'::text) AND starts_with(new.object_id, 'ver_'::text))) EXECUTE FUNCTION name_day_of_entry();

CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER log_blinded_heads_append_only BEFORE DELETE OR UPDATE ON public.log_blinded_heads FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER log_blinded_heads_no_truncate BEFORE TRUNCATE ON public.log_blinded_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER log_chain_heads_append_only BEFORE DELETE OR UPDATE ON public.log_chain_heads FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER log_chain_heads_no_truncate BEFORE TRUNCATE ON public.log_chain_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER verification_results_singly_move AFTER INSERT ON public.verification_results_singly FOR EACH ROW WHEN ((current_setting('vidimus.days'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION move_result_to_its_day();

CREATE TRIGGER verifications_forget_left AFTER DELETE ON public.verifications REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_what_verifications_left();

CREATE TRIGGER webhook_deliveries_note_due_inserted AFTER INSERT ON public.webhook_deliveries FOR EACH ROW WHEN (((new.state = 'pending'::text) AND (new.leased_until IS NULL))) EXECUTE FUNCTION note_due_delivery();

CREATE TRIGGER webhook_deliveries_note_due_updated AFTER UPDATE ON public.webhook_deliveries FOR EACH ROW WHEN (((new.state = 'pending'::text) AND (new.leased_until IS NULL))) EXECUTE FUNCTION note_due_delivery();

CREATE TRIGGER webhook_deliveries_take_attempts AFTER DELETE ON public.webhook_deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_attempts_of_deliveries();
