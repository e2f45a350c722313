-- That a merchant has commissioned the operator: the document's SHA-256 and date, never the document.
create table mandates (
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  kind        text not null check (kind in ('contract', 'power_of_attorney', 'order', 'other')),
  sha256      text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  dated       date not null,
  recorded_at timestamptz not null,
  -- When the operator held the document against the hash; null: not yet.
  checked_at  timestamptz,
  primary key (tenant_id, environment)
);

-- What a merchant asks its operator to do, and what came of it.
create table operator_requests (
  id          text primary key,
  tenant_id   text not null references tenants (id),
  environment text not null check (environment in ('test', 'live')),
  kind        text not null check (kind in ('identity', 'mandate', 'registration_provider', 'access_certificate', 'trusted_list')),
  -- What is wanted, by the kind; nothing of it is personal.
  wanted      json not null,
  state       text not null check (state in ('open', 'done', 'declined')),
  made_at     timestamptz not null,
  answered_at timestamptz,
  -- The operator's words to the merchant.
  answer      text check (char_length(answer) between 1 and 300),
  check ((state = 'open') = (answered_at is null))
);
create index operator_requests_of_realm on operator_requests (tenant_id, environment);
-- One of a kind waits at a time.
create unique index operator_requests_open on operator_requests (tenant_id, environment, kind) where state = 'open';

-- What the answer warned of, so that it is told again with it: [{code, message}]; null: of nothing.
alter table idempotency_keys add column warnings json;
