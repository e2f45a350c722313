-- Verifications, what they resulted in, the templates they are made from, and the idempotent answers of their creation.

alter table tenants
  -- Days after which a verification is erased by itself.
  add column retention_days integer not null default 30 check (retention_days between 1 and 3650),
  -- What a wallet is answered when its presentation fails a check.
  add column wallet_rejection_status integer not null default 200 check (wallet_rejection_status in (200, 400)),
  add column status_policy_test text not null default 'prefer' check (status_policy_test in ('require', 'prefer')),
  add column status_policy_live text not null default 'require' check (status_policy_live in ('require', 'prefer')),
  add column haip boolean not null default false,
  add column client_id_prefix text not null default 'x509_hash' check (client_id_prefix in ('x509_hash', 'x509_san_dns')),
  add column response_mode text not null default 'direct_post.jwt' check (response_mode in ('direct_post', 'direct_post.jwt'));

-- Expiry is not stored: a pending verification past expires_at is expired, whether or not a job has run.
-- No foreign key to the tenant: its check would lock the tenant's row for every creation, and tenants are never deleted.
create table verifications (
  id                 text primary key,
  tenant_id          text not null,
  environment        text not null check (environment in ('test', 'live')),
  created_at         timestamptz not null,
  expires_at         timestamptz not null,
  status             text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
  template           text,
  -- null: the built-in template of that key says it (most rows by far, which stay small so).
  query              json,
  outputs            json,
  purpose            text,
  redirect_url       text,
  webhook_url        text,
  metadata           json,
  actor_type         text not null check (actor_type in ('api_key', 'device', 'user')),
  actor_id           text not null,
  nonce              text not null,
  state              text not null,
  client_id          text not null,
  response_mode      text not null check (response_mode in ('direct_post', 'direct_post.jwt')),
  -- Sealed; destroyed when the response is accepted.
  encryption_key     bytea,
  request_fetched_at timestamptz,
  responded_at       timestamptz,
  response_code_hash bytea,
  redeemed_at        timestamptz,
  -- Leads an erasure to the answer that is kept for replays.
  idempotency_key    text,
  check ((status = 'pending') = (responded_at is null)),
  check (query is not null or template is not null),
  -- Instants of creation are unique within tenant and environment, so that a page boundary neither skips nor repeats.
  unique (tenant_id, environment, created_at)
);
-- For the job that destroys keys nobody can use any more.
create index verifications_with_key on verifications (expires_at) where encryption_key is not null;
-- Only devices are shown no more than what they asked themselves.
create index verifications_by_device on verifications (tenant_id, environment, actor_id, created_at)
  where actor_type = 'device';

-- Claims, findings and error, sealed as one: a copy of the database tells nothing of anybody.
create table verification_results (
  verification_id text primary key references verifications (id),
  tenant_id       text not null,
  environment     text not null,
  sealed          bytea not null,
  error_code      text
);

create table templates (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  -- What the audit trail calls it: the key is the merchant's word.
  id          text not null,
  key         text not null check (char_length(key) between 1 and 64),
  title       text not null,
  description text not null,
  query       json not null,
  outputs     json,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  primary key (tenant_id, environment, key)
);

-- Half of each page is left free, so that recording the answer moves no row and touches no index.
create table idempotency_keys (
  tenant_id       text not null,
  environment     text not null check (environment in ('test', 'live')),
  key             text not null check (char_length(key) between 1 and 255),
  fingerprint     bytea not null,
  -- Who holds the key: an owner that lost its lease finds another fence here and cannot commit.
  fence           text not null,
  lease_until     timestamptz not null,
  expires_at      timestamptz not null,
  -- Set together, in the transaction of the creation.
  verification_id text,
  answer          bytea,
  primary key (tenant_id, environment, key),
  check ((verification_id is null) = (answer is null))
) with (fillfactor = 50);
create index idempotency_keys_by_expiry on idempotency_keys using brin (expires_at) with (autosummarize = on);

-- Periodic work: one row a job, leased by whichever replica runs it.
create table jobs (
  name        text primary key,
  lease_until timestamptz not null,
  ran_at      timestamptz
);
